package check

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// promtools returns the promtools to test with: the one on the path and, where PROMTOOL3 is set, a second one of Prometheus 3.x, since 2.x and
// 3.x differ in whether a range holds the sample on its left edge. With CI=true both have to be there.
func promtools(t *testing.T) []string {
	t.Helper()
	found := []string{tool(t, "promtool")}
	second := os.Getenv("PROMTOOL3")
	if second == "" && os.Getenv("CI") == "true" {
		t.Fatal("PROMTOOL3 is not set; build it in the repository's root with `go build -modfile=tools/go.mod -o promtool3 github.com/prometheus/prometheus/cmd/promtool`")
	}
	if second != "" {
		found = append(found, second)
	}
	return found
}

// tool finds a program. Where it is missing the test is skipped, but not in CI.
func tool(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err == nil {
		return path
	}
	if os.Getenv("CI") == "true" {
		t.Fatalf("%s is not installed", name)
	}
	t.Skipf("%s is not installed (Debian: prometheus, prometheus-alertmanager)", name)
	return ""
}

// run runs a program in a directory and returns what it wrote to stdout.
func run(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s%s", filepath.Base(name), strings.Join(args, " "), err, out, stderr.String())
	}
	return string(out)
}

func TestPromtool(t *testing.T) {
	for _, promtool := range promtools(t) {
		t.Run(filepath.Base(promtool), func(t *testing.T) {
			t.Log(run(t, "..", promtool, "--version"))
			run(t, "..", promtool, "check", "rules", "--lint=all", "--lint-fatal", "rules.yml")
			for _, file := range testFiles {
				run(t, "..", promtool, "test", "rules", filepath.Base(file))
			}
		})
	}
}
