// Package collector turns what an observer sees of a node into Prometheus metrics: gauges from one snapshot a scrape, and
// counters from events. No gauge of containers depends on an event.
package collector

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/node"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/rancher"
)

// Observer looks at the node.
type Observer interface {
	Observe() node.Observation
}

// Limits bound the series a leak can make.
type Limits struct {
	Servers          int // server URLs with a label value of their own
	CertWriterSeries int // cert-writers with a series of their own; 0 for none
}

// Collector exposes one observation a scrape. It implements prometheus.Collector.
type Collector struct {
	observer Observer
	limits   Limits
}

// New returns a Collector of what observer sees.
func New(observer Observer, limits Limits) *Collector {
	return &Collector{observer: observer, limits: limits}
}

// Describe implements prometheus.Collector.
func (c *Collector) Describe(ch chan<- *prometheus.Desc) {
	for _, desc := range snapshotMetrics() {
		ch <- desc
	}
}

// Collect implements prometheus.Collector. While the containers cannot be listed there are no counts: a 0 that means
// "could not look" would be a false all-clear.
func (c *Collector) Collect(ch chan<- prometheus.Metric) {
	o := c.observer.Observe()
	emit := emitter{ch}
	emit.gauge(scrapeDuration, o.Duration.Seconds())
	emit.time(lastSuccess, o.LastSuccess)
	emit.bool(dockerUp, o.Err == nil)
	if o.Err != nil {
		return
	}
	c.collectCertWriters(emit, o.Snapshot)
	collectShareMnt(emit, o.Snapshot)
	collectNodeAgents(emit, o.Snapshot)
	for _, role := range rancher.OtherRoles() {
		emit.gauge(otherContainers, float64(len(o.Snapshot.With(role))), string(role))
	}
	emit.gauge(unmanagedContainers, float64(len(o.Snapshot.Unmanaged())))
}

func (c *Collector) collectCertWriters(emit emitter, s rancher.Snapshot) {
	emit.states(certWriters, s.ByState(rancher.RoleCertWriter))
	live := s.LiveCertWriters()
	servers := rancher.ServersOf(live, c.limits.Servers)
	for _, group := range servers.Groups {
		emit.gauge(serverCertWriters, float64(group.Count), group.Server)
		emit.gauge(oldestCertWriter, float64(group.Oldest), group.Server)
		emit.gauge(newestCertWriter, float64(group.Newest), group.Server)
	}
	oldest := live[:min(len(live), c.limits.CertWriterSeries)]
	for _, a := range distinct(oldest) {
		emit.gauge(certWriterCreated, float64(a.Created), a.ShortID(), a.Name, a.Image, servers.Label(a.Server))
	}
}

func collectShareMnt(emit emitter, s rancher.Snapshot) {
	emit.bool(shareMntPresent, s.ShareMntPresent())
	emit.states(shareMnts, s.ByState(rancher.RoleShareMnt))
	newest := s.ShareMnt()
	if newest == nil {
		return
	}
	emit.gauge(shareMntCreated, float64(newest.Created))
	emit.time(shareMntStarted, newest.Started)
	emit.gauge(shareMntInfo, 1, newest.ShortID(), newest.Image)
	emit.bool(shareMntLeaks, newest.Leaks)
	if newest.ExitCode != nil {
		emit.gauge(shareMntExitCode, float64(*newest.ExitCode))
	}
}

func collectNodeAgents(emit emitter, s rancher.Snapshot) {
	emit.states(nodeAgents, s.ByState(rancher.RoleNodeAgent))
	for _, a := range distinct(s.RunningNodeAgents()) {
		emit.gauge(nodeAgentInfo, 1, a.ShortID(), a.Name, a.Pod, a.Image)
		emit.time(nodeAgentStarted, a.Started, a.ShortID())
	}
}

// distinct leaves one agent for each short ID: two series with the same labels would cost the whole scrape.
func distinct(agents []*rancher.Agent) []*rancher.Agent {
	seen := make(map[string]bool, len(agents))
	var kept []*rancher.Agent
	for _, a := range agents {
		if id := a.ShortID(); !seen[id] {
			seen[id] = true
			kept = append(kept, a)
		}
	}
	return kept
}

// emitter sends gauges to a scrape.
type emitter struct{ ch chan<- prometheus.Metric }

func (e emitter) gauge(desc *prometheus.Desc, value float64, labels ...string) {
	e.ch <- prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, value, labels...)
}

func (e emitter) bool(desc *prometheus.Desc, value bool) {
	if value {
		e.gauge(desc, 1)
	} else {
		e.gauge(desc, 0)
	}
}

// time sends Unix seconds, or nothing for the zero time.
func (e emitter) time(desc *prometheus.Desc, t time.Time, labels ...string) {
	if !t.IsZero() {
		e.gauge(desc, unixSeconds(t), labels...)
	}
}

func (e emitter) states(desc *prometheus.Desc, counts map[rancher.State]int) {
	for state, count := range counts {
		e.gauge(desc, float64(count), string(state))
	}
}

func unixSeconds(t time.Time) float64 {
	return float64(t.Unix()) + float64(t.Nanosecond())/1e9
}
