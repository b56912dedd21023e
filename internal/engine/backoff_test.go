package engine

import (
	"context"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// transports answers one request after the other with the next of some functions, and then always with the last.
type transports struct {
	next  []func(*http.Request) (*http.Response, error)
	asked func()
}

func (s *transports) RoundTrip(r *http.Request) (*http.Response, error) {
	s.asked()
	answer := s.next[0]
	if len(s.next) > 1 {
		s.next = s.next[1:]
	}
	return answer(r)
}

// holds is an event stream that ends after some time.
func holds(d time.Duration) func(*http.Request) (*http.Response, error) {
	return func(r *http.Request) (*http.Response, error) {
		reader, writer := io.Pipe()
		go func() {
			select {
			case <-time.After(d):
				_ = writer.Close()
			case <-r.Context().Done():
				_ = writer.CloseWithError(r.Context().Err())
			}
		}()
		return &http.Response{StatusCode: http.StatusOK, Body: reader}, nil
	}
}

// never is an engine that takes a request and says nothing more.
func never(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// timer is a Subscriber that writes down when streams begin and end.
type timer struct {
	diary
	start time.Time
	ends  []time.Duration
}

func (c *timer) Disconnected(err error) {
	c.diary.Disconnected(err)
	c.ends = append(c.ends, time.Since(c.start).Round(time.Millisecond))
}

// followFor follows an engine for some time, which passes at once, and returns when streams ended, and how. Without a
// script there is no engine.
func followFor(t *testing.T, d time.Duration, script ...func(*http.Request) (*http.Response, error)) (ends []time.Duration, lines []string) {
	synctest.Test(t, func(t *testing.T) {
		e := newEngine(t, "unix:///nowhere/docker.sock", nil)
		if script != nil {
			useScript(t, e, &transports{next: script})
		}
		ctx, cancel := context.WithTimeout(t.Context(), d)
		defer cancel()
		c := &timer{start: time.Now()}
		e.Follow(ctx, c)
		c.wantOrder(t)
		ends, lines = c.ends, c.read()
	})
	return ends, lines
}

// useScript has an engine ask the script, now and after each request that makes it drop its client.
func useScript(t *testing.T, e *Engine, script *transports) {
	t.Helper()
	useGuard(t, e, e.guard(nil), script)
}

func useGuard(t *testing.T, e *Engine, guard *guard, script *transports) {
	t.Helper()
	guard.next = script
	c, err := newClient(guard)
	if err != nil {
		t.Fatal(err)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.client = c
	script.asked = func() { useGuard(t, e, guard, script) }
}

func milliseconds(ms ...int) []time.Duration {
	var durations []time.Duration
	for _, n := range ms {
		durations = append(durations, time.Duration(n)*time.Millisecond)
	}
	return durations
}

// While there is no engine the waits grow.
func TestBackOff(t *testing.T) {
	ends, lines := followFor(t, 100*time.Second)
	if want := milliseconds(0, 500, 1500, 3500, 7500, 15500, 31500, 61500, 91500); !slices.Equal(ends[:9], want) {
		t.Errorf("failed at %v", ends)
	}
	if lines[0] != "disconnected no such socket" {
		t.Errorf("told %q", lines)
	}
}

// Also where each attempt hangs: an engine in trouble is not asked every five seconds for ever (FC-54).
func TestBackOffWhileHanging(t *testing.T) {
	ends, lines := followFor(t, 3*time.Minute, never)
	if want := milliseconds(5000, 10500, 16500, 23500, 32500, 45500, 66500, 101500, 136500, 171500); !slices.Equal(ends[:10], want) {
		t.Errorf("failed at %v", ends)
	}
	if lines[0] != "disconnected "+timedOut {
		t.Errorf("told %q", lines)
	}
}

// Nobody waits longer than until a list shows that the engine is back; one that only refuses events is asked no more often.
func TestBackOffEndsWithTheOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var up, events atomic.Bool
		e, d := newEngine(t, "unix:///nowhere/docker.sock", nil), new(diary)
		useScript(t, e, &transports{next: []func(*http.Request) (*http.Response, error){func(r *http.Request) (*http.Response, error) {
			switch list := strings.HasSuffix(r.URL.Path, "/containers/json"); {
			case up.Load() && list:
				return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader("[]"))}, nil
			case up.Load() && events.Load():
				return holds(time.Hour)(r)
			}
			return nil, syscall.ECONNREFUSED
		}}})
		ctx, cancel := context.WithCancel(t.Context())
		var follower sync.WaitGroup
		follower.Go(func() { e.Follow(ctx, d) })
		defer follower.Wait()
		defer cancel()
		scrape := func() {
			_, _ = list(t, e)
			time.Sleep(time.Millisecond)
		}

		time.Sleep(70 * time.Second) // it tries again at 91.5 s
		scrape()
		tried := d.count("disconnected")
		up.Store(true)
		for range 20 {
			scrape()
		}
		if n := d.count("disconnected") - tried; n != 1 {
			t.Errorf("an engine that refuses events was asked for them %d times at its return, want once", n)
		}
		up.Store(false)
		time.Sleep(time.Minute)
		scrape()
		up.Store(true)
		events.Store(true)
		scrape()
		if d.count("connected") != 1 {
			t.Error("no event stream with the first list after the outage")
		}
	})
}

// A page that a proxy sends for events is a stream that breaks at once.
func TestBackOffAtAPage(t *testing.T) {
	ends, lines := followFor(t, time.Minute, func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader("<html>"))}, nil
	})
	if want := milliseconds(0, 500, 1500, 3500, 7500, 15500, 31500); !slices.Equal(ends[:7], want) {
		t.Errorf("ended at %v", ends)
	}
	if !slices.Equal(lines[:2], []string{"connected", "disconnected " + malformed}) {
		t.Errorf("told %q", lines)
	}
}

// Streams that end at once are no better than none; one that held is worth coming back to, as one a proxy cuts every ten
// minutes (Tecnativa/docker-socket-proxy#21).
func TestBackOffResets(t *testing.T) {
	ends, _ := followFor(t, 25*time.Minute,
		holds(0), holds(time.Millisecond), holds(0), holds(0), holds(0), // waits of 0.5, 1, 2, 4, 8 s
		holds(4*time.Second), // not long enough: 16 s
		holds(20*time.Second), holds(0), holds(0),
		holds(10*time.Minute),
	)
	want := milliseconds(0, 501, 1501, 3501, 7501, 19501, 55501, 55751, 56251, 657251, 1257501)
	if !slices.Equal(ends, want) {
		t.Errorf("ended at %v", ends)
	}
}

// How long an outage was does not matter once streams hold again.
func TestBackOffResetsAfterALongOutage(t *testing.T) {
	ends, _ := followFor(t, 2*time.Minute,
		holds(0), holds(0), holds(0), holds(0), holds(0), holds(0), holds(0), // waits of 0.5, 1, 2, 4, 8, 16, 30 s
		holds(10*time.Second),
	)
	if want := milliseconds(0, 500, 1500, 3500, 7500, 15500, 31500, 71500, 81750, 92000, 102250, 112500); !slices.Equal(ends, want) {
		t.Errorf("ended at %v", ends)
	}
}
