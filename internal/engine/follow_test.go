package engine

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/enginetest"
)

// Each event is told once, however often the stream is cut, while events go on happening all the time, with and without a
// stream: fewer than the 256 an engine remembers while there is none (FC-67, issue 2).
func TestEachEventOnce(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		cut, between time.Duration
		cuts         int
	}{
		"cut every 70 ms":  {70 * time.Millisecond, 15 * time.Millisecond, 12},
		"cut every 300 ms": {300 * time.Millisecond, 8 * time.Millisecond, 5},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fake := startFake(t)
			fake.Emit("create", enginetest.Pod(99, time.Now())) // before anybody follows
			time.Sleep(5 * time.Millisecond)
			d, stop := followConnected(t, fake)
			want := make(map[string]int)
			start, nextCut := time.Now(), tc.cut
			for n, cuts := 0, 0; cuts < tc.cuts; n++ {
				c := enginetest.CertWriter(n, server, time.Now())
				action := []string{"create", "start", "die", "destroy"}[n%4]
				fake.Emit(action, c)
				want[c.ID+" "+action]++
				if n%5 == 0 {
					fake.Emit("exec_create: sh", c) // floods a stream that is not filtered
				}
				if time.Since(start) > nextCut {
					fake.CutEvents()
					nextCut += tc.cut
					cuts++
				}
				time.Sleep(tc.between)
			}
			eventually(t, "all events", func() bool { return len(d.events()) == len(want) })
			stop()
			if got := d.events(); !maps.Equal(got, want) {
				t.Errorf("%d events told, %d happened", len(got), len(want))
			}
			if d.count("disconnected event stream ended") < 2 {
				t.Errorf("cut too rarely: %d", d.count("disconnected"))
			}
			d.wantOrder(t)
		})
	}
}

// The engine filters, and the start is told by its clock.
func TestEventRequest(t *testing.T) {
	t.Parallel()
	fake := startFake(t)
	const ahead = 2 * time.Hour
	fake.SetClock(ahead)
	before := time.Now().Add(ahead)
	intercept, sinces := script("", "", "")
	fake.Intercept(intercept)
	d, stop := follow(t, fake)
	eventually(t, "three streams", func() bool { return d.count("connected") == 3 })
	stop()

	var filters map[string]map[string]bool
	for _, r := range fake.Requests() {
		query, err := url.ParseQuery(r.RawQuery)
		if err != nil {
			t.Fatal(err)
		}
		if r.Endpoint != eventsPath {
			continue
		}
		if err := json.Unmarshal([]byte(query.Get("filters")), &filters); err != nil {
			t.Fatal(err)
		}
		if want := map[string]map[string]bool{
			"type":  {"container": true},
			"event": {"create": true, "start": true, "die": true, "destroy": true, "prune": true},
		}; !reflect.DeepEqual(filters, want) || len(query) != 2 {
			t.Errorf("asked for %v", query)
		}
	}
	for _, since := range sinces() { // as no event came, the start each time, to the second of a Date
		if since < sinceText(before) || since > sinceText(time.Now().Add(ahead+time.Second)) {
			t.Errorf("asked since %s, by the engine's clock it began at %s", since, sinceText(before))
		}
	}
}

// What an engine of API 1.21 (a list of filter values) up to the newest wants, told in its own version.
func TestFollowOldAndNewEngines(t *testing.T) {
	t.Parallel()
	for _, versions := range [][2]string{{"", "1.23"}, {"1.12", "1.24"}, {"1.12", "1.41"}, {"1.44", "1.52"}} {
		fake := startFake(t)
		fake.SetAPI(versions[0], versions[1])
		d, _ := followConnected(t, fake)
		c := enginetest.Pod(1, time.Now())
		fake.Emit("exec_start: sh", c)
		fake.Emit("start", c)
		fake.EmitPrune()
		eventually(t, "two events", func() bool { return d.events()[c.ID+" start"] == 1 && d.events()[" prune"] == 1 })
	}
}

// An engine upgraded in place under a stream is followed again, in a version it still speaks.
func TestFollowUpgradeInPlace(t *testing.T) {
	t.Parallel()
	fake := startFake(t)
	d, stop := followConnected(t, fake)
	fake.SetAPI("1.44", "1.52")
	if err := fake.Restart(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "a stream of the new engine", func() bool { return fake.EventStreams() == 1 })
	fake.Emit("die", enginetest.CertWriter(0, server, time.Now()))
	eventually(t, "an event", func() bool { return len(d.events()) == 1 })
	stop()
	d.wantOrder(t)
	if got := asked(fake); !strings.HasPrefix(got[len(got)-1], "GET /v1.51/events?") {
		t.Errorf("asked %q", got)
	}
}

// A restart of the engine loses what happened just before and while it was down, and nothing that comes after.
func TestEngineRestartForgetsEvents(t *testing.T) {
	t.Parallel()
	fake := startFake(t)
	d, stop := followConnected(t, fake)
	var want []string
	emit := func(n int) {
		c := enginetest.CertWriter(n, server, time.Now())
		fake.Emit("start", c)
		want = append(want, c.ID+" start")
	}
	emit(0)
	eventually(t, "the first event", func() bool { return len(d.events()) == 1 })
	fake.Stop()
	fake.Emit("start", enginetest.CertWriter(1, server, time.Now()))
	eventually(t, "no engine", func() bool { return d.count("disconnected no such socket") > 0 })
	if err := fake.Restart(); err != nil {
		t.Fatal(err)
	}
	emit(2) // before anybody is connected
	eventually(t, "a new stream", func() bool { return fake.EventStreams() == 1 })
	emit(3)
	eventually(t, "the last event", func() bool { return len(d.events()) == 3 })
	stop()
	d.wantOrder(t)
	if got := d.events(); fmt.Sprint(len(got)) != "3" || got[want[0]] != 1 || got[want[1]] != 1 || got[want[2]] != 1 {
		t.Errorf("told %v", got)
	}
}
