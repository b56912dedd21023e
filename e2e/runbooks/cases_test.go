package runbooks

import (
	"slices"
	"strings"
	"testing"

	"github.com/docker/docker/api/types/container"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/demo/lab/shape"
)

// dockerCase is what a block should do.
type dockerCase struct {
	continues bool // the block before belongs to it: the same shell runs both
	shows     func(t *testing.T, n *node, output string)
	changes   func(t *testing.T, n *node, script string)
}

// dockerCases has a case for each block that calls docker, by its page and its number there.
func dockerCases() map[string]dockerCase {
	return map[string]dockerCase{
		"AgentExporterDockerUnreachable 1": shows(nil, "\n"),
		"AgentExporterDown 1":              shows(nil, "3\n"),

		"CertWriterLeak 1": {shows: func(t *testing.T, n *node, output string) {
			list, rest, _ := strings.Cut(output, "CONTAINER ID")
			wantLines(t, list, append(short(n.writers...), n.registration[:12])...)
			wantIn(t, list, "run.sh", shape.AgentImage)
			if strings.Count(list, "cert-writer\n") != 3 || strings.Contains(lineOf(list, n.registration), "cert-writer") {
				t.Errorf("not the three cert-writers are marked:\n%s", list)
			}
			wantIn(t, rest, n.nodeAgent[:12], "created 20", "started 20", "exited (0)")
		}},
		"CertWriterLeak 2": restart,
		"CertWriterLeak 3": restart,
		"CertWriterLeak 4": {changes: oldMessage},

		"CertWriterLeakCritical 1": shows(func(n *node) []string { return short(n.writers...) }, "Mem:", "exited (0)"),
		"CertWriterLeakCritical 2": {shows: func(t *testing.T, n *node, output string) {
			wantLines(t, output, append(short(n.writers...), "3")...)
			wantIn(t, lineOf(output, n.writers[0]), shape.AgentImage, "run.sh")
		}},
		"CertWriterLeakCritical 3": {continues: true, changes: func(t *testing.T, n *node, script string) {
			n.run(t, script)
			n.gone(n.writers, n.registration, n.nodeAgent, n.shareMnt, n.rebuilt)
		}},

		"CertWriterMultipleServers 1": shows(nil, "CATTLE_SERVER=https://rancher.example\n"),
		"CertWriterMultipleServers 2": {shows: func(t *testing.T, n *node, output string) {
			wantLines(t, output, short(n.writers...)...)
			wantIn(t, lineOf(output, n.writers[1]), "run.sh", "https://rancher.example\n")
			wantIn(t, lineOf(output, n.writers[2]), "run.sh", "https://old.example/path\n")
		}},
		"CertWriterMultipleServers 3": restart,

		"CertWriterSurvivedRestart 1": shows(func(n *node) []string { return short(n.nodeAgent) }, "share-mnt"),
		"CertWriterSurvivedRestart 2": shows(nil, "https://rancher.example/ping\n"),
		"CertWriterSurvivedRestart 3": {shows: func(t *testing.T, n *node, output string) {
			wantLines(t, output, append(short(n.writers...), n.registration[:12])...)
		}},
		"CertWriterSurvivedRestart 4": {shows: func(t *testing.T, n *node, output string) {
			wantLines(t, output, n.rebuilt[:12])
		}},
		"CertWriterSurvivedRestart 5": shows(func(n *node) []string { return short(n.rebuilt) }, "example/agent:rebuilt  run.sh"),
		"CertWriterSurvivedRestart 6": {changes: func(t *testing.T, n *node, script string) {
			n.run(t, strings.ReplaceAll(script, " ID", " "+n.rebuilt[:12]))
			n.gone([]string{n.rebuilt}, append(n.writers, n.registration, n.nodeAgent, n.shareMnt)...)
		}},

		"NodeAgentMissing 1": shows(func(n *node) []string { return short(n.nodeAgent, n.kubelet) }, "share-mnt"),
		"NodeAgentMissing 2": {changes: func(t *testing.T, n *node, script string) {
			n.StopContainer(n.kubelet)
			n.run(t, script)
			n.WaitForState(n.kubelet, container.StateRunning)
		}},
		"NodeAgentMissing 3": {shows: func(t *testing.T, n *node, output string) {
			wantLines(t, output, short(n.writers[0], n.shareMnt, n.writers[1], n.writers[2], n.registration)...)
			wantIn(t, lineOf(output, n.shareMnt), shape.AgentImage, "run.sh", "/share-mnt")
		}},
		"NodeAgentMissing 4": {continues: true, changes: func(t *testing.T, n *node, script string) {
			n.RemoveContainer(n.nodeAgent) // the node has left its cluster
			n.run(t, script)
			n.gone(append(n.writers, n.registration, n.shareMnt), n.rebuilt, n.kubelet, n.sidekick, n.web, n.tidier)
		}},

		"ShareMntCrashLooping 1": shows(func(n *node) []string { return short(n.shareMnt) }, "Exited (0)", "started cert-writer"),

		"ShareMntRemovedRepeatedly 1": shows(nil, "created 20", "started 20"),
		"ShareMntRemovedRepeatedly 2": shows(func(n *node) []string { return short(n.tidier) }, "spotify/docker-gc", "container destroy", "name=share-mnt", "container prune"),
		"ShareMntRemovedRepeatedly 3": shows(nil, "container destroy", "name=share-mnt", "container prune"),
		"ShareMntRemovedRepeatedly 4": {shows: func(t *testing.T, n *node, output string) {
			wantLines(t, output, n.web[:12])
		}},
		"ShareMntRemovedRepeatedly 5": {changes: func(t *testing.T, n *node, script string) {
			n.run(t, script)
			n.gone([]string{n.web}, append(n.writers, n.registration, n.shareMnt, n.sidekick)...)
		}},

		"ShareMntStuck 1": shows(func(n *node) []string { return short(n.shareMnt, n.kubelet, n.sidekick) }, "Exited (0)", "started cert-writer"),
		"ShareMntStuck 2": shows(nil),
	}
}

// shows is the case of a block that prints these IDs and texts.
func shows(ids func(*node) []string, texts ...string) dockerCase {
	return dockerCase{shows: func(t *testing.T, n *node, output string) {
		t.Helper()
		if ids != nil {
			wantIn(t, output, ids(n)...)
		}
		wantIn(t, output, texts...)
	}}
}

// restart is the case of a block that restarts the node-agent.
var restart = dockerCase{changes: func(t *testing.T, n *node, script string) {
	started := n.StartedAt(n.nodeAgent)
	n.run(t, strings.ReplaceAll(script, "docker restart ID", "docker restart "+n.nodeAgent[:12]))
	n.gone(append(n.writers, n.registration), n.nodeAgent, n.shareMnt, n.rebuilt, n.kubelet)
	if !n.StartedAt(n.nodeAgent).After(started) {
		t.Error("the node-agent was not restarted")
	}
}}

// oldMessage: the command of an old message starts the container that the kubelet has replaced since. The page's check
// shows that.
func oldMessage(t *testing.T, n *node, script string) {
	wantLines(t, n.run(t, script), n.nodeAgent[:12])
	replaced := n.Create(pod.NodeAgent(shape.AgentImage, "/tmp", "1"))
	n.run(t, "docker restart "+replaced[:12])
	wantIn(t, n.run(t, script), short(replaced, n.nodeAgent)...)
}

// wantIn fails the test unless the output has all the texts.
func wantIn(t *testing.T, output string, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if !strings.Contains(output, text) {
			t.Errorf("no %q in:\n%s", text, output)
		}
	}
}

// wantLines fails the test unless the lines begin with these words, in this order.
func wantLines(t *testing.T, output string, words ...string) {
	t.Helper()
	var got []string
	for line := range strings.Lines(output) {
		got = append(got, strings.Fields(line + " -")[0])
	}
	if !slices.Equal(got, words) {
		t.Errorf("lines begin with %q, want %q:\n%s", got, words, output)
	}
}

// lineOf is the line of a container.
func lineOf(output, id string) string {
	for line := range strings.Lines(output) {
		if strings.HasPrefix(line, id[:12]) {
			return line
		}
	}
	return ""
}
