package soak

import (
	"time"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/filters"
)

// restartDockerd stops or kills dockerd, leaves it away for a moment and starts it again. What happened to the containers
// meanwhile is read from them: a new start or end shows in its time, once however it came about.
func (s *soak) restartDockerd(kill bool) {
	s.t.Helper()
	before := s.inspectAll()
	if kill {
		s.node.Kill()
		s.kills++
	} else {
		s.node.Stop()
		s.stops++
	}
	time.Sleep(time.Duration(s.random.IntN(3000)) * time.Millisecond)
	s.node.Start()
	s.restarted = true
	// dockerd starts containers before it answers, share-mnt among them, which starts a cert-writer and ends.
	if m := s.some(func(m *made) bool { return m.role == shareMnt }); m != nil && before[m.id].State.Status == "exited" {
		s.node.WaitForState(m.id, "exited")
	}
	for _, m := range s.adopt() {
		s.done.add(m.role, "create", "start")
	}
	after := s.inspectAll()
	for _, m := range s.made {
		was, existed := before[m.id]
		is := after[m.id]
		m.running = is.State.Running
		if !existed {
			continue
		}
		if is.State.StartedAt != was.State.StartedAt {
			s.done.add(m.role, "start")
			m.touched = time.Now()
		}
		if is.State.FinishedAt != was.State.FinishedAt {
			s.done.add(m.role, "die")
		}
	}
}

func (s *soak) inspectAll() map[string]container.InspectResponse {
	s.t.Helper()
	all := make(map[string]container.InspectResponse)
	for _, m := range s.made {
		inspected, err := s.node.Docker().ContainerInspect(s.t.Context(), m.id)
		if err != nil {
			s.t.Fatalf("inspect: %v", err)
		}
		all[m.id] = inspected
	}
	return all
}

// mark puts a last event into the stream that the exporter tells the time of: a prune that removes nothing. Once it shows,
// the exporter has heard all that was before it.
func (s *soak) mark() (at float64) {
	s.t.Helper()
	at = float64(time.Now().UnixMicro()) / 1e6
	s.done[prunes]++
	report, err := s.node.Docker().ContainersPrune(s.t.Context(), filters.NewArgs(filters.Arg("label", "nothing.has.this")))
	if err != nil || len(report.ContainersDeleted) > 0 {
		s.t.Fatalf("prune nothing: %v, %q", err, report.ContainersDeleted)
	}
	return at
}
