package enginetest

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	eventMemory  = 256  // events of every kind that an engine remembers for since (moby daemon/events)
	streamBuffer = 1024 // events that may wait for a reader; what comes on top is lost to it
)

// event is an event as the engine writes it.
type event struct {
	Status   string `json:"status,omitempty"`
	ID       string `json:"id,omitempty"`
	From     string `json:"from,omitempty"`
	Type     string
	Action   string
	Actor    actor
	Scope    string `json:"scope"`
	Time     int64  `json:"time"`
	TimeNano int64  `json:"timeNano"`
}

type actor struct {
	ID         string
	Attributes map[string]string
}

// stream is one reader of the events.
type stream struct {
	filters eventFilters
	events  chan event
	cut     chan struct{} // closed to end the stream
}

// Emit sends a container event, of an action the engine does itself or of any other (exec_create: sh, health_status …). It
// changes no container.
func (e *Engine) Emit(action string, c Container) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.emit(action, c)
}

// EmitPrune sends the event of a container prune.
func (e *Engine) EmitPrune() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.emitPrune()
}

// CutEvents ends all open event streams. What was sent before may or may not have been read.
func (e *Engine) CutEvents() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.cutStreams()
}

// EventStreams is how many event streams are open. What is sent from then on reaches them.
func (e *Engine) EventStreams() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.streams)
}

// emit is called with the lock held, as are all below.
func (e *Engine) emit(action string, c Container) {
	attributes := make(map[string]string, len(c.Labels)+3)
	maps.Copy(attributes, c.Labels)
	attributes["image"] = c.Image
	attributes["name"] = strings.TrimPrefix(c.name(), "/")
	if action == "die" {
		attributes["exitCode"] = strconv.Itoa(c.ExitCode)
	}
	e.publish(event{Status: action, ID: c.ID, From: c.Image, Type: "container", Action: action, Actor: actor{c.ID, attributes}})
}

func (e *Engine) emitPrune() {
	e.publish(event{
		Status: "prune", Type: "container", Action: "prune",
		Actor: actor{Attributes: map[string]string{"reclaimed": "0"}},
	})
}

// publish stamps an event, later than any before, remembers it and hands it to the streams.
func (e *Engine) publish(ev event) {
	e.lastNano = max(e.now().UnixNano(), e.lastNano+1)
	ev.Scope, ev.Time, ev.TimeNano = "local", e.lastNano/int64(time.Second), e.lastNano
	if len(e.remembered) == eventMemory {
		e.remembered = slices.Delete(e.remembered, 0, 1)
	}
	e.remembered = append(e.remembered, ev)
	for s := range e.streams {
		if s.filters.match(ev) {
			select {
			case s.events <- ev:
			default:
			}
		}
	}
}

// recall returns the remembered events from since to until; none without either, as an engine has it.
func (e *Engine) recall(since, until time.Time, f eventFilters) []event {
	if since.IsZero() && until.IsZero() {
		return nil
	}
	var past []event
	for _, ev := range e.remembered {
		at := time.Unix(0, ev.TimeNano)
		if !at.Before(since) && (until.IsZero() || !at.After(until)) && f.match(ev) {
			past = append(past, ev)
		}
	}
	return past
}

func (e *Engine) cutStreams() {
	for s := range e.streams {
		close(s.cut)
		delete(e.streams, s)
	}
}
