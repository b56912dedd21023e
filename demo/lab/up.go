package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"path"
	"runtime"
	"strings"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/filters"
	"github.com/docker/docker/api/types/image"
	"github.com/docker/docker/client"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/demo/lab/agent"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/demo/lab/gobuild"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/demo/lab/shape"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/demo/lab/standin"
)

// lab is the simulated node on one engine.
type lab struct {
	docker   *client.Client
	settings agent.Settings
	out      io.Writer
}

// open makes a client for the engine; the socket's directory is what the node's containers mount.
func open(host string, settings agent.Settings, out io.Writer) (*lab, error) {
	socket, ok := strings.CutPrefix(host, "unix://")
	if !ok {
		return nil, errors.New("the lab's containers talk to Docker by its unix socket: -H unix:///path/docker.sock")
	}
	// Elsewhere the engine runs in a virtual machine, and its socket is where Linux has it.
	if runtime.GOOS == "linux" {
		if path.Base(socket) != "docker.sock" {
			return nil, fmt.Errorf("the lab's containers look for the socket as docker.sock, not %s", path.Base(socket))
		}
		settings.RunDir = path.Dir(socket)
	}
	docker, err := client.NewClientWithOpts(client.WithHost(host), client.WithAPIVersionNegotiation())
	if err != nil {
		return nil, fmt.Errorf("make a Docker client: %w", err)
	}
	return &lab{docker: docker, settings: settings, out: out}, nil
}

func (l *lab) close() { _ = l.docker.Close() }

// up makes the images and starts the node-agent and its pause container; the rest is the node-agent's work.
func (l *lab) up(ctx context.Context) error {
	if err := l.check(ctx); err != nil {
		return err
	}
	if err := l.images(ctx); err != nil {
		return err
	}
	pod := newPod()
	if _, err := pod.Sandbox().Run(ctx, l.docker); err != nil {
		return err
	}
	id, err := pod.NodeAgent(l.settings.Cluster.Image, l.settings.RunDir, "0", l.settings.Env()...).Run(ctx, l.docker)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(l.out, `The node-agent runs. It creates share-mnt, and share-mnt starts a cert-writer:
  docker ps -a
One more cert-writer within %v after each of these:
  docker container prune -f
All cert-writers removed %v after this:
  docker restart %.12s
Everything removed again:
  go run ./demo/lab down
`, l.settings.CheckInterval, l.settings.CleanUpDelay, id)
	return err
}

// check refuses an engine that has agents of a real Rancher, or a lab already.
func (l *lab) check(ctx context.Context) error {
	agents, err := l.list(ctx, shape.AgentLabel)
	if err != nil {
		return err
	}
	for _, c := range agents {
		if _, ours := c.Labels[shape.LabLabel]; !ours {
			return errors.New("this engine has containers of a real Rancher agent; the lab needs an engine without")
		}
	}
	if len(agents) > 0 {
		return errors.New("the lab is up already; \"lab down\" removes it")
	}
	for _, ref := range []string{l.settings.Cluster.Image, shape.PauseImage} {
		images, err := l.docker.ImageList(ctx, image.ListOptions{Filters: filters.NewArgs(filters.Arg("reference", ref))})
		if err != nil {
			return fmt.Errorf("look for image %s: %w", ref, err)
		}
		for _, i := range images {
			if _, ours := i.Labels[shape.LabLabel]; !ours {
				return fmt.Errorf("this engine has the real image %s; the lab needs an engine without", ref)
			}
		}
	}
	return nil
}

// images builds the program and makes the stand-in images of it.
func (l *lab) images(ctx context.Context) error {
	version, err := l.docker.ServerVersion(ctx)
	if err != nil {
		return fmt.Errorf("ask the Docker Engine for its version: %w", err)
	}
	program, err := gobuild.Linux(ctx, "demo/lab", version.Arch)
	if err != nil {
		return err
	}
	for _, i := range []standin.Image{standin.Agent(l.settings.Cluster.Image), standin.Pause()} {
		if _, err := i.Import(ctx, l.docker, program); err != nil {
			return err
		}
	}
	return nil
}

// list lists all containers that have the label.
func (l *lab) list(ctx context.Context, label string) ([]container.Summary, error) {
	all, err := l.docker.ContainerList(ctx, container.ListOptions{All: true, Filters: filters.NewArgs(filters.Arg("label", label))})
	if err != nil {
		return nil, fmt.Errorf("list containers: %w", err)
	}
	return all, nil
}

// newPod makes up a pod as Kubernetes does: five random characters behind the DaemonSet's name, a random UID.
func newPod() shape.Pod {
	random := strings.ToLower(rand.Text())
	return shape.Pod{
		Name: "cattle-node-agent-" + random[:5],
		UID:  fmt.Sprintf("%x-%x-%x-%x-%x", random[5:9], random[9:11], random[11:13], random[13:15], random[15:21]),
	}
}
