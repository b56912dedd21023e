// Package shape has the containers of an RKE1 node as Rancher 2.3.3 and the kubelet make them: names, labels, commands
// and restart policies. The lab starts them, the tests against a real engine compare with them.
//
// They differ from the real ones where a harmless stand-in must: none is privileged or in the host's PID namespace, and
// only what talks to Docker has a directory of the host mounted.
package shape

import (
	"context"
	"fmt"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/client"
)

// The labels by which Rancher, the kubelet and the lab find containers.
const (
	AgentLabel     = "io.cattle.agent" // "true" on Rancher's agent image
	ProcessLabel   = "io.rancher.rke.container.name"
	NamespaceLabel = "io.kubernetes.pod.namespace"

	// LabLabel is on both stand-in images and so on all their containers. The lab removes nothing that lacks it: it may
	// have been pointed at the engine of a real node.
	LabLabel = "rancher-agent-exporter.lab"
)

// ShareMntName is the fixed name of the share-mnt container and its process label's value.
const ShareMntName = "share-mnt"

// Container is a container to create.
type Container struct {
	Name   string // empty: Docker makes one up
	Config container.Config
	Host   container.HostConfig
}

// Create creates the container and returns its ID.
func (c Container) Create(ctx context.Context, docker *client.Client) (string, error) {
	created, err := docker.ContainerCreate(ctx, &c.Config, &c.Host, nil, nil, c.Name)
	if err != nil {
		return "", fmt.Errorf("create container %q of image %q: %w", c.Name, c.Config.Image, err)
	}
	return created.ID, nil
}

// Run creates and starts the container and returns its ID.
func (c Container) Run(ctx context.Context, docker *client.Client) (string, error) {
	id, err := c.Create(ctx, docker)
	if err != nil {
		return "", err
	}
	if err := docker.ContainerStart(ctx, id, container.StartOptions{}); err != nil {
		return id, fmt.Errorf("start container %q of image %q: %w", c.Name, c.Config.Image, err)
	}
	return id, nil
}

// onHost is the part of the host configuration that all of them share. Rancher's agents use the host's network, and an
// engine without a bridge can start them.
func onHost(restart container.RestartPolicyMode) container.HostConfig {
	return container.HostConfig{
		NetworkMode:   "host",
		RestartPolicy: container.RestartPolicy{Name: restart},
	}
}
