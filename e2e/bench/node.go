package main

import (
	"context"
	"path/filepath"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/demo/lab/shape"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/demo/lab/standin"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/e2e/realengine"
)

// live is how many cert-writers run: more than have a series of their own.
const live = 25

// node is a leaking node on a real engine.
type node struct {
	engine     *realengine.Engine
	cluster    shape.Cluster
	containers int
}

// leak makes a node with what the exporter inspects, a share-mnt and a running node-agent, and with live cert-writers.
func leak(ctx context.Context, engine *realengine.Engine) (*node, error) {
	if _, err := engine.Import(ctx, standin.Agent(shape.AgentImage)); err != nil {
		return nil, err
	}
	n := &node{engine: engine, cluster: shape.Cluster{
		Server: "https://rancher.example", Token: "madeup", NodeName: "n1", Image: shape.AgentImage,
	}}
	socketDir := filepath.Dir(engine.Socket())
	if _, err := n.cluster.ShareMnt(socketDir).Create(ctx, engine.Docker()); err != nil {
		return nil, err
	}
	agent := shape.Pod{Name: "cattle-node-agent-x7k2p", UID: "5c1f"}.NodeAgent(shape.AgentImage, socketDir, "0")
	agent.Config.Cmd = []string{"--", "wait"} // one that does nothing, for nothing may change while we measure
	if _, err := agent.Run(ctx, engine.Docker()); err != nil {
		return nil, err
	}
	for range live {
		if _, err := n.cluster.CertWriter().Run(ctx, engine.Docker()); err != nil {
			return nil, err
		}
	}
	n.containers = live + 2
	return n, nil
}

// grow makes it that many containers. The new ones are never started: no machine runs thousands, and a list takes as long.
func (n *node) grow(ctx context.Context, containers int) error {
	_, err := n.engine.CreateMany(ctx, containers-n.containers, n.cluster.CertWriter())
	n.containers = containers
	return err
}
