package engine

import (
	"net/http"
	"sync/atomic"
	"time"
)

// engineClock tells the time by the engine's clock, which may be hours off ours, or set while the exporter runs: an engine
// stamps its events by it and takes the times in a request for its own. Replies tell it in whole seconds.
type engineClock struct{ ahead atomic.Int64 }

// set takes the Date of a reply. Where that fits our clock, the two are one.
func (c *engineClock) set(date string, sent, received time.Time) {
	at, err := http.ParseTime(date)
	if err != nil {
		return
	}
	next := at.Add(time.Second)
	if at.After(received) || !next.After(sent) {
		c.ahead.Store(int64(next.Sub(sent)))
	} else {
		c.ahead.Store(0)
	}
}

// now is the time by the engine's clock, up to a second late where that is not ours.
func (c *engineClock) now() time.Time { return time.Now().Add(time.Duration(c.ahead.Load())) }

// bookmark is where to go on after an event stream broke.
type bookmark struct {
	start time.Time // of following, by our clock
	heard time.Time // when the last event came, by our clock

	// by the engine's clock, as it was then
	began time.Time // the start
	first time.Time // the first event
	event time.Time // the last event
}

// since is never before the start: what was then would count. Nor is it later than the last event came, as its own time is
// where the engine's clock has been set back: the engine would tell nothing of what was missed.
func (b *bookmark) since(now time.Time) time.Time {
	start := now.Add(-time.Since(b.start))
	if b.began.IsZero() {
		b.began = start
	}
	if b.event.IsZero() {
		return start
	}
	at := now.Add(-time.Since(b.heard))
	if b.event.Before(at) {
		at = b.event
	}
	at = at.Add(-resumeOverlap)
	switch {
	case b.first.After(now): // by a clock that was set back since; see past
		start = start.Add(-time.Second)
	case b.first.Before(start): // the engine's own word, where start goes by the second of a Date
		start = b.first
	}
	if at.Before(start) {
		return start
	}
	return at
}

// add takes the time of an event that has just come.
func (b *bookmark) add(event time.Time) {
	b.heard, b.event = time.Now(), event
	if b.first.IsZero() {
		b.first = event
	}
}

// past reports whether an event is of before the start although its time is not: since then the clock was set back.
func (b *bookmark) past(event, now time.Time) bool { return event.After(now) && event.Before(b.began) }
