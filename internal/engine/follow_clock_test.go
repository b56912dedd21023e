package engine

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/rancher"
)

// Events are told apart by container, action and time; no two of the three are enough, and the engine's clock may jump.
func TestToldApart(t *testing.T) {
	t.Parallel()
	at := time.Now().Add(time.Hour)
	again := message("a", "create", at) + message("a", "start", at) + message("b", "start", at) + message("", "prune", at)
	steppedBack := message("a", "die", at.Add(-30*time.Minute)) + message("a", "start", at.Add(-29*time.Minute))
	late := message("c", "start", at.Add(-31*time.Minute)) // stamped before, told after
	fake := startFake(t)
	intercept, sinces := script(again+again+steppedBack, again+steppedBack+late+late, "")
	fake.Intercept(intercept)
	d, stop := follow(t, fake)
	eventually(t, "three streams", func() bool { return d.count("connected") == 3 })
	stop()
	want := map[string]int{"a create": 1, "a start": 2, "b start": 1, " prune": 1, "a die": 1, "c start": 1}
	if got := d.events(); !maps.Equal(got, want) {
		t.Errorf("told %v, want %v", got, want)
	}
	d.wantOrder(t)
	resumed := []string{sinceText(at.Add(-29*time.Minute - resumeOverlap)), sinceText(at.Add(-31*time.Minute - resumeOverlap))}
	if got := sinces()[1:]; !slices.Equal(got, resumed) {
		t.Errorf("resumed since %q, want %q", got, resumed)
	}
}

// An engine's clock behind ours, or events without a time, make nobody ask for what was before the start: it would count.
func TestNothingFromBeforeTheStart(t *testing.T) {
	t.Parallel()
	fake := startFake(t)
	old := time.Now().Add(-time.Hour)
	intercept, sinces := script(message("a", "start", old)+`{"Type":"container","Action":"die"}`, "null {}", "")
	fake.Intercept(intercept)
	d, stop := follow(t, fake)
	eventually(t, "three streams", func() bool { return d.count("connected") == 3 })
	stop()
	got := sinces()
	for _, since := range got {
		if since != got[0] || !strings.Contains(since, ".") {
			t.Errorf("since %q", got)
		}
	}
	if d.events()["a start"] != 1 || d.events()[" die"] != 1 {
		t.Errorf("told %v", d.events())
	}
}

func TestEventTime(t *testing.T) {
	t.Parallel()
	fake := startFake(t)
	intercept, sinces := script(`{"Type":"container","Action":"die","time":4000000000}`, "")
	fake.Intercept(intercept)
	d, stop := follow(t, fake)
	eventually(t, "two streams", func() bool { return d.count("connected") == 2 })
	stop()
	if got := sinces()[1]; got != "3999999999.000000000" {
		t.Errorf("resumed since %s", got)
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
