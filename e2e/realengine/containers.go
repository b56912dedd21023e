package realengine

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/filters"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/demo/lab/shape"
)

// Create creates a container and returns its ID.
func (n *Node) Create(c shape.Container) string {
	n.tb.Helper()
	id, err := c.Create(n.ctx(), n.docker)
	n.must("create", err)
	return id
}

// Run creates and starts a container and returns its ID.
func (n *Node) Run(c shape.Container) string {
	n.tb.Helper()
	id, err := c.Run(n.ctx(), n.docker)
	n.must("run", err)
	return id
}

// CreateMany creates that many containers of one kind and returns their IDs.
func (n *Node) CreateMany(count int, c shape.Container) []string {
	n.tb.Helper()
	ids, err := n.Engine.CreateMany(n.ctx(), count, c)
	n.must("create many", err)
	return ids
}

// CreateMany creates that many containers of one kind, some at a time, as fast as the engine can, and returns their IDs.
func (e *Engine) CreateMany(ctx context.Context, count int, c shape.Container) ([]string, error) {
	ids := make([]string, count)
	errs := make([]error, count)
	var wg sync.WaitGroup
	slots := make(chan struct{}, 8)
	for i := range count {
		slots <- struct{}{}
		wg.Go(func() {
			ids[i], errs[i] = c.Create(ctx, e.docker)
			<-slots
		})
	}
	wg.Wait()
	return ids, errors.Join(errs...)
}

// List lists all containers, in any state.
func (n *Node) List() []container.Summary {
	n.tb.Helper()
	list, err := n.docker.ContainerList(n.ctx(), container.ListOptions{All: true})
	n.must("list containers", err)
	return list
}

// Find is the container of that ID in the list, by the list's own words.
func (n *Node) Find(id string) container.Summary {
	n.tb.Helper()
	list := n.List()
	for _, c := range list {
		if c.ID == id {
			return c
		}
	}
	n.tb.Fatalf("no container %.12s in the list\n%s", id, describe(list))
	return container.Summary{}
}

// StartedAt is when the container was last started.
func (n *Node) StartedAt(id string) time.Time {
	n.tb.Helper()
	inspected, err := n.docker.ContainerInspect(n.ctx(), id)
	n.must("inspect", err)
	at, err := time.Parse(time.RFC3339Nano, inspected.State.StartedAt)
	n.must("read StartedAt", err)
	return at
}

// StartContainer starts a container that was created or has ended.
func (n *Node) StartContainer(id string) {
	n.tb.Helper()
	n.must("start container", n.docker.ContainerStart(n.ctx(), id, container.StartOptions{}))
}

// StopContainer stops a container.
func (n *Node) StopContainer(id string) {
	n.tb.Helper()
	n.must("stop container", n.docker.ContainerStop(n.ctx(), id, container.StopOptions{}))
}

// RestartContainer is docker restart.
func (n *Node) RestartContainer(id string) {
	n.tb.Helper()
	n.must("restart container", n.docker.ContainerRestart(n.ctx(), id, container.StopOptions{}))
}

// RemoveContainer is docker rm -f.
func (n *Node) RemoveContainer(id string) {
	n.tb.Helper()
	n.must("remove container", n.docker.ContainerRemove(n.ctx(), id, container.RemoveOptions{Force: true}))
}

// Prune is docker container prune and returns the IDs of what it removed.
func (n *Node) Prune() []string {
	n.tb.Helper()
	report, err := n.docker.ContainersPrune(n.ctx(), filters.NewArgs())
	n.must("prune containers", err)
	return report.ContainersDeleted
}

// WaitForState waits until the list shows the container in that state.
func (n *Node) WaitForState(id string, state container.ContainerState) {
	n.tb.Helper()
	n.Eventually(20*time.Second, func(list []container.Summary) string {
		for _, c := range list {
			if c.ID == id && c.State == state {
				return ""
			}
		}
		return fmt.Sprintf("container %.12s is not %s", id, state)
	})
}

// describe shows a list as docker ps does, without commands.
func describe(list []container.Summary) string {
	var text strings.Builder
	for _, c := range list {
		fmt.Fprintf(&text, "%.12s %-28s %-24s %v\n", c.ID, c.Image, c.Status, c.Names)
	}
	return text.String()
}
