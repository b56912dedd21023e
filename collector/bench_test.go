package collector_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/collector"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/node"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/rancher"
)

// certWriters are n containers as an engine lists them.
func certWriters(n int) []rancher.Container {
	containers := make([]rancher.Container, n)
	for i := range containers {
		containers[i] = rancher.Container{
			ID:    fmt.Sprintf("%064x", i),
			Names: []string{fmt.Sprintf("/thirsty_minsky%d", i)},
			Image: "rancher/rancher-agent:v2.3.3",
			Command: rancher.ListedCommand("run.sh --server https://167.172.96.240 --token madeupmadeupmadeup" +
				" --ca-checksum decafbaddecafbad --no-register --only-write-certs"),
			Created: int64(1700000000 + i),
			Labels:  map[string]string{"io.cattle.agent": "true"},
			State:   "running",
			Status:  "Up 2 hours",
		}
	}
	return containers
}

type classifying []rancher.Container

func (c classifying) Observe() node.Observation {
	return node.Observation{Snapshot: rancher.Classify(slices.Values(c)), LastSuccess: time.Now()}
}

// BenchmarkScrape is our own part of a scrape: classify, collect, encode; all but what the engine and its client take.
// The budget for 5,000 is 10 ms.
func BenchmarkScrape(b *testing.B) {
	for _, n := range []int{0, 300, 5000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			registry := prometheus.NewRegistry()
			registry.MustRegister(collector.New(classifying(certWriters(n)), defaultLimits))
			handler := promhttp.HandlerFor(registry, promhttp.HandlerOpts{})
			request := httptest.NewRequest(http.MethodGet, "/metrics", nil)
			b.ReportAllocs()
			for b.Loop() {
				handler.ServeHTTP(discard{}, request)
			}
		})
	}
}

// BenchmarkCollect is the collector alone.
func BenchmarkCollect(b *testing.B) {
	for _, n := range []int{0, 300, 5000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			c := collector.New(observed(classifying(certWriters(n)).Observe()), defaultLimits)
			metrics := make(chan prometheus.Metric, 200)
			b.ReportAllocs()
			for b.Loop() {
				c.Collect(metrics)
				for len(metrics) > 0 {
					<-metrics
				}
			}
		})
	}
}

type observed node.Observation

func (o observed) Observe() node.Observation { return node.Observation(o) }

type discard struct{ io.Writer }

func (discard) Header() http.Header         { return make(http.Header) }
func (discard) WriteHeader(int)             {}
func (discard) Write(p []byte) (int, error) { return len(p), nil }
