package faults

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/e2e/exporter"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/testkit"
)

// The socket that the exporter was given is moved away, another one comes in its place, and then the old one's connections
// end. The engine behind lives on, so nothing may be lost.
func replacedSocket(t *testing.T, o *outcome) {
	l := begin(t, 3)
	path := testkit.SocketPath(t)
	first := listen(t, path, l.Socket())
	x := start(t, "unix://"+path)
	x.healthy(l.want())

	if err := os.Rename(path, path+".old"); err != nil {
		t.Fatal(err)
	}
	x.blind("no such socket")
	l.shrink(1)
	l.grow(2) // of these no inspect can tell that they are cert-writers
	o.sawf("`docker_up` 0, no such socket, `docker_events_up` %v (the old stream lives)", x.Scrape()[eventsUp])
	listen(t, path, l.Socket())
	replaced := time.Now()
	x.rightAgain(o, replaced, exporter.Metrics{up: 1, running: 4})
	x.counted(l)
	x.loggedOutage()

	first.close()
	cut := time.Now()
	l.shrink(1)
	l.grow(2)
	l.prune()
	o.rightAgain("events after the cut of the old stream", x.until(cut, func(m exporter.Metrics) string { return m.Missing(l.want()) }))
	x.counted(l)
	x.loggedOutage()
	o.lost = fmt.Sprintf("nothing: %v of %d events counted", x.events(), l.total())
	x.unharmed()
}
