// Command bench measures the exporter against a real Docker Engine of its own with 1,000 containers and prints ratios of
// one run. It asserts nothing: machines differ, and so do their other users.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"time"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/client"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/demo/lab/shape"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/demo/lab/standin"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/e2e/exporter"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/e2e/realengine"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/enginetest"
)

const (
	containers = 1000
	rounds     = 21
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, out io.Writer) (err error) {
	if err := realengine.Unavailable(); err != nil {
		return fmt.Errorf("no real Docker Engine here: %w", err)
	}
	engine, err := realengine.Open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, engine.Close()) }()
	if _, err := engine.Import(ctx, standin.Agent(shape.AgentImage)); err != nil {
		return err
	}
	cluster := shape.Cluster{Server: "https://rancher.example", Token: "madeup", NodeName: "n1", Image: shape.AgentImage}
	if _, err := engine.CreateMany(ctx, containers, cluster.CertWriter()); err != nil {
		return err
	}
	x, err := exporter.Open(engine.Host())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, x.Close()) }()

	ways := []struct {
		name string
		do   func(context.Context) error
	}{
		{"the bare list over the socket", bareList(engine.Socket())},
		{"a scrape of the exporter", scrape(x)},
		{"a list and an inspect of each container", listAndInspect(engine.Docker())},
	}
	took := make([][]time.Duration, len(ways))
	for range rounds { // in turn, so that the machine's other load falls on all alike
		for i, way := range ways {
			start := time.Now()
			if err := way.do(ctx); err != nil {
				return fmt.Errorf("%s: %w", way.name, err)
			}
			took[i] = append(took[i], time.Since(start))
		}
	}
	base := median(took[0])
	fmt.Fprintf(out, "%d containers, %d rounds, medians\n\n| way | time | ratio |\n|---|---|---|\n", containers, rounds)
	for i, way := range ways {
		m := median(took[i])
		fmt.Fprintf(out, "| %s | %v | %.2f |\n", way.name, m.Round(100*time.Microsecond), float64(m)/float64(base))
	}
	if err := reportMemory(out, x, containers); err != nil {
		return err
	}
	return manyCertWriters(ctx, out)
}

func reportMemory(out io.Writer, x *exporter.Process, containers int) error {
	now, peak, err := memory(x.PID())
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "\nresident memory of the exporter with %d containers: %d MB, at its peak %d MB\n", containers, now, peak)
	return nil
}

// manyCertWriters scrapes more containers than a real engine makes in reasonable time, from a fake one.
func manyCertWriters(ctx context.Context, out io.Writer) (err error) {
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	engine, err := enginetest.Start(filepath.Join(dir, "docker.sock"))
	if err != nil {
		return err
	}
	defer engine.Close()
	for i := range 5 * containers {
		engine.Put(enginetest.CertWriter(i, "https://rancher.example", time.Now()))
	}
	x, err := exporter.Open(engine.Host())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, x.Close()) }()
	for range 10 * rounds {
		if err := scrape(x)(ctx); err != nil {
			return err
		}
	}
	return reportMemory(out, x, 5*containers)
}

// bareList reads the list as it comes, without a client or a decoder.
func bareList(socket string) func(context.Context) error {
	// a connection each, as the exporter has it
	c := http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", socket)
	}}}
	return func(ctx context.Context) error { return get(ctx, &c, "http://docker/containers/json?all=1") }
}

func scrape(x *exporter.Process) func(context.Context) error {
	return func(ctx context.Context) error { return get(ctx, http.DefaultClient, x.URL("/metrics")) }
}

// listAndInspect is what exporters do that export every container.
func listAndInspect(docker *client.Client) func(context.Context) error {
	return func(ctx context.Context) error {
		list, err := docker.ContainerList(ctx, container.ListOptions{All: true})
		if err != nil {
			return err
		}
		for _, c := range list {
			if _, err := docker.ContainerInspect(ctx, c.ID); err != nil {
				return err
			}
		}
		return nil
	}
}

func get(ctx context.Context, c *http.Client, url string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	resp, err := c.Do(request)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", url, resp.Status)
	}
	_, err = io.Copy(io.Discard, resp.Body)
	return err
}

func median(took []time.Duration) time.Duration {
	slices.Sort(took)
	return took[len(took)/2]
}
