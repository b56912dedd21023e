// Package node looks at one node through its Docker Engine: an [Observer] for what is there now, which the metrics, the
// readiness probe and every later reader share, and a [Follower] for what happens in between.
package node

import (
	"context"
	"time"

	"github.com/go-kit/log"
	"github.com/go-kit/log/level"
	"golang.org/x/sync/singleflight"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/rancher"
)

// Engine is what a node is seen through.
type Engine interface {
	List(ctx context.Context, yield func(rancher.Container) bool) error
	// Inspect fails with fs.ErrNotExist for a container that is gone.
	Inspect(ctx context.Context, id string) (rancher.Container, error)
}

// Observation is the outcome of one look at the node.
type Observation struct {
	Snapshot    rancher.Snapshot // empty if Err is set
	Err         error            // why the containers could not be listed
	Duration    time.Duration    // spent asking the Docker Engine
	LastSuccess time.Time        // when the containers were last listed; zero before the first time
	Heard       []Heard          // the last events a Follower told, the oldest first; nil if Err is set
}

// Observer looks at the node whenever somebody asks, and never in between.
type Observer struct {
	engine  Engine
	timeout time.Duration
	roles   *Roles
	logger  log.Logger
	outage  outage

	flight      singleflight.Group
	lastSuccess time.Time // only touched in flight
	expected    []string  // IDs that the last list showed to be inspected; only touched in flight
}

// NewObserver returns an Observer that gives the engine timeout to answer, and remembers in roles what it saw.
func NewObserver(engine Engine, timeout time.Duration, roles *Roles, logger log.Logger) *Observer {
	return &Observer{
		engine:  engine,
		timeout: timeout,
		roles:   roles,
		logger:  logger,
		outage:  outage{logger: logger, level: level.Error, what: "Docker Engine"},
	}
}

// Observe lists the containers. However many ask at the same moment, scrapes and probes alike, the engine is asked once
// and all get the same answer: the one that is under way, never one from before.
func (o *Observer) Observe() Observation {
	result, _, _ := o.flight.Do("", func() (any, error) { return o.observe(), nil })
	return result.(Observation)
}

func (o *Observer) observe() Observation {
	ctx, cancel := context.WithTimeout(context.Background(), o.timeout)
	defer cancel()
	start := time.Now()
	inspections := newInspections(ctx, o.engine)
	inspections.ask(o.expected[:min(len(o.expected), inspectsAtOnce)]...)
	o.expected = nil
	var err error
	snapshot := rancher.Classify(func(yield func(rancher.Container) bool) { err = o.engine.List(ctx, yield) })
	if err != nil {
		cancel()
		inspections.wait()
		o.outage.begin(err)
		return Observation{Err: err, Duration: time.Since(start), LastSuccess: o.lastSuccess}
	}
	o.outage.end()
	o.lastSuccess = time.Now()
	o.roles.learn(snapshot)
	o.fillIn(snapshot, inspections)
	return Observation{Snapshot: snapshot, Duration: time.Since(start), LastSuccess: o.lastSuccess, Heard: o.roles.history.all()}
}

// fillIn adds when share-mnt and the running node-agents last started, and how often Docker restarted them, which a list does
// not tell. One that does not answer, or has just vanished, stays without.
func (o *Observer) fillIn(snapshot rancher.Snapshot, inspections *inspections) {
	agents := snapshot.NeedStart()
	for _, agent := range agents {
		inspections.ask(agent.ID)
		o.expected = append(o.expected, agent.ID)
	}
	inspections.wait()
	for _, agent := range agents {
		if c, ok := inspections.of(agent.ID, o.logger); ok {
			agent.Started, agent.Restarts = c.Started, c.RestartCount
		}
	}
}
