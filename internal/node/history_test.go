package node

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/rancher"
)

const wholeID = "3571bad91a6b0a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293"

// What a follower is told is there at the next look, the oldest first, whatever order it came in.
func TestHistory(t *testing.T) {
	engine := &stubEngine{}
	follower, roles, _ := newTestFollower(engine, new(bytes.Buffer))
	observer := NewObserver(engine, time.Second, roles, follower.logger)
	writer := certWriter(wholeID)
	at := func(e rancher.Event, second int64) rancher.Event {
		e.Time = time.Unix(second, 0)
		return e
	}
	for _, e := range []rancher.Event{
		at(event("create", writer), 3), // known only from the list below
		at(event("destroy", shareMnt(wholeID)), 2),
		{Action: rancher.EventPrune, Time: time.Unix(1, 0)},
		at(event("start", rancher.Container{Names: []string{"/web"}, Image: "nginx"}), 1),
	} {
		follower.Event(t.Context(), e)
	}
	engine.set(writer)
	observer.Observe() // learns what the container is
	want := []Heard{
		{rancher.RoleNone, "prune", rancher.Unknown, time.Unix(1, 0)},
		{rancher.RoleShareMnt, "destroy", wholeID[:12], time.Unix(2, 0)},
		{rancher.RoleCertWriter, "create", wholeID[:12], time.Unix(3, 0)},
	}
	if got := observer.Observe().Heard; !reflect.DeepEqual(got, want) {
		t.Errorf("heard %v, want %v", got, want)
	}
	engine.fail(fmt.Errorf("down"))
	if got := observer.Observe().Heard; got != nil {
		t.Errorf("heard %v of an engine that cannot be asked", got)
	}
}

// The memory is bounded: the newest of each kind stay, and a crash loop pushes out no prune.
func TestHistoryIsBounded(t *testing.T) {
	var h history
	h.add(rancher.RoleNone, rancher.Event{Action: rancher.EventPrune, Time: time.Unix(0, 0)})
	for i := range 1000 {
		for _, role := range rancher.EventRoles() {
			for _, action := range rancher.EventActions() {
				h.add(role, rancher.Event{Action: action, ID: strings.Repeat("a", 1<<10), Time: time.Unix(int64(i), 0)})
			}
		}
	}
	all := h.all()
	if len(all) != 12*mostHeard+1 || all[0].Action != rancher.EventPrune || all[1].At != time.Unix(1000-mostHeard, 0) || all[len(all)-1].At != time.Unix(999, 0) {
		t.Errorf("%d events, from %v to %v", len(all), all[0], all[len(all)-1])
	}
	if bytes := 13 * mostHeard * (unsafe.Sizeof(Heard{}) + uintptr(len(all[1].ID)) + 8); bytes > 100_000 {
		t.Errorf("up to %d bytes", bytes)
	}
}

// Events of the past are told apart without an inspect: by themselves, or by the list.
func TestRecall(t *testing.T) {
	writer, gone := certWriter(wholeID), certWriter(strings.Repeat("c", 64))
	registration := certWriter(strings.Repeat("d", 64))
	registration.Command = rancher.ListedCommand("run.sh --server https://r.example --token t --worker")
	snapshot := rancher.Classify(slices.Values([]rancher.Container{writer, registration}))
	late := event("start", nodeAgent(wholeID, "running"))
	late.Time = late.Time.Add(time.Minute)
	var got []string
	for _, h := range Recall([]rancher.Event{
		late, {Action: rancher.EventPrune, Time: time.Unix(1, 0)}, event("create", writer), event("create", gone), event("create", registration), event("destroy", shareMnt("a")),
	}, snapshot) {
		got = append(got, string(h.Role)+" "+h.Action)
	}
	if want := []string{" prune", "cert_writer create", "share_mnt destroy", "node_agent start"}; !slices.Equal(got, want) {
		t.Errorf("recalled %q, want %q", got, want)
	}
}
