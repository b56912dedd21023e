package diagnosis_test

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/enginetest"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/node"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/rancher"
)

const server = "https://rancher.example"

var errDown = errors.New("list containers: no such socket")

// observe is what an observer makes of containers.
func observe(containers ...enginetest.Container) node.Observation {
	var list []rancher.Container
	for _, c := range containers {
		list = append(list, c.Listed())
	}
	return node.Observation{Snapshot: rancher.Classify(slices.Values(list))}
}

// nodeAgent is a node-agent running since a time.
func nodeAgent(started time.Time) enginetest.Container {
	return enginetest.NodeAgent("cattle-node-agent-jfdlt", 0, started)
}

// shareMnt is a share-mnt of a version that leaks.
func shareMnt(created time.Time) enginetest.Container {
	return enginetest.ShareMnt("v2.3.3", server, "n1", created)
}

// certWriters are cert-writers of certain creations.
func certWriters(created ...time.Time) []enginetest.Container {
	var writers []enginetest.Container
	for i, t := range created {
		writers = append(writers, enginetest.CertWriter(i, server, t))
	}
	return writers
}

// heard is an event of a container as the exporter remembers it.
func heard(action string, c enginetest.Container, at time.Time) node.Heard {
	role := rancher.RoleNodeAgent
	switch rancher.RoleOf(c.Listed()) {
	case rancher.RoleShareMnt:
		role = rancher.RoleShareMnt
	case rancher.RoleCertWriter:
		role = rancher.RoleCertWriter
	}
	return node.Heard{Role: role, Action: action, ID: rancher.ShortID(c.ID), At: at}
}

// prune is the event of a container prune.
func prune(at time.Time) node.Heard {
	return node.Heard{Action: rancher.EventPrune, ID: rancher.Unknown, At: at}
}

// recreated are the events of a prune and of what follows it.
func recreated(old, young enginetest.Container, at time.Time) []node.Heard {
	return []node.Heard{heard("destroy", old, at), prune(at), heard("create", young, at.Add(time.Minute)), heard("start", young, at.Add(time.Minute))}
}

// ended is a container that ended so long ago in the words of a list.
func ended(c enginetest.Container, ago string, code int) enginetest.Container {
	c.State, c.ExitCode, c.Status = "exited", code, fmt.Sprintf("Exited (%d) %s ago", code, ago)
	return c
}

// rke are the containers that tell a node RKE1 built.
func rke() []enginetest.Container {
	return []enginetest.Container{enginetest.RKEService("kubelet", minute(10*yesterday)), enginetest.RKEService("kube-proxy", minute(10*yesterday))}
}
