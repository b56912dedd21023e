// Package e2e has the tests against a real Docker Engine.
package e2e

import (
	"strings"
	"testing"

	"github.com/docker/docker/api/types/container"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/demo/lab/shape"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/e2e/realengine"
)

// seed is the cluster of rancher/rancher#15364's cert-writers.
var seed = shape.Cluster{
	Server:     "https://167.172.96.240",
	Token:      "jtb6kfvbp9grkxsdjkjvxf9vlhr6ztttzvq5hjbcmxb9nzqfnzrbsd",
	CAChecksum: "ca6c1b0ea7b6b2b1a5f0f3b1c1d0f1e2a3b4c5d6e7f8091a2b3c4d5e6f708192",
	NodeName:   "node-1",
	Image:      shape.AgentImage,
}

var pod = shape.Pod{Name: "cattle-node-agent-x2x4v", UID: "0f3c9a52-6f6b-11ea-8c4e-0ad3d1b2c3d4"}

// The tests of this file hold what the exporter's tests build on: that the stand-ins look on a real engine as Rancher's
// containers do.

func TestCertWriters(t *testing.T) {
	n := realengine.New(t)
	n.ImportLab()
	want := "run.sh --server https://167.172.96.240 --token " + seed.Token + " --ca-checksum " + seed.CAChecksum +
		" --no-register --only-write-certs"
	for range 6 {
		n.Run(seed.CertWriter())
	}
	list := n.List()
	if len(list) != 6 {
		t.Fatalf("%d containers, want 6", len(list))
	}
	for _, c := range list {
		if c.Command != want || c.State != "running" || c.Image != shape.AgentImage || c.Labels[shape.AgentLabel] != "true" {
			t.Errorf("got %q %s %s %v", c.Command, c.State, c.Image, c.Labels)
		}
	}

	n.Untag(shape.AgentImage)
	for _, c := range n.List() {
		if !strings.HasPrefix(c.Image, "sha256:") || c.Command != want || c.Labels[shape.AgentLabel] != "true" {
			t.Errorf("tag gone: got %q %s %v, want an ID, the same command and label", c.Command, c.Image, c.Labels)
		}
	}
}

func TestShareMnt(t *testing.T) {
	n := realengine.New(t)
	n.ImportLab()
	shareMnt := seed.ShareMnt(socketDir(n))
	id := n.Create(shareMnt)
	want := "run.sh -- share-root.sh 'docker run -d --privileged --restart=unless-stopped --net=host -v /etc/kubernetes:/etc/kubernetes" +
		" -v /var/run:/var/run rancher/rancher-agent:v2.3.3 --server https://167.172.96.240 --token " + seed.Token + " --ca-checksum " +
		seed.CAChecksum + " --no-register --only-write-certs' --node-name node-1 /var/lib/kubelet /var/lib/rancher"
	if c := n.Find(id); c.Command != want || c.State != "created" {
		t.Errorf("got %q %s", c.Command, c.State)
	}
	if pruned := n.Prune(); len(pruned) != 1 || pruned[0] != id {
		t.Errorf("pruned before its start: %q, want it", pruned)
	}

	id = n.Run(shareMnt)
	n.WaitForState(id, "exited")
	if c := n.Find(id); !strings.HasPrefix(c.Status, "Exited (0)") {
		t.Errorf("status %q, want Exited (0)", c.Status)
	}
	writers := certWriters(n.List())
	if len(writers) != 1 {
		t.Fatalf("%d cert-writers, want 1", len(writers))
	}
	direct := n.Find(n.Run(seed.CertWriter()))
	if writers[0].Command != direct.Command || writers[0].State != "running" {
		t.Errorf("got %q %s, want %q running", writers[0].Command, writers[0].State, direct.Command)
	}
}

func TestNodeAgentRestart(t *testing.T) {
	n := realengine.New(t)
	n.ImportLab()
	n.Run(pod.Sandbox())
	id := n.Run(pod.NodeAgent(shape.AgentImage, socketDir(n), "0", labSettings(n).Env()...))
	before := n.StartedAt(id)
	n.RestartContainer(id)
	if after := n.StartedAt(id); !after.After(before) {
		t.Errorf("started at %v before and %v after the restart", before, after)
	}
	if c := n.Find(id); c.Command != "run.sh" || c.State != "running" || c.Names[0] != "/k8s_agent_"+pod.Name+"_cattle-system_"+pod.UID+"_0" {
		t.Errorf("got %q %s %q", c.Command, c.State, c.Names)
	}
}

func Test300Containers(t *testing.T) {
	n := realengine.New(t)
	n.ImportLab()
	ids := n.CreateMany(300, seed.CertWriter())
	if list := n.List(); len(list) != len(ids) {
		t.Errorf("%d containers, want %d", len(list), len(ids))
	}
	if pruned := n.Prune(); len(pruned) != len(ids) {
		t.Errorf("%d containers pruned, want %d", len(pruned), len(ids))
	}
}

// A restart of dockerd brings cert-writers back, with their creation times. One that was killed ends them first when it
// starts, and what "unless-stopped" means then differs between versions of Docker.
func TestDockerdStopsAndStarts(t *testing.T) {
	n := realengine.New(t)
	n.ImportLab()
	id := n.Run(seed.CertWriter())
	before, started := n.Find(id), n.StartedAt(id)
	n.Stop()
	if _, err := n.Docker().Ping(t.Context()); err == nil {
		t.Fatal("dockerd still answers")
	}
	n.Start()
	n.WaitForState(id, "running")
	if again := n.StartedAt(id); !again.After(started) {
		t.Errorf("started at %v before and %v after", started, again)
	}
	n.Kill()
	n.Start()
	if after := n.Find(id); after.Created != before.Created {
		t.Errorf("created at %d before and %d after", before.Created, after.Created)
	}
}

// certWriters picks the cert-writers out of a list of the lab's containers.
func certWriters(list []container.Summary) []container.Summary {
	var writers []container.Summary
	for _, c := range list {
		if strings.HasPrefix(c.Command, "run.sh --server ") && strings.HasSuffix(c.Command, " --only-write-certs") {
			writers = append(writers, c)
		}
	}
	return writers
}
