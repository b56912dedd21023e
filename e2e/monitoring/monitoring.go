package monitoring

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/testkit"
)

// Start runs Prometheus and Alertmanager with the rules, route, inhibition and template in the directory alerts, all in a
// hurry. Prometheus scrapes one exporter once a second and calls its node n1 in the cluster prod. What Alertmanager sends
// is in the Inbox.
func Start(tb testing.TB, alerts, exporter string) *Inbox {
	tb.Helper()
	testkit.NeedPrograms(tb, "prometheus", "prometheus-alertmanager")
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join(alerts, name))
		if err != nil {
			tb.Fatal(err)
		}
		return string(text)
	}
	dir := tb.TempDir()
	inbox := newInbox(tb)

	alertmanager := testkit.FreeAddress(tb)
	write(tb, dir, "message.tmpl", read("message.tmpl"))
	config := write(tb, dir, "alertmanager.yml", WithWebhook(Hurry(read("alertmanager.example.yml")), inbox.url))
	start(tb, alertmanager, "prometheus-alertmanager", "--config.file="+config, "--storage.path="+filepath.Join(dir, "am"),
		"--web.listen-address="+alertmanager, "--cluster.listen-address=")

	rules := write(tb, dir, "rules.yml", Hurry(read("rules.yml")))
	StartPrometheus(tb, fmt.Sprintf(`
global: {scrape_interval: 1s, scrape_timeout: 1s, evaluation_interval: 1s, external_labels: {cluster: prod}}
rule_files: ['%s']
alerting: {alertmanagers: [{static_configs: [{targets: ['%s']}]}]}
scrape_configs:
- job_name: rancher-agent-exporter
  static_configs: [{targets: ['%s'], labels: {node: n1}}]
`, rules, alertmanager, exporter), "--rules.alert.resend-delay=1s")
	return inbox
}
