package rancher

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// What engines and other exporters got wrong about the shape of the data. FC numbers name the reports.
func TestShapeCases(t *testing.T) {
	const hour = time.Hour
	server := func(url string, age time.Duration) Container {
		return withCommand(leaked("/a_b", image259, age), "run.sh --server "+url+" --token "+token+withCertWriter)
	}
	vendor := leaked("/a_b", image259, hour) // SUSE BCI based images carry labels of their vendor
	vendor.Labels = map[string]string{"io.cattle.agent": "true", "org.opencontainers.image.title": "SLE BCI", "com.suse.eula": "sle-bci", "": "", "pod": "x"}
	twin := shareMntOf(rangeB, "exited", "Exited (0)", hour)
	dupe := leaked("/a_b", image259, hour)
	dupe.ID = "3571bad91a6b0a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293"
	running := func(n int, servers map[string]int) view {
		return view{certWriters: states{StateRunning: n}, servers: servers, oldest: hour, newest: hour, unmanaged: n}
	}
	runCases(t, []fieldCase{
		{"FC-71 docker_exporter#13, restarting is not running", []Container{withStatus(vendor, "restarting", "Restarting (1) 2 seconds ago")},
			view{certWriters: states{StateRestarting: 1}, servers: map[string]int{"https://r.example": 1}, oldest: hour, newest: hour, unmanaged: 1}},
		{"FC-77 telegraf#1263, labels of a vendor", []Container{vendor}, running(1, map[string]int{"https://r.example": 1})},
		{"FC-79 podman-exporter#26, two share-mnt", []Container{twin, twin},
			view{shareMnt: states{StateExited: 2}, present: true, shareMntAge: hour, exitCode: "0", leaks: true}},
		{"FC-79 podman-exporter#26, URLs that are one after all", []Container{
			server("https://R.example/", hour), server("https://r.example", hour), server("HTTPS://r.example:443", hour), server("https://r.example:0443/x", hour),
		}, running(4, map[string]int{"https://r.example": 4})},
		{"FC-81 podman-exporter#516, node-agent never started", []Container{nodeAgent("cattle-node-agent-jfdlt", 0, "created", "Created", hour)},
			view{nodeAgents: states{StateCreated: 1}}},
		{"FC-82 elasticsearch_exporter#263, password and token in the URL", []Container{server("https://admin:pw@r.example/x?token=abc", hour)},
			running(1, map[string]int{"https://r.example": 1})},
		{"one container listed twice", []Container{dupe, dupe}, running(1, map[string]int{"https://r.example": 1})},
		{"no server at all", []Container{withCommand(vendor, "run.sh --token t"+withCertWriter)}, running(1, map[string]int{Unknown: 1})},
		{"server-url unset: --token became the server", []Container{withCommand(vendor, "run.sh --only-write-certs --server --token t --no-register")},
			running(1, map[string]int{Unknown: 1})},
	})
}

// A snapshot keeps what has a role, whole, and what else runs on the node not at all.
func TestSnapshotAgents(t *testing.T) {
	job := ctr("/k8s_\xff", image259, certWriter, "running", "Up", time.Hour, agentLabels, podLabels("default", "web", "app"))
	job.Started, job.RestartCount = time.Unix(now, 0), 3
	agents := snapshotOf(ctr("/web", "nginx:1.17", "nginx", "running", "Up", time.Hour), job).Agents
	if len(agents) != 1 {
		t.Fatalf("%d agents, want 1", len(agents))
	}
	if a := agents[0]; a.Name != "k8s_\uFFFD" || a.Server != "" || a.Restarts != 3 || !a.Started.Equal(job.Started) {
		t.Errorf("got %+v", a)
	}
	twice := leaked("/a_b", image259, time.Hour) // an engine without IDs: nothing tells that two are one
	if got := len(Classify(slices.Values([]Container{twice, twice})).Agents); got != 2 {
		t.Errorf("%d agents without an ID, want 2", got)
	}
}

// No names, nil or empty: Docker shows that of containers in trouble (docs/rancher.md, section 6). They count like others.
func TestWithoutNames(t *testing.T) {
	for _, names := range [][]string{nil, {}, {""}, {"/"}} {
		c := leaked("", image259, time.Hour)
		c.Names, c.State = names, "dead"
		expect(t, []Container{c}, view{certWriters: states{StateDead: 1}, unmanaged: 1})
		if got := snapshotOf(c).Agents[0].Name; got != Unknown {
			t.Errorf("%q: got name %q", names, got)
		}
	}
}

// Whatever an engine says, a list becomes a snapshot: of nothing, of empty objects, of creation times in any century.
func TestOddLists(t *testing.T) {
	runCases(t, []fieldCase{
		{"nil", nil, view{}},
		{"an empty object", []Container{{}}, view{}},
		{"an agent and nothing more", []Container{{Labels: agentLabels}}, view{other: 1, unmanaged: 1}},
	})
	const yearOne = -62135596800
	future, past, zero := leaked("/f", image259, 0), leaked("/p", image259, 0), leaked("/z", image259, 0)
	future.Created, past.Created, zero.Created = now+3600, yearOne, 0
	live := snapshotOf(future, zero, past).LiveCertWriters()
	for i, want := range []int64{yearOne, 0, now + 3600} { // as Docker gives them, the oldest first
		if live[i].Created != want {
			t.Errorf("place %d: got %d, want %d", i, live[i].Created, want)
		}
	}
}

// What an inspect tells goes through; a container never started, which Docker gives the year 1, has no start.
func TestStarted(t *testing.T) {
	started := time.Unix(now-60, 0)
	never := nodeAgent("cattle-node-agent-jfdlt", 0, "created", "Created", time.Hour)
	up := nodeAgent("cattle-node-agent-jfdlt", 1, "running", "Up", time.Minute)
	never.Started, up.Started = time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC), started
	s := snapshotOf(never, up)
	if !s.Agents[0].Started.IsZero() || !s.Agents[1].Started.Equal(started) {
		t.Errorf("got %v and %v", s.Agents[0].Started, s.Agents[1].Started)
	}
	if running := s.RunningNodeAgents(); len(running) != 1 || !running[0].Started.Equal(started) {
		t.Errorf("running: %+v", running)
	}
}

// Docker takes names and references of any length (60,000 bytes were seen); what is shown of them is not.
func TestNamesAreClipped(t *testing.T) {
	long := strings.Repeat("n", 60_000)
	tag := strings.Repeat("t", 128)
	pod := nodeAgentPod + long
	agent := nodeAgent(pod, 0, "running", "Up", time.Hour)
	writer := leaked("/"+strings.Repeat("é", 200), strings.Repeat("r", 240)+"/rancher-agent:"+tag, time.Hour)
	invalid := leaked("/"+strings.Repeat("\xff", 60_000), image208, time.Hour)
	whole := leaked("/"+long[:256], image208, time.Hour)
	agents := snapshotOf(agent, writer, invalid, whole).Agents
	for i, want := range []string{"k8s_agent_" + pod[:246], strings.Repeat("é", 128), "\uFFFD", long[:256]} {
		if got := agents[i].Name; got != want {
			t.Errorf("name of %d bytes %q, want %q", len(got), got, want)
		}
	}
	if got := agents[0].Pod; got != pod[:256] {
		t.Errorf("pod of %d bytes", len(got))
	}
	if got := agents[1].Image; got != (strings.Repeat("r", 240) + "/rancher-agent:" + tag)[:256] || agents[1].Role != RoleCertWriter {
		t.Errorf("%s of image %q", agents[1].Role, got)
	}
}

// A container that is called unknown has a name, unlike one that Docker tells none of: on that the clean-up may panic.
func TestNameless(t *testing.T) {
	called, none, empty := leaked("/unknown", image208, time.Hour), leaked("", image208, time.Hour), leaked("/", image208, time.Hour)
	none.Names = nil
	agents := snapshotOf(called, none, empty).Agents
	for i, nameless := range []bool{false, true, false} {
		if a := agents[i]; a.Nameless != nameless || a.Name != Unknown {
			t.Errorf("%d: name %q, nameless %t", i, a.Name, a.Nameless)
		}
	}
}

// RKE's own containers tell a node that RKE1 built from an imported one.
func TestRKEServices(t *testing.T) {
	inPod := rkeService("kubelet", "running", "Up")
	inPod.Names = []string{"/k8s_app_web_default_uid_0"}
	for name, c := range map[string]struct {
		list []Container
		want bool
	}{
		"kubelet":                {[]Container{rkeService("kubelet", "exited", "Exited (0) 2 days ago")}, true},
		"others too":             {[]Container{leaked("/a", image208, 0), rkeService("kube-proxy", "running", "Up"), leaked("/b", image208, 0)}, true},
		"none":                   {nil, false},
		"the agent's containers": {[]Container{leaked("/a", image208, 0), shareMntOf(rangeB, "exited", "Exited (0)", time.Hour)}, false},
		"a tenant's pod":         {[]Container{inPod}, false},
	} {
		if got := snapshotOf(c.list...).RKE; got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}
