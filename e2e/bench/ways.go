package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/client"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/e2e/exporter"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/e2e/realengine"
)

// way is a way to ask an engine about all its containers.
type way struct {
	name string
	ask  func(context.Context) (shown int64, err error) // how many bytes came of it
	pid  int                                            // who asks
}

const bare = "the bare list over the socket" // what the others are compared with

// open returns the ways to ask the engine at host. Close ends what they run.
func open(host string) (ways []way, close func() error, err error) {
	var running []*exporter.Process
	close = func() (err error) {
		for _, x := range running {
			err = errors.Join(err, x.Close())
		}
		return err
	}
	ways = []way{{bare, bareList(host), os.Getpid()}}
	for _, events := range []struct{ name, flag string }{
		{"a scrape, with the event stream", "--collector.events"},
		{"a scrape, without it", "--no-collector.events"},
	} {
		x, err := exporter.Open(host, events.flag)
		if err != nil {
			return nil, nil, errors.Join(err, close())
		}
		running = append(running, x)
		ways = append(ways, way{events.name, scrape(x), x.PID()})
	}
	docker, err := client.NewClientWithOpts(client.WithHost(host), client.WithAPIVersionNegotiation())
	if err != nil {
		return nil, nil, errors.Join(err, close())
	}
	return append(ways, way{"a list and an inspect of each container", listAndInspect(docker), os.Getpid()}), close, nil
}

// bareList reads the list as it comes, without a client or a decoder.
func bareList(host string) func(context.Context) (int64, error) {
	// a connection each, as the exporter has it
	c := http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: realengine.Dial(strings.TrimPrefix(host, "unix://"))}}
	return func(ctx context.Context) (int64, error) { return get(ctx, &c, "http://docker/containers/json?all=1") }
}

func scrape(x *exporter.Process) func(context.Context) (int64, error) {
	return func(ctx context.Context) (int64, error) { return get(ctx, http.DefaultClient, x.URL("/metrics")) }
}

// listAndInspect is what exporters do that export every container, docker_state_exporter among them. What such a one
// would show is left out.
func listAndInspect(docker *client.Client) func(context.Context) (int64, error) {
	return func(ctx context.Context) (int64, error) {
		list, err := docker.ContainerList(ctx, container.ListOptions{All: true})
		if err != nil {
			return 0, err
		}
		for _, c := range list {
			if _, err := docker.ContainerInspect(ctx, c.ID); err != nil {
				return 0, err
			}
		}
		return 0, nil
	}
}

func get(ctx context.Context, c *http.Client, url string) (int64, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return 0, err
	}
	resp, err := c.Do(request)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return 0, fmt.Errorf("%s: %s", url, resp.Status)
	}
	return io.Copy(io.Discard, resp.Body)
}
