package realengine

import (
	"context"
	"runtime"
	"sync"

	"github.com/docker/docker/api/types/image"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/demo/lab/gobuild"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/demo/lab/shape"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/demo/lab/standin"
)

// program is the lab's program, built once a process.
var program = sync.OnceValues(func() ([]byte, error) {
	return gobuild.Linux(context.Background(), "demo/lab", runtime.GOARCH)
})

// Import imports a stand-in image and returns its ID.
func (e *Engine) Import(ctx context.Context, i standin.Image) (string, error) {
	built, err := program()
	if err != nil {
		return "", err
	}
	return i.Import(ctx, e.docker, built)
}

// ImportLab imports the stand-in images of the agent and of the pods' pause container under their usual names.
func (n *Node) ImportLab() {
	n.tb.Helper()
	n.Import(standin.Agent(shape.AgentImage))
	n.Import(standin.Pause())
}

// Import imports a stand-in image and returns its ID.
func (n *Node) Import(i standin.Image) string {
	n.tb.Helper()
	id, err := n.Engine.Import(n.ctx(), i)
	n.must("import", err)
	return id
}

// Untag is docker rmi -f of a name: containers of the image are then listed with its ID.
func (n *Node) Untag(ref string) {
	n.tb.Helper()
	_, err := n.docker.ImageRemove(n.ctx(), ref, image.RemoveOptions{Force: true})
	n.must("remove the tag "+ref, err)
}
