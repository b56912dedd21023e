package main

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// suite is the tests in a directory, compiled with the mutants of a package.
type suite struct {
	dir     string
	program string
	parts   []part // the quick tests first, since one of them catches most mutants
}

// part is some of the tests of a suite.
type part struct {
	flag    string // of the test program, which chooses them
	timeout time.Duration
}

// quick is what a test takes at most that runs first.
const quick = 20 * time.Millisecond

var result = regexp.MustCompile(`(?m)^--- PASS: (\w+) \((\d+\.\d+s)\)$`)

// prepare compiles tests with the mutants of a package, and runs them with no mutant switched on, to see that they pass
// and how long they take.
func (h hunter) prepare(p *Package, mutants map[int]Mutant, dir string) (suite, error) {
	s := suite{dir: dir, program: filepath.Join(h.dir, strings.ReplaceAll(p.Dir+" "+dir, "/", "-")+".test")}
	if err := h.build(s, switched(p, mutants)); err != nil {
		return s, err
	}
	out, err := h.test(s, "", "-test.v")
	if err != nil {
		return s, fmt.Errorf("the tests of ./%s fail without any mutant: %w\n%s", dir, err, out)
	}
	s.parts = partsOf(out)
	return s, nil
}

// partsOf tells the quick tests from the slow ones by what they have printed.
func partsOf(out string) []part {
	var slow []string
	var quickTime, slowTime time.Duration
	for _, m := range result.FindAllStringSubmatch(out, -1) {
		took, _ := time.ParseDuration(m[2])
		if took <= quick {
			quickTime += took
			continue
		}
		slow = append(slow, m[1])
		slowTime += took
	}
	names := "^(" + strings.Join(slow, "|") + ")$"
	timeout := func(took time.Duration) time.Duration { return 5*time.Second + 5*took }
	return []part{{"-test.skip=" + names, timeout(quickTime)}, {"-test.run=" + names, timeout(slowTime)}}
}
