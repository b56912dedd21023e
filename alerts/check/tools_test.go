package check

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// promtools are those to test with: the one on the path and, where the environment names them, older and newer ones. 2.x and 3.x differ in whether a
// range holds the sample on its left edge. With CI=true all have to be there; `make alerts` names them.
func promtools(t *testing.T) []promtool {
	t.Helper()
	found := []promtool{versionOf(t, tool(t, "promtool"))}
	for _, variable := range []string{"PROMTOOL3", "PROMTOOL_2_24", "PROMTOOL_2_18"} {
		path := os.Getenv(variable)
		if path == "" && os.Getenv("CI") == "true" {
			t.Fatalf("%s is not set; `make alerts` sets it", variable)
		}
		if path != "" {
			found = append(found, versionOf(t, path))
		}
	}
	return found
}

type promtool struct {
	path         string
	major, minor int
}

func versionOf(t *testing.T, path string) promtool {
	t.Helper()
	cmd := exec.Command(path, "--version") // old ones write it to stderr
	text, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s --version: %v\n%s", path, err, text)
	}
	match := regexp.MustCompile(`version (\d+)\.(\d+)`).FindStringSubmatch(string(text))
	if match == nil { // built from the module, which knows no version: the newest
		return promtool{path, 3, 0}
	}
	major, _ := strconv.Atoi(match[1])
	minor, _ := strconv.Atoi(match[2])
	return promtool{path, major, minor}
}

func (p promtool) String() string { return fmt.Sprintf("%d.%d", p.major, p.minor) }

// readable is the file as this promtool can run it.
func (p promtool) readable(f TestFile) TestFile {
	if p.major == 2 && p.minor < 25 {
		return f.Before(p.minor)
	}
	return f
}

// test runs a file of scenarios. An old promtool now and then loses a chunk of its own storage, so it gets a second try then.
func (p promtool) test(t *testing.T, f TestFile) {
	t.Helper()
	dir := t.TempDir()
	rules, err := os.ReadFile(rulesFile)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "rules.yml"), rules, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Write(filepath.Join(dir, "test.yml"), p.readable(f)); err != nil {
		t.Fatal(err)
	}
	for try := 1; ; try++ {
		cmd := exec.Command(p.path, "test", "rules", "test.yml")
		cmd.Dir = dir
		text, err := cmd.CombinedOutput()
		if err == nil {
			return
		}
		if try == 5 || !strings.Contains(string(text), "cannot populate chunk") {
			t.Fatalf("%v\n%s", err, text)
		}
	}
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
	for _, p := range promtools(t) {
		t.Run(p.String(), func(t *testing.T) {
			t.Parallel()
			if p.major > 2 || p.minor >= 42 {
				run(t, "..", p.path, "check", "rules", "--lint=all", "--lint-fatal", "rules.yml")
			} else {
				run(t, "..", p.path, "check", "rules", "rules.yml")
			}
			for _, file := range testFiles {
				p.test(t, readTestFile(t, file))
			}
		})
	}
}

// One scrape and one evaluation in 30 seconds or in 2 minutes come to the same verdicts at the same times as one a minute.
func TestPaces(t *testing.T) {
	for _, pace := range []time.Duration{30 * time.Second, 2 * time.Minute} {
		t.Run(pace.String(), func(t *testing.T) {
			t.Parallel()
			file, err := readTestFile(t, "../rules_test.yml").Every(pace)
			if err != nil {
				t.Fatal(err)
			}
			versionOf(t, tool(t, "promtool")).test(t, file)
		})
	}
}
