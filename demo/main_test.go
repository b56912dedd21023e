package main

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/testkit"
)

// The demo shows the real exporter, the leak growing, and the cure.
func TestDemo(t *testing.T) {
	address := testkit.FreeAddress(t)
	ctx, cancel := context.WithCancel(t.Context())
	out := new(testkit.Buffer)
	ended := make(chan error, 1)
	go func() {
		ended <- run(ctx, pace{prune: 300 * time.Millisecond, check: 200 * time.Millisecond, prunes: 3},
			[]string{"--web.listen-address=" + address, "--web.disable-exporter-metrics"}, out)
	}()
	for _, line := range []string{
		`rancher_agent_cert_writer_containers{state="running"} 3`,
		`rancher_agent_cert_writer_containers{state="running"} 0`,
		`rancher_agent_container_events_total{action="destroy",role="cert_writer"} 3`,
		`rancher_agent_container_events_total{action="start",role="node_agent"} 1`,
		`rancher_agent_cert_writer_containers{state="running"} 1`, // and again
	} {
		waitForLine(t, "http://"+address+"/metrics", line, ended)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Errorf("ended with %v", err)
	}
	for _, words := range []string{"http://localhost:15364/metrics", "docker system prune removes 1 stopped container", "the cure"} {
		if !strings.Contains(out.String(), words) {
			t.Errorf("the terminal does not say %q:\n%s", words, out)
		}
	}
}

// An exporter that cannot start ends the demo with its reason.
func TestDemoWithoutExporter(t *testing.T) {
	out := new(testkit.Buffer)
	err := run(t.Context(), pace{prune: time.Hour, check: time.Hour}, []string{"--nonsense"}, out)
	if err == nil || !strings.Contains(out.String(), "unknown long flag '--nonsense'") {
		t.Errorf("ended with %v:\n%s", err, out)
	}
}

func waitForLine(t *testing.T, url, line string, ended <-chan error) {
	t.Helper()
	deadline := time.After(2 * time.Minute) // the first build of the exporter takes its time
	for {
		if resp, err := http.Get(url); err == nil {
			body, _ := io.ReadAll(resp.Body)
			resp.Body.Close()
			if strings.Contains(string(body), line+"\n") {
				return
			}
		}
		select {
		case err := <-ended:
			t.Fatalf("the demo ended with %v", err)
		case <-deadline:
			t.Fatalf("waited in vain for %s", line)
		case <-time.After(20 * time.Millisecond):
		}
	}
}
