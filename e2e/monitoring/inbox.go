package monitoring

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"
)

// Alert is one alert of a notification.
type Alert struct {
	Status      string            `json:"status"` // firing or resolved
	Labels      map[string]string `json:"labels"`
	Annotations map[string]string `json:"annotations"`
}

// Inbox is the webhook at the end: it keeps what it was sent.
type Inbox struct {
	Name string // of the stack that sends

	url string

	mu     sync.Mutex
	alerts []Alert
}

func newInbox(tb testing.TB, name string) *Inbox {
	inbox := &Inbox{Name: name}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var notification struct{ Alerts []Alert }
		if err := json.NewDecoder(r.Body).Decode(&notification); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		inbox.mu.Lock()
		defer inbox.mu.Unlock()
		inbox.alerts = append(inbox.alerts, notification.Alerts...)
	}))
	tb.Cleanup(server.Close)
	inbox.url = server.URL
	return inbox
}

// Last is the newest word on an alert; false if there is none.
func (i *Inbox) Last(name string) (Alert, bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	for k := len(i.alerts) - 1; k >= 0; k-- {
		if i.alerts[k].Labels["alertname"] == name {
			return i.alerts[k], true
		}
	}
	return Alert{}, false
}

// Got reports whether the alert ever came with the status.
func (i *Inbox) Got(name, status string) bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	return slices.ContainsFunc(i.alerts, func(a Alert) bool { return a.Labels["alertname"] == name && a.Status == status })
}

// Wait waits until the newest word on an alert has the status, and returns it.
func (i *Inbox) Wait(tb testing.TB, within time.Duration, name, status string) Alert {
	tb.Helper()
	for deadline := time.Now().Add(within); ; time.Sleep(100 * time.Millisecond) {
		last, ok := i.Last(name)
		if ok && last.Status == status {
			return last
		}
		if time.Now().After(deadline) {
			tb.Fatalf("%s: %s is not %s after %v; the newest word on it is %q", i.Name, name, status, within, last.Status)
		}
	}
}
