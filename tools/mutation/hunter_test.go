package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// What a test holds and what it does not, in functions, variables and constants, and a mutant that has no end.
func TestCatch(t *testing.T) {
	root := t.TempDir()
	const source = `package p

const (
	two  = 2 // as a variable
	size = 1
)

var room [size]int

var three = 3

func held() int { return 1 }

func loose() int { return two + three }

func loop(n int) {
	for n > 0 {
		n--
	}
}
`
	const test = `package p

import "testing"

func TestHeld(t *testing.T) {
	loop(3)
	if held() != 1 || loose() > 5 {
		t.Fail()
	}
}
`
	for name, text := range map[string]string{
		"go.mod": "module example.test\n\ngo 1.26\n", "p/p.go": source, "p/p_test.go": test,
	} {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	packages, err := load(root, []string{"p"})
	if err != nil {
		t.Fatal(err)
	}
	mutants := map[int]Mutant{}
	for i, m := range valid(Mutants(packages[0].Files[0])) {
		mutants[i] = m
	}
	h := hunter{root: root, dir: t.TempDir()}
	s, err := h.prepare(packages[0], mutants, "p")
	if err != nil {
		t.Fatal(err)
	}
	for i := range s.parts {
		s.parts[i].timeout = time.Second
	}
	h.suites = map[string][]suite{"p": {s}}
	want := map[string]outcome{
		"p/p.go held: 1 -> 2": caught, "p/p.go loose: two + three: + -> -": survived, "p/p.go loop: n-- -> ++": hung,
		"p/p.go two: 2 -> 1": survived, "p/p.go size: 1 -> 2": survived, "p/p.go three: 3 -> 4": caught,
	}
	for i, m := range mutants {
		expected, ok := want[m.ID]
		if !ok {
			continue
		}
		delete(want, m.ID)
		if got, err := h.catch(i, m); err != nil || got != expected {
			t.Errorf("%s: outcome %d (%v), want %d", m.ID, got, err, expected)
		}
	}
	if len(want) > 0 {
		t.Errorf("not made: %v", want)
	}
	if now, err := os.ReadFile(filepath.Join(root, "p/p.go")); err != nil || string(now) != source {
		t.Errorf("the tree was touched (%v)", err)
	}
}

func TestComplaints(t *testing.T) {
	reasons := map[string]string{"a/x.go f: 1": "no matter", "a/x.go f: 2": " ", "a/x.go f: 3": "caught by now", "b/x.go f: 4": "not asked for"}
	got := complaints(reasons, []string{"a/x.go f: 1", "a/x.go f: 2", "a/x.go f: 5"}, regexp.MustCompile("^a/"))
	want := []string{
		`excused, but caught or not there: "a/x.go f: 3"`,
		`no test notices, and there is no reason: "a/x.go f: 2"`, `no test notices, and there is no reason: "a/x.go f: 5"`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s", strings.Join(got, "\n"))
	}
}

func TestPartsOf(t *testing.T) {
	const out = `=== RUN   TestA
--- PASS: TestA (0.02s)
=== RUN   TestB
    --- PASS: TestB/x (3.00s)
--- PASS: TestB (3.10s)
--- PASS: TestC (0.20s)
PASS
`
	want := []part{{"-test.skip=^(TestB|TestC)$", 5100 * time.Millisecond}, {"-test.run=^(TestB|TestC)$", 21500 * time.Millisecond}}
	if got := partsOf(out); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
