package engine

import (
	"maps"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/enginetest"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/rancher"
)

// Events are told apart by container, action and time; no two of the three are enough, and the engine's clock may jump.
func TestToldApart(t *testing.T) {
	t.Parallel()
	at := time.Now().Add(time.Hour)
	again := eventText("a", "create", at) + eventText("a", "start", at) + eventText("b", "start", at) + eventText("", "prune", at)
	steppedBack := eventText("a", "die", at.Add(-30*time.Minute)) + eventText("a", "start", at.Add(-29*time.Minute))
	late := eventText("c", "start", at.Add(-31*time.Minute)) // stamped before, told after
	fake := startFake(t)
	intercept, _ := script(again+again+steppedBack, again+steppedBack+late+late, "")
	fake.Intercept(intercept)
	d, stop := follow(t, fake)
	eventually(t, "three streams", func() bool { return d.count("connected") == 3 })
	stop()
	want := map[string]int{"a create": 1, "a start": 2, "b start": 1, " prune": 1, "a die": 1, "c start": 1}
	if got := d.events(); !maps.Equal(got, want) {
		t.Errorf("told %v, want %v", got, want)
	}
	d.wantOrder(t)
}

// Where a stream goes on, by the engine's clock: it follows from half a minute ago, and heard events 20 and 10 s ago.
func TestBookmark(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		ahead, event time.Duration // the engine's clock, and the last event's time by it; 0 for none
		set          time.Duration // the clock, after that
		want         time.Duration
	}{
		"no event yet":                 {0, 0, 0, -30 * time.Second},
		"no event yet, a clock ahead":  {2 * time.Hour, 0, 0, -30 * time.Second},
		"no event yet, a clock behind": {-2 * time.Hour, 0, 0, -30 * time.Second},
		"an event":                     {0, -10 * time.Second, 0, -11 * time.Second},
		"told late":                    {0, -13 * time.Second, 0, -14 * time.Second},
		"a clock ahead":                {time.Hour, -10 * time.Second, 0, -11 * time.Second},
		"a clock behind":               {-time.Hour, -10 * time.Second, 0, -11 * time.Second},
		"set back since then":          {0, -10 * time.Second, -time.Hour, -11 * time.Second},
		"set forward since then":       {0, -10 * time.Second, time.Hour, -time.Hour - 11*time.Second},
		"from before the first":        {0, -time.Hour, 0, -30 * time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			engineTime := func() time.Time { return time.Now().Add(tc.ahead) }
			place := bookmark{start: time.Now()}
			place.since(engineTime())
			time.Sleep(10 * time.Second)
			if tc.event != 0 {
				place.add(engineTime())
				time.Sleep(10 * time.Second)
				place.add(engineTime().Add(10*time.Second + tc.event))
				time.Sleep(10 * time.Second)
			} else {
				time.Sleep(20 * time.Second)
			}
			now := engineTime().Add(tc.set)
			if got := place.since(now).Sub(now); got != tc.want {
				t.Errorf("%s: goes on at %v, want %v", name, got, tc.want)
			}
		})
	}
}

// The Date of a reply tells the engine's clock to the second: late rather than early, so that nothing of before the start counts.
func TestEngineClock(t *testing.T) {
	t.Parallel()
	sent := time.Date(2026, 11, 30, 12, 0, 0, 400e6, time.UTC)
	for _, tc := range []struct {
		date  string
		took  time.Duration
		ahead time.Duration
	}{
		{"", 0, 0},
		{"yesterday", 0, 0},
		{"Mon, 30 Nov 2026 12:00:00 GMT", 0, 0},
		{"Mon, 30 Nov 2026 12:00:03 GMT", 4 * time.Second, 0}, // it took its time
		{"Mon, 30 Nov 2026 11:59:59 GMT", 0, -400 * time.Millisecond},
		{"Mon, 30 Nov 2026 12:00:01 GMT", 0, 1600 * time.Millisecond},
		{"Mon, 30 Nov 2026 10:00:00 GMT", time.Second, -2*time.Hour + 600*time.Millisecond},
		{"Mon, 30 Nov 2026 14:00:00 GMT", time.Second, 2*time.Hour + 600*time.Millisecond},
	} {
		var c engineClock
		c.set(tc.date, sent, sent.Add(tc.took))
		if got := time.Duration(c.ahead.Load()); got != tc.ahead {
			t.Errorf("%s after %v: %v ahead, want %v", tc.date, tc.took, got, tc.ahead)
		}
	}
}

// However the engine's clock differs from ours, or is set meanwhile, the events of a gap count, and nothing of before the start.
func TestGapByAnotherClock(t *testing.T) {
	t.Parallel()
	created := time.Now()
	pod := func(n int) enginetest.Container { return enginetest.Pod(n, created) }
	for _, clock := range []struct{ first, then time.Duration }{
		{0, 0}, {-2 * time.Hour, -2 * time.Hour}, {time.Hour, time.Hour}, {0, -2 * time.Hour}, {2 * time.Hour, 0},
	} {
		fake := startFake(t)
		fake.SetClock(clock.first)
		fake.Emit("destroy", pod(0))
		d, stop := followConnected(t, fake)
		fake.Emit("create", pod(1))
		eventually(t, "the first event", func() bool { return len(d.events()) == 1 })
		fake.SetClock(clock.then)
		fake.Intercept(enginetest.Status(http.StatusServiceUnavailable, "", "text/plain", pingPath))
		fake.CutEvents()
		eventually(t, "a gap", func() bool { return d.count("disconnected HTTP status 503") > 0 })
		for n := 2; n < 5; n++ {
			fake.Emit("destroy", pod(n))
		}
		fake.Intercept(nil)
		eventually(t, "a stream", func() bool { return fake.EventStreams() == 1 })
		fake.Emit("destroy", pod(5))
		eventually(t, "the last event", func() bool { return d.count(pod(5).ID) == 1 })
		stop()
		if got := d.events(); len(got) != 5 || d.count(pod(0).ID) != 0 {
			t.Errorf("%v: told %v", clock, got)
		}
	}
}

// Only what counts goes on, and is remembered: an engine that does not filter tells of more, and of what was typed into an exec.
func TestReadEvents(t *testing.T) {
	t.Parallel()
	stream := `null {"Type":"image","Action":"prune","time":7}
{"Type":"network","Action":"prune"} {"Type":"volume","Action":"destroy"} {"Type":"builder","Action":"prune"} {"Action":"destroy","Actor":{"ID":"a"}}
{"Type":"network","Action":"create","Actor":{"ID":"n","Attributes":{"name":"share-mnt"}}}
{"Type":"container","Action":"exec_create: sh -c secret","Actor":{"ID":"a"}} {"Type":"container","Action":"kill"} {"Type":"container","Action":"health_status: healthy"}
{"Type":"container","Action":"die","time":4000000000,"Actor":{"ID":"b","Attributes":{"name":"share-mnt"}},"id":"x","new":[{}]}
{"Type":"container","Action":"prune","time":4000000000,"timeNano":4000000001000000002}`
	var got []rancher.Event
	if err := readEvents(newEntries(strings.NewReader(stream), new(exchange), entryLimit), func(e rancher.Event) { got = append(got, e) }); err != nil {
		t.Fatal(err)
	}
	want := []rancher.Event{
		{ID: "b", Action: "die", Time: time.Unix(4000000000, 0), Attributes: map[string]string{"name": "share-mnt"}},
		{Action: "prune", Time: time.Unix(4000000001, 2)},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// The memory for events is bounded, and longer than an engine's.
func TestRecent(t *testing.T) {
	t.Parallel()
	r := newRecent()
	event := func(n int) rancher.Event {
		return rancher.Event{ID: "a", Action: "start", Time: time.Unix(0, int64(n))}
	}
	for n := range 10 * recentEvents {
		if !r.add(event(n)) || r.add(event(n)) {
			t.Fatalf("event %d", n)
		}
		if oldest := n - 300; oldest >= 0 && r.add(event(oldest)) {
			t.Fatalf("event %d told again 300 later", oldest)
		}
	}
	if len(r.keys) != recentEvents {
		t.Errorf("remembers %d", len(r.keys))
	}
}
