package engine

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/enginetest"
)

// One request without an endless stream tells the events so far, and only those.
func TestPastEvents(t *testing.T) {
	t.Parallel()
	fake := startFake(t)
	e := newEngine(t, fake.Host(), nil)
	past, err := e.PastEvents(t.Context())
	if err != nil || len(past) != 0 {
		t.Fatalf("of a quiet engine: %v, %v", past, err)
	}
	shareMnt := enginetest.ShareMnt("v2.3.3", "https://r.example", "n1", time.Now())
	fake.Put(shareMnt)
	fake.Prune()
	fake.Emit("exec_create: sh", shareMnt)
	until := time.Now()
	fake.ResetRequests()
	past, err = e.PastEvents(t.Context())
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
		_, err := e.PastEvents(within(t, 500*time.Millisecond))
		wantReason(t, err, want)
	}
	fake.Intercept(nil)
	if past, err := e.PastEvents(t.Context()); err != nil || len(past) != 2 {
		t.Errorf("after the trouble: %v, %v", past, err)
	}
	fake.Stop()
	_, err := e.PastEvents(t.Context())
	wantReason(t, err, "no such socket")
}

// A proxy that keeps the stream open after its end costs time, not events.
func TestPastEventsWithoutAnEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newEngine(t, "unix:///nowhere/docker.sock", nil)
		useScript(t, e, &transports{next: []func(*http.Request) (*http.Response, error){func(r *http.Request) (*http.Response, error) {
			reader, writer := io.Pipe()
			go func() {
				_, _ = io.WriteString(writer, eventText("a", "destroy", time.Now())+eventText("", "prune", time.Now()))
				<-r.Context().Done()
				_ = writer.CloseWithError(r.Context().Err())
			}()
			return &http.Response{StatusCode: http.StatusOK, Body: reader}, nil
		}}})
		past, err := e.PastEvents(within(t, 5*time.Second))
		if err != nil || len(past) != 2 || past[0].Action != "destroy" || past[1].Action != "prune" {
			t.Errorf("got %v, %v", past, err)
		}
	})
}
