package agent

import (
	"context"
	"fmt"
	"log"
	"strings"
	"time"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/filters"
	"github.com/docker/docker/client"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/demo/lab/shape"
)

// isUnmanaged says whether the node-agent removes the container when it connects: it is of the agent image, in no pod, and
// its first name does not contain share-mnt. The rule is the same from Rancher 2.0.0 to 2.11.
func isUnmanaged(c container.Summary) bool {
	if c.Labels[shape.AgentLabel] != "true" {
		return false
	}
	if _, inPod := c.Labels[shape.NamespaceLabel]; inPod {
		return false
	}
	return len(c.Names) == 0 || !strings.Contains(c.Names[0], shape.ShareMntName)
}

// startCleanUp notes the unmanaged containers now and removes them after the delay, in the background as Rancher does.
// Those that come up in between stay.
func startCleanUp(ctx context.Context, docker *client.Client, delay time.Duration, logger *log.Logger) error {
	all, err := docker.ContainerList(ctx, container.ListOptions{
		All:     true,
		Filters: filters.NewArgs(filters.Arg("label", shape.LabLabel)),
	})
	if err != nil {
		return fmt.Errorf("list containers: %w", err)
	}
	for _, c := range all {
		if !isUnmanaged(c) {
			continue
		}
		go func() {
			if !sleep(ctx, delay) {
				return
			}
			logger.Printf("removing unmanaged agent %.12s", c.ID)
			_ = docker.ContainerRemove(ctx, c.ID, container.RemoveOptions{Force: true}) // errors are ignored, by Rancher too
		}()
	}
	return nil
}
