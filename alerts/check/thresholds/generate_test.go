package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const (
	rulesFile = "../../rules.yml"
	goFile    = "../../../internal/diagnosis/thresholds.go"
)

// The file in the repository is the one that the rules make.
func TestCurrent(t *testing.T) {
	want, err := generate(rulesFile)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(goFile)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Errorf("%s is not what the rules make: run go generate ./internal/diagnosis\n%s", goFile, want)
	}
}

// Another number in a rule is another in the file, and a rule of another shape an error.
func TestReadsTheRules(t *testing.T) {
	rules, err := os.ReadFile(rulesFile)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ from, to, want string }{
		{"live_containers:last[10m]) > 1\n    for: 30m", "live_containers:last[20m]) > 2\n    for: 1h", `alert{"RancherCertWriterLeak", Warning, 4800 * time.Second}`},
		{"live_containers:last[10m]) > 1\n", "live_containers:last[10m]) > 7\n", "normalCertWriters   = 7"},
		{"live_containers:last[5m]) > 20\n", "live_containers:last[5m]) > 30\n", "criticalCertWriters = 30"},
		{"(time() - 273600)", "(time() - 1000)", "removalsWindow      = 1000 * time.Second"},
		{"created_timestamp_seconds:last < 93600", "created_timestamp_seconds:last < 1000", "leakEnds            = 1000 * time.Second"},
		{"created_timestamp_seconds:last3 - (time()", "created_timestamp_seconds:last4 - (time()", "normalRecreations   = 3"},
		{"node_agent_running_containers:max[15m]) > 50", "node_agent_running_containers:max[20m]) > 75", `alert{"RancherNodeAgentMissing", Warning, 2700 * time.Second}`},
		{"docker_up:max[5m]) == 0", "docker_up:max[6m]) == 0", `"RancherAgentExporterDockerUnreachable", Warning, 960 * time.Second}`},
		{"docker_up:max[5m]) == 0", "docker_up:max[6m]) < 1", ""},
		{"live_containers:last[5m]) > 20\n", "live_containers:last[5m]) >= 20\n", ""},
		{"share_mnt_removed_repeatedly:last\n    expr", "share_mnt_removed_often:last\n    expr", ""},
	} {
		changed := strings.Replace(string(rules), c.from, c.to, 1)
		if changed == string(rules) {
			t.Errorf("the rules have no %q", c.from)
			continue
		}
		path := filepath.Join(t.TempDir(), "rules.yml")
		if err := os.WriteFile(path, []byte(changed), 0o600); err != nil {
			t.Fatal(err)
		}
		text, err := generate(path)
		if c.want == "" && err == nil || c.want != "" && !strings.Contains(string(text), c.want) {
			t.Errorf("%q: error %v, no %q in\n%s", c.to, err, c.want, text)
		}
	}
}
