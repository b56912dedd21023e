package check

import (
	"os"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

const example = "alertmanager.example.yml"

func TestAlertmanagerExample(t *testing.T) {
	amtool := tool(t, "amtool")
	run(t, "..", amtool, "check-config", example)
	for _, a := range alerts(readRules(t)) {
		run(t, "..", amtool, "config", "routes", "test", "--config.file="+example, "--verify.receivers=node-ops", "alertname="+a.Alert, "severity="+a.Labels["severity"])
	}
	run(t, "..", amtool, "config", "routes", "test", "--config.file="+example, "--verify.receivers=null", "alertname=NodeFilesystemSpaceFillingUp", "severity=warning")
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
			Source []string `yaml:"source_matchers"`
			Target []string `yaml:"target_matchers"`
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
		severity["alertname = "+a.Alert] = a.Labels["severity"]
	}
	for _, rule := range config.Inhibit {
		if severity[rule.Source[0]] != "critical" || severity[rule.Target[0]] != "warning" {
			t.Errorf("%v inhibits %v", rule.Source, rule.Target)
		}
		equal := " " + strings.Join(rule.Equal, " ") + " "
		for _, label := range []string{"cluster", "cluster_id", "job", "instance"} {
			if !strings.Contains(equal, " "+label+" ") {
				t.Errorf("the inhibition does not compare %s", label)
			}
		}
	}
	if len(config.Inhibit) == 0 || len(config.Route.Routes) == 0 || config.Route.Routes[0].GroupBy[0] != "cluster" {
		t.Error("no inhibition, or the messages are not grouped by cluster")
	}
}

func TestMessage(t *testing.T) {
	amtool := tool(t, "amtool")
	for _, name := range []string{"leak", "absent", "resolved"} {
		t.Run(name, func(t *testing.T) {
			got := run(t, "..", amtool, "template", "render", "--template.glob=message.tmpl", "--template.data=check/testdata/"+name+".json",
				"--template.text={{ template \"rancher_agent.title\" . }}\n{{ template \"rancher_agent.text\" . }}")
			want, err := os.ReadFile("testdata/" + name + ".txt")
			if err != nil {
				t.Fatal(err)
			}
			if strings.TrimSpace(got) != strings.TrimSpace(string(want)) {
				t.Errorf("got:\n%s\nwant:\n%s", got, want)
			}
		})
	}
}
