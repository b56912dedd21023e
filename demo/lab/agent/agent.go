// Package agent is what run.sh of the stand-in image plays: the agents of Rancher 2.3.3, reduced to what they do to the
// containers of a node. It changes containers; the exporter never does.
package agent

import (
	"context"
	"log"
	"time"

	"github.com/docker/docker/client"
)

// role is what a command line of run.sh makes of the container.
type role int

const (
	nodeAgent role = iota // no arguments: the settings come by the environment
	shareMnt              // -- share-root.sh 'docker run …' …
	waiter                // all else, cert-writers first of all: stays until it is stopped
)

func roleOf(args []string) role {
	switch {
	case len(args) == 0:
		return nodeAgent
	case len(args) >= 2 && args[0] == "--" && args[1] == "share-root.sh":
		return shareMnt
	}
	return waiter
}

// Run plays the role that the arguments of run.sh name until it ends or ctx does, and returns the exit code. A stopped
// agent ends with 0.
func Run(ctx context.Context, args []string, lookup func(string) (string, bool), logger *log.Logger) int {
	var err error
	code := 0
	switch roleOf(args) {
	case nodeAgent:
		err = runNodeAgent(ctx, lookup, logger)
	case shareMnt:
		code, err = runShareMnt(ctx, args[2:], lookup, logger)
	case waiter:
		<-ctx.Done()
	}
	if err != nil {
		logger.Print(err)
		return 1
	}
	return code
}

// connect returns a client for the engine at /var/run/docker.sock once it answers: just after its own start the engine
// starts containers before it listens.
func connect(ctx context.Context) (*client.Client, error) {
	docker, err := client.NewClientWithOpts(client.WithHost("unix:///var/run/docker.sock"), client.WithAPIVersionNegotiation())
	if err != nil {
		return nil, err
	}
	for {
		_, err := docker.Ping(ctx)
		if err == nil {
			return docker, nil
		}
		if !sleep(ctx, 200*time.Millisecond) {
			return nil, err
		}
	}
}

// sleep waits for d and says whether ctx let it.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
