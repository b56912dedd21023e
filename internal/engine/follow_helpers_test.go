package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/enginetest"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/rancher"
)

// diary is a Subscriber that writes everything down.
type diary struct {
	mu    sync.Mutex
	lines []string // connected, disconnected REASON, ID ACTION
	busy  bool
}

func (d *diary) write(line string) {
	d.mu.Lock()
	if d.busy {
		line = "AT THE SAME TIME " + line
	}
	d.busy = true
	d.mu.Unlock()
	time.Sleep(time.Microsecond) // gives a second call the chance to come meanwhile
	d.mu.Lock()
	defer d.mu.Unlock()
	d.busy = false
	d.lines = append(d.lines, line)
}

func (d *diary) Connected() { d.write("connected") }

func (d *diary) Disconnected(err error) {
	d.write("disconnected " + strings.TrimPrefix(fmt.Sprint(err), "follow events: "))
}

func (d *diary) Event(_ context.Context, e rancher.Event) { d.write(e.ID + " " + e.Action) }

func (d *diary) read() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.lines)
}

// events are the lines but for connections, each with how often it was written.
func (d *diary) events() map[string]int {
	counts := make(map[string]int)
	for _, line := range d.read() {
		if line != "connected" && !strings.HasPrefix(line, "disconnected") {
			counts[line]++
		}
	}
	return counts
}

// count is how many lines begin so.
func (d *diary) count(beginning string) int {
	n := 0
	for _, line := range d.read() {
		if strings.HasPrefix(line, beginning) {
			n++
		}
	}
	return n
}

// wantOrder checks that each stream is connected once, told of, and then disconnected once.
func (d *diary) wantOrder(t *testing.T) {
	t.Helper()
	connected := false
	for i, line := range d.read() {
		switch {
		case line == "connected" && connected, !strings.HasPrefix(line, "disconnected") && line != "connected" && !connected,
			strings.HasPrefix(line, "AT THE SAME TIME"):
			t.Fatalf("line %d out of order: %q", i, line)
		case line == "connected":
			connected = true
		case strings.HasPrefix(line, "disconnected"):
			connected = false
		}
	}
}

// follow follows a fake until the test ends, or until stop, which waits for that.
func follow(t *testing.T, fake *enginetest.Engine) (d *diary, stop func()) {
	t.Helper()
	return followBy(t, newEngine(t, fake.Host(), nil))
}

func followBy(t *testing.T, e *Engine) (d *diary, stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	d = new(diary)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		e.Follow(ctx, d)
	}()
	stop = func() {
		cancel()
		<-ended // Follow ends with its context
	}
	t.Cleanup(stop)
	return d, stop
}

// followConnected follows a fake and waits for the stream.
func followConnected(t *testing.T, fake *enginetest.Engine) (d *diary, stop func()) {
	t.Helper()
	d, stop = follow(t, fake)
	eventually(t, "an event stream", func() bool { return d.count("connected") == 1 && fake.EventStreams() == 1 })
	return d, stop
}

// eventText is an event as an engine writes it.
func eventText(id, action string, at time.Time) string {
	text, err := json.Marshal(map[string]any{
		"Type": "container", "Action": action, "Actor": map[string]any{"ID": id, "Attributes": map[string]string{"name": "x"}},
		"time": at.Unix(), "timeNano": at.UnixNano(),
	})
	if err != nil {
		panic(err)
	}
	return string(text) + "\n"
}

// script answers the nth request for events with the nth text, and ends it; the last one stays open.
func script(texts ...string) (intercept enginetest.Interceptor, sinces func() []string) {
	var mu sync.Mutex
	var seen []string
	intercept = on(eventsPath, func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		n := len(seen)
		seen = append(seen, r.URL.Query().Get("since"))
		mu.Unlock()
		if n < len(texts) {
			_, _ = io.WriteString(w, texts[n])
		}
		_ = http.NewResponseController(w).Flush()
		if n >= len(texts)-1 {
			<-r.Context().Done()
		}
	})
	return intercept, func() []string {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(seen)
	}
}

func sinceText(at time.Time) string { return fmt.Sprintf("%d.%09d", at.Unix(), at.Nanosecond()) }
