package node

import (
	"context"
	"io/fs"
	"sync"
	"time"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/rancher"
)

// stubEngine answers from memory and counts what it was asked.
type stubEngine struct {
	mu         sync.Mutex
	containers []rancher.Container
	err        error         // of every list
	wait       chan struct{} // a list waits for it, if set
	lists      int
	inspects   []string
	inspectErr error // of an inspect, if not that there is no such container
}

func (s *stubEngine) List(ctx context.Context, yield func(rancher.Container) bool) error {
	s.mu.Lock()
	s.lists++
	wait, containers, err := s.wait, s.containers, s.err
	s.mu.Unlock()
	if wait != nil {
		select {
		case <-wait:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	for _, c := range containers {
		c.Started, c.RestartCount = time.Time{}, 0 // only an inspect tells
		if !yield(c) {
			break
		}
	}
	return err
}

func (s *stubEngine) Inspect(_ context.Context, id string) (rancher.Container, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.inspects = append(s.inspects, id)
	for _, c := range s.containers {
		if c.ID == id && !c.Started.IsZero() {
			return c, nil
		}
	}
	if s.inspectErr != nil {
		return rancher.Container{}, s.inspectErr
	}
	return rancher.Container{}, fs.ErrNotExist
}

func (s *stubEngine) set(containers ...rancher.Container) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.containers = containers
}

func (s *stubEngine) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.err = err
}

var agentLabels = map[string]string{"io.cattle.agent": "true"}

func certWriter(id string) rancher.Container {
	return rancher.Container{
		ID: id, Names: []string{"/thirsty_minsky"}, Image: "rancher/rancher-agent:v2.3.3", Labels: agentLabels, State: "running",
		Command: rancher.ListedCommand("run.sh --server https://r.example --token t --no-register --only-write-certs"),
	}
}

func shareMnt(id string) rancher.Container {
	return rancher.Container{ID: id, Names: []string{"/share-mnt"}, Labels: agentLabels, State: "exited"}
}

func nodeAgent(id, state string) rancher.Container {
	return rancher.Container{ID: id, Names: []string{"/k8s_agent_cattle-node-agent-abcde_cattle-system_uid_0"}, Labels: agentLabels, State: state}
}

// told are the roles that count for an event at once.
func told(roles *Roles, e rancher.Event) []rancher.Role {
	var counted []rancher.Role
	roles.tell(context.Background(), e, func(role rancher.Role) { counted = append(counted, role) })
	return counted
}
