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
	const source = "package p\n\nfunc held() int { return 1 }\n\nconst (\n\ttwo = 2 // as a variable\n\tsize = 1\n)\n\nvar room [size]int\n\nvar three = 3\n\nfunc loose() int { return two + three }\n\nfunc loop(n int) {\n\tfor n > 0 {\n\t\tn--\n\t}\n}\n"
	for name, text := range map[string]string{
		"go.mod":      "module example.test\n\ngo 1.26\n",
		"p/p.go":      source,
		"p/p_test.go": "package p\n\nimport \"testing\"\n\nfunc TestHeld(t *testing.T) {\n\tloop(3)\n\tif held() != 1 || loose() > 5 {\n\t\tt.Fail()\n\t}\n}\n",
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
	want := map[string]outcome{"p/p.go held: 1 -> 2": caught, "p/p.go loose: two + three: + -> -": survived, "p/p.go two: 2 -> 1": survived, "p/p.go size: 1 -> 2": survived, "p/p.go three: 3 -> 4": caught, "p/p.go loop: n-- -> ++": hung}
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
	out := "=== RUN   TestA\n--- PASS: TestA (0.02s)\n=== RUN   TestB\n    --- PASS: TestB/x (3.00s)\n--- PASS: TestB (3.10s)\n--- PASS: TestC (0.20s)\nPASS\n"
	want := []part{{"-test.skip=^(TestB|TestC)$", 5100 * time.Millisecond}, {"-test.run=^(TestB|TestC)$", 21500 * time.Millisecond}}
	if got := partsOf(out); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
