// Package docs holds what the documents say about versions to what the checks run.
package docs

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// products names what a recipe in tools/programs makes, by the name without its version.
var products = map[string]string{
	"promtool":            "Prometheus",
	"alertmanager":        "Alertmanager",
	"amtool":              "Alertmanager",
	"operator-rules":      "prometheus-operator",
	"prometheus-operator": "prometheus-operator",
	"kube-apiserver":      "Kubernetes",
	"victoria-metrics":    "VictoriaMetrics",
	"thanos":              "Thanos",
}

// Debian's packages are a version of these.
var debian = map[string]string{"Prometheus": "promtool", "Alertmanager": "amtool"}

// documents have a table of versions: rows of product, what is needed, what runs in CI.
var documents = []string{"../README.md", "../CHANGELOG.md", "../alerts/README.md", "../deploy/helm/rancher-agent-exporter/README.md", "rancher-versions.md"}

var (
	recipe  = regexp.MustCompile(`^(.+)-([0-9][0-9.]*)$`)
	version = regexp.MustCompile(`[0-9]+\.[0-9]+`)
	row     = regexp.MustCompile(`(?m)^\| ([A-Za-z-]+) \| [^|]*[0-9][^|]* \| ([0-9][0-9., and]*) \|$`)
)

// Each row of versions names those that CI runs: the recipes in PROGRAMS, by their names, and Debian's packages.
func TestVersions(t *testing.T) {
	ran := map[string][]string{}
	for _, name := range strings.Fields(regexp.MustCompile(`(?m)^PROGRAMS = (.*)$`).FindStringSubmatch(read(t, "../Makefile"))[1]) {
		match := recipe.FindStringSubmatch(name)
		if match == nil || products[match[1]] == "" {
			continue
		}
		made := []string{match[2]}
		switch match[1] {
		case "promtool":
			if match[2] == "3" { // its version stands in go.mod, with a 0 before it: v0.316.0 is 3.16.0
				minor := regexp.MustCompile(`github.com/prometheus/prometheus v0\.3([0-9]{2})`).FindStringSubmatch(read(t, "../tools/go.mod"))[1]
				made = []string{"3." + strings.TrimLeft(minor, "0")}
			}
		case "operator-rules": // one recipe makes several
			made = made[:0]
			for _, parser := range regexp.MustCompile(`(?m)^  parser ([0-9.]+)`).FindAllStringSubmatch(read(t, "../tools/programs/"+name), -1) {
				made = append(made, parser[1])
			}
		}
		for _, m := range made {
			ran[products[match[1]]] = append(ran[products[match[1]]], version.FindString(m))
		}
	}
	for product, program := range debian {
		output, err := exec.Command(program, "--version").CombinedOutput()
		if err != nil {
			if os.Getenv("CI") == "true" {
				t.Fatal(program, err)
			}
			t.Skip(program, " is not here, so Debian's version is not known")
		}
		ran[product] = append(ran[product], version.FindString(string(output)))
	}
	want := map[string]string{}
	for product, versions := range ran {
		slices.SortFunc(versions, byNumber)
		want[product] = strings.Join(slices.Compact(versions), ", ")
	}

	for _, document := range documents {
		rows := row.FindAllStringSubmatch(read(t, document), -1)
		if len(rows) == 0 {
			t.Errorf("%s has no row of versions", document)
		}
		for _, r := range rows {
			if want[r[1]] != r[2] {
				t.Errorf("%s: %s is said to run on %s in CI, the Makefile's PROGRAMS and Debian's packages say %q", document, r[1], r[2], want[r[1]])
			}
		}
	}
	readme := row.FindAllStringSubmatch(read(t, "rancher-versions.md"), -1)
	for product, versions := range want {
		if !slices.ContainsFunc(readme, func(r []string) bool { return r[1] == product }) {
			t.Errorf("docs/rancher-versions.md has no row | %s | … | %s |", product, versions)
		}
	}
}

// byNumber sorts 2.7 before 2.18.
func byNumber(a, b string) int {
	var x, y [2]int
	fmt.Sscanf(a, "%d.%d", &x[0], &x[1])
	fmt.Sscanf(b, "%d.%d", &y[0], &y[1])
	return slices.Compare(x[:], y[:])
}

var link = regexp.MustCompile(`\]\(([^)#: ]+)\)`)

// What rancher-versions.md links to is there, and so is every file that its commands name.
func TestRancherVersionsFiles(t *testing.T) {
	text := read(t, "rancher-versions.md")
	named := map[string]bool{}
	for _, match := range link.FindAllStringSubmatch(text, -1) {
		named[match[1]] = true
	}
	for _, path := range regexp.MustCompile(`\b(?:deploy|alerts|dashboards)/[A-Za-z0-9_./-]*[A-Za-z0-9]`).FindAllString(text, -1) {
		named["../"+path] = true
	}
	for path := range named {
		if _, err := os.Stat(path); err != nil {
			t.Error(err)
		}
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
