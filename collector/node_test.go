package collector_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/go-kit/log"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/common/expfmt"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/collector"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/engine"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/enginetest"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/node"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/testkit"
)

var defaultLimits = collector.Limits{Servers: 5, CertWriterSeries: 20}

// testNode is a fake engine and a pedantic registry with a collector that looks at it.
type testNode struct {
	*enginetest.Engine
	registry *prometheus.Registry
}

func newTestNode(t testing.TB, limits collector.Limits) testNode {
	t.Helper()
	fake := testkit.Engine(t)
	endpoint, err := engine.ParseEndpoint(fake.Host(), nil)
	if err != nil {
		t.Fatal(err)
	}
	docker := engine.New(endpoint)
	observer := node.NewObserver(docker, 5*time.Second, node.NewRoles(docker, log.NewNopLogger()), log.NewNopLogger())
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(collector.New(observer, limits))
	return testNode{fake, registry}
}

// exposition is what a scrape shows, without the families named.
func (n testNode) exposition(t testing.TB, without ...string) string {
	t.Helper()
	families, err := n.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	for _, family := range families {
		skip := false
		for _, name := range without {
			skip = skip || family.GetName() == name
		}
		if skip {
			continue
		}
		if _, err := expfmt.MetricFamilyToText(&text, family); err != nil {
			t.Fatal(err)
		}
	}
	return text.String()
}

// scrape is the value of every series, by name{labels} without the prefix rancher_agent_.
func (n testNode) scrape(t testing.TB) map[string]string {
	t.Helper()
	series := make(map[string]string)
	for line := range strings.Lines(n.exposition(t)) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "#") {
			continue
		}
		end := strings.LastIndex(line, " ")
		series[strings.TrimPrefix(line[:end], "rancher_agent_")] = line[end+1:]
	}
	return series
}

// want checks lines "series value"; the value "absent" says that there is none.
func want(t *testing.T, series map[string]string, lines ...string) {
	t.Helper()
	for _, line := range lines {
		end := strings.LastIndex(line, " ")
		name, value := line[:end], line[end+1:]
		got, ok := series[name]
		if !ok {
			got = "absent"
		}
		if got != value {
			t.Errorf("%s is %s, want %s", name, got, value)
		}
	}
}

// seconds is a timestamp as it stands in an exposition.
func seconds(t time.Time) string { return fmt.Sprint(float64(t.Unix())) }
