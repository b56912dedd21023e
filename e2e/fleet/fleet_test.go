package fleet

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/e2e/monitoring"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/testkit"
)

// firing are the alerts that can fire at once on one node. The others say that a node cannot be seen, or exclude one of these:
// share-mnt is stuck or crash-loops, the node-agent is missing or its restart did not help.
var firing = []string{
	"RancherCertWriterLeak", "RancherCertWriterLeakCritical", "RancherCertWriterMultipleServers",
	"RancherCertWriterSurvivedRestart", "RancherShareMntCrashLooping", "RancherShareMntRemovedRepeatedly",
}

// TestFleet is the small form of TestMeasure: it asserts what a fleet of any size must show, and no time.
func TestFleet(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a minute: not with -short")
	}
	testkit.NeedPrograms(t, "prometheus")
	const size = 20
	watch := func(t *testing.T, kind func(int, time.Time) *Node) *monitoring.Prometheus {
		t.Parallel()
		f := Serve(t, size, kind)
		return watched(t, f, rulesAtOnce(t), History{Interval: 30 * time.Second}, 2*time.Second)
	}
	t.Run("healthy", func(t *testing.T) {
		p := watch(t, Healthy)
		waitForAlerts(t, p, 0)
		if fired := p.Vector("count by (alertname) (last_over_time(ALERTS[1h]))"); len(fired) > 0 {
			t.Errorf("fired: %v", fired)
		}
		wantAllSeries(t, p, size)
	})
	t.Run("every node leaks", func(t *testing.T) {
		p := watch(t, Leaking)
		waitForAlerts(t, p, size*len(firing))
		wantFiring(t, p, size)
		wantAllSeries(t, p, size)
	})
}

// rulesAtOnce is a file of the shipped rules, AtOnce.
func rulesAtOnce(t *testing.T) string {
	t.Helper()
	shipped, err := os.ReadFile("../../alerts/rules.yml")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "rules.yml")
	if err := os.WriteFile(file, []byte(AtOnce(string(shipped))), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

// watched is a Prometheus with the history of a fleet, which it goes on to scrape, and itself too.
func watched(t *testing.T, f *Fleet, rules string, h History, interval time.Duration) *monitoring.Prometheus {
	t.Helper()
	learned := Learn(t, f, rulesAtOnce(t))
	p := monitoring.StartPrometheus(t, "", "--web.enable-remote-write-receiver")
	start := time.Now()
	samples := h.Write(t, f, learned, p)
	t.Logf("%d samples of history in %.0f s", samples, time.Since(start).Seconds())
	p.Reload(f.Config(rules, interval) + fmt.Sprintf(`
- job_name: prometheus
  scrape_interval: 5s
  static_configs: [{targets: ['%s']}]
`, p.Address))
	return p
}

// value is that of an expression with one result, 0 for none.
func value(p *monitoring.Prometheus, expr string) float64 {
	if vector := p.Vector(expr); len(vector) > 0 {
		return float64(vector[0].Value)
	}
	return 0
}

// waitForAlerts waits until each group of rules has been evaluated a few times and so many alerts are active.
func waitForAlerts(t *testing.T, p *monitoring.Prometheus, want int) {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); ; time.Sleep(time.Second) {
		if value(p, "min(prometheus_rule_group_iterations_total)") >= 5 && len(p.Alerts()) == want {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d alerts are active, want %d: %v", len(p.Alerts()), want, p.Vector("count by (alertname) (ALERTS)"))
		}
	}
}

// wantFiring wants each alert once a node, with texts that were made without an error and commands for that very node: no restart,
// since the last one did not help.
func wantFiring(t *testing.T, p *monitoring.Prometheus, size int) {
	t.Helper()
	nodes := make(map[string]map[string]bool) // by the name of the alert
	for _, name := range firing {
		nodes[name] = make(map[string]bool)
	}
	for _, a := range p.Alerts() {
		name, node := a.Labels["alertname"], a.Labels["node"]
		if nodes[name] == nil {
			t.Errorf("%s fires", name)
			continue
		}
		nodes[name][node] = true
		for annotation, text := range a.Annotations {
			if strings.Contains(text, "error expanding template") {
				t.Errorf("%s: %s is %q", name, annotation, text)
			}
		}
		var i int
		if _, err := fmt.Sscanf(node, "node-%04d", &i); err != nil {
			t.Fatal(err)
		}
		switch command, id := a.Annotations["first_command"], regexp.MustCompile(fmt.Sprintf(" %04x[0-9a-f]{8} ", i)); {
		case a.Annotations["restart_command"] != "": // the last restart was no cure
			t.Errorf("%s of %s: restart_command is %q", name, node, a.Annotations["restart_command"])
		case name == "RancherCertWriterSurvivedRestart" && !id.MatchString(command):
			t.Errorf("%s of %s: first_command is %q, want %v", name, node, command, id)
		}
	}
	for name, of := range nodes {
		if len(of) != size {
			t.Errorf("%s fires for %d nodes, want %d", name, len(of), size)
		}
	}
}

// wantAllSeries wants all nodes scraped and evaluated without a fault, each with the same number of series, and the history to be
// of the very series that the scrapes and the rules go on with.
func wantAllSeries(t *testing.T, p *monitoring.Prometheus, size int) {
	t.Helper()
	for expr, want := range map[string]int{
		`sum(up{job="rancher-agent-exporter"})`:                                                            size,
		`count(count by (instance) ({node!=""}) == scalar(count({instance="10.0.0.1:15364"})))`:            size,
		`count(count_over_time(up{job="rancher-agent-exporter"}[1h]))`:                                     size,
		`count(count_over_time(instance:rancher_agent_cert_writer_live_containers:last[1h]))`:              size,
		`count(count_over_time(rancher_agent_share_mnt_created_timestamp_seconds[76h]) > 76*3600/30 - 10)`: size,
		`sum(prometheus_target_scrapes_sample_duplicate_timestamp_total)`:                                  0,
		`sum(prometheus_target_scrapes_sample_out_of_order_total)`:                                         0,
		`sum(prometheus_rule_evaluation_failures_total)`:                                                   0,
	} {
		if got := value(p, expr); got != float64(want) {
			t.Errorf("%s is %v, want %d", expr, got, want)
		}
	}
	t.Logf("%.0f series a node, %.0f of them scraped", value(p, `count({instance="10.0.0.1:15364"})`),
		value(p, `max(scrape_samples_scraped{job="rancher-agent-exporter"})`))
}
