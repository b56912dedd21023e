package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
)

// holders are the packages to break, and whose tests hold them besides their own, the quickest first.
var holders = []struct {
	dir  string
	more []string
}{
	{"internal/rancher", []string{"internal/node", "collector"}},
	{"collector", []string{"."}},
	{"internal/node", []string{"collector", "."}},
	{"internal/diagnosis", []string{"internal/terminal"}},
}

// workers is how many tests run at once.
const workers = 2

// testsOf are the directories whose tests hold a package, its own first.
func testsOf(dir string) []string {
	for _, h := range holders {
		if h.dir == dir {
			return append([]string{dir}, h.more...)
		}
	}
	return []string{dir}
}

// hunt finds out what becomes of each mutant.
func hunt(root string, packages []*Package, mutants []Mutant) ([]outcome, error) {
	temp, err := os.MkdirTemp("", "mutation")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(temp)
	suites, err := prepare(hunter{root: root, dir: temp}, packages, mutants)
	if err != nil {
		return nil, err
	}
	outcomes := make([]outcome, len(mutants))
	errs := make([]error, workers)
	queue := make(chan int)
	var group sync.WaitGroup
	for w := range workers {
		group.Go(func() {
			h := hunter{root: root, dir: filepath.Join(temp, fmt.Sprint(w)), suites: suites}
			errs[w] = os.Mkdir(h.dir, 0o755)
			for i := range queue {
				if errs[w] != nil {
					continue
				}
				outcomes[i], errs[w] = h.catch(i, mutants[i])
				if outcomes[i] == survived {
					fmt.Println("survived:", mutants[i].ID)
				}
			}
		})
	}
	for i := range mutants {
		queue <- i
	}
	close(queue)
	group.Wait()
	return outcomes, errors.Join(errs...)
}

// prepare makes the programs that hold the mutants of each package.
func prepare(h hunter, packages []*Package, mutants []Mutant) (map[string][]suite, error) {
	suites := map[string][]suite{}
	for _, p := range packages {
		of := map[int]Mutant{}
		for number, m := range mutants {
			if m.File.Package == p {
				of[number] = m
			}
		}
		if len(of) == 0 {
			continue
		}
		for _, dir := range testsOf(p.Dir) {
			s, err := h.prepare(p, of, dir)
			if err != nil {
				return nil, err
			}
			suites[p.Dir] = append(suites[p.Dir], s)
		}
	}
	return suites, nil
}
