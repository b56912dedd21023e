package soak

import (
	"fmt"
	"io"
	"net/http"
	"regexp"
	"testing"
	"time"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/e2e/exporter"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/e2e/monitoring"
)

// startPrometheus starts a Prometheus that scrapes the exporter every second, and returns once it does.
func startPrometheus(t *testing.T, x *exporter.Exporter) *monitoring.Prometheus {
	t.Helper()
	p := monitoring.StartPrometheus(t, fmt.Sprintf(`
global: {scrape_interval: 1s, scrape_timeout: 1s}
scrape_configs:
- job_name: exporter
  static_configs: [{targets: ['%s']}]
`, x.URL("")[len("http://"):]))
	for deadline := time.Now().Add(patience); len(p.Vector("up")) == 0; time.Sleep(100 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("Prometheus has not scraped after %v", patience)
		}
	}
	return p
}

// scrapes are how many a Prometheus made, and how many of them saw the exporter, dockerd and the event stream up.
type scrapes struct{ all, exporterUp, dockerUp, eventsUp int }

// checkPrometheus asks a Prometheus what it has seen from one time to another, when the counters stood still.
func checkPrometheus(t *testing.T, p *monitoring.Prometheus, from, to time.Time, counters tally) scrapes {
	t.Helper()
	seconds := int(to.Sub(from).Seconds())
	at := fmt.Sprintf(" @ %d", to.Unix()) // else a scrape may come between two questions
	over := fmt.Sprintf("[%ds]%s", seconds, at)
	value := func(expr string) int {
		t.Helper()
		vector := p.Vector(expr)
		if len(vector) != 1 {
			t.Fatalf("%s has %d values: %v", expr, len(vector), vector)
		}
		return int(vector[0].Value)
	}
	seen := scrapes{
		all:        value("count_over_time(up" + over + ")"),
		exporterUp: value("sum_over_time(up" + over + ")"),
		dockerUp:   value("sum_over_time(rancher_agent_docker_up" + over + ")"),
		eventsUp:   value("sum_over_time(rancher_agent_docker_events_up" + over + ")"),
	}
	if seen.all < seconds*9/10 || seen.all > seconds+1 {
		t.Errorf("%d scrapes in %d s", seen.all, seconds)
	}
	for expr, want := range map[string]int{
		// A scrape may fail for want of time, on a machine that is too busy, and for nothing else.
		fmt.Sprintf("sum(count_over_time((up == 0 and scrape_duration_seconds < 0.95)[%ds:1s]%s)) or vector(0)", seconds, at): 0,

		"count_over_time(rancher_agent_docker_up" + over + ")":                     seen.exporterUp,
		"count_over_time(rancher_agent_docker_events_up" + over + ")":              seen.exporterUp,
		"max(resets(rancher_agent_container_events_total" + over + "))":            0,
		"max(resets(" + prunes + over + "))":                                       0,
		"count(count_over_time(rancher_agent_container_events_total" + over + "))": 12,
		"changes(process_start_time_seconds" + over + ")":                          0,
	} {
		if got := value(expr); got != want {
			t.Errorf("%s is %d, want %d", expr, got, want)
		}
	}
	for series, count := range counters {
		if got := value(series + at); got != count {
			t.Errorf("Prometheus has %d for %s, the exporter %d", got, series, count)
		}
	}
	checkNoComplaints(t, p)
	return seen
}

var rejected = regexp.MustCompile(`(?m)^prometheus_target_scrapes?_\w*(?:duplicate_timestamp|out_of_order|out_of_bounds|exceeded)\w* [^0].*$`)

// checkNoComplaints wants that the Prometheus rejected no sample and no scrape.
func checkNoComplaints(t *testing.T, p *monitoring.Prometheus) {
	t.Helper()
	response, err := http.Get("http://" + p.Address + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range rejected.FindAllString(string(text), -1) {
		t.Errorf("Prometheus rejected samples: %s", line)
	}
}
