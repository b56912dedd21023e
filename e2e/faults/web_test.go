package faults

import (
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/e2e/exporter"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/enginetest"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/testkit"
)

// mostWebLines is what the exporter logs at most in a minute of what goes wrong on its web side.
const mostWebLines = 11

// The faults of the web side need no real engine: it is well all the time.

// node is a fake engine of a node with that many cert-writers.
func node(t *testing.T, writers int) *enginetest.Engine {
	t.Helper()
	fake := testkit.Engine(t)
	put(fake, writers)
	return fake
}

func put(fake *enginetest.Engine, writers int) {
	const server = "https://rancher.example"
	created := time.Now().Add(-24 * time.Hour)
	for i := range writers {
		fake.Put(enginetest.CertWriter(i, server, created.Add(time.Duration(i)*time.Minute)))
	}
	fake.Put(
		enginetest.ShareMnt("v2.3.3", server, "n1", created),
		enginetest.NodeAgent("cattle-node-agent-jfdlt", 0, created),
		enginetest.Sandbox("cattle-node-agent-jfdlt", created),
	)
}

// connect opens a connection to the exporter that the test leaves alone.
func (x *subject) connect() net.Conn {
	x.t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(x.URL(""), "http://"))
	if err != nil {
		x.t.Fatal(err)
	}
	x.t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// unmoved holds that a scrape shows what it showed before the fault, and returns how long it took.
func (x *subject) unmoved() time.Duration {
	x.t.Helper()
	begun := time.Now()
	if what := x.Scrape().Missing(x.values); what != "" {
		x.t.Error(what)
	}
	return time.Since(begun)
}

// fewLines holds that the fault was no flood for the log, and returns the lines.
func (x *subject) fewLines(most int) []string {
	x.t.Helper()
	lines := x.logs()
	if len(lines) > most {
		x.t.Errorf("%d lines logged, want %d at most:\n%s", len(lines), most, strings.Join(lines, "\n"))
	}
	for _, line := range lines {
		if strings.Contains(line, "panic") || strings.Contains(line, "goroutine ") {
			x.t.Errorf("logged %s", line)
		}
	}
	return lines
}

// oneShot gets a page over a connection of its own.
func (x *subject) oneShot(path string) (status int, body string, err error) {
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: patience}
	response, err := client.Get(x.URL(path))
	if err != nil {
		return 0, "", err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	return response.StatusCode, string(text), err
}

// writers are the values of a node with that many cert-writers.
func writers(n int) exporter.Metrics {
	return exporter.Metrics{up: 1, eventsUp: 1, running: float64(n)}
}
