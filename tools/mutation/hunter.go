package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// outcome is what became of a mutant.
type outcome int

const (
	survived outcome = iota
	caught
	hung    // caught by a timeout
	unbuilt // the tests do not compile with it
)

// hunter runs the tests against mutants, which it keeps in a directory of its own: the tree is never touched.
type hunter struct {
	root, dir string
	suites    map[string][]suite // by directory of the package to break, its own tests first
}

// catch runs the tests of a mutant's package, and only if they pass those of the packages that hold it too.
func (h hunter) catch(number int, m Mutant) (outcome, error) {
	for _, s := range h.suites[m.File.Package.Dir] {
		if !m.isSwitched() {
			s.program = filepath.Join(h.dir, "one.test")
			err := h.build(s, map[string][]byte{m.File.Path: m.Source()})
			if err != nil && strings.Contains(err.Error(), "_test.go") {
				return unbuilt, nil
			} else if err != nil {
				return survived, err
			}
		}
		for _, p := range s.parts {
			out, err := h.test(s, strconv.Itoa(number), p.flag, "-test.failfast", "-test.timeout="+p.timeout.String())
			switch {
			case err != nil && strings.Contains(out, "panic: test timed out"):
				return hung, nil
			case err != nil:
				return caught, nil
			}
		}
	}
	return survived, nil
}

// build compiles tests as go test does, with other texts for some files.
func (h hunter) build(s suite, files map[string][]byte) error {
	replace := map[string]string{}
	for path, text := range files {
		replace[path] = filepath.Join(h.dir, filepath.Base(path))
		if err := os.WriteFile(replace[path], text, 0o644); err != nil {
			return err
		}
	}
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": replace})
	if err != nil {
		return err
	}
	list := filepath.Join(h.dir, "overlay.json")
	if err := os.WriteFile(list, overlay, 0o644); err != nil {
		return err
	}
	cmd := exec.Command("go", "test", "-c", "-vet=off", "-ldflags=-s -w", "-overlay="+list, "-o", s.program, "./"+s.dir)
	cmd.Dir = h.root
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build the tests of ./%s: %w\n%s", s.dir, err, out)
	}
	return nil
}

// test runs what build compiled, on one processor, since another worker has the next. Memory is limited, for a loop without an end may take all there is.
func (h hunter) test(s suite, mutant string, flags ...string) (string, error) {
	cmd := exec.Command("prlimit", append([]string{"--as=4294967296", s.program, "-test.short"}, flags...)...)
	cmd.Dir = filepath.Join(h.root, s.dir)
	cmd.Env = append(os.Environ(), "MUTANT="+mutant, "GOMAXPROCS=1")
	out, err := cmd.CombinedOutput()
	return string(out), err
}
