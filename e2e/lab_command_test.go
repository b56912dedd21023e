package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/image"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/demo/lab/gobuild"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/demo/lab/shape"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/demo/lab/standin"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/e2e/realengine"
)

// buildLab builds the lab's command as a person's "go run" does, and returns a function that calls it.
func buildLab(t *testing.T, n *realengine.Node) func(args ...string) (string, error) {
	t.Helper()
	built, err := gobuild.Here(t.Context(), "demo/lab")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "lab")
	if err := os.WriteFile(path, built, 0o755); err != nil {
		t.Fatal(err)
	}
	return func(args ...string) (string, error) {
		output, err := exec.Command(path, append(args, "-H", n.Host())...).CombinedOutput()
		return string(output), err
	}
}

// What "lab up" tells a person to do works, and "lab down" leaves the engine as it was.
func TestLabUpAndDown(t *testing.T) {
	n := realengine.New(t)
	lab := buildLab(t, n)
	neighbour := n.Import(standin.Image{Ref: "example/web:1", Changes: []string{`ENTRYPOINT ["/pause"]`}})
	web := n.Run(shape.Container{Config: container.Config{Image: "example/web:1"}, Host: container.HostConfig{NetworkMode: "none"}})

	output, err := lab("up", "-server", seed.Server, "-check-interval", "300ms", "-clean-up-delay", "1s")
	if err != nil {
		t.Fatalf("up: %v\n%s", err, output)
	}
	list := n.Eventually(patience, settled(1))
	if !strings.HasPrefix(certWriters(list)[0].Command, "run.sh --server "+seed.Server+" ") {
		t.Error("the cert-writer's server is not the one asked for")
	}
	if output, err := lab("up"); err == nil || !strings.Contains(output, "up already") {
		t.Errorf("up, twice: %v\n%s", err, output)
	}
	nodeAgent := regexp.MustCompile(`docker restart ([0-9a-f]{12})`).FindStringSubmatch(output)
	if nodeAgent == nil {
		t.Fatalf("up names no container to restart:\n%s", output)
	}
	n.RestartContainer(nodeAgent[1])
	n.Eventually(patience, settled(0))

	if output, err := lab("down"); err != nil {
		t.Fatalf("down: %v\n%s", err, output)
	}
	if list := n.List(); len(list) != 1 || list[0].ID != web {
		t.Errorf("%d containers left, want the neighbour alone", len(list))
	}
	images, err := n.Docker().ImageList(t.Context(), image.ListOptions{All: true})
	if err != nil || len(images) != 1 || images[0].ID != neighbour {
		t.Errorf("%d images left (%v), want the neighbour's alone", len(images), err)
	}
}

// The lab would force-remove agents and move the tag of their image, so it keeps off the engine of a real node, and does
// not take down what it did not put up.
func TestLabKeepsOffRealNodes(t *testing.T) {
	n := realengine.New(t)
	lab := buildLab(t, n)
	realAgent := standin.Image{Ref: shape.AgentImage, Changes: []string{`ENTRYPOINT ["run.sh"]`, "LABEL " + shape.AgentLabel + "=true"}}
	n.Import(realAgent)
	if output, err := lab("up"); err == nil || !strings.Contains(output, "real image") {
		t.Errorf("up where the image is: %v\n%s", err, output)
	}
	agent := n.Create(seed.CertWriter())
	if output, err := lab("up"); err == nil || !strings.Contains(output, "real Rancher agent") {
		t.Errorf("up where an agent is: %v\n%s", err, output)
	}
	if output, err := lab("down"); err != nil {
		t.Errorf("down: %v\n%s", err, output)
	}
	if list := n.List(); len(list) != 1 || list[0].ID != agent {
		t.Errorf("%d containers left, want the agent that was there", len(list))
	}
}
