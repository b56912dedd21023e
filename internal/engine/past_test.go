package engine

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/enginetest"
)

// One request without an endless stream tells the events so far, and only those.
func TestPastEvents(t *testing.T) {
	t.Parallel()
	fake := startFake(t)
	e := newEngine(t, fake.Host(), nil)
	past, err := e.PastEvents(within(t, 20*time.Second), time.Now())
	if err != nil || len(past) != 0 {
		t.Fatalf("of a quiet engine: %v, %v", past, err)
	}
	shareMnt := enginetest.ShareMnt("v2.3.3", "https://r.example", "n1", time.Now())
	fake.Put(shareMnt)
	fake.Prune()
	fake.Emit("exec_create: sh", shareMnt)
	until := time.Now()
	fake.ResetRequests()
	past, err = e.PastEvents(within(t, 20*time.Second), until)
	if err != nil || len(past) != 2 || past[0].Action != "destroy" || past[0].ID != shareMnt.ID || past[1].Action != "prune" {
		t.Fatalf("got %v, %v", past, err)
	}
	if past[0].Attributes["name"] != "share-mnt" || past[0].Time.After(until) || time.Since(past[0].Time) > time.Hour {
		t.Errorf("got %v", past[0])
	}
	requests := fake.Requests()
	if len(requests) != 1 || requests[0].Endpoint != eventsPath || !strings.Contains(requests[0].RawQuery, "until=") {
		t.Errorf("asked %v", requests)
	}
}

// An engine that keeps the reply open has told its events all the same.
func TestPastEventsThatDoNotEnd(t *testing.T) {
	t.Parallel()
	fake := startFake(t)
	fake.Put(enginetest.ShareMnt("v2.3.3", "https://r.example", "n1", time.Now()))
	fake.Prune()
	fake.Intercept(func(_ http.ResponseWriter, r *http.Request) bool {
		query := r.URL.Query()
		query.Del("until")
		r.URL.RawQuery = query.Encode()
		return false
	})
	past, err := newEngine(t, fake.Host(), nil).PastEvents(within(t, 3*time.Second), time.Now())
	if err != nil || len(past) != 2 {
		t.Errorf("got %v, %v", past, err)
	}
}

func TestPastEventsFail(t *testing.T) {
	t.Parallel()
	fake := startFake(t)
	fake.Put(enginetest.ShareMnt("v2.3.3", "https://r.example", "n1", time.Now()))
	fake.Prune()
	e := newEngine(t, fake.Host(), nil)
	for want, trouble := range map[string]enginetest.Interceptor{
		"HTTP status 403":            enginetest.Status(403, "no", "text/plain", pingPath),
		"malformed reply":            enginetest.Body(eventsPath, []byte("<html>")),
		"timeout: no answer in time": enginetest.Hang(eventsPath),
	} {
		fake.Intercept(trouble)
		_, err := e.PastEvents(within(t, 500*time.Millisecond), time.Now())
		wantReason(t, err, want)
	}
	fake.Intercept(nil)
	if past, err := e.PastEvents(within(t, 20*time.Second), time.Now()); err != nil || len(past) != 2 {
		t.Errorf("after the trouble: %v, %v", past, err)
	}
	fake.Stop()
	_, err := e.PastEvents(within(t, 20*time.Second), time.Now())
	wantReason(t, err, "no such socket")
}
