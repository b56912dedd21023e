package agent

import (
	"context"
	"fmt"
	"log"
	"slices"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/filters"
	"github.com/docker/docker/client"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/demo/lab/shape"
)

// found is a share-mnt container that exists.
type found struct {
	id       string
	state    string // "running", "exited" …
	exitCode int
	planned  bool // its configuration is the plan's
}

// steps are what a check of the plan does.
type steps struct {
	remove []string // IDs
	create bool
	start  string // ID; empty: none
}

// decide is Rancher's runProcess for share-mnt: what differs from the plan is replaced, of several equal ones one stays.
// That one is left alone if it exited with 0 (since 2.0.6) or runs (since 2.3.0), else started.
func decide(all []found) steps {
	var s steps
	var keep *found
	for i, c := range all {
		if !c.planned || keep != nil {
			s.remove = append(s.remove, c.id)
			continue
		}
		keep = &all[i]
	}
	switch {
	case keep == nil:
		s.create = true
	case keep.state == container.StateRunning, keep.state == container.StateExited && keep.exitCode == 0:
	default:
		s.start = keep.id
	}
	return s
}

// findShareMnt looks up the share-mnt containers by their process label, as Rancher does, whatever their names.
func findShareMnt(ctx context.Context, docker *client.Client, want shape.Container) ([]found, error) {
	listed, err := docker.ContainerList(ctx, container.ListOptions{
		All: true,
		Filters: filters.NewArgs(
			filters.Arg("label", shape.ProcessLabel+"="+shape.ShareMntName),
			filters.Arg("label", shape.LabLabel),
		),
	})
	if err != nil {
		return nil, fmt.Errorf("list share-mnt containers: %w", err)
	}
	var all []found
	for _, c := range listed {
		inspected, err := docker.ContainerInspect(ctx, c.ID)
		if err != nil {
			return nil, fmt.Errorf("inspect share-mnt container: %w", err)
		}
		all = append(all, found{
			id:       c.ID,
			state:    inspected.State.Status,
			exitCode: inspected.State.ExitCode,
			planned:  isPlanned(inspected, want),
		})
	}
	return all, nil
}

// isPlanned says whether the container has the plan's image, arguments, environment and mounts. The restart policy is not
// compared, by Rancher neither.
func isPlanned(have container.InspectResponse, want shape.Container) bool {
	return have.Config.Image == want.Config.Image &&
		slices.Equal(have.Config.Cmd, want.Config.Cmd) &&
		slices.Equal(have.Config.Env, want.Config.Env) &&
		slices.Equal(have.HostConfig.Binds, want.Host.Binds)
}

// carryOut changes the containers.
func (s steps) carryOut(ctx context.Context, docker *client.Client, want shape.Container, logger *log.Logger) error {
	for _, id := range s.remove {
		logger.Printf("removing share-mnt %.12s, which the plan does not have", id)
		if err := docker.ContainerRemove(ctx, id, container.RemoveOptions{Force: true}); err != nil {
			return fmt.Errorf("remove share-mnt: %w", err)
		}
	}
	if s.create {
		id, err := want.Create(ctx, docker)
		if err != nil {
			return err
		}
		logger.Printf("created share-mnt %.12s", id)
		s.start = id
	}
	if s.start == "" {
		return nil
	}
	logger.Printf("starting share-mnt %.12s", s.start)
	if err := docker.ContainerStart(ctx, s.start, container.StartOptions{}); err != nil {
		return fmt.Errorf("start share-mnt: %w", err)
	}
	return nil
}
