package node

import (
	"context"
	"sync"
	"time"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/rancher"
)

// remembered is how long a container that no list shows any more keeps its role: an event of its end may be on its way.
const remembered = 10 * time.Minute

// Roles knows the roles of containers beyond their end, for events: an event tells of a cert-writer no more than that it
// has the agent image.
type Roles struct {
	engine Engine

	mu   sync.Mutex
	byID map[string]knownRole
}

type knownRole struct {
	role rancher.Role
	seen time.Time
}

// NewRoles returns Roles that inspect through engine what they do not know.
func NewRoles(engine Engine) *Roles {
	return &Roles{engine: engine, byID: make(map[string]knownRole)}
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
}

// of tells the role of an event's container: from the event, from what is remembered, or else by one inspect.
// It is RoleNone for a container that is gone before anybody could look at it.
func (r *Roles) of(ctx context.Context, e rancher.Event) rancher.Role {
	if role, certain := e.Role(); certain {
		return role
	}
	r.mu.Lock()
	known, ok := r.byID[e.ID]
	r.mu.Unlock()
	if ok {
		return known.role
	}
	c, err := r.engine.Inspect(ctx, e.ID)
	if err != nil {
		return rancher.RoleNone
	}
	role := rancher.RoleOf(c)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.byID[e.ID] = knownRole{role, time.Now()}
	return role
}
