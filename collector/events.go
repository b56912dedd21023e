package collector

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/rancher"
)

// Events counts what happens between scrapes. It implements node.Recorder and prometheus.Collector.
type Events struct {
	up        prometheus.Gauge
	events    *prometheus.CounterVec
	prunes    prometheus.Counter
	lastPrune *prometheus.GaugeVec // without labels: absent until it is set
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
		prunes: prometheus.NewCounter(prometheus.CounterOpts{
			Namespace: namespace, Name: "docker_container_prunes_total",
			Help: "Container prunes seen since the exporter started; engines before 20.10 report none.",
		}),
		lastPrune: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Namespace: namespace, Name: "docker_last_container_prune_timestamp_seconds",
			Help: "When the newest container prune happened, in Unix seconds.",
		}, nil),
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
	e.prunes.Inc()
	e.lastPrune.WithLabelValues().Set(unixSeconds(at))
}

// Describe implements prometheus.Collector.
func (e *Events) Describe(ch chan<- *prometheus.Desc) {
	for _, c := range e.collectors() {
		c.Describe(ch)
	}
}

// Collect implements prometheus.Collector.
func (e *Events) Collect(ch chan<- prometheus.Metric) {
	for _, c := range e.collectors() {
		c.Collect(ch)
	}
}

func (e *Events) collectors() []prometheus.Collector {
	return []prometheus.Collector{e.up, e.events, e.prunes, e.lastPrune}
}
