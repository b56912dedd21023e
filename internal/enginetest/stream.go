package enginetest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// serveEvents answers GET /events: headers at once, then the remembered events since a time, then those to come, until a
// time, a cut or the reader's end.
func (e *Engine) serveEvents(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	since, errSince := parseEventTime(query.Get("since"))
	until, errUntil := parseEventTime(query.Get("until"))
	f, errFilters := parseFilters(query.Get("filters"))
	for _, err := range []error{errSince, errUntil, errFilters} {
		if err != nil {
			fail(w, http.StatusBadRequest, "%s", err)
			return
		}
	}
	if !until.IsZero() && until.Before(since) {
		fail(w, http.StatusBadRequest, "`since` time (%s) cannot be after `until` time (%s)", query.Get("since"), query.Get("until"))
		return
	}
	e.mu.Lock()
	now := e.now()
	e.mu.Unlock()
	var end <-chan time.Time // never, without until
	if !until.IsZero() {
		end = time.After(until.Sub(now))
	}

	// A real engine subscribes after it has sent the headers. Here whoever has them has missed nothing: tests rely on it.
	past, s := e.subscribe(since, until, f)
	defer e.unsubscribe(s)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusOK)
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	for _, ev := range past {
		if encoder.Encode(ev) != nil {
			return
		}
	}
	flush := http.NewResponseController(w).Flush
	if flush() != nil || !until.IsZero() && until.Before(now) {
		return
	}
	for {
		select {
		case ev := <-s.events:
			if encoder.Encode(ev) != nil || flush() != nil {
				return
			}
		case <-end:
			return
		case <-s.cut:
			return
		case <-r.Context().Done():
			return
		}
	}
}

// subscribe opens a stream at the very event after which its past ends.
func (e *Engine) subscribe(since, until time.Time, f eventFilters) ([]event, *stream) {
	s := &stream{filters: f, events: make(chan event, streamBuffer), cut: make(chan struct{})}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.streams[s] = true
	return e.recall(since, until, f), s
}

func (e *Engine) unsubscribe(s *stream) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.streams, s)
}

// parseEventTime reads seconds[.nanoseconds]; "" is the zero time.
func parseEventTime(s string) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	whole, fraction, _ := strings.Cut(s, ".")
	seconds, err := strconv.ParseInt(whole, 10, 64)
	if err != nil || len(fraction) > 9 {
		return time.Time{}, fmt.Errorf("invalid time %q", s)
	}
	nanoseconds, err := strconv.ParseUint((fraction + "000000000")[:9], 10, 32)
	if err != nil {
		return time.Time{}, fmt.Errorf("invalid time %q", s)
	}
	return time.Unix(seconds, int64(nanoseconds)), nil
}

// eventFilters are the values allowed for each of type, event, container and label.
type eventFilters map[string]map[string]bool

// parseFilters reads both forms clients write: {"type":{"container":true}}, and {"type":["container"]} of API 1.21 and
// before. A filter this engine does not know is an error here, lest a test believe that it works.
func parseFilters(s string) (eventFilters, error) {
	var f eventFilters
	var old map[string][]string
	switch {
	case s == "":
	case json.Unmarshal([]byte(s), &f) == nil:
	case json.Unmarshal([]byte(s), &old) == nil:
		f = make(eventFilters)
		for key, values := range old {
			f[key] = make(map[string]bool)
			for _, value := range values {
				f[key][value] = true
			}
		}
	default:
		return nil, fmt.Errorf("invalid filters")
	}
	for key := range f {
		switch key {
		case "type", "event", "container", "label":
		default:
			return nil, fmt.Errorf("invalid filter %q", key)
		}
	}
	return f, nil
}

// match says whether an event passes: one value of each filter must fit, but every label.
func (f eventFilters) match(ev event) bool {
	one := func(key string, fits func(value string) bool) bool {
		for value := range f[key] {
			if fits(value) {
				return true
			}
		}
		return len(f[key]) == 0
	}
	for label := range f["label"] {
		key, want, valued := strings.Cut(label, "=")
		if got, ok := ev.Actor.Attributes[key]; !ok || valued && got != want {
			return false
		}
	}
	return one("type", func(v string) bool { return v == ev.Type }) &&
		one("event", func(v string) bool { return v == ev.Action }) &&
		one("container", func(v string) bool {
			return strings.HasPrefix(ev.Actor.ID, v) || strings.HasPrefix(ev.Actor.Attributes["name"], v)
		})
}
