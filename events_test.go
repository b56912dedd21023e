package main

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/enginetest"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/testkit"
)

// Connections that break just after an event came cost no count: the event is not told again, but a list shows later what
// its container was.
func TestEventsCountThoughTheInspectFailed(t *testing.T) {
	fake := testkit.Engine(t)
	p := start(t, fake)
	eventually(t, "the event stream", func() bool { return fake.EventStreams() == 1 })
	fake.Intercept(func(_ http.ResponseWriter, r *http.Request) bool {
		if strings.HasPrefix(enginetest.Endpoint(r), "/containers/") {
			panic(http.ErrAbortHandler)
		}
		return false
	})
	writer := enginetest.CertWriter(0, "https://167.172.96.240", time.Now())
	fake.Create(writer)
	eventually(t, "the inspect", func() bool { return countRequests(fake, "/containers/"+writer.ID+"/json") > 0 })
	fake.CutEvents()
	fake.Intercept(nil)
	eventually(t, "the count", func() bool {
		_, body := get(t, p.url(t, "/metrics"))
		return strings.Contains(body, `rancher_agent_container_events_total{action="create",role="cert_writer"} 1`)
	})
}
