package collector_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/collector"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/enginetest"
)

// worstNode is a leak of the largest size with the most server URLs, states and agents.
func worstNode(n testNode, certWriters int) {
	for i := range certWriters {
		n.Put(enginetest.CertWriter(i, fmt.Sprintf("https://r%d.example", i%50), now.Add(time.Duration(i)*time.Second)))
	}
	n.Put(enginetest.CertWriter(certWriters, "-t", now), // unknown
		enginetest.ShareMnt("v2.3.3", "https://r.example", "n1", now),
		enginetest.NodeAgent("cattle-node-agent-aaaaa", 0, now), enginetest.NodeAgent("cattle-node-agent-bbbbb", 0, now))
}

// The budget: at most 110 series a node by default, however large the leak, the event metrics and build info included.
func TestSeriesBudget(t *testing.T) {
	n := newTestNode(t, defaultLimits)
	n.registry.MustRegister(collector.NewEvents())
	worstNode(n, 500)
	const ofEventStart, ofBuildInfo = 1, 1 // last prune, absent here, and build info, which main adds
	if got := len(n.scrape(t)) + ofEventStart + ofBuildInfo; got > 110 {
		t.Errorf("%d series, want at most 110", got)
	}
}

func TestServerLimit(t *testing.T) {
	n := newTestNode(t, collector.Limits{Servers: 2, CertWriterSeries: 20})
	put := func(i int, server string) {
		n.Put(enginetest.CertWriter(i, server, now.Add(time.Duration(i)*time.Minute)))
	}
	put(0, "-t")
	put(1, "https://old.example")
	put(2, "https://second.example/path")
	put(3, "https://third.example")
	put(4, "https://fourth.example")
	put(5, "HTTPS://Second.example:443")
	got := n.scrape(t)
	want(t, got,
		`cert_writer_server_containers{server="unknown"} 1`,
		`cert_writer_server_containers{server="https://old.example"} 1`,
		`cert_writer_server_containers{server="https://second.example"} 2`, // FC-79: normalised, then counted
		`cert_writer_server_containers{server="https://third.example"} absent`,
		`cert_writer_server_containers{server="other"} 2`,
		`cert_writer_oldest_created_timestamp_seconds{server="other"} `+seconds(now.Add(3*time.Minute)),
		`cert_writer_newest_created_timestamp_seconds{server="other"} `+seconds(now.Add(4*time.Minute)),
	)
	for series := range got {
		if strings.Contains(series, "third") || strings.Contains(series, "fourth") {
			t.Errorf("a server beyond the limit shows in %s", series)
		}
	}
}

func TestCertWriterSeriesLimit(t *testing.T) {
	for _, tc := range []struct{ limit, want int }{{0, 0}, {1, 1}, {3, 3}, {20, 6}} {
		n := newTestNode(t, collector.Limits{Servers: 5, CertWriterSeries: tc.limit})
		for i := range 5 {
			n.Put(enginetest.CertWriter(i, "https://r.example", now.Add(-time.Duration(i)*time.Hour)))
		}
		exited := enginetest.CertWriter(5, "https://r.example", now.Add(-99*time.Hour))
		exited.State = "exited" // not live
		restarting := enginetest.CertWriter(6, "https://r.example", now.Add(-98*time.Hour))
		restarting.State, restarting.ExitCode = "restarting", 1
		n.Put(exited, restarting)
		var got []string
		for series := range n.scrape(t) {
			if strings.HasPrefix(series, "cert_writer_created_timestamp_seconds") {
				got = append(got, series)
			}
		}
		if len(got) != tc.want {
			t.Errorf("limit %d: %d series, want %d", tc.limit, len(got), tc.want)
		}
		if tc.limit == 1 && !strings.Contains(got[0], restarting.ID[:12]) {
			t.Errorf("the one series is %s, want the oldest, %s", got[0], restarting.ID[:12])
		}
	}
}

// Hostile IDs and names must not cost the scrape: two series with the same labels would.
func TestContainersThatLookAlike(t *testing.T) {
	n := newTestNode(t, defaultLimits)
	for i, id := range []string{strings.Repeat("a", 63) + "1", strings.Repeat("a", 63) + "2", "not hex", "not hex either"} {
		writer := enginetest.CertWriter(i, "https://r.example", now)
		writer.ID, writer.Names = id, nil
		agent := enginetest.NodeAgent("cattle-node-agent-aaaaa", 0, now)
		agent.ID = "b" + id
		n.Put(writer, agent)
	}
	got := n.scrape(t)
	want(t, got, "docker_up 1", `cert_writer_containers{state="running"} 4`, `node_agent_containers{state="running"} 4`,
		`cert_writer_created_timestamp_seconds{container_id="aaaaaaaaaaaa",container_name="unknown",image="rancher/rancher-agent:v2.3.3",server="https://r.example"} `+seconds(now))
}
