package node

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/go-kit/log"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/rancher"
)

// remembered is how long a container that no list shows any more keeps its role: an event of its end may be on its way. An
// event of a container that nobody has seen waits as long.
const remembered = 10 * time.Minute

// mostWaiting is how many events wait at most. An engine keeps as many for one who missed them.
const mostWaiting = 256

// Roles knows the roles of containers beyond their end, for events: an event tells of a cert-writer no more than that it
// has the agent image.
type Roles struct {
	engine  Engine
	logger  log.Logger
	history history // of the events whose role came to be known

	mu      sync.Mutex
	byID    map[string]knownRole
	waiting []waitingEvent // the oldest first
}

type knownRole struct {
	role rancher.Role
	seen time.Time
}

type waitingEvent struct {
	id    string
	since time.Time
	count func(rancher.Role)
}

// NewRoles returns Roles that inspect through engine what they do not know.
func NewRoles(engine Engine, logger log.Logger) *Roles {
	return &Roles{engine: engine, logger: logger, byID: make(map[string]knownRole)}
}

// learn remembers the roles a list showed and forgets what has not been seen for long.
func (r *Roles) learn(s rancher.Snapshot) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Now()
	for _, agent := range s.Agents {
		r.byID[agent.ID] = knownRole{agent.Role, now}
	}
	for id, known := range r.byID {
		if now.Sub(known.seen) > remembered {
			delete(r.byID, id)
		}
	}
	r.settle(now)
}

// tell calls count with the role of an event's container: from the event, from what is remembered, or else by one inspect.
// Where that fails, as when the connections to the engine break just after the event came, count waits for a list that shows
// the container. It is never called for one that is gone before anybody could look at it.
func (r *Roles) tell(ctx context.Context, e rancher.Event, count func(rancher.Role)) {
	if role, certain := e.Role(); certain {
		count(role)
		return
	}
	if !r.knows(e.ID) {
		r.inspect(ctx, e.ID)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Now()
	r.waiting = append(r.waiting, waitingEvent{e.ID, now, count})
	r.settle(now)
}

func (r *Roles) knows(id string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, ok := r.byID[id]
	return ok
}

// inspect remembers the role of one container if the engine shows it.
func (r *Roles) inspect(ctx context.Context, id string) {
	c, err := r.engine.Inspect(ctx, id)
	logFailedInspect(r.logger, id, err)
	if err != nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.byID[id] = knownRole{rancher.RoleOf(c), time.Now()}
}

// settle counts the events whose container is known by now, and gives up those that have waited for long or are too many.
func (r *Roles) settle(now time.Time) {
	r.waiting = slices.DeleteFunc(r.waiting, func(w waitingEvent) bool {
		known, ok := r.byID[w.id]
		if ok {
			w.count(known.role)
		}
		return ok || now.Sub(w.since) > remembered
	})
	r.waiting = slices.Delete(r.waiting, 0, max(len(r.waiting)-mostWaiting, 0))
}
