package fleet

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/go-kit/log"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	versioncollector "github.com/prometheus/client_golang/prometheus/collectors/version"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/collector"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/node"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/rancher"
)

// Fleet serves the metrics of its nodes, each under a path of its own, and stands in for what surrounds them: a
// kube-state-metrics that knows the nodes, and an Alertmanager that forgets what it is told.
type Fleet struct {
	Nodes   []*Node
	address string
}

// Serve serves the first size nodes of a kind until the test ends.
func Serve(tb testing.TB, size int, kind func(int, time.Time) *Node) *Fleet {
	tb.Helper()
	f := new(Fleet)
	now := time.Now()
	mux := http.NewServeMux()
	for i := range size {
		n := kind(i, now)
		f.Nodes = append(f.Nodes, n)
		mux.Handle("/"+n.Name, n.handler())
	}
	mux.HandleFunc("/kube-state-metrics", func(w http.ResponseWriter, _ *http.Request) {
		for _, n := range f.Nodes {
			fmt.Fprintf(w, "kube_node_info{node=%q,container_runtime_version=\"docker://19.3.15\",os_image=\"Ubuntu 18.04.6 LTS\"} 1\n", n.Name)
		}
	})
	mux.HandleFunc("/api/v2/alerts", func(_ http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body) })
	listener := httptest.NewServer(mux)
	tb.Cleanup(listener.Close)
	f.address = strings.TrimPrefix(listener.URL, "http://")
	return f
}

// handler is what the exporter of the node serves, with all that its main program registers.
func (n *Node) handler() http.Handler {
	observer := node.NewObserver(n, 5*time.Second, node.NewRoles(n, log.NewNopLogger()), log.NewNopLogger())
	events := collector.NewEvents()
	events.EventStream(true)
	for _, at := range n.removals {
		events.ContainerPrune(at)
		events.ContainerEvent(rancher.RoleShareMnt, "destroy")
		events.ContainerEvent(rancher.RoleShareMnt, "create")
		events.ContainerEvent(rancher.RoleShareMnt, "start")
		events.ContainerEvent(rancher.RoleCertWriter, "create")
	}
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(
		collector.New(observer, collector.Limits{Servers: 5, CertWriterSeries: 20}), events,
		versioncollector.NewCollector("rancher_agent_exporter"),
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)
	return promhttp.InstrumentMetricHandler(registry, promhttp.HandlerFor(registry, promhttp.HandlerOpts{EnableOpenMetrics: true}))
}

// Config is a Prometheus that scrapes the fleet, with the labels that a ServiceMonitor gives, and itself.
func (f *Fleet) Config(rules string, interval time.Duration) string {
	var text strings.Builder
	fmt.Fprintf(&text, `
global: {scrape_interval: %[1]v, scrape_timeout: %[1]v, evaluation_interval: %[1]v}
rule_files: ['%[2]s']
alerting: {alertmanagers: [{static_configs: [{targets: ['%[3]s']}]}]}
scrape_configs:
- job_name: kube-state-metrics
  static_configs: [{targets: ['%[3]s'], labels: {__metrics_path__: /kube-state-metrics}}]
- job_name: rancher-agent-exporter
  static_configs:
`, interval, rules, f.address)
	for _, n := range f.Nodes {
		fmt.Fprintf(&text, "  - {targets: ['%s'], labels: {__metrics_path__: /%s, instance: '%s', node: %s, pod: %s, namespace: cattle-monitoring-system, "+
			"container: exporter, endpoint: metrics, service: rancher-agent-exporter}}\n", f.address, n.Name, n.Instance, n.Name, n.Pod)
	}
	return text.String()
}
