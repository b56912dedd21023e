package soak

import (
	"slices"
	"time"
)

// grown is the age at which a container may end: by then the exporter has seen it, whatever the proxy did, and its program
// listens to signals.
const grown = 8 * time.Second

// A node-agent that connects removes what it does not manage; here it is done when there is as much as this.
const cleanUpAt = 35

// made is a container as far as the soak knows.
type made struct {
	id      string
	role    string
	starts  bool // whether it can be started
	running bool
	touched time.Time // created, or last started
}

func (m *made) isGrown() bool { return time.Since(m.touched) > grown }

// operations are what is done to the containers, in the proportion in which they stand here. Each says whether there was
// anything to do it to, and is written down before it is done, so that no count of the exporter may be above.
func (s *soak) operations() []func() bool {
	return []func() bool{
		s.create, s.create, s.create, s.run, s.run, s.run, s.start, s.start, s.start, s.stop, s.stop, s.restart,
		s.remove, s.remove, s.remove, s.shareMnt, s.shareMnt, s.prune, s.prune, s.cleanUp,
	}
}

// operate does one thing at random. No two begin in the same second: then no two containers are equally old, and the oracle
// knows which is the oldest.
func (s *soak) operate() {
	s.t.Helper()
	operations := s.operations()
	for !operations[s.random.IntN(len(operations))]() {
	}
	s.operated++
	next := time.Now().Truncate(time.Second).Add(time.Second)
	time.Sleep(time.Until(next) + time.Duration(s.random.IntN(300))*time.Millisecond)
}

func (s *soak) create() bool {
	s.newContainer()
	return true
}

func (s *soak) newContainer() *made {
	kind := s.kinds[s.random.IntN(len(s.kinds))]
	s.number++
	s.done.add(kind.role, "create")
	m := &made{id: s.node.Create(kind.make(s.number)), role: kind.role, starts: kind.starts, touched: time.Now()}
	s.made = append(s.made, m)
	return m
}

func (s *soak) run() bool {
	if m := s.newContainer(); m.starts {
		s.startOne(m)
	}
	return true
}

func (s *soak) startOne(m *made) {
	s.done.add(m.role, "start")
	s.node.StartContainer(m.id)
	m.running, m.touched = true, time.Now()
}

// some picks one of the containers at random; nil if there is none like that.
func (s *soak) some(like func(*made) bool) *made {
	var found []*made
	for _, m := range s.made {
		if like(m) {
			found = append(found, m)
		}
	}
	if len(found) == 0 {
		return nil
	}
	return found[s.random.IntN(len(found))]
}

// start leaves share-mnt alone: each of its starts brings a cert-writer.
func (s *soak) start() bool {
	m := s.some(func(m *made) bool { return m.starts && !m.running && m.role != shareMnt })
	if m != nil {
		s.startOne(m)
	}
	return m != nil
}

func (s *soak) stop() bool {
	m := s.some(func(m *made) bool { return m.running && m.isGrown() })
	if m == nil {
		return false
	}
	s.done.add(m.role, "die")
	s.node.StopContainer(m.id)
	m.running = false
	return true
}

// restart is the workaround for the leak.
func (s *soak) restart() bool {
	m := s.some(func(m *made) bool { return m.running && m.role == nodeAgent && m.isGrown() })
	if m == nil {
		return false
	}
	s.done.add(m.role, "die", "start")
	s.node.RestartContainer(m.id)
	m.touched = time.Now()
	return true
}

func (s *soak) remove() bool {
	m := s.some((*made).isGrown)
	if m == nil {
		return false
	}
	s.removeOne(m)
	return true
}

func (s *soak) removeOne(m *made) {
	s.goes(m)
	s.node.RemoveContainer(m.id)
}

// goes notes that a container is about to be removed.
func (s *soak) goes(m *made) {
	if m.running {
		s.done.add(m.role, "die")
	}
	s.done.add(m.role, "destroy")
	s.made = slices.DeleteFunc(s.made, func(other *made) bool { return other == m })
}

// shareMnt is created and run where there is none, as a node-agent does: it starts a cert-writer and ends.
func (s *soak) shareMnt() bool {
	if s.some(func(m *made) bool { return m.role == shareMnt }) != nil {
		return false
	}
	s.done.add(shareMnt, "create", "start", "die")
	s.done.add(certWriter, "create", "start")
	id := s.node.Run(cluster(0).ShareMnt(s.runDir))
	s.made = append(s.made, &made{id: id, role: shareMnt, touched: time.Now()})
	s.node.WaitForState(id, "exited")
	s.adopt()
	return true
}

// adopt takes in the containers that share-mnt has started.
func (s *soak) adopt() (adopted []*made) {
	for _, c := range s.node.List() {
		if !slices.ContainsFunc(s.made, func(m *made) bool { return m.id == c.ID }) {
			adopted = append(adopted, &made{id: c.ID, role: certWriter, starts: true, running: true, touched: time.Now()})
		}
	}
	s.made = append(s.made, adopted...)
	return adopted
}

// prune is docker container prune, once all that it would remove is grown.
func (s *soak) prune() bool {
	var stopped []*made
	for _, m := range s.made {
		if m.running {
			continue
		}
		if !m.isGrown() {
			return false
		}
		stopped = append(stopped, m)
	}
	s.done[prunes]++
	for _, m := range stopped {
		s.goes(m)
	}
	pruned := s.node.Prune()
	if len(pruned) != len(stopped) {
		s.t.Errorf("%d containers pruned, want %d", len(pruned), len(stopped))
	}
	return true
}

// cleanUp is what the node-agent does when it connects: it removes all that it does not manage.
func (s *soak) cleanUp() bool {
	var unmanaged []*made
	for _, m := range s.made {
		if m.isGrown() && slices.Contains([]string{certWriter, registration, otherAgent, shareMntHelper}, m.role) {
			unmanaged = append(unmanaged, m)
		}
	}
	if len(unmanaged) < cleanUpAt {
		return false
	}
	for _, m := range unmanaged {
		s.removeOne(m)
	}
	return true
}
