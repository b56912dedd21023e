package collector_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/collector"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/enginetest"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/rancher"
)

var now = time.Now().Truncate(time.Second)

// rancher/rancher#15364, FC-01: one more cert-writer a prune, all gone after a restart of the node-agent; gauges go down too.
func TestLeakGrowsAndIsCured(t *testing.T) {
	n := newTestNode(t, defaultLimits)
	agent := enginetest.NodeAgent("cattle-node-agent-jfdlt", 0, now.Add(-10*24*time.Hour))
	n.Put(agent, enginetest.Sandbox("cattle-node-agent-jfdlt", agent.Created))
	for k := range 6 {
		created := now.Add(time.Duration(k) * time.Minute)
		n.Put(enginetest.ShareMnt("v2.0.8", "https://r.example", "n1", created))
		if k > 0 {
			n.Put(enginetest.CertWriter(k, "https://r.example", created))
		}
		count := string(rune('0' + k))
		got := n.scrape(t)
		want(t, got, `cert_writer_containers{state="running"} `+count, "share_mnt_present 1",
			"share_mnt_created_timestamp_seconds "+seconds(created), "share_mnt_starts_cert_writer 1",
			`node_agent_containers{state="running"} 1`, "unmanaged_containers "+count)
		if k > 0 {
			want(t, got, `cert_writer_server_containers{server="https://r.example"} `+count,
				`cert_writer_oldest_created_timestamp_seconds{server="https://r.example"} `+seconds(now.Add(time.Minute)),
				`cert_writer_newest_created_timestamp_seconds{server="https://r.example"} `+seconds(created))
		}
	}
	for _, c := range n.Containers() {
		if strings.Contains(strings.Join(c.Args, " "), "--only-write-certs") && c.Names[0] != "/share-mnt" {
			n.Remove(c.ID)
		}
	}
	agent.StartedAt = now.Add(time.Hour)
	n.Put(agent)
	want(t, n.scrape(t), `cert_writer_containers{state="running"} 0`, "unmanaged_containers 0",
		`cert_writer_oldest_created_timestamp_seconds{server="https://r.example"} absent`,
		`node_agent_started_timestamp_seconds{container_id="`+agent.ID[:12]+`"} `+seconds(agent.StartedAt))
}

// FC-16, FC-88: share-mnt replaced between two scrapes leaves no gap, removed it is gone, and back it is there again.
func TestShareMntComesAndGoes(t *testing.T) {
	n := newTestNode(t, defaultLimits)
	before := enginetest.ShareMnt("v2.3.2", "https://r.example", "n1", now.Add(-2*time.Hour))
	n.Put(before)
	want(t, n.scrape(t), "share_mnt_present 1", "share_mnt_exit_code 0", "share_mnt_created_timestamp_seconds "+seconds(before.Created))
	n.Remove(before.ID)
	want(t, n.scrape(t), "share_mnt_present 0", "share_mnt_exit_code absent", "share_mnt_created_timestamp_seconds absent",
		"share_mnt_starts_cert_writer absent", `share_mnt_containers{state="exited"} 0`)
	after := enginetest.ShareMnt("v2.3.2", "https://r.example", "n1", now)
	n.Put(after)
	want(t, n.scrape(t), "share_mnt_present 1", "share_mnt_created_timestamp_seconds "+seconds(after.Created))
	after.State = "running"
	n.Put(after)
	want(t, n.scrape(t), `share_mnt_containers{state="running"} 1`, "share_mnt_exit_code absent")
}

// A registry finds metrics of one name in two collectors only if they are described.
func TestMetricsAreDescribed(t *testing.T) {
	n := newTestNode(t, defaultLimits)
	if err := n.registry.Register(collector.New(nil, defaultLimits)); err == nil {
		t.Error("the same metrics are registered twice")
	}
}

// FC-84: on a node without any container all counts are there, and 0.
func TestEmptyNode(t *testing.T) {
	got := newTestNode(t, defaultLimits).scrape(t)
	for _, state := range rancher.States() {
		for _, family := range []string{"cert_writer", "share_mnt", "node_agent"} {
			want(t, got, family+`_containers{state="`+string(state)+`"} 0`)
		}
	}
	for _, role := range rancher.OtherRoles() {
		want(t, got, `other_containers{role="`+string(role)+`"} 0`)
	}
	want(t, got, "docker_up 1", "share_mnt_present 0", "unmanaged_containers 0")
	if got["docker_last_success_timestamp_seconds"] == "" {
		t.Error("no last success after a success")
	}
}

// FC-53, FC-78: while the engine does not answer there are no counts, on every kind of failure, and no panic.
func TestDockerDown(t *testing.T) {
	n := newTestNode(t, defaultLimits)
	n.Put(enginetest.CertWriter(1, "https://r.example", now))
	for name, trouble := range map[string]enginetest.Interceptor{
		"500":       enginetest.Status(500, `{"message":"no"}`, "application/json"),
		"403":       enginetest.Status(403, "forbidden", "text/plain"),
		"html":      enginetest.Body("/containers/json", []byte("<html>")),
		"null":      enginetest.Body("/containers/json", []byte("null")),
		"truncated": n.Truncate("/containers/json"),
	} {
		n.Intercept(trouble)
		got := n.scrape(t)
		want(t, got, "docker_up 0")
		delete(got, "docker_last_success_timestamp_seconds") // there after the first success
		if names := slices.Sorted(maps.Keys(got)); !slices.Equal(names, []string{"docker_up", "scrape_duration_seconds"}) {
			t.Errorf("%s: got %v", name, names)
		}
		n.Intercept(nil)
		want(t, n.scrape(t), "docker_up 1", `cert_writer_containers{state="running"} 1`)
	}
}

// Timestamps are as Docker gives them: a clamp would move at every scrape and look like a re-creation.
func TestOddTimes(t *testing.T) {
	n := newTestNode(t, defaultLimits)
	future := now.Add(48 * time.Hour)
	agent := enginetest.NodeAgent("cattle-node-agent-aaaaa", 0, future)
	agent.StartedAt = time.Time{} // FC-81: 0001-01-01T00:00:00Z
	n.Put(enginetest.CertWriter(1, "https://r.example", future), enginetest.CertWriter(2, "https://y1.example", time.Time{}), agent)
	want(t, n.scrape(t),
		`cert_writer_oldest_created_timestamp_seconds{server="https://r.example"} `+seconds(future),
		`cert_writer_oldest_created_timestamp_seconds{server="https://y1.example"} -6.21355968e+10`,
		`node_agent_started_timestamp_seconds{container_id="`+agent.ID[:12]+`"} absent`)
}

func TestEvents(t *testing.T) {
	n := newTestNode(t, defaultLimits)
	events := collector.NewEvents()
	n.registry.MustRegister(events)
	got := n.scrape(t)
	for _, role := range []string{"cert_writer", "share_mnt", "node_agent"} {
		for _, action := range []string{"create", "start", "die", "destroy"} {
			want(t, got, `container_events_total{action="`+action+`",role="`+role+`"} 0`)
		}
	}
	want(t, got, "docker_events_up 0", "docker_container_prunes_total 0", "docker_last_container_prune_timestamp_seconds absent")

	events.EventStream(true)
	events.ContainerEvent(rancher.RoleShareMnt, "destroy")
	events.ContainerPrune(time.Unix(1700000000, 500_000_000))
	n.Stop() // the counters go on while Docker is down
	want(t, n.scrape(t), "docker_up 0", "docker_events_up 1", `container_events_total{action="destroy",role="share_mnt"} 1`,
		"docker_container_prunes_total 1", "docker_last_container_prune_timestamp_seconds 1.7000000005e+09")
	events.EventStream(false)
	want(t, n.scrape(t), "docker_events_up 0")

	problems, err := testutil.GatherAndLint(n.registry)
	if err != nil || len(problems) > 0 {
		t.Errorf("lint: %v, %v", problems, err)
	}
}
