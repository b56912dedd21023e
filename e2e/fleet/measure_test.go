package fleet

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/e2e/monitoring"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/e2e/procstat"
)

var (
	sizes   = flag.String("nodes", "", "measure fleets of these sizes, such as 500,2000")
	watch   = flag.Duration("watch", 150*time.Second, "how long each fleet is scraped")
	scrapes = flag.Duration("interval", 30*time.Second, "from one scrape, and one evaluation of the rules, to the next")
	pages   = flag.Duration("pages", 6*time.Hour, "the time range of the dashboards")
)

// TestMeasure prints what Prometheus has to do for fleets, healthy and with every node leaking. It asserts no time: that is
// the machine's.
func TestMeasure(t *testing.T) {
	if *sizes == "" {
		t.Skip("only with -nodes")
	}
	for _, text := range strings.Split(*sizes, ",") {
		size, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(text+" healthy", func(t *testing.T) { measure(t, Serve(t, size, Healthy)) })
		t.Run(text+" leaking", func(t *testing.T) { measure(t, Serve(t, size, Leaking)) })
	}
}

func measure(t *testing.T, f *Fleet) {
	p := watched(t, f, rulesAtOnce(t), History{Interval: *scrapes, Pages: *pages}, *scrapes)
	debug.FreeOSMemory()    // what was needed for the history
	time.Sleep(time.Minute) // of the first scrapes and evaluations
	prometheus, simulator := usage(t, p.PID), usage(t, os.Getpid())
	time.Sleep(*watch)
	cpu := func(pid int, before procstat.Usage) float64 {
		return (usage(t, pid).CPU - before.CPU).Seconds() / watch.Seconds()
	}
	t.Logf("| CPU of Prometheus | %.3f cores |", cpu(p.PID, prometheus))
	t.Logf("| CPU of the simulator | %.3f cores |", cpu(os.Getpid(), simulator))
	if up := value(p, `sum(up{job="rancher-agent-exporter"})`); up != float64(len(f.Nodes)) {
		t.Errorf("%.0f of %d nodes are up: the machine is too busy, and the figures say nothing", up, len(f.Nodes))
	}
	reportServer(t, p)
	reportGroups(t, p)
	reportPages(t, p, f.Nodes[0].Instance)
}

// reportServer prints what scrapes bring in and what the processes use.
func reportServer(t *testing.T, p *monitoring.Prometheus) {
	prometheus := usage(t, p.PID)
	figure := func(name string, value float64, unit string) { t.Logf("| %s | %.4g %s |", name, value, unit) }
	figure("samples a scrape", value(p, `max(scrape_samples_scraped{job="rancher-agent-exporter"})`), "")
	figure("series a node, with those of the rules", value(p, `count({instance="10.0.0.1:15364"})`), "")
	figure("series in memory", value(p, "prometheus_tsdb_head_series"), "")
	figure("samples a second", value(p, fmt.Sprintf("rate(prometheus_tsdb_head_samples_appended_total[%s])", seconds(*watch))), "")
	figure("resident memory of Prometheus", float64(prometheus.Resident)/1e6, "MB")
	figure("at its peak", float64(prometheus.Peak)/1e6, "MB")
	figure("resident memory of the simulator", float64(usage(t, os.Getpid()).Resident)/1e6, "MB")
	figure("scrape, median", 1e3*value(p, `quantile(0.5, scrape_duration_seconds{job="rancher-agent-exporter"})`), "ms")
	figure("scrape, slowest", 1e3*value(p, `max(scrape_duration_seconds{job="rancher-agent-exporter"})`), "ms")
	figure("alerts firing", value(p, `count(ALERTS{alertstate="firing"})`), "")
	figure("notifications dropped", value(p, "prometheus_notifications_dropped_total"), "")
	figure("evaluations failed", value(p, "sum(prometheus_rule_evaluation_failures_total)"), "")
	figure("evaluations missed", value(p, "sum(prometheus_rule_group_iterations_missed_total)"), "")
}

func usage(t *testing.T, pid int) procstat.Usage {
	t.Helper()
	u, err := procstat.Of(pid)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// reportGroups prints how long the evaluation of each group takes, and the slowest rules of the last one.
func reportGroups(t *testing.T, p *monitoring.Prometheus) {
	for _, g := range p.Groups() {
		last := fmt.Sprintf(`prometheus_rule_group_last_duration_seconds{rule_group=~".*;%s"}[%s]`, g.Name, seconds(*watch))
		t.Logf("| %s | fastest %.3f s | median %.3f s | slowest %.3f s |", g.Name,
			value(p, "min_over_time("+last+")"), value(p, "quantile_over_time(0.5, "+last+")"), value(p, "max_over_time("+last+")"))
		slices.SortFunc(g.Rules, func(a, b monitoring.Rule) int { return cmp.Compare(b.EvaluationTime, a.EvaluationTime) })
		for _, r := range g.Rules[:min(len(g.Rules), 3)] {
			t.Logf("| - %s | %.3f s | %s |", r.Name, r.EvaluationTime, r.LastError)
		}
	}
}

// reportPages prints the slowest panels of each dashboard.
func reportPages(t *testing.T, p *monitoring.Prometheus, instance string) {
	type timed struct {
		title string
		took  time.Duration
	}
	dashboards := make(map[string][]timed)
	for _, panel := range Panels(t, "../../dashboards") {
		took := panel.Ask(t, p.Address, instance, *pages, *scrapes)
		for range 2 { // the fastest of three is nearest to what it takes without the machine's other load
			took = min(took, panel.Ask(t, p.Address, instance, *pages, *scrapes))
		}
		dashboards[panel.Dashboard] = append(dashboards[panel.Dashboard], timed{panel.Title, took})
	}
	for name, panels := range dashboards {
		slices.SortFunc(panels, func(a, b timed) int { return cmp.Compare(b.took, a.took) })
		for _, panel := range panels[:3] {
			t.Logf("| %s | %s | %.3f s |", name, panel.title, panel.took.Seconds())
		}
	}
}
