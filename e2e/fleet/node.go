// Package fleet simulates many nodes in one process, for what a single one cannot show: what a Prometheus with the shipped
// rules and dashboards has to do for a fleet. Only the Docker Engines are made up; the exporters are the real collector.
package fleet

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/enginetest"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/rancher"
)

const (
	server    = "https://rancher.example"
	oldServer = "https://old-rancher.example"
	version   = "v2.3.3"

	pods      = 50 // other containers of a node
	leaked    = 30 // live cert-writers of a node that leaks
	removed   = 77 // times its share-mnt was, once an hour: more than the longest window of a rule holds
	restarted = 10 * time.Minute
)

// Node is one node of a fleet. It implements node.Engine.
type Node struct {
	Name     string
	Instance string // as Prometheus calls its exporter
	Pod      string // of its exporter

	containers []rancher.Container
	removals   []time.Time // of its share-mnt by a prune, the oldest first
}

// Healthy is node i as Rancher 2.3.3 leaves it: share-mnt at its end, and one cert-writer a little younger than the node-agent.
func Healthy(i int, now time.Time) *Node {
	n := newNode(i)
	installed := now.Add(-100 * time.Hour).Truncate(time.Second)
	n.add(i,
		enginetest.ShareMnt(version, server, n.Name, installed),
		enginetest.NodeAgent(fmt.Sprintf("cattle-node-agent-%05x", i), 0, installed),
		enginetest.Sandbox(fmt.Sprintf("cattle-node-agent-%05x", i), installed),
		enginetest.CertWriter(0, server, installed.Add(time.Minute)),
	)
	n.addPods(installed)
	return n
}

// Leaking is node i when as many alerts as can be fire at once: a prune removes share-mnt once an hour, it crash-loops besides,
// and the restart of the node-agent did not help. Two of the cert-writers belong to an older Rancher server.
func Leaking(i int, now time.Time) *Node {
	n := newNode(i)
	now = now.Truncate(time.Second)
	for k := removed; k > 0; k-- {
		n.removals = append(n.removals, now.Add(-time.Duration(k)*time.Hour+55*time.Minute))
	}
	shareMnt := enginetest.ShareMnt(version, server, n.Name, n.removals[removed-1])
	shareMnt.State, shareMnt.ExitCode = "restarting", 1
	agentStart := now.Add(-restarted)
	n.add(i,
		shareMnt,
		enginetest.NodeAgent(fmt.Sprintf("cattle-node-agent-%05x", i), 0, agentStart),
		enginetest.Sandbox(fmt.Sprintf("cattle-node-agent-%05x", i), agentStart),
		enginetest.Registration(server, n.removals[0]),
	)
	for k, at := range n.removals[removed-leaked:] {
		of := server
		if k < 2 {
			of = oldServer
		}
		n.add(i, enginetest.CertWriter(k, of, at))
	}
	n.addPods(n.removals[0])
	return n
}

func newNode(i int) *Node {
	return &Node{
		Name:     fmt.Sprintf("node-%04d", i),
		Instance: fmt.Sprintf("10.0.%d.%d:15364", i/250, i%250+1),
		Pod:      fmt.Sprintf("rancher-agent-exporter-%05x", i),
	}
}

// add gives the containers IDs that no other node has.
func (n *Node) add(i int, containers ...enginetest.Container) {
	for _, c := range containers {
		c.ID = fmt.Sprintf("%04x", i) + c.ID[4:]
		n.containers = append(n.containers, c.Listed())
	}
}

// addPods adds what has nothing to do with Rancher. No metric names it, so that the same IDs on every node do no harm.
func (n *Node) addPods(created time.Time) {
	for k := range pods {
		n.containers = append(n.containers, enginetest.Pod(k, created).Listed())
	}
}

// List implements node.Engine.
func (n *Node) List(_ context.Context, yield func(rancher.Container) bool) error {
	for _, c := range n.containers {
		if !yield(c) {
			break
		}
	}
	return nil
}

// Inspect implements node.Engine.
func (n *Node) Inspect(_ context.Context, id string) (rancher.Container, error) {
	for _, c := range n.containers {
		if c.ID == id {
			return c, nil
		}
	}
	return rancher.Container{}, errors.New("no such container")
}

// own are the label values by which this node's series differ from another's, in an order that is the same for all of a kind.
func (n *Node) own() []string {
	values := []string{n.Name, n.Instance, n.Pod}
	for _, c := range n.containers {
		values = append(values, rancher.ShortID(c.ID), strings.TrimPrefix(c.Names[0], "/"), c.Labels["io.kubernetes.pod.name"])
	}
	return values
}
