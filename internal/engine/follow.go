package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"time"

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
	place, seen := &bookmark{start: time.Now()}, newRecent()
	wait := shortestWait
	for {
		var connected time.Time
		err := e.stream(ctx, place.since, func() {
			connected = time.Now()
			s.Connected()
		}, func(event rancher.Event) {
			if !seen.add(event) || place.past(event.Time, e.clock.now()) {
				return
			}
			place.add(event.Time)
			s.Event(ctx, event)
		})
		if ctx.Err() != nil {
			return // it was told to stop, which is no trouble
		}
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
func (e *Engine) stream(ctx context.Context, since func(now time.Time) time.Time, connected func(), handle func(rancher.Event)) error {
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
	body, err := get(ctx, c, ex, eventsRequest(since(e.clock.now()), time.Time{}))
	if err != nil {
		e.drop(c)
		return newError(op, ctx, ex)
	}
	defer func() { _ = body.Close() }()
	if !connecting.Stop() {
		e.drop(c)
		return newError(op, ctx, ex)
	}
	connected()
	if readEvents(newEntries(body, ex, entryLimit), handle) == nil {
		ex.err = errStreamEnded
	}
	return newError(op, ctx, ex)
}

// eventsRequest asks for the events since a time, and until another if that is not zero. The engine drops what nobody counts:
// exec events alone would flood the stream.
func eventsRequest(since, until time.Time) string {
	wanted := filters.NewArgs(filters.Arg("type", containerEvent))
	for _, action := range countedActions() {
		wanted.Add("event", action)
	}
	text, _ := filters.ToJSON(wanted) // no text fails
	query := url.Values{"since": {eventTimestamp(since)}, "filters": {text}}
	if !until.IsZero() {
		query.Set("until", eventTimestamp(until))
	}
	return "/events?" + query.Encode()
}

const containerEvent = "container"

func countedActions() []string { return append(rancher.EventActions(), rancher.EventPrune) }

// message is the part of an event that is read.
type message struct {
	Type   string
	Action string
	Actor  struct {
		ID         string
		Attributes map[string]string
	}
	Time     int64 `json:"time"`
	TimeNano int64 `json:"timeNano"`
}

// readEvents hands on events until the stream ends, which is no error. An engine or a proxy that does not filter also tells of
// networks, volumes and images, which are pruned too and may have the name of share-mnt, and what was typed into an exec.
func readEvents(stream *entries, handle func(rancher.Event)) error {
	counted := countedActions()
	for {
		var m message
		if err := stream.next(&m); errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return nil
		} else if err != nil {
			return err
		}
		if m.Type != containerEvent || !slices.Contains(counted, m.Action) {
			continue
		}
		at := time.Unix(m.Time, 0)
		if m.TimeNano != 0 {
			at = time.Unix(0, m.TimeNano)
		}
		handle(rancher.Event{ID: m.Actor.ID, Action: m.Action, Time: at, Attributes: m.Actor.Attributes})
	}
}

// eventTimestamp is a time as the API takes it.
func eventTimestamp(t time.Time) string { return fmt.Sprintf("%d.%09d", t.Unix(), t.Nanosecond()) }
