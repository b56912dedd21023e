// Command demo shows the exporter at work without Docker: it starts the real program against a fake Docker Engine that
// plays a leaking RKE1 node, at a pace of seconds where the field has hours. It needs nothing but Go:
//
//	go run ./demo [flags of the exporter]
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"syscall"
	"time"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/demo/lab/gobuild"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/enginetest"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, pace{prune: 8 * time.Second, check: 4 * time.Second, prunes: 6}, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

// run plays the demo until ctx or the exporter ends.
func run(ctx context.Context, p pace, args []string, out io.Writer) error {
	dir, err := os.MkdirTemp("", "demo")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	exporter, err := build(ctx, dir)
	if err != nil {
		return err
	}
	engine, err := enginetest.Start(filepath.Join(dir, "docker.sock"))
	if err != nil {
		return err
	}
	defer engine.Close()

	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	program := exec.CommandContext(ctx, exporter, append([]string{"--docker.host=" + engine.Host(), "--log.level=warn"}, args...)...)
	program.Stdout, program.Stderr = out, out
	program.Cancel = func() error { return program.Process.Signal(os.Interrupt) }
	if err := program.Start(); err != nil {
		return err
	}
	fmt.Fprint(out, `A simulated RKE1 node of Rancher v2.3.3 with a cron job that prunes stopped containers. Look at

  http://localhost:15364/metrics    rancher_agent_cert_writer_containers and the rest
  http://localhost:15364/           what is wrong with the node, and the command that helps

Ctrl-C ends it.

`)
	go newNode(engine, out).play(ctx, p)
	if err := program.Wait(); err != nil && ctx.Err() == nil {
		return fmt.Errorf("the exporter ended: %w", err)
	}
	return nil
}

// build makes the exporter's binary.
func build(ctx context.Context, dir string) (string, error) {
	program, err := gobuild.Here(ctx, "")
	if err != nil {
		return "", err
	}
	binary := filepath.Join(dir, "rancher_agent_exporter")
	if runtime.GOOS == "windows" {
		binary += ".exe"
	}
	return binary, os.WriteFile(binary, program, 0o755)
}
