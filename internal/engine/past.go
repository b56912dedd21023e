package engine

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/docker/docker/api/types/events"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/rancher"
)

// PastEvents returns what the engine still knows of the events before until, the oldest first: those of [Engine.Follow]
// among its last 256 of every kind. An engine whose clock is behind makes it wait for that time, and engines of 1.12 and
// 1.13 keep the reply open for good (moby/moby#25579): then it returns what has come by the deadline of ctx.
func (e *Engine) PastEvents(ctx context.Context, until time.Time) ([]rancher.Event, error) {
	const op = "read past events"
	ctx, cancel := context.WithCancel(ctx) // ends the client's reader however this returns
	defer cancel()
	ctx, ex := withExchange(ctx)
	c, err := e.connect(ctx)
	if err != nil {
		return nil, newError(op, ctx, ex)
	}
	messages, errs := c.Events(ctx, events.ListOptions{
		Since:   eventTimestamp(time.Unix(0, 0)),
		Until:   eventTimestamp(until),
		Filters: eventFilters(),
	})
	var past []rancher.Event
	for {
		select {
		case m := <-messages:
			past = append(past, newEvent(m))
		case err := <-errs:
			if ex.ok() && (errors.Is(err, io.EOF) || errors.Is(err, context.DeadlineExceeded)) {
				return past, nil
			}
			e.drop(c)
			return nil, newError(op, ctx, ex)
		}
	}
}
