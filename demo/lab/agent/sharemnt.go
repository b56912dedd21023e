package agent

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/demo/lab/shape"
)

// shareRoot is what share-root.sh takes, which mounts first and then starts the Docker CLI. A share-mnt that is faster than a
// node-agent between its plan and its clean-up loses its cert-writer to that clean-up.
const shareRoot = time.Second

// runShareMnt starts one cert-writer by the quoted docker run command, the first of the arguments behind share-root.sh,
// and ends itself: through Docker, because Docker restarts an "always" container that just exits, but not one that it was
// told to end. The exit code is then that of a stopped agent, 0.
func runShareMnt(ctx context.Context, args []string, lookup func(string) (string, bool), logger *log.Logger) (int, error) {
	code, err := shareMntExitCode(lookup)
	if err != nil {
		return 0, err
	}
	if len(args) == 0 {
		return 0, errors.New("share-mnt: no command behind share-root.sh")
	}
	writer, err := parseDockerRun(args[0])
	if err != nil {
		return 0, fmt.Errorf("share-mnt: %w", err)
	}
	docker, err := connect(ctx)
	if err != nil {
		return 0, err
	}
	defer func() { _ = docker.Close() }()

	if !sleep(ctx, shareRoot) {
		return 0, nil
	}
	id, err := writer.Run(ctx, docker)
	if err != nil {
		return 0, fmt.Errorf("share-mnt: %w", err)
	}
	logger.Printf("started cert-writer %.12s", id)
	if code != 0 {
		return code, nil
	}
	// The signal, which ends ctx, comes before the answer does.
	if err := docker.ContainerKill(context.WithoutCancel(ctx), shape.ShareMntName, "SIGTERM"); err != nil {
		return 0, fmt.Errorf("share-mnt: end itself: %w", err)
	}
	<-ctx.Done()
	return 0, nil
}
