package node

import (
	"context"
	"time"

	"github.com/go-kit/log"
	"github.com/go-kit/log/level"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/rancher"
)

// Recorder keeps count of what happens on the node.
type Recorder interface {
	EventStream(connected bool)
	ContainerEvent(role rancher.Role, action string)
	ContainerPrune(at time.Time)
}

// Follower tells a [Recorder] the container events of the roles it counts. It implements engine.Subscriber.
type Follower struct {
	roles    *Roles
	recorder Recorder
	logger   log.Logger
	outage   outage

	connected bool
}

// NewFollower returns a Follower that looks roles up in roles.
func NewFollower(roles *Roles, recorder Recorder, logger log.Logger) *Follower {
	return &Follower{
		roles:    roles,
		recorder: recorder,
		logger:   logger,
		outage:   outage{logger: logger, level: level.Warn, what: "event stream"},
	}
}

// Connected records that events arrive.
func (f *Follower) Connected() {
	f.connected = true
	f.recorder.EventStream(true)
	f.outage.end()
}

// Disconnected records that no events arrive. That a stream ends is no trouble, proxies cut them every few minutes
// (Tecnativa/docker-socket-proxy#21): only not getting another one is.
func (f *Follower) Disconnected(err error) {
	f.recorder.EventStream(false)
	if f.connected {
		f.connected = false
		_ = level.Debug(f.logger).Log("msg", "event stream ended", "err", err)
		return
	}
	f.outage.begin(err)
}

// Event records one event of rancher.EventActions or rancher.EventPrune; sometimes only once a list shows the container (see
// [Roles]).
func (f *Follower) Event(ctx context.Context, e rancher.Event) {
	if e.Action == rancher.EventPrune {
		_ = level.Debug(f.logger).Log("msg", "container prune", "at", e.Time.UTC().Format(time.RFC3339Nano))
		f.recorder.ContainerPrune(e.Time)
		f.roles.history.add(rancher.RoleNone, e)
		return
	}
	whole := e
	e.Attributes = nil // what waits is kept without the labels, which may be of any size
	f.roles.tell(ctx, whole, func(role rancher.Role) {
		if !counted(role) {
			return
		}
		_ = level.Debug(f.logger).Log("msg", "container event", "role", role, "action", e.Action, "container_id", rancher.ShortID(e.ID))
		f.recorder.ContainerEvent(role, e.Action)
		f.roles.history.add(role, e)
	})
}
