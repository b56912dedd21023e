// Package deploy holds the checks of what is deployed: units by systemd itself, scrape configurations by promtool.
package deploy

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/testkit"
)

func runTool(t *testing.T, dir, tool string, args ...string) string {
	t.Helper()
	command := exec.Command(tool, args...)
	command.Dir = dir
	output, err := command.CombinedOutput()
	if err != nil {
		t.Errorf("%s %s: %v\n%s", tool, strings.Join(args, " "), err, output)
	}
	return string(output)
}

// copyTo copies a file into dir, with its strings replaced.
func copyTo(t *testing.T, dir, from string, replace ...string) string {
	t.Helper()
	text, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	to := filepath.Join(dir, filepath.Base(from))
	if err := os.WriteFile(to, []byte(strings.NewReplacer(replace...).Replace(string(text))), 0o644); err != nil {
		t.Fatal(err)
	}
	return to
}

func TestSystemdUnits(t *testing.T) {
	testkit.NeedPrograms(t, "systemd-analyze")
	dir := t.TempDir()
	// the verification wants a program where the unit has one
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	service := copyTo(t, dir, "systemd/rancher_agent_exporter.service", "/usr/local/bin/rancher_agent_exporter", program)
	socket := copyTo(t, dir, "systemd/rancher_agent_exporter.socket")
	if output := runTool(t, dir, "systemd-analyze", "verify", service, socket); output != "" {
		t.Errorf("systemd-analyze verify: %s", output)
	}
	// 2.0 of 10, the lower the better
	runTool(t, dir, "systemd-analyze", "security", "--no-pager", "--offline=true", "--threshold=20", service)
}

func TestScrapeConfigurations(t *testing.T) {
	configs := []string{"prometheus/static.yml", "prometheus/file_sd.yml", "prometheus/kubernetes_sd.yml"}
	dir := t.TempDir()
	copyTo(t, dir, "../alerts/rules.yml")
	if err := os.Mkdir(filepath.Join(dir, "targets"), 0o755); err != nil {
		t.Fatal(err)
	}
	copyTo(t, filepath.Join(dir, "targets"), "prometheus/targets/prod.yml")
	for _, config := range configs {
		t.Run(filepath.Base(config), func(t *testing.T) {
			promtool := "promtool"
			if strings.Contains(config, "kubernetes") { // Debian's knows no Kubernetes
				promtool = os.Getenv("PROMTOOL3")
			}
			testkit.NeedPrograms(t, promtool)
			runTool(t, dir, promtool, "check", "config", copyTo(t, dir, config))
		})
	}
}

// The unit keeps the exporter up whatever ended it, but for a wrong flag: 2 is how Go crashes, and systemd takes SIGPIPE and
// SIGHUP for a success.
func TestSystemdRestart(t *testing.T) {
	unit, err := os.ReadFile("systemd/rancher_agent_exporter.service")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"Restart=always", "RestartPreventExitStatus=64"} {
		if !strings.Contains(string(unit), "\n"+line+"\n") {
			t.Errorf("the unit has no line %s", line)
		}
	}
}

var dropIn = regexp.MustCompile("(?s)```ini\n(.*?)```")

// The drop-in of the README for another group than docker is right by systemd's own words, and takes docker away.
func TestSystemdDropIn(t *testing.T) {
	testkit.NeedPrograms(t, "systemd-analyze")
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	text := dropIn.FindSubmatch(readme)
	if text == nil || !strings.Contains(string(text[1]), "[Service]\nSupplementaryGroups=\nSupplementaryGroups=") {
		t.Fatalf("the README has no drop-in: %q", text)
	}
	dir := t.TempDir()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	service := copyTo(t, dir, "systemd/rancher_agent_exporter.service", "/usr/local/bin/rancher_agent_exporter", program)
	if err := os.Mkdir(service+".d", 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(service+".d", "override.conf"), text[1], 0o644); err != nil {
		t.Fatal(err)
	}
	if output := runTool(t, dir, "systemd-analyze", "verify", service); output != "" {
		t.Errorf("systemd-analyze verify: %s", output)
	}
}

// A file that grows old is noticed after ten minutes, by promtool's own reckoning, and one that is written each minute is not.
func TestTextfileRules(t *testing.T) {
	testkit.NeedPrograms(t, "promtool")
	dir := t.TempDir()
	copyTo(t, dir, "prometheus/textfile.rules.yml")
	const series = `node_textfile_mtime_seconds{node="n1",file="/var/lib/node_exporter/textfile_collector/%s.prom"}`
	test := `rule_files: [textfile.rules.yml]
evaluation_interval: 1m
tests:
- interval: 1m
  input_series:
  - {series: '` + fmt.Sprintf(series, "rancher_agent") + `', values: '0+60x10 600x30'}
  - {series: '` + fmt.Sprintf(series, "other") + `', values: '0x40'}
  alert_rule_test:
  - {eval_time: 20m, alertname: RancherAgentTextfileStale}
  - eval_time: 26m
    alertname: RancherAgentTextfileStale
    exp_alerts:
    - exp_labels: {node: n1, file: /var/lib/node_exporter/textfile_collector/rancher_agent.prom, severity: warning}
      exp_annotations:
        summary: The file with the metrics of rancher_agent_exporter on n1 is 16m 0s old
        description: Something keeps ` + "`rancher_agent_exporter --once`" + ` from writing it, so what the node shows about its cert-writers is of then. Look at the log of the cron job or timer on that node, and for a full disk.
`
	if err := os.WriteFile(filepath.Join(dir, "test.yml"), []byte(test), 0o644); err != nil {
		t.Fatal(err)
	}
	runTool(t, dir, "promtool", "test", "rules", "test.yml")
}

var (
	mount = regexp.MustCompile(`(?m)^    - (\.[^:]+):`)
	port  = regexp.MustCompile(`(?m)^    ports: \['(.*)'\]$`)
)

// What the demo mounts is there, and right by the tools' own words.
func TestCompose(t *testing.T) {
	testkit.NeedPrograms(t, "docker-compose")
	runTool(t, "../demo", "docker-compose", "-f", "compose.yaml", "config", "-q")
	compose, err := os.ReadFile("../demo/compose.yaml")
	if err != nil {
		t.Fatal(err)
	}
	mounts := mount.FindAllStringSubmatch(string(compose), -1)
	if len(mounts) < 9 {
		t.Errorf("only %d files are mounted", len(mounts))
	}
	for _, m := range mounts {
		if _, err := os.Stat(filepath.Join("../demo", m[1])); err != nil {
			t.Errorf("the demo mounts %s: %v", m[1], err)
		}
	}

	ports := port.FindAllStringSubmatch(string(compose), -1)
	if len(ports) < 4 {
		t.Errorf("only %d ports are published", len(ports))
	}
	for _, port := range ports {
		if !strings.HasPrefix(port[1], "127.0.0.1:") {
			t.Errorf("the demo publishes %s to the network, without a password", port[1])
		}
	}

	dir := t.TempDir()
	testkit.NeedPrograms(t, "promtool")
	copyTo(t, dir, "../alerts/rules.yml")
	runTool(t, dir, "promtool", "check", "config", copyTo(t, dir, "../demo/compose/prometheus.yml"))
	testkit.NeedPrograms(t, "amtool")
	copyTo(t, dir, "../alerts/message.tmpl")
	runTool(t, dir, "amtool", "check-config", copyTo(t, dir, "../alerts/alertmanager.example.yml"))
}
