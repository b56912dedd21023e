package faults

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/demo/lab/agent"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/e2e/exporter"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/enginetest"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/rancher"
)

const (
	up       = "rancher_agent_docker_up"
	eventsUp = "rancher_agent_docker_events_up"
	prunes   = "rancher_agent_docker_container_prunes_total"
	running  = `rancher_agent_cert_writer_containers{state="running"}`

	// patience is for what takes seconds; an event stream comes back within half a minute.
	patience = time.Minute
)

// subject is the exporter that a fault befalls.
type subject struct {
	*exporter.Exporter
	t      *testing.T
	before usage
	values exporter.Metrics // that have to come back
	logged int              // bytes of log before the fault
}

// start starts an exporter and waits until it sees the engine.
func start(t *testing.T, host string, args ...string) *subject {
	t.Helper()
	x := &subject{Exporter: exporter.Start(t, host, args...), t: t}
	x.Expect(patience, exporter.Metrics{up: 1, eventsUp: 1})
	return x
}

// healthy notes how things are before the fault.
func (x *subject) healthy(want exporter.Metrics) {
	x.t.Helper()
	x.values = gauges(x.Expect(patience, want))
	x.before = x.usage()
	x.logged = len(x.Log())
}

// get is one request for a page. Whatever the fault, no page shows a secret.
func (x *subject) get(path string) (int, string) {
	x.t.Helper()
	response, err := x.Client.Get(x.URL(path))
	if err != nil {
		x.t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		x.t.Fatal(err)
	}
	x.checkSecrets(path, string(body))
	return response.StatusCode, string(body)
}

func (x *subject) checkSecrets(where, text string) {
	x.t.Helper()
	for _, secret := range []string{agent.DefaultSettings().Cluster.Token, enginetest.Token, enginetest.Password, enginetest.CAChecksum} {
		if strings.Contains(text, secret) {
			x.t.Errorf("%s shows %q:\n%s", where, secret, text)
		}
	}
}

// blind holds what the exporter says while it cannot ask the engine, and why: that it cannot, and no count.
func (x *subject) blind(reason string) {
	x.t.Helper()
	m := x.Expect(patience, exporter.Metrics{up: 0})
	if counts := gauges(m); len(counts) != 0 {
		x.t.Errorf("counts while docker_up is 0: %v", counts)
	}
	if status, body := x.get("/-/ready"); status != http.StatusServiceUnavailable || !strings.Contains(body, reason) {
		x.t.Errorf("/-/ready: %d %q, want 503 and %q", status, body, reason)
	}
	if status, _ := x.get("/-/healthy"); status != http.StatusOK {
		x.t.Errorf("/-/healthy: %d", status)
	}
	if status, body := x.get("/"); status != http.StatusOK || !strings.Contains(body, reason) {
		x.t.Errorf("/: %d, want 200 and %q in\n%s", status, reason, body)
	}
}

// rightAgain waits for values, nil for those of before the fault, and for the event stream, and notes how long they took
// since the fault's end.
func (x *subject) rightAgain(o *outcome, end time.Time, want exporter.Metrics) {
	x.t.Helper()
	o.rightAgain("values", x.until(end, func(m exporter.Metrics) string {
		if now := gauges(m); want == nil && !maps.Equal(now, x.values) {
			return fmt.Sprintf("before %v\nnow    %v", x.values, now)
		}
		return m.Missing(want)
	}))
	o.rightAgain("event stream", x.until(end, func(m exporter.Metrics) string {
		return m.Missing(exporter.Metrics{eventsUp: 1})
	}))
}

// counted waits until every event has been counted, once: not one less and not one more.
func (x *subject) counted(l *life) {
	x.t.Helper()
	x.Expect(patience, l.want())
	time.Sleep(500 * time.Millisecond)
	if what := x.Scrape().Missing(l.want()); what != "" {
		x.t.Errorf("counted more than once: %s", what)
	}
}

// events are the events counted so far.
func (x *subject) events() float64 {
	x.t.Helper()
	m := x.Scrape()
	n := m[prunes]
	for _, action := range rancher.EventActions() {
		n += m[certWriterEvents(action)]
	}
	return n
}

// until scrapes without a pause until a scrape is as wanted, and returns how long after a moment that was.
func (x *subject) until(since time.Time, missing func(exporter.Metrics) string) time.Duration {
	x.t.Helper()
	for {
		what := missing(x.Scrape())
		after := time.Since(since)
		if what == "" {
			return after
		}
		if after > patience {
			x.t.Fatalf("after %v: %s", patience, what)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// gauges are the values that a scrape has only while docker_up is 1.
func gauges(m exporter.Metrics) exporter.Metrics {
	found := exporter.Metrics{}
	for series, value := range m {
		name, _, _ := strings.Cut(series, "{")
		switch name {
		case up, eventsUp, prunes, "rancher_agent_scrape_duration_seconds", "rancher_agent_exporter_build_info",
			"rancher_agent_docker_last_success_timestamp_seconds", "rancher_agent_container_events_total",
			"rancher_agent_docker_last_container_prune_timestamp_seconds":
		default:
			if strings.HasPrefix(name, "rancher_agent_") {
				found[series] = value
			}
		}
	}
	return found
}
