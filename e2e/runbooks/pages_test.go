package runbooks

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/testkit"
)

func TestShellParses(t *testing.T) {
	for _, p := range readPages(t) {
		for _, b := range p.in("sh") {
			check := exec.Command("bash", "-n")
			check.Stdin = strings.NewReader(b.text)
			if output, err := check.CombinedOutput(); err != nil {
				t.Errorf("%s: %s\n%s", p.name, output, b.text)
			}
		}
	}
}

// Prometheus knows what the pages tell to ask it.
func TestPromQLParses(t *testing.T) {
	testkit.NeedPrograms(t, "promtool")
	rules := strings.Builder{}
	rules.WriteString("groups:\n- name: runbooks\n  rules:\n")
	for _, p := range readPages(t) {
		for _, b := range p.in("promql") {
			for line := range strings.Lines(b.text) {
				rules.WriteString("  - record: " + strings.ToLower(p.name) + "\n    expr: " + strconv.Quote(strings.TrimSpace(line)) + "\n")
			}
		}
	}
	file := filepath.Join(t.TempDir(), "rules.yml")
	if err := os.WriteFile(file, []byte(rules.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	if output, err := exec.Command("promtool", "check", "rules", "--lint=none", file).CombinedOutput(); err != nil {
		t.Errorf("%s%s", output, rules.String())
	}
}

// Whoever follows a page learns at its end whether that helped, and how long the all-clear takes.
func TestEveryPageEndsWithHowToSeeThatItWorked(t *testing.T) {
	for _, p := range readPages(t) {
		_, end, found := strings.Cut(p.text, "\n## How to see that it worked\n")
		if !found || strings.Contains(end, "\n## ") || !strings.Contains(end, "group_interval") {
			t.Errorf("%s does not end with how to see that it worked, and how long Alertmanager takes", p.name)
		}
	}
}

// A name can be another container's by now, so what changes a container takes an ID.
func TestContainersAreChangedByID(t *testing.T) {
	byName := regexp.MustCompile(`docker (?:rm|restart|start|stop|kill|exec)(?: -\S+)* ([a-z][\w-]+)`)
	removal := regexp.MustCompile(`docker (?:rm|container prune|system prune) `)
	for _, p := range readPages(t) {
		before := block{}
		for _, b := range p.in("sh") {
			if match := byName.FindString(b.text); match != "" {
				t.Errorf("%s: %q is by name", p.name, match)
			}
			if removal.MatchString(b.text) {
				for _, shown := range []string{".ID}}", ".Config.Image}}", ".Path}}"} {
					if !strings.Contains(before.text, shown) {
						t.Errorf("%s: before this nothing shows %s\n%s", p.name, shown, b.text)
					}
				}
			}
			before = b
		}
	}
}

// The words of the table are those that the exporter says, no more and no less.
func TestReasonsOfDockerUnreachable(t *testing.T) {
	said := engineReasons(t)
	var table strings.Builder
	for _, p := range readPages(t) {
		if p.name == "RancherAgentExporterDockerUnreachable" {
			_, rows, _ := strings.Cut(p.text, "| reason | what it is |")
			rows, _, _ = strings.Cut(rows, "\n\n")
			table.WriteString(rows)
		}
	}
	listed := map[string]bool{}
	for _, match := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(table.String(), -1) {
		listed[strings.TrimSuffix(match[1], " …")] = true
	}
	delete(listed, "--docker.host")
	for reason := range said {
		if !listed[reason] {
			t.Errorf("the exporter says %q, the page does not have it", reason)
		}
	}
	for reason := range listed {
		if !said[reason] {
			t.Errorf("the page has %q, which the exporter never says", reason)
		}
	}
}

// engineReasons reads the reasons out of internal/engine/reason.go: all texts in the functions that word them, and the
// errors that these hand on. What is filled in or put behind is left out.
func engineReasons(t *testing.T) map[string]bool {
	t.Helper()
	said := map[string]bool{}
	handedOn := map[string]bool{}
	names, err := filepath.Glob("../../internal/engine/*.go")
	if err != nil {
		t.Fatal(err)
	}
	var files []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	texts := func(n ast.Node) (list []string) {
		ast.Inspect(n, func(n ast.Node) bool {
			if literal, ok := n.(*ast.BasicLit); ok && literal.Kind == token.STRING {
				text, _ := strconv.Unquote(literal.Value)
				list = append(list, strings.TrimRight(strings.TrimSuffix(text, "%d"), " "))
			}
			return true
		})
		return list
	}
	for _, file := range files {
		for _, declaration := range file.Decls {
			f, ok := declaration.(*ast.FuncDecl)
			if !ok || f.Name.Name != "reason" && f.Name.Name != "distrust" {
				continue
			}
			for _, text := range texts(f.Body) {
				said[text] = true
			}
			ast.Inspect(f.Body, func(n ast.Node) bool {
				if name, ok := n.(*ast.Ident); ok && strings.HasPrefix(name.Name, "err") {
					handedOn[name.Name] = true
				}
				return true
			})
		}
	}
	for _, file := range files {
		ast.Inspect(file, func(n ast.Node) bool {
			if value, ok := n.(*ast.ValueSpec); ok && len(value.Values) == 1 && handedOn[value.Names[0].Name] {
				for _, text := range texts(value) {
					said[text] = true
				}
			}
			return true
		})
	}
	delete(said, "dial")         // what is compared with
	delete(said, "remote error") // likewise
	if len(said) < 15 {
		t.Fatalf("only %d reasons found in internal/engine", len(said))
	}
	return said
}
