package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/filters"
	"github.com/docker/docker/api/types/image"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/demo/lab/shape"
)

// down removes all containers and images of the lab. The pod goes first: it would create share-mnt again.
func (l *lab) down(ctx context.Context) error {
	for _, label := range []string{shape.NamespaceLabel, shape.LabLabel} {
		if err := l.removeAll(ctx, label); err != nil {
			return err
		}
	}
	images, err := l.docker.ImageList(ctx, image.ListOptions{Filters: filters.NewArgs(filters.Arg("label", shape.LabLabel))})
	if err != nil {
		return fmt.Errorf("list images: %w", err)
	}
	for _, i := range images {
		if _, err := l.docker.ImageRemove(ctx, i.ID, image.RemoveOptions{Force: true}); err != nil {
			return fmt.Errorf("remove image %.19s: %w", i.ID, err)
		}
	}
	return nil
}

// removeAll removes the lab's containers that have the label, in rounds until a round finds none: a share-mnt that runs
// starts one more cert-writer, and a container that the node-agent is just removing may answer with an error.
func (l *lab) removeAll(ctx context.Context, label string) error {
	failed := errors.New("new containers of the lab keep coming")
	for range 20 {
		all, err := l.list(ctx, label)
		if err != nil {
			return err
		}
		found := 0
		for _, c := range all {
			if _, ours := c.Labels[shape.LabLabel]; !ours {
				continue
			}
			found++
			if err := l.docker.ContainerRemove(ctx, c.ID, container.RemoveOptions{Force: true}); err != nil {
				failed = fmt.Errorf("remove container %.12s: %w", c.ID, err)
			}
		}
		if found == 0 {
			return nil
		}
		time.Sleep(100 * time.Millisecond)
	}
	return failed
}
