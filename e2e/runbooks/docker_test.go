package runbooks

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/docker/docker/api/types/container"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/demo/lab/agent"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/demo/lab/shape"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/demo/lab/standin"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/e2e/realengine"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/testkit"
)

const patience = 30 * time.Second

var (
	cluster = shape.Cluster{Server: "https://rancher.example", Token: "jtb6kfvbp9grkxsdjkjvxf9vlhr6ztttzvq5hjbcmxb9nzqfnzrbsd", NodeName: "node-1", Image: shape.AgentImage}
	pod     = shape.Pod{Name: "cattle-node-agent-x2x4v", UID: "0f3c9a52-6f6b-11ea-8c4e-0ad3d1b2c3d4"}
)

// node is a node that leaks, with all that the pages speak of.
type node struct {
	*realengine.Node
	path string // with stand-ins for what is not Docker's

	shareMnt, nodeAgent string
	writers             []string // oldest first; the last one is of another Rancher, whose URL holds a password
	registration        string
	rebuilt             string // a cert-writer whose image lacks the label
	tidier              string // a container of docker-gc
	kubelet, sidekick   string // of RKE; the sidekick was never started
	web                 string // ended, and nothing of Rancher's
}

// newNode starts the node on an engine, from which whatever an earlier test left is removed.
func newNode(engine *realengine.Node, path string) *node {
	n := &node{Node: engine, path: path}
	for _, first := range []bool{true, false} { // the node-agent first, which would create share-mnt again
		for _, c := range n.List() {
			if _, inPod := c.Labels[shape.NamespaceLabel]; inPod || !first {
				n.RemoveContainer(c.ID)
			}
		}
	}
	settings := agent.DefaultSettings()
	settings.Cluster, settings.RunDir = cluster, filepath.Dir(n.Socket())
	settings.CheckInterval, settings.CleanUpDelay = 300*time.Millisecond, time.Second
	n.Run(pod.Sandbox())
	n.nodeAgent = n.Run(pod.NodeAgent(shape.AgentImage, settings.RunDir, "0", settings.Env()...))
	n.leaked(1)
	n.Prune() // Docker remembers it, and share-mnt is created again
	n.leaked(2)
	for _, c := range n.List() {
		switch {
		case c.Names[0] == "/share-mnt":
			n.shareMnt = c.ID
		case strings.HasSuffix(c.Command, "--only-write-certs"):
			n.writers = append([]string{c.ID}, n.writers...) // the list has the newest first
		}
	}
	other := cluster
	other.Server = "https://user:passw0rd@old.example/path"
	n.writers = append(n.writers, n.Run(other.CertWriter()))
	n.registration = n.Run(cluster.Registration())
	rebuilt := cluster
	rebuilt.Image = "example/agent:rebuilt"
	n.rebuilt = n.Run(rebuilt.CertWriter())
	run := func(name, image, process string) string {
		c := shape.Container{Name: name, Config: container.Config{Image: image}, Host: container.HostConfig{NetworkMode: "none"}}
		if process != "" {
			c.Config.Labels = map[string]string{shape.ProcessLabel: process}
		}
		return n.Create(c)
	}
	n.tidier = run("tidy", "spotify/docker-gc:1", "")
	n.StartContainer(n.tidier)
	n.kubelet = run("kubelet", "rancher/hyperkube:1", "kubelet")
	n.StartContainer(n.kubelet)
	n.sidekick = run("service-sidekick", "rancher/rke-tools:1", "service-sidekick")
	n.web = run("web", "example/web:1", "")
	n.StartContainer(n.web)
	n.StopContainer(n.web)
	return n
}

// leaked waits until share-mnt has ended and that many cert-writers run.
func (n *node) leaked(want int) {
	n.Eventually(patience, func(list []container.Summary) string {
		ended, writers := false, 0
		for _, c := range list {
			ended = ended || c.Names[0] == "/share-mnt" && strings.HasPrefix(c.Status, "Exited (0)")
			if strings.HasSuffix(c.Command, "--only-write-certs") {
				writers++
			}
		}
		if !ended || writers != want {
			return fmt.Sprintf("share-mnt has ended: %v; %d cert-writers, want %d", ended, writers, want)
		}
		return ""
	})
}

// gone waits until of these containers none is left, and of those that stay all.
func (n *node) gone(ids []string, stay ...string) {
	has := func(list []container.Summary, id string) bool {
		return slices.ContainsFunc(list, func(c container.Summary) bool { return c.ID == id })
	}
	n.Eventually(patience, func(list []container.Summary) string {
		for _, id := range ids {
			if has(list, id) {
				return fmt.Sprintf("%.12s is still there", id)
			}
		}
		for _, id := range stay {
			if !has(list, id) {
				return fmt.Sprintf("%.12s is gone", id)
			}
		}
		return ""
	})
}

// run runs a block and returns what it printed. Whatever it complains of fails the test, and so does a secret.
func (n *node) run(t *testing.T, script string) string {
	t.Helper()
	stdout, stderr, err := bash(script, n.path, "DOCKER_HOST="+n.Host())
	stderr = regexp.MustCompile(`(?m)^(real|user|sys)\t.*\n`).ReplaceAllString(stderr, "") // of bash's time
	if err != nil || strings.TrimSpace(stderr) != "" {
		t.Errorf("%v\n%s\n%s%s", err, script, stdout, stderr)
	}
	for _, secret := range []string{cluster.Token[:20], "passw0rd"} {
		if strings.Contains(stdout, secret) {
			t.Errorf("shows a secret:\n%s\n%s", script, stdout)
		}
	}
	return stdout
}

// short are the IDs as the pages show them.
func short(ids ...string) []string {
	var list []string
	for _, id := range ids {
		list = append(list, id[:12])
	}
	return list
}

// dockerCommand finds a command of Docker's in a block.
var dockerCommand = regexp.MustCompile(`(?m)(^\s*|[|;&(]\s*|xargs -r |timeout 2h |time )docker [a-z]`)

// Each block that calls docker, on a node that leaks: it prints what it should, or changes what it should and nothing else.
func TestDockerBlocks(t *testing.T) {
	testkit.NeedPrograms(t, "docker")
	engine := realengine.New(t)
	engine.ImportLab()
	engine.Import(standin.Image{Ref: "example/agent:rebuilt", Changes: []string{`ENTRYPOINT ["run.sh"]`}})
	for _, ref := range []string{"spotify/docker-gc:1", "rancher/hyperkube:1", "rancher/rke-tools:1", "example/web:1"} {
		engine.Import(standin.Image{Ref: ref, Changes: []string{`ENTRYPOINT ["/pause"]`}})
	}
	path := standIns(t, map[string]string{
		"kubectl": "echo " + pod.Name, "systemctl": "", "journalctl": "", "curl": `echo "curl $*"`,
		"timeout": `shift; exec "$@" --since 1h --until "$(date +%s)"`, // what has happened, instead of what will
	})
	cases := dockerCases()
	var showing, changing []func() // a node is made once for all that only shows something
	shown := newNode(engine, path)
	for _, p := range readPages(t) {
		before, count := "", 0
		for _, b := range p.in("sh") {
			if !dockerCommand.MatchString(b.text) {
				continue
			}
			count++
			name := fmt.Sprintf("%s %d", strings.TrimPrefix(p.name, "Rancher"), count)
			c, ok := cases[name]
			delete(cases, name)
			if !ok {
				t.Errorf("no case for %s:\n%s", name, b.text)
				continue
			}
			script := b.text
			if c.continues {
				script = before + b.text
			}
			before = b.text
			if c.changes != nil {
				changing = append(changing, func() {
					t.Run(name, func(t *testing.T) { c.changes(t, newNode(engine.For(t), path), script) })
				})
				continue
			}
			showing = append(showing, func() {
				t.Run(name, func(t *testing.T) {
					n := *shown
					n.Node = engine.For(t)
					list := n.List()
					c.shows(t, &n, n.run(t, strings.ReplaceAll(script, " ID", " "+n.rebuilt[:12])))
					if after := n.List(); len(after) != len(list) {
						t.Errorf("%d containers became %d", len(list), len(after))
					}
				})
			})
		}
	}
	for name := range cases {
		t.Errorf("there is no %s", name)
	}
	for _, run := range append(showing, changing...) {
		run()
	}
}
