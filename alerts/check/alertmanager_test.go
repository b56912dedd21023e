package check

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

const example = "alertmanager.example.yml"

// amtools are Debian's and, where ALERTMANAGER_0_16 and AMTOOL_NEWEST name them, that beside the oldest Alertmanager and the newest.
func amtools(t *testing.T) []string {
	t.Helper()
	found := []string{tool(t, "amtool")}
	for _, oldest := range named(t, "ALERTMANAGER_0_16") {
		found = append(found, filepath.Join(filepath.Dir(oldest), "amtool"))
	}
	return append(found, named(t, "AMTOOL_NEWEST")...)
}

func TestAlertmanagerExample(t *testing.T) {
	for _, amtool := range amtools(t) {
		t.Run(filepath.Base(filepath.Dir(amtool)), func(t *testing.T) {
			if said := run(t, "..", amtool, "check-config", example); strings.Contains(strings.ToLower(said), "deprecat") {
				t.Errorf("amtool warns: %s", said)
			}
			for _, a := range alerts(readRules(t)) {
				run(t, "..", amtool, "config", "routes", "test", "--config.file="+example, "--verify.receivers=node-ops", "alertname="+a.Alert, "severity="+a.Labels["severity"])
			}
			run(t, "..", amtool, "config", "routes", "test", "--config.file="+example, "--verify.receivers=null", "alertname=NodeFilesystemSpaceFillingUp", "severity=warning")
		})
	}
}

// What stands in the example as a comment is right too, where the newest Alertmanager reads it.
func TestReceiversInComments(t *testing.T) {
	text, err := os.ReadFile("../" + example)
	if err != nil {
		t.Fatal(err)
	}
	newest := named(t, "AMTOOL_NEWEST")
	if newest == nil {
		t.Skip("AMTOOL_NEWEST is not set: see make alerts")
	}
	before, receivers, _ := strings.Cut(string(text), "\nreceivers:\n")
	dir := t.TempDir()
	for name, text := range map[string]string{example: before + "\nreceivers:\n" + strings.ReplaceAll(receivers, "\n  # ", "\n  "), "message.tmpl": ""} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	run(t, dir, newest[0], "check-config", example)
}

// The inhibition must never reach beyond the instance, and both alerts must exist.
func TestInhibitionStaysOnTheNode(t *testing.T) {
	var config struct {
		Route struct {
			Routes []struct {
				GroupBy []string `yaml:"group_by"`
			}
		}
		Inhibit []struct {
			Source map[string]string `yaml:"source_match"`
			Target map[string]string `yaml:"target_match"`
			Equal  []string
		} `yaml:"inhibit_rules"`
	}
	text, err := os.ReadFile("../" + example)
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(text, &config); err != nil {
		t.Fatal(err)
	}
	severity := map[string]string{}
	for _, a := range alerts(readRules(t)) {
		severity[a.Alert] = a.Labels["severity"]
	}
	clusters := []string{"cluster", "cluster_id", "prometheus_from"}
	for _, rule := range config.Inhibit {
		if severity[rule.Source["alertname"]] != "critical" || severity[rule.Target["alertname"]] != "warning" {
			t.Errorf("%v inhibits %v", rule.Source, rule.Target)
		}
		if want := append(slices.Clone(clusters), "job", "instance"); !slices.Equal(rule.Equal, want) {
			t.Errorf("the inhibition compares %v, want %v", rule.Equal, want)
		}
	}
	if len(config.Inhibit) == 0 || len(config.Route.Routes) == 0 || !slices.Equal(config.Route.Routes[0].GroupBy, append(clusters, "alertname")) {
		t.Error("no inhibition, or the messages are not grouped by cluster and alert")
	}
}
