package diagnosis_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"testing"
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
		list = append(list, rancher.Container{
			ID:      c.ID,
			Names:   c.Names,
			Image:   c.Image,
			Command: rancher.InspectedCommand(c.Path, c.Args),
			Created: c.Created.Unix(),
			Labels:  c.Labels,
			State:   c.State,
			Status:  map[string]string{"exited": fmt.Sprintf("Exited (%d)", c.ExitCode), "restarting": fmt.Sprintf("Restarting (%d)", c.ExitCode)}[c.State],
			Started: c.StartedAt,

			RestartCount: c.RestartCount,
		})
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

// need skips a test that needs what is not there; in CI it is a failure.
func need(t *testing.T, err error) {
	t.Helper()
	switch {
	case err == nil:
	case os.Getenv("CI") == "true":
		t.Fatal(err)
	default:
		t.Skip(err)
	}
}

func needProgram(t *testing.T, name string) {
	t.Helper()
	_, err := exec.LookPath(name)
	need(t, err)
}
