package collector

import (
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/rancher"
)

var (
	prunesTotal = describe("docker_container_prunes_total",
		"Container prunes seen since the exporter started; engines before 20.10 report none.")
	lastPrune = describe("docker_last_container_prune_timestamp_seconds",
		"When the newest container prune happened, in Unix seconds.")
)

// Events counts what happens between scrapes. It implements node.Recorder and prometheus.Collector.
type Events struct {
	up     prometheus.Gauge
	events *prometheus.CounterVec

	mu        sync.Mutex // no scrape shows the count of a prune without its time
	prunes    int
	lastPrune time.Time // zero before the first
}

// NewEvents returns Events with every counter at 0.
func NewEvents() *Events {
	e := &Events{
		up: prometheus.NewGauge(prometheus.GaugeOpts{
			Namespace: namespace, Name: "docker_events_up",
			Help: "Whether the event stream of the Docker Engine is connected.",
		}),
		events: prometheus.NewCounterVec(prometheus.CounterOpts{
			Namespace: namespace, Name: "container_events_total",
			Help: "Container events seen since the exporter started, by role of the container.",
		}, []string{"role", "action"}),
	}
	for _, role := range rancher.EventRoles() {
		for _, action := range rancher.EventActions() {
			e.events.WithLabelValues(string(role), action)
		}
	}
	return e
}

// EventStream records whether events arrive.
func (e *Events) EventStream(connected bool) {
	if connected {
		e.up.Set(1)
	} else {
		e.up.Set(0)
	}
}

// ContainerEvent counts an event of a container of one of rancher.EventRoles.
func (e *Events) ContainerEvent(role rancher.Role, action string) {
	e.events.WithLabelValues(string(role), action).Inc()
}

// ContainerPrune counts a container prune.
func (e *Events) ContainerPrune(at time.Time) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.prunes++
	e.lastPrune = at
}

// Describe implements prometheus.Collector.
func (e *Events) Describe(ch chan<- *prometheus.Desc) {
	e.up.Describe(ch)
	e.events.Describe(ch)
	ch <- prunesTotal
	ch <- lastPrune
}

// Collect implements prometheus.Collector.
func (e *Events) Collect(ch chan<- prometheus.Metric) {
	e.up.Collect(ch)
	e.events.Collect(ch)
	e.mu.Lock()
	defer e.mu.Unlock()
	ch <- prometheus.MustNewConstMetric(prunesTotal, prometheus.CounterValue, float64(e.prunes))
	emitter{ch}.time(lastPrune, e.lastPrune)
}
