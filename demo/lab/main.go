// Command lab simulates a node of an RKE1 cluster on a real Docker Engine: a node-agent that keeps share-mnt there, share-mnt
// that starts a cert-writer each time it runs, and cert-writers that never end. Prune the stopped containers and the leak of
// rancher/rancher#15364 can be watched; restart the node-agent and it is gone.
//
//	go run ./demo/lab up [-H unix:///var/run/docker.sock]
//	go run ./demo/lab down
//
// The same program is run.sh of the stand-in agent image that it makes. It needs a local Linux engine and touches nothing
// there but containers and images of its own.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/demo/lab/agent"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run is the program under the name it was started by.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	switch filepath.Base(args[0]) {
	case "run.sh":
		return agent.Run(ctx, args[1:], os.LookupEnv, log.New(stderr, "", log.LstdFlags))
	case "pause":
		<-ctx.Done()
		return 0
	}
	err := command(ctx, args[1:], stdout, stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case errors.Is(err, errUsage):
		return 2
	case err != nil:
		_, _ = fmt.Fprintln(stderr, "lab:", err)
		return 1
	}
	return 0
}

var errUsage = errors.New("usage")

// command is what people call.
func command(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	settings := agent.DefaultSettings()
	host := os.Getenv("DOCKER_HOST")
	if host == "" {
		host = "unix:///var/run/docker.sock"
	}
	flags := flag.NewFlagSet("lab", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() {
		_, _ = fmt.Fprintln(stderr, "Usage: lab up|down [flags]")
		flags.PrintDefaults()
	}
	flags.StringVar(&host, "H", host, "unix socket of the Docker Engine; $DOCKER_HOST is used too")
	flags.StringVar(&settings.Cluster.Server, "server", settings.Cluster.Server, "Rancher server in the cert-writers' command; nothing connects to it")
	flags.DurationVar(&settings.CheckInterval, "check-interval", settings.CheckInterval, "how often the node-agent looks for share-mnt; Rancher: 2m")
	flags.DurationVar(&settings.CleanUpDelay, "clean-up-delay", settings.CleanUpDelay, "how long after its start the node-agent removes cert-writers; Rancher: 15s")
	flags.IntVar(&settings.ShareMntExitCode, "share-mnt-exit-code", 0, "1: share-mnt fails and is restarted for ever, as on cgroup v2")
	flags.BoolVar(&settings.Unmanaged, "no-clean-up", false, "the node-agent's restart removes nothing, as when it cannot connect")

	verb := ""
	if len(args) > 0 && args[0] != "" && args[0][0] != '-' {
		verb, args = args[0], args[1:]
	}
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return err
	} else if err != nil {
		return errUsage
	}
	if flags.NArg() > 0 || verb != "up" && verb != "down" {
		flags.Usage()
		return errUsage
	}
	lab, err := open(host, settings, stdout)
	if err != nil {
		return err
	}
	defer lab.close()
	if verb == "up" {
		return lab.up(ctx)
	}
	return lab.down(ctx)
}
