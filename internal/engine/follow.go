package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/docker/docker/api/types/events"
	"github.com/docker/docker/api/types/filters"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/rancher"
)

const (
	eventsConnectTimeout = 5 * time.Second
	shortestWait         = 250 * time.Millisecond // between two event streams
	longestWait          = 30 * time.Second
	steady               = 5 * time.Second // a stream that held longer is worth coming back to at once
	// An engine stamps events before it puts them in order, so one may carry an earlier time than the one before it.
	resumeOverlap = time.Second
)

// Subscriber is told what happens on the event stream, one call at a time.
type Subscriber interface {
	Connected()
	Disconnected(err error)
	Event(ctx context.Context, e rancher.Event)
}

// Follow tells a subscriber each container event since the call once, over as many event streams as it takes, until ctx
// ends. A stream resumes where the last one broke, at the latest with the first list that succeeds again; what the engine
// no longer remembers by then (it keeps its last 256 events of every kind, and forgets all at its own restart) is lost.
func (e *Engine) Follow(ctx context.Context, s Subscriber) {
	start := time.Now()
	since, seen := start, newRecent()
	wait := shortestWait
	for {
		var connected time.Time
		err := e.stream(ctx, since, func() {
			connected = time.Now()
			s.Connected()
		}, func(event rancher.Event) {
			if !seen.add(event) {
				return
			}
			if since = event.Time.Add(-resumeOverlap); since.Before(start) {
				since = start
			}
			s.Event(ctx, event)
		})
		s.Disconnected(err)
		// What counts is the stream alone, not the last wait: after a long outage a proxy that cuts every 20 s would keep the
		// exporter away for 30 s each time, and a busy engine forgets in less. One that never began, however long that took,
		// did not hold.
		if !connected.IsZero() && time.Since(connected) > steady {
			wait = shortestWait
		} else {
			wait = min(2*wait, longestWait)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		case <-e.back:
			wait = shortestWait
		}
	}
}

// stream runs one event stream until it breaks.
func (e *Engine) stream(ctx context.Context, since time.Time, connected func(), handle func(rancher.Event)) error {
	const op = "follow events"
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	ctx, ex := withExchange(ctx)
	connecting := time.AfterFunc(eventsConnectTimeout, func() { cancel(context.DeadlineExceeded) })
	defer connecting.Stop()
	c, err := e.connect(ctx)
	if err != nil {
		return newError(op, ctx, ex)
	}
	messages, errs := c.Events(ctx, events.ListOptions{
		Since:   eventTimestamp(since),
		Filters: eventFilters(),
	})
	if !connecting.Stop() || !ex.ok() {
		e.drop(c)
		return newError(op, ctx, ex)
	}
	connected()
	for {
		select {
		case m := <-messages:
			handle(newEvent(m))
		case err := <-errs:
			if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
				ex.err = errStreamEnded
			}
			return newError(op, ctx, ex)
		}
	}
}

// eventFilters lets the engine drop what nobody counts: exec events alone would flood the stream.
func eventFilters() filters.Args {
	args := filters.NewArgs(filters.Arg("type", string(events.ContainerEventType)), filters.Arg("event", rancher.EventPrune))
	for _, action := range rancher.EventActions() {
		args.Add("event", action)
	}
	return args
}

// eventTimestamp is a time as the API takes it. It is never a bare "0", which the Docker client takes for a duration.
func eventTimestamp(t time.Time) string { return fmt.Sprintf("%d.%09d", t.Unix(), t.Nanosecond()) }

func newEvent(m events.Message) rancher.Event {
	return rancher.Event{ID: m.Actor.ID, Action: string(m.Action), Time: eventTime(m), Attributes: m.Actor.Attributes}
}

func eventTime(m events.Message) time.Time {
	if m.TimeNano != 0 {
		return time.Unix(0, m.TimeNano)
	}
	return time.Unix(m.Time, 0)
}
