package faults

import (
	"fmt"
	"syscall"
	"testing"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/demo/lab/agent"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/demo/lab/shape"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/e2e/exporter"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/e2e/realengine"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/rancher"
)

// life is what happens on a node during a test: cert-writers come and go, and each event is written down.
type life struct {
	*realengine.Node
	t       *testing.T
	writers []string // IDs of the cert-writers there, the oldest first
	events  map[string]int
	prunes  int
}

// begin starts a node with some cert-writers and a share-mnt that was never started.
func begin(t *testing.T, writers int) *life {
	t.Helper()
	l := &life{Node: realengine.New(t), t: t, events: make(map[string]int)}
	l.ImportLab()
	l.grow(writers)
	l.Create(cluster().ShareMnt("/nowhere"))
	l.events = make(map[string]int) // nobody counts yet
	return l
}

// grow starts cert-writers.
func (l *life) grow(n int) {
	for range n {
		l.writers = append(l.writers, l.Run(cluster().CertWriter()))
		l.events["create"]++
		l.events["start"]++
	}
}

// shrink removes the oldest cert-writers by force.
func (l *life) shrink(n int) {
	for _, id := range l.writers[:n] {
		l.RemoveContainer(id)
		l.events["die"]++
		l.events["destroy"]++
	}
	l.writers = l.writers[n:]
}

// prune is docker container prune on a node with nothing to remove but share-mnt, which comes again.
func (l *life) prune() {
	l.Prune()
	l.prunes++
	l.Create(cluster().ShareMnt("/nowhere"))
}

// process is the number of a container's process.
func (l *life) process(id string) int {
	l.t.Helper()
	c, err := l.Docker().ContainerInspect(l.t.Context(), id)
	if err != nil {
		l.t.Fatal(err)
	}
	return c.State.Pid
}

// crash kills the process of a cert-writer behind dockerd's back. Its restart policy starts it again.
func (l *life) crash(process int) {
	l.t.Helper()
	if err := syscall.Kill(process, syscall.SIGKILL); err != nil {
		l.t.Fatal(err)
	}
	l.events["die"]++
	l.events["start"]++
}

// want are the counters after all that.
func (l *life) want() exporter.Metrics {
	want := exporter.Metrics{up: 1, eventsUp: 1, running: float64(len(l.writers)), prunes: float64(l.prunes)}
	for _, action := range rancher.EventActions() {
		want[certWriterEvents(action)] = float64(l.events[action])
	}
	return want
}

func certWriterEvents(action string) string {
	return fmt.Sprintf("rancher_agent_container_events_total{action=%q,role=%q}", action, rancher.RoleCertWriter)
}

func (l *life) total() (n int) {
	for _, count := range l.events {
		n += count
	}
	return n + l.prunes
}

func cluster() shape.Cluster { return agent.DefaultSettings().Cluster }
