package e2e

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/docker/docker/api/types/container"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/demo/lab/agent"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/demo/lab/shape"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/e2e/realengine"
)

const patience = 30 * time.Second // for what takes a second or two

func socketDir(n *realengine.Node) string { return filepath.Dir(n.Socket()) }

// labSettings are those of a node-agent in a hurry.
func labSettings(n *realengine.Node) agent.Settings {
	s := agent.DefaultSettings()
	s.Cluster = seed
	s.RunDir = socketDir(n)
	s.CheckInterval = 300 * time.Millisecond
	s.CleanUpDelay = time.Second
	return s
}

// startLab starts a node-agent with these settings and returns its ID.
func startLab(n *realengine.Node, s agent.Settings) string {
	n.ImportLab()
	n.Run(pod.Sandbox())
	return n.Run(pod.NodeAgent(shape.AgentImage, s.RunDir, "0", s.Env()...))
}

// settled says what is missing to that many cert-writers and to a share-mnt that has done its work.
func settled(want int) func([]container.Summary) string {
	return func(list []container.Summary) string {
		if c, ok := shareMnt(list); !ok || !strings.HasPrefix(c.Status, "Exited (0)") {
			return fmt.Sprintf("share-mnt is %q, want Exited (0)", c.Status)
		}
		if writers := len(certWriters(list)); writers != want {
			return fmt.Sprintf("%d cert-writers, want %d", writers, want)
		}
		return ""
	}
}

func shareMnt(list []container.Summary) (container.Summary, bool) {
	for _, c := range list {
		if len(c.Names) > 0 && c.Names[0] == "/"+shape.ShareMntName {
			return c, true
		}
	}
	return container.Summary{}, false
}

// The leak and its cure: each prune brings one cert-writer, the node-agent's restart removes them all.
func TestLabPruneAndCure(t *testing.T) {
	n := realengine.New(t)
	nodeAgent := startLab(n, labSettings(n))
	for writers := 1; writers <= 4; writers++ {
		n.Eventually(patience, settled(writers))
		if pruned := n.Prune(); len(pruned) != 1 {
			t.Errorf("%d containers pruned, want share-mnt alone", len(pruned))
		}
	}
	n.Eventually(patience, settled(5))

	n.Run(seed.Registration())
	n.RestartContainer(nodeAgent)
	n.Eventually(patience, func(list []container.Summary) string {
		if len(list) != 3 {
			return fmt.Sprintf("%d containers, want the pod's two and share-mnt", len(list))
		}
		return settled(0)(list)
	})
}

// On a host with cgroup v2 share-mnt fails, and Docker's restarts alone make the leak.
func TestLabCrashLoop(t *testing.T) {
	n := realengine.New(t)
	s := labSettings(n)
	s.ShareMntExitCode = 1
	startLab(n, s)
	n.Eventually(patience, func(list []container.Summary) string {
		if c, _ := shareMnt(list); !strings.HasPrefix(c.Status, "Restarting (1)") {
			return fmt.Sprintf("share-mnt is %q, want Restarting (1)", c.Status)
		}
		if writers := len(certWriters(list)); writers < 3 {
			return fmt.Sprintf("%d cert-writers, want 3 or more", writers)
		}
		return ""
	})
}

// A node-agent that does not clean up keeps the plan and leaves the cert-writers where they are.
func TestLabRestartWithoutCleanUp(t *testing.T) {
	n := realengine.New(t)
	s := labSettings(n)
	s.Unmanaged = true
	nodeAgent := startLab(n, s)
	n.Eventually(patience, settled(1))
	n.RestartContainer(nodeAgent)
	time.Sleep(2 * s.CleanUpDelay)
	n.Prune()
	n.Eventually(patience, settled(2))
}

// A stop of dockerd starts share-mnt once more when it comes back, and with it one more cert-writer. The node-agent connects
// again then; it may miss the new one (rancher/rancher#26399).
func TestLabDockerdRestart(t *testing.T) {
	n := realengine.New(t)
	nodeAgent := startLab(n, labSettings(n))
	n.Eventually(patience, settled(1))
	n.Prune()
	before := n.Eventually(patience, settled(2))
	n.Stop()
	n.Start()
	n.Eventually(patience, func(list []container.Summary) string {
		for _, old := range certWriters(before) {
			if slices.ContainsFunc(list, func(c container.Summary) bool { return c.ID == old.ID }) {
				return fmt.Sprintf("cert-writer %.12s is still there", old.ID)
			}
		}
		if len(certWriters(list)) == 0 {
			return settled(0)(list)
		}
		return settled(1)(list)
	})
	n.WaitForState(nodeAgent, "running")
}
