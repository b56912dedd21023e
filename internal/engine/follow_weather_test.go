package engine

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/enginetest"
)

// Whatever comes in place of events is said, and followed again once it is over.
func TestFollowInBadWeather(t *testing.T) {
	t.Parallel()
	cases := weather(eventsPath)
	for name, reason := range map[string]string{
		"403": "", "500 HTML": "", "301": "", "204": "", "200 HTML": "", "garbage": "", "gzip bomb": "", "closed": "", "talkative status": "",
		"malformed chunk": "", // these are streams, if short ones:
		"empty body":      "event stream ended", "null": "event stream ended", "unfinished": malformed, "length too long": malformed,
	} {
		tc := cases[name]
		if reason != "" {
			tc.reason = reason
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fake := startFake(t)
			fake.Intercept(tc.answer)
			d, stop := follow(t, fake)
			eventually(t, "a failure", func() bool { return d.count("disconnected") > 0 })
			fake.Intercept(nil)
			eventually(t, "a stream", func() bool { return fake.EventStreams() == 1 })
			fake.Emit("die", enginetest.CertWriter(0, server, time.Now()))
			eventually(t, "an event", func() bool { return d.count(enginetest.CertWriter(0, server, time.Now()).ID) == 1 })
			stop()
			d.wantOrder(t)
			lines := d.read()
			if i := slices.IndexFunc(lines, func(s string) bool { return strings.HasPrefix(s, "disconnected") }); lines[i] != "disconnected "+tc.reason {
				t.Errorf("got %q, want reason %q", lines[i], tc.reason)
			}
			wantNoSecret(t, fmt.Errorf("%q", lines))
		})
	}
}

// Garbage after good events breaks the stream, not what follows: it resumes behind the good ones.
func TestGarbageInTheStream(t *testing.T) {
	t.Parallel()
	fake := startFake(t)
	at := time.Now().Add(time.Hour)
	good, next := eventText("a", "start", at), eventText("b", "start", at.Add(time.Second))
	intercept, _ := script(good+"<html>"+enginetest.Token, good+`{"Type":17}`, good+next[:20], good+next)
	fake.Intercept(intercept)
	d, stop := follow(t, fake)
	eventually(t, "both events", func() bool { return len(d.events()) == 2 })
	stop()
	want := []string{
		"connected", "a start", "disconnected malformed reply", "connected", "disconnected malformed reply",
		"connected", "disconnected event stream ended", "connected", "b start",
	}
	if got := d.read(); !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

// A stream longer than any reply may be is cut, and resumes where it was. The limit is a small one here.
func TestStreamOverTheLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const events, limit = 40, 1 << 20
		start := time.Now().Add(time.Second)
		padding := strings.Repeat("x", 64<<10)
		e, d := newEngine(t, "unix:///nowhere/docker.sock", nil), new(diary)
		guard := e.guard(nil)
		guard.replyLimit = limit
		useGuard(t, e, guard, &transports{next: []func(*http.Request) (*http.Response, error){func(r *http.Request) (*http.Response, error) {
			time.Sleep(time.Until(start.Add(events * time.Second))) // until all of them have happened
			reader, writer := io.Pipe()
			go func() {
				for n := range events {
					if at := start.Add(time.Duration(n) * time.Second); sinceText(at) >= r.URL.Query().Get("since") {
						_, _ = io.WriteString(writer, eventText(fmt.Sprint(n, " ", padding), "start", at))
					}
				}
				<-r.Context().Done()
				_ = writer.CloseWithError(r.Context().Err())
			}()
			return &http.Response{StatusCode: http.StatusOK, Body: reader}, nil
		}}})
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
		defer cancel()
		e.Follow(ctx, d)
		d.wantOrder(t)
		if len(d.events()) != events {
			t.Errorf("%d events, want %d", len(d.events()), events)
		}
		for event, n := range d.events() {
			if n != 1 {
				t.Errorf("%.20s told %d times", event, n)
			}
		}
		if d.count("disconnected reply larger than 1 MB") < 2 {
			t.Errorf("%d streams over the limit", d.count("disconnected reply larger"))
		}
	})
}

// The end of the context ends Follow at once, wherever it is, and leaves nothing behind. Not parallel: it counts goroutines.
func TestFollowEnds(t *testing.T) {
	var asked atomic.Int32
	hang := func(endpoints ...string) func(*enginetest.Engine) enginetest.Interceptor {
		return func(*enginetest.Engine) enginetest.Interceptor {
			inner := enginetest.Hang(endpoints...)
			return func(w http.ResponseWriter, r *http.Request) bool {
				asked.Add(1)
				return inner(w, r)
			}
		}
	}
	for name, intercept := range map[string]func(*enginetest.Engine) enginetest.Interceptor{
		"connecting": hang(),
		"asking":     hang(eventsPath),
		"connected": func(*enginetest.Engine) enginetest.Interceptor {
			asked.Add(1)
			return nil
		},
		"told without end": func(*enginetest.Engine) enginetest.Interceptor {
			return on(eventsPath, func(w http.ResponseWriter, r *http.Request) {
				asked.Add(1)
				for n := 0; r.Context().Err() == nil; n++ {
					_, _ = io.WriteString(w, eventText("a", "start", time.Now()))
				}
			})
		},
		"waiting": func(fake *enginetest.Engine) enginetest.Interceptor {
			asked.Add(1)
			fake.Stop()
			return nil
		},
	} {
		asked.Store(0)
		fake := startFake(t)
		fake.Intercept(intercept(fake))
		before := runtime.NumGoroutine()
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			newEngine(t, fake.Host(), nil).Follow(ctx, new(diary))
		}()
		eventually(t, "a request", func() bool { return asked.Load() > 0 })
		time.Sleep(30 * time.Millisecond)
		cancel()
		<-ended
		eventually(t, name+": no goroutine left", func() bool { return runtime.NumGoroutine() <= before })
	}
}
