package monitoring

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/testkit"
)

// Stack is a Prometheus and an Alertmanager, as programs.
type Stack struct {
	Name         string
	Prometheus   string
	Alertmanager string
}

// Debian is the stack of the installed packages.
var Debian = Stack{Name: "Debian's", Prometheus: "prometheus", Alertmanager: "prometheus-alertmanager"}

// Stacks are the pairs to test, the older ones as Rancher shipped them. Programs that tools/program makes are named by environment
// variables; the server lies beside promtool. The newest pair is for make certify, the others have to be there in CI.
func Stacks(tb testing.TB) []Stack {
	tb.Helper()
	stacks := []Stack{Debian}
	for _, made := range []struct {
		name, promtool, alertmanager string
		inCI                         bool
	}{
		{"2.18.1 with 0.16.1", "PROMTOOL_2_18", "ALERTMANAGER_0_16", true},
		{"2.24.1 with 0.21", "PROMTOOL_2_24", "ALERTMANAGER_0_21", true},
		{"3 with 0.31.1", "PROMTOOL3", "ALERTMANAGER_0_31", false},
	} {
		promtool, alertmanager := os.Getenv(made.promtool), os.Getenv(made.alertmanager)
		switch {
		case promtool != "" && alertmanager != "":
			stacks = append(stacks, Stack{made.name, filepath.Join(filepath.Dir(promtool), "prometheus"), alertmanager})
		case made.inCI && os.Getenv("CI") == "true":
			tb.Fatalf("%s or %s is not set", made.promtool, made.alertmanager)
		default:
			tb.Logf("without %s: %s or %s is not set", made.name, made.promtool, made.alertmanager)
		}
	}
	return stacks
}

// Start runs a Prometheus and an Alertmanager with the rules, route, inhibition and template in the directory alerts, all in a
// hurry. Prometheus scrapes one exporter once a second and calls its node n1 in the cluster prod. What Alertmanager sends
// is in the Inbox.
func Start(tb testing.TB, stack Stack, alerts, exporter string) *Inbox {
	tb.Helper()
	testkit.NeedPrograms(tb, stack.Prometheus, stack.Alertmanager)
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join(alerts, name))
		if err != nil {
			tb.Fatal(err)
		}
		return string(text)
	}
	dir := tb.TempDir()
	inbox := newInbox(tb, stack.Name)

	alertmanager := testkit.FreeAddress(tb)
	write(tb, dir, "message.tmpl", read("message.tmpl"))
	config := write(tb, dir, "alertmanager.yml", WithWebhook(Hurry(read("alertmanager.example.yml")), inbox.url))
	start(tb, alertmanager, stack.Alertmanager, "--config.file="+config, "--storage.path="+filepath.Join(dir, "am"),
		"--web.listen-address="+alertmanager, "--cluster.listen-address=")

	rules := write(tb, dir, "rules.yml", Hurry(read("rules.yml")))
	startPrometheus(tb, stack.Prometheus, fmt.Sprintf(`
global: {scrape_interval: 1s, scrape_timeout: 1s, evaluation_interval: 1s, external_labels: {cluster: prod}}
rule_files: ['%s']
alerting: {alertmanagers: [{static_configs: [{targets: ['%s']}]}]}
scrape_configs:
- job_name: rancher-agent-exporter
  static_configs: [{targets: ['%s'], labels: {node: n1}}]
`, rules, alertmanager, exporter), "--rules.alert.resend-delay=1s")
	return inbox
}
