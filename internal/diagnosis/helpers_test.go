package diagnosis_test

import (
	"errors"
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

// event is an event of a container.
func event(action string, c enginetest.Container, at time.Time) rancher.Event {
	attributes := map[string]string{"image": c.Image, "name": c.Names[0][1:]}
	for key, value := range c.Labels {
		attributes[key] = value
	}
	return rancher.Event{ID: c.ID, Action: action, Time: at, Attributes: attributes}
}
