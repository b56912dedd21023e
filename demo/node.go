package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/enginetest"
)

const (
	server  = "https://rancher.example"
	version = "v2.3.3"
)

// pace is how fast the story goes.
type pace struct {
	prune  time.Duration // from one prune to the next
	check  time.Duration // until the node-agent misses share-mnt, and until it cleans up after a restart; 2 min and 15 s in the field
	prunes int           // until somebody restarts the node-agent
}

// node plays what happens on an RKE1 node, following rancher/rancher#15364.
type node struct {
	engine *enginetest.Engine
	out    io.Writer

	agent       enginetest.Container
	certWriters []string // IDs
	started     int      // cert-writers in all
}

// newNode puts a healthy node onto the engine: share-mnt exited, its one cert-writer removed by the node-agent.
func newNode(engine *enginetest.Engine, out io.Writer) *node {
	created := time.Now().Add(-10 * 24 * time.Hour)
	n := &node{engine: engine, out: out, agent: enginetest.NodeAgent("cattle-node-agent-jfdlt", 0, created)}
	engine.Put(
		enginetest.ShareMnt(version, server, "n1", created),
		enginetest.Sandbox("cattle-node-agent-jfdlt", created),
		enginetest.RKEService("kubelet", created),
		enginetest.RKEService("kube-proxy", created),
		n.agent,
		enginetest.Pod(1, created),
		enginetest.Pod(2, created),
	)
	return n
}

// play leaks and cures in turn until ctx ends.
func (n *node) play(ctx context.Context, p pace) {
	for {
		for range p.prunes {
			if !wait(ctx, p.prune) {
				return
			}
			removed := n.engine.Prune()
			n.say("docker system prune removes %d stopped container, share-mnt", len(removed))
			if !wait(ctx, p.check) {
				return
			}
			n.startShareMnt()
			n.say("the node-agent creates share-mnt again, which starts one more cert-writer: %d now", len(n.certWriters))
		}
		if !wait(ctx, p.prune) {
			return
		}
		n.engine.ResetRequests() // a demo may run for days
		n.restartNodeAgent()
		n.say("docker restart %s: the cure", n.agent.ID[:12])
		if !wait(ctx, p.check) {
			return
		}
		n.cleanUp()
		n.say("the node-agent has connected to Rancher again and removed the cert-writers")
	}
}

// startShareMnt does what the node-agent does when share-mnt is missing, and share-mnt when it starts.
func (n *node) startShareMnt() {
	now := time.Now()
	shareMnt := enginetest.ShareMnt(version, server, "n1", now)
	n.engine.Create(shareMnt)
	n.engine.StartContainer(shareMnt.ID)
	writer := enginetest.CertWriter(n.started, server, now)
	n.engine.Create(writer)
	n.engine.StartContainer(writer.ID)
	n.engine.Die(shareMnt.ID, 0)
	n.certWriters = append(n.certWriters, writer.ID)
	n.started++
}

func (n *node) restartNodeAgent() {
	n.engine.Die(n.agent.ID, 137)
	n.engine.StartContainer(n.agent.ID)
}

// cleanUp removes the agents that belong to no pod, as the node-agent does 15 s after it has connected.
func (n *node) cleanUp() {
	for _, id := range n.certWriters {
		n.engine.Destroy(id)
	}
	n.certWriters = nil
}

func (n *node) say(format string, args ...any) {
	fmt.Fprintf(n.out, time.Now().Format(time.TimeOnly)+"  "+format+"\n", args...)
}

// wait says whether d passed before ctx ended.
func wait(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}
