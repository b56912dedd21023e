package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/demo/lab/shape"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/e2e/exporter"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/e2e/realengine"
)

// The series that the tests look at most.
const (
	up             = "rancher_agent_docker_up"
	eventsUp       = "rancher_agent_docker_events_up"
	prunes         = "rancher_agent_docker_container_prunes_total"
	present        = "rancher_agent_share_mnt_present"
	running        = `rancher_agent_cert_writer_containers{state="running"}`
	ofServer       = `rancher_agent_cert_writer_server_containers{server="https://167.172.96.240"}`
	unmanaged      = "rancher_agent_unmanaged_containers"
	leaks          = "rancher_agent_share_mnt_starts_cert_writer"
	exitCode       = "rancher_agent_share_mnt_exit_code"
	shareMntExited = `rancher_agent_share_mnt_containers{state="exited"}`
	shareMntGone   = `rancher_agent_container_events_total{action="destroy",role="share_mnt"}`
	agentsRunning  = `rancher_agent_node_agent_containers{state="running"}`
)

func startExporter(t *testing.T, host string, args ...string) *exporter.Exporter {
	t.Helper()
	x := exporter.Start(t, host, args...)
	x.Expect(patience, exporter.Metrics{up: 1, eventsUp: 1})
	return x
}

// The seed case: six cert-writers of one server, counted, dated and listed, also when the tag of their image is gone.
func TestExporterSeedCase(t *testing.T) {
	n := realengine.New(t)
	n.ImportLab()
	x := startExporter(t, n.Host())
	x.Expect(patience, exporter.Metrics{running: 0, ofServer: exporter.Absent, present: 0, unmanaged: 0})
	var oldest, newest float64
	for i := range 6 {
		created := float64(n.Find(n.Run(seed.CertWriter())).Created)
		if i == 0 {
			oldest = created
		}
		newest = created
	}
	want := exporter.Metrics{
		running: 6, ofServer: 6, unmanaged: 6, present: 0,
		`rancher_agent_cert_writer_oldest_created_timestamp_seconds{server="https://167.172.96.240"}`: oldest,
		`rancher_agent_cert_writer_newest_created_timestamp_seconds{server="https://167.172.96.240"}`: newest,
		`rancher_agent_container_events_total{action="start",role="cert_writer"}`:                     6,
	}
	checkSeries := func(m exporter.Metrics, image string) {
		series := m.Of("rancher_agent_cert_writer_created_timestamp_seconds")
		for _, s := range series {
			if !strings.Contains(s, fmt.Sprintf("image=%q", image)) {
				t.Errorf("%s, want image %q", s, image)
			}
		}
		if len(series) != 6 {
			t.Errorf("%d cert-writers listed, want 6", len(series))
		}
	}
	checkSeries(x.Expect(patience, want), shape.AgentImage)
	n.Untag(shape.AgentImage)
	checkSeries(x.Expect(patience, want), "unknown")

	once, code := exporter.Once(t, n.Host())
	if code != 0 || once[running] != 6 || once[ofServer] != 6 {
		t.Errorf("--once: exit code %d, %v running, %v of the server, want 0, 6, 6", code, once[running], once[ofServer])
	}
}

// share-mnt through its life: done, pruned by the engine, created again.
func TestExporterShareMnt(t *testing.T) {
	n := realengine.New(t)
	n.ImportLab()
	x := startExporter(t, n.Host())
	for round := range 2 {
		id := n.Run(seed.ShareMnt(socketDir(n)))
		created := float64(n.Find(id).Created)
		m := x.Expect(patience, exporter.Metrics{
			present: 1, shareMntExited: 1, exitCode: 0, leaks: 1, running: float64(round + 1), prunes: float64(round),
			"rancher_agent_share_mnt_created_timestamp_seconds":                                              created,
			fmt.Sprintf("rancher_agent_share_mnt_info{container_id=%q,image=%q}", id[:12], shape.AgentImage): 1,
		})
		if started := m["rancher_agent_share_mnt_started_timestamp_seconds"]; started < created || started > created+60 {
			t.Errorf("started at %v, created at %v", started, created)
		}
		n.Prune()
		x.Expect(patience, exporter.Metrics{
			present: 0, shareMntExited: 0, exitCode: exporter.Absent, leaks: exporter.Absent,
			prunes: float64(round + 1), shareMntGone: float64(round + 1),
			"rancher_agent_share_mnt_created_timestamp_seconds": exporter.Absent,
		})
		x.Eventually(patience, func(m exporter.Metrics) string {
			if at := m["rancher_agent_docker_last_container_prune_timestamp_seconds"]; at < created {
				return fmt.Sprintf("last prune at %v, want it after %v", at, created)
			}
			return ""
		})
	}
}

// The id that the exporter names is the one to restart, and the restart shows. The pause container is no node-agent.
func TestExporterNodeAgentRestart(t *testing.T) {
	n := realengine.New(t)
	nodeAgent := startLab(n, labSettings(n))
	x := startExporter(t, n.Host())
	n.Eventually(patience, settled(1))
	n.Prune()
	n.Eventually(patience, settled(2))
	started := fmt.Sprintf("rancher_agent_node_agent_started_timestamp_seconds{container_id=%q}", nodeAgent[:12])
	before := x.Expect(patience, exporter.Metrics{agentsRunning: 1, running: 2, unmanaged: 2})
	info := before.Of("rancher_agent_node_agent_info")
	if len(info) != 1 || !strings.Contains(info[0], fmt.Sprintf("{agent_pod=%q,container_id=%q,", pod.Name, nodeAgent[:12])) {
		t.Fatalf("node-agent: got %q", info)
	}
	n.RestartContainer(nodeAgent[:12])
	after := x.Expect(patience, exporter.Metrics{agentsRunning: 1, running: 0, unmanaged: 0, present: 1})
	if after[started] <= before[started] {
		t.Errorf("started at %v before and %v after the restart", before[started], after[started])
	}
}

func TestExporter300Containers(t *testing.T) {
	n := realengine.New(t)
	n.ImportLab()
	x := startExporter(t, n.Host())
	n.CreateMany(300, seed.CertWriter())
	x.Expect(patience, exporter.Metrics{
		`rancher_agent_cert_writer_containers{state="created"}`: 300, running: 0, unmanaged: 300, ofServer: exporter.Absent,
	})
}

// While dockerd is away there are no counts that could be taken for an all-clear, and afterwards all is back.
func TestExporterDockerdStopsAndStarts(t *testing.T) {
	n := realengine.New(t)
	n.ImportLab()
	x := startExporter(t, n.Host())
	n.Run(seed.CertWriter())
	x.Expect(patience, exporter.Metrics{running: 1})
	for range 2 {
		n.Stop()
		x.Expect(patience, exporter.Metrics{
			up: 0, eventsUp: 0, running: exporter.Absent, ofServer: exporter.Absent, present: exporter.Absent, unmanaged: exporter.Absent,
		})
		if _, code := exporter.Once(t, n.Host()); code != 1 {
			t.Errorf("--once: exit code %d, want 1", code)
		}
		n.Start()
		x.Expect(time.Minute, exporter.Metrics{up: 1, eventsUp: 1, running: 1, ofServer: 1, present: 0})
	}
}

// An engine that offers nothing above API 1.24 tells the same.
func TestExporterOldAPI(t *testing.T) {
	n := realengine.New(t)
	nodeAgent := startLab(n, labSettings(n))
	n.Eventually(patience, settled(1))
	x := startExporter(t, n.OldAPI())
	m := x.Expect(patience, exporter.Metrics{running: 1, ofServer: 1, present: 1, exitCode: 0, leaks: 1, agentsRunning: 1})
	if started := fmt.Sprintf("rancher_agent_node_agent_started_timestamp_seconds{container_id=%q}", nodeAgent[:12]); m[started] == 0 {
		t.Errorf("%s is absent", started)
	}
	n.Prune()
	x.Expect(patience, exporter.Metrics{running: 2, shareMntGone: 1})
}
