// Package node looks at one node through its Docker Engine: an [Observer] for what is there now, which the metrics, the
// readiness probe and every later reader share, and a [Follower] for what happens in between.
package node

import (
	"context"
	"errors"
	"io/fs"
	"time"

	"github.com/go-kit/log"
	"github.com/go-kit/log/level"
	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/singleflight"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/rancher"
)

// Engine is what a node is seen through.
type Engine interface {
	List(ctx context.Context, yield func(rancher.Container) bool) error
	// Inspect fails with fs.ErrNotExist for a container that is gone.
	Inspect(ctx context.Context, id string) (rancher.Container, error)
}

// inspect returns one container, if the engine shows it. That one is just gone is no trouble, and nothing to log.
func inspect(ctx context.Context, engine Engine, logger log.Logger, id string) (rancher.Container, bool) {
	c, err := engine.Inspect(ctx, id)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		_ = level.Debug(logger).Log("msg", "cannot inspect a container", "container_id", rancher.ShortID(id), "err", err)
	}
	return c, err == nil
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
	var err error
	snapshot := rancher.Classify(func(yield func(rancher.Container) bool) { err = o.engine.List(ctx, yield) })
	if err != nil {
		o.outage.begin(err)
		return Observation{Err: err, Duration: time.Since(start), LastSuccess: o.lastSuccess}
	}
	o.outage.end()
	o.lastSuccess = time.Now()
	o.roles.learn(snapshot)
	o.inspectStarts(ctx, snapshot)
	return Observation{Snapshot: snapshot, Duration: time.Since(start), LastSuccess: o.lastSuccess, Heard: o.roles.history.all()}
}

// inspectStarts fills in when share-mnt and the running node-agents last started, and how often Docker restarted them,
// which a list does not tell. One that does not answer, or has just vanished, stays without.
func (o *Observer) inspectStarts(ctx context.Context, snapshot rancher.Snapshot) {
	var group errgroup.Group
	group.SetLimit(8)
	for _, agent := range snapshot.NeedStart() {
		group.Go(func() error {
			if c, ok := inspect(ctx, o.engine, o.logger, agent.ID); ok {
				agent.Started, agent.Restarts = c.Started, c.RestartCount
			}
			return nil
		})
	}
	_ = group.Wait()
}
