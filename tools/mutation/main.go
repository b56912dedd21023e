// Command mutation breaks the product's Go code in one place at a time and wants a test to notice. survivors.yml lists the
// mutants that no test can notice, each with the reason.
package main

import (
	"flag"
	"fmt"
	"go/ast"
	"log"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

func main() {
	log.SetFlags(0)
	root := flag.String("root", "../..", "the repository")
	only := flag.String("only", "", "regular expression for the mutants to make: FILE FUNCTION: CHANGE")
	list := flag.Bool("list", false, "only show the mutants")
	flag.Parse()
	if err := run(*root, *only, *list); err != nil {
		log.Fatal(err)
	}
}

func run(root, only string, list bool) error {
	start := time.Now()
	wanted, err := regexp.Compile(only)
	if err != nil {
		return err
	}
	reasons, err := readReasons("survivors.yml")
	if err != nil {
		return err
	}
	if root, err = filepath.Abs(root); err != nil {
		return err
	}
	var dirs []string
	for _, h := range holders {
		dirs = append(dirs, h.dir)
	}
	packages, err := load(root, dirs)
	if err != nil {
		return err
	}
	var made []Mutant
	for _, p := range packages {
		for _, f := range p.Files {
			if !ast.IsGenerated(f.AST) { // what it is made from has tests of its own
				made = append(made, Mutants(f)...)
			}
		}
	}
	made = slices.DeleteFunc(made, func(m Mutant) bool { return !wanted.MatchString(m.ID) })
	mutants := valid(made)
	fmt.Printf("%d mutants, and %d changes that do not compile\n", len(mutants), len(made)-len(mutants))
	if list {
		for _, m := range mutants {
			fmt.Println(m.ID)
		}
		return nil
	}
	outcomes, err := hunt(root, packages, mutants)
	if err != nil {
		return err
	}
	report(os.Stdout, mutants, outcomes)
	var survivors []string
	for i, m := range mutants {
		if outcomes[i] == survived {
			survivors = append(survivors, m.ID)
		}
	}
	fmt.Println(time.Since(start).Round(time.Second))
	if wrong := complaints(reasons, survivors, wanted); len(wrong) > 0 {
		return fmt.Errorf("%s", strings.Join(wrong, "\n"))
	}
	return nil
}
