package node

import (
	"context"
	"errors"
	"io/fs"
	"sync"

	"github.com/go-kit/log"
	"github.com/go-kit/log/level"
	"golang.org/x/sync/errgroup"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/rancher"
)

// inspectsAtOnce spares an engine that has other work.
const inspectsAtOnce = 8

// inspections are the inspects of one look at the node. Those of the containers that the last list showed run beside the list of
// this one, which hides what they take; what is shown is still what the engine said for this look.
type inspections struct {
	ctx    context.Context
	engine Engine
	group  errgroup.Group

	mu      sync.Mutex
	results map[string]inspected // by ID, of all that were asked for
}

type inspected struct {
	container rancher.Container
	err       error
}

func newInspections(ctx context.Context, engine Engine) *inspections {
	i := &inspections{ctx: ctx, engine: engine, results: make(map[string]inspected)}
	i.group.SetLimit(inspectsAtOnce)
	return i
}

// ask begins to inspect the containers that were not asked for yet. It waits where too many are under way.
func (i *inspections) ask(ids ...string) {
	for _, id := range ids {
		if !i.note(id) {
			continue
		}
		i.group.Go(func() error {
			c, err := i.engine.Inspect(i.ctx, id)
			i.mu.Lock()
			defer i.mu.Unlock()
			i.results[id] = inspected{c, err}
			return nil
		})
	}
}

// note reports whether a container is asked for the first time.
func (i *inspections) note(id string) bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	if _, asked := i.results[id]; asked {
		return false
	}
	i.results[id] = inspected{}
	return true
}

// wait waits until all inspects have ended.
func (i *inspections) wait() { _ = i.group.Wait() }

// of is what an inspect told, if it did.
func (i *inspections) of(id string, logger log.Logger) (rancher.Container, bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	result := i.results[id]
	logFailedInspect(logger, id, result.err)
	return result.container, result.err == nil
}

// logFailedInspect says why a container could not be inspected. That one is just gone is no trouble.
func logFailedInspect(logger log.Logger, id string, err error) {
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		_ = level.Debug(logger).Log("msg", "cannot inspect a container", "container_id", rancher.ShortID(id), "err", err)
	}
}
