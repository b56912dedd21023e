package main

import (
	"go/importer"
	"go/token"
	"slices"
	"strings"
	"testing"
)

// file is a source text as the one file of a package.
func file(t *testing.T, source string) *File {
	t.Helper()
	f, err := parse(token.NewFileSet(), "p.go", []byte(source))
	if err != nil {
		t.Fatal(err)
	}
	f.Package = &Package{Path: "p", Files: []*File{f}, imported: importer.Default()}
	if err := f.Package.check(); err != nil {
		t.Fatal(err)
	}
	return f
}

func ids(mutants []Mutant) []string {
	var all []string
	for _, m := range mutants {
		all = append(all, m.ID)
	}
	return all
}

func TestMutants(t *testing.T) {
	for name, c := range map[string]struct {
		source string
		want   []string
	}{
		"a condition": {`func f(a, b bool) { if a && b { println() } }`, []string{
			`f: a && b -> always`, `f: a && b -> never`, `f: a && b: && -> ||`, `f: a && b without a`, `f: a && b without b`, `f: without println()`,
		}},
		"a comparison in a condition loses its edge, elsewhere it is negated too": {`func f(a int) bool { if a < 5 { return a > 3 }; return true }`, []string{
			`f: a < 5 -> always`, `f: a < 5 -> never`, `f: a < 5: < -> <=`, `f: 5 -> 6`, `f: 5 -> 4`,
			`f: return a > 3 -> zero value`, `f: return a > 3 -> true`, `f: a > 3: > -> >=`, `f: a > 3: > -> <=`, `f: 3 -> 4`, `f: 3 -> 2`, `f: true -> false`,
		}},
		"results one by one": {`type T struct{}; func (t *T) f(n int) (string, error) { return string(rune(n)), nil }`, []string{
			`T.f: return string(rune(n)), nil: string(rune(n)) -> zero value`,
		}},
		"statements": {`func f(m map[int]int) { m[1] = 2; m[1]++; m[1] += 3; for range m { continue } }`, []string{
			`f: without m[1] of m[1] = 2`, `f: 1 -> 2`, `f: 1 -> 0`, `f: 2 -> 3`, `f: 2 -> 1`,
			`f: without m[1]++`, `f: m[1]++ -> --`, `f: 1 -> 2, place 2`, `f: 1 -> 0, place 2`,
			`f: without m[1] of m[1] += 3`, `f: 1 -> 2, place 3`, `f: 1 -> 0, place 3`, `f: 3 -> 4`, `f: 3 -> 2`,
			`f: range m -> not once`, `f: without continue`,
		}},
		"cases": {`func f(n int) { switch n { case 1, 2: println(); case 3: } }`, []string{
			`f: case without 1`, `f: case without 2`, `f: 1 -> 0`, `f: without println()`, `f: without case 3`, `f: 3 -> 4`,
		}},
		"elements and text": {`var v = []string{"ab", ""}`, []string{
			`v: []string{…} without "ab"`, `v: []string{…} without ""`, `v: "ab" longer`, `v: "ab" shorter`, `v: "" longer`,
		}},
		"arguments of one type": {`func f(a, b string, n int) { f(a, b, n) }`, []string{`f: without f(a, b, n)`, `f: f(…): a, b swapped`}},
		"what says nothing":     {`import "fmt"; type T struct { A int "a" }; var _ = fmt.Sprint`, nil},
	} {
		got := ids(valid(Mutants(file(t, "package p; "+c.source))))
		want := slices.Clone(c.want)
		for i := range want {
			want[i] = "p.go " + want[i]
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s:\ngot  %s\nwant %s", name, strings.Join(got, "\n     "), strings.Join(want, "\n     "))
		}
	}
}

func TestIDsOutliveLines(t *testing.T) {
	const source = "package p\n\nfunc f(a bool) int {\n\tif a {\n\t\treturn 5\n\t}\n\treturn 5\n}\n"
	before, after := ids(Mutants(file(t, source))), ids(Mutants(file(t, strings.Replace(source, "func f", "\n// More.\nvar n int\n\nfunc f", 1))))
	if !slices.Equal(before, after) {
		t.Errorf("%q\nbecame\n%q", before, after)
	}
	slices.Sort(before)
	if len(slices.Compact(before)) != len(after) {
		t.Errorf("one ID for several of %q", after)
	}
}

func TestMutantSource(t *testing.T) {
	for _, m := range Mutants(file(t, "package p; func f(a, b, c bool) bool { return a && b || c }")) {
		if m.ID == "p.go f: a && b: && -> ||" && !strings.Contains(string(m.Source()), "return ((a) || (b)) || c") {
			t.Errorf("got %s", m.Source())
		}
	}
}
