package agent

import (
	"context"
	"log"
	"time"

	"github.com/docker/docker/client"
)

// runNodeAgent keeps the plan until ctx ends. Rancher's does the same at each connect to the server: first the plan, then
// the clean-up, then the plan at intervals. A cert-writer that the first plan brings about may be missed by the clean-up
// (rancher/rancher#26399).
func runNodeAgent(ctx context.Context, lookup func(string) (string, bool), logger *log.Logger) error {
	settings, err := settingsFrom(lookup)
	if err != nil {
		return err
	}
	docker, err := connect(ctx)
	if ctx.Err() != nil {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { _ = docker.Close() }()

	keepPlan(ctx, docker, settings, logger)
	if !settings.Unmanaged {
		if err := startCleanUp(ctx, docker, settings.CleanUpDelay, logger); err != nil {
			logger.Printf("clean-up: %v", err) // Rancher only logs it since 2.2.0
		}
	}
	ticker := time.NewTicker(settings.CheckInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
			keepPlan(ctx, docker, settings, logger)
		}
	}
}

// keepPlan carries the plan out once; what fails is tried again at the next check.
func keepPlan(ctx context.Context, docker *client.Client, settings Settings, logger *log.Logger) {
	want := settings.Cluster.ShareMnt(settings.RunDir, shareMntExitCodeEnv(settings.ShareMntExitCode))
	found, err := findShareMnt(ctx, docker, want)
	if err == nil {
		err = decide(found).carryOut(ctx, docker, want, logger)
	}
	if err != nil && ctx.Err() == nil {
		logger.Printf("plan: %v", err)
	}
}
