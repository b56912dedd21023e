package node

import (
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/rancher"
)

// Heard is an event as it is remembered: what a diagnosis asks of it, without the attributes, which may be of any size.
type Heard struct {
	Role   rancher.Role // RoleNone for a prune
	Action string
	ID     string // of the container, see [rancher.ShortID]; Unknown for a prune
	At     time.Time
}

// mostHeard is how many events of each role and action are remembered. With 13 of these that is 832 events, which take
// less than 100 kB. Each kind has a place of its own, so that the starts of a crash loop do not push out the prunes.
const mostHeard = 64

// history remembers the last events that were counted.
type history struct {
	mu    sync.Mutex
	kinds map[kind][]Heard // the oldest first
}

type kind struct {
	role   rancher.Role
	action string
}

func (h *history) add(role rancher.Role, e rancher.Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.kinds == nil {
		h.kinds = make(map[kind][]Heard)
	}
	k := kind{role, e.Action}
	if len(h.kinds[k]) == mostHeard {
		h.kinds[k] = slices.Delete(h.kinds[k], 0, 1)
	}
	h.kinds[k] = append(h.kinds[k], heard(role, e))
}

// heard copies the ID, which would otherwise keep all of what the engine sent as one.
func heard(role rancher.Role, e rancher.Event) Heard {
	return Heard{Role: role, Action: e.Action, ID: strings.Clone(rancher.ShortID(e.ID)), At: e.Time}
}

// all are the events that are remembered, the oldest first.
func (h *history) all() []Heard {
	h.mu.Lock()
	defer h.mu.Unlock()
	var all []Heard
	for _, list := range h.kinds {
		all = append(all, list...)
	}
	sortHeard(all)
	return all
}

func sortHeard(list []Heard) {
	slices.SortStableFunc(list, func(a, b Heard) int { return a.At.Compare(b.At) })
}

// Recall makes of events of the past what a [Follower] would remember of them: those of roles that events tell for
// certain, and of containers that are still there.
func Recall(events []rancher.Event, s rancher.Snapshot) []Heard {
	roles := make(map[string]rancher.Role, len(s.Agents))
	for _, a := range s.Agents {
		roles[a.ID] = a.Role
	}
	var all []Heard
	for _, e := range events {
		role, _ := e.Role()
		if role == rancher.RoleNone {
			role = roles[e.ID]
		}
		if e.Action == rancher.EventPrune || counted(role) {
			all = append(all, heard(role, e))
		}
	}
	sortHeard(all)
	return all
}

// counted says whether the events of a role are counted.
func counted(role rancher.Role) bool { return slices.Contains(rancher.EventRoles(), role) }
