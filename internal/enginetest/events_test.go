package enginetest

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/docker/docker/api/types/events"
	"github.com/docker/docker/api/types/filters"
	"github.com/docker/docker/client"
)

// read reads n events as "action name".
func read(t *testing.T, messages <-chan events.Message, errs <-chan error, n int) []string {
	t.Helper()
	var got []string
	timeout := time.After(10 * time.Second)
	for range n {
		select {
		case m := <-messages:
			got = append(got, strings.TrimSpace(string(m.Action)+" "+m.Actor.Attributes["name"]))
		case err := <-errs:
			t.Fatalf("stream ended after %v: %v", got, err)
		case <-timeout:
			t.Fatalf("no more events after %v", got)
		}
	}
	return got
}

func named(name string) Container { return Container{ID: hexID(name), Names: []string{"/" + name}} }

func sinceNano(nano int64) string {
	return fmt.Sprintf("%d.%09d", nano/int64(time.Second), nano%int64(time.Second))
}

func TestEventsOfALife(t *testing.T) {
	e := startEngine(t)
	messages, errs := dial(t, e).Events(t.Context(), events.ListOptions{})
	if e.EventStreams() != 1 {
		t.Fatalf("%d streams open once the headers are there", e.EventStreams())
	}
	c := named("share-mnt")
	c.Image, c.Labels = "rancher/rancher-agent:v2.3.3", map[string]string{"io.cattle.agent": "true"}
	e.Create(c)
	e.StartContainer(c.ID)
	e.Die(c.ID, 3)
	e.Prune()

	var got []string
	last := int64(0)
	for range 5 {
		m := <-messages
		a := m.Actor.Attributes
		got = append(got, string(m.Action)+a["exitCode"])
		if m.TimeNano <= last || m.Time != m.TimeNano/1e9 {
			t.Errorf("%s at %d, %d, after %d", m.Action, m.Time, m.TimeNano, last)
		}
		last = m.TimeNano
		if m.Type != "container" || m.Action != "prune" &&
			(m.Actor.ID != c.ID || a["name"] != "share-mnt" || a["image"] != c.Image || a["io.cattle.agent"] != "true") {
			t.Errorf("event %+v", m)
		}
	}
	if want := []string{"create", "start", "die3", "destroy", "prune"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}

	e.CutEvents()
	if err := <-errs; !errors.Is(err, io.EOF) {
		t.Errorf("cut stream: %v", err)
	}
	if e.EventStreams() != 0 {
		t.Errorf("%d streams open after a cut", e.EventStreams())
	}
}

func TestEventFilters(t *testing.T) {
	e := startEngine(t)
	args := filters.NewArgs(filters.Arg("type", "container"), filters.Arg("event", "create"), filters.Arg("event", "prune"))
	messages, errs := dial(t, e).Events(t.Context(), events.ListOptions{Filters: args})
	e.Create(named("a"))
	e.Emit("exec_create: sh", named("a"))
	e.StartContainer(hexID("a"))
	e.EmitPrune()
	e.Create(named("b"))
	if got, want := read(t, messages, errs, 3), []string{"create a", "prune", "create b"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestEventFilterForms(t *testing.T) {
	e := startEngine(t)
	c := named("a")
	c.Labels = map[string]string{"io.cattle.agent": "true"}
	e.Emit("create", c)
	now := sinceNano(e.lastNano)
	for filter, want := range map[string]int{
		``:                                1,
		`{"type":{"container":true}}`:     1,
		`{"type":["container"]}`:          1,
		`{"type":["image"]}`:              0,
		`{"event":["create","start"]}`:    1,
		`{"event":["start"]}`:             0,
		`{"container":["a"]}`:             1,
		`{"container":["b"]}`:             0,
		`{"label":["io.cattle.agent"]}`:   1,
		`{"label":["io.cattle.agent=x"]}`: 0,
		`{"label":["io.cattle.agent=true"],"type":["container"]}`: 1,
	} {
		_, body := get(t, e, http.MethodGet, "/events?since=1&until="+now+"&filters="+url.QueryEscape(filter))
		if got := strings.Count(body, "\n"); got != want {
			t.Errorf("%s: got %d events: %s", filter, got, body)
		}
	}
	for _, query := range []string{"filters={", "filters={%22image%22:[%22x%22]}", "since=yesterday", "since=1.x", "since=2&until=1"} {
		if resp, body := get(t, e, http.MethodGet, "/events?"+query); resp.StatusCode != http.StatusBadRequest {
			t.Errorf("%s: got %s %s", query, resp.Status, body)
		}
	}
}

func TestEventsSince(t *testing.T) {
	e := startEngine(t)
	c := dial(t, e)
	messages, errs := c.Events(t.Context(), events.ListOptions{})
	e.Create(named("a"))
	first := <-messages
	e.Create(named("b"))
	read(t, messages, errs, 1)
	e.CutEvents()
	<-errs
	e.Create(named("c"))

	messages, errs = c.Events(t.Context(), events.ListOptions{Since: sinceNano(first.TimeNano + 1)})
	e.Create(named("d"))
	if got, want := read(t, messages, errs, 3), []string{"create b", "create c", "create d"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}

	messages, errs = c.Events(t.Context(), events.ListOptions{Since: sinceNano(first.TimeNano), Until: sinceNano(first.TimeNano)})
	if got := read(t, messages, errs, 1); !slices.Equal(got, []string{"create a"}) {
		t.Errorf("until then: got %v", got)
	}
	if err := <-errs; !errors.Is(err, io.EOF) {
		t.Errorf("stream until the past ended with %v", err)
	}

	messages, errs = c.Events(t.Context(), events.ListOptions{}) // no past without since
	e.Create(named("e"))
	if got := read(t, messages, errs, 1); !slices.Equal(got, []string{"create e"}) {
		t.Errorf("without since: got %v", got)
	}
}

func TestEventsUntilSoon(t *testing.T) {
	e := startEngine(t)
	until := time.Now().Add(200 * time.Millisecond)
	_, errs := dial(t, e).Events(t.Context(), events.ListOptions{Until: sinceNano(until.UnixNano())})
	if err := <-errs; !errors.Is(err, io.EOF) || time.Now().Before(until) {
		t.Errorf("ended with %v, %s too early", err, time.Until(until))
	}
}

func TestEventMemory(t *testing.T) {
	e := startEngine(t)
	for i := range 300 {
		e.Emit("exec_start: sh", named(fmt.Sprint(i)))
	}
	now := sinceNano(e.lastNano)
	count := func() int {
		t.Helper()
		_, body := get(t, e, http.MethodGet, "/events?since=1&until="+now)
		return strings.Count(body, "\n")
	}
	if got := count(); got != 256 {
		t.Errorf("engine remembers %d events", got)
	}
	if err := e.Restart(); err != nil {
		t.Fatal(err)
	}
	if got := count(); got != 0 {
		t.Errorf("engine remembers %d events over a restart", got)
	}
}

func TestStopBreaksEventStream(t *testing.T) {
	e := startEngine(t)
	_, errs := dial(t, e).Events(t.Context(), events.ListOptions{})
	e.Stop()
	if err := <-errs; err == nil {
		t.Error("no error")
	}
	if _, errs := dial(t, e).Events(t.Context(), events.ListOptions{}); !client.IsErrConnectionFailed(<-errs) {
		t.Error("stopped engine streams events")
	}
}

// An engine whose clock is set stamps, dates and compares by it.
func TestSetClock(t *testing.T) {
	e := startEngine(t)
	pod := Pod(0, time.Now())
	for _, ahead := range []time.Duration{2 * time.Hour, -time.Hour} {
		e.SetClock(ahead)
		now := time.Now().Add(ahead)
		e.Emit("start", pod)
		resp, body := get(t, e, http.MethodGet, fmt.Sprintf("/events?since=%d&until=%d", now.Unix()-1, now.Unix()+1))
		if date, err := http.ParseTime(resp.Header.Get("Date")); err != nil || date.Sub(now).Abs() > time.Minute {
			t.Errorf("%v ahead: dated %v, %v", ahead, date, err)
		}
		if n := strings.Count(body, `"Action":"start"`); n != 1 {
			t.Errorf("%v ahead: %d events of the last second", ahead, n)
		}
	}
}
