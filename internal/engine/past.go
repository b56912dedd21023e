package engine

import (
	"context"
	"errors"
	"time"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/rancher"
)

// PastEvents returns what the engine still knows of the events until now, the oldest first: those of [Engine.Follow] among
// its last 256 of every kind. Engines of 1.12 and 1.13 keep the reply open for good (moby/moby#25579), and so may a proxy:
// then they are what came by the deadline of ctx.
func (e *Engine) PastEvents(ctx context.Context) ([]rancher.Event, error) {
	const op = "read past events"
	ctx, ex := withExchange(ctx)
	c, err := e.connect(ctx)
	if err != nil {
		return nil, newError(op, ctx, ex)
	}
	var past []rancher.Event
	body, err := get(ctx, c, ex, eventsRequest(time.Unix(0, 0), e.clock.now()))
	if err == nil {
		err = readEvents(newEntries(body, ex, entryLimit), func(event rancher.Event) { past = append(past, event) })
		_ = body.Close()
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			err = nil
		}
	}
	if err != nil {
		e.drop(c)
		return nil, newError(op, ctx, ex)
	}
	return past, nil
}
