package node

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-kit/log"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/rancher"
)

// tally is a Recorder that writes everything down.
type tally struct {
	streams []bool
	events  map[string]int
	prunes  []time.Time
}

func (r *tally) EventStream(connected bool) { r.streams = append(r.streams, connected) }
func (r *tally) ContainerEvent(role rancher.Role, action string) {
	r.events[fmt.Sprintf("%s %s", role, action)]++
}
func (r *tally) ContainerPrune(at time.Time) { r.prunes = append(r.prunes, at) }

func newTestFollower(engine Engine, logs *bytes.Buffer) (*Follower, *Roles, *tally) {
	roles, recorder := NewRoles(engine, log.NewLogfmtLogger(logs)), &tally{events: make(map[string]int)}
	return NewFollower(roles, recorder, log.NewLogfmtLogger(logs)), roles, recorder
}

func event(action string, c rancher.Container) rancher.Event {
	attributes := maps.Clone(c.Labels)
	if attributes == nil {
		attributes = make(map[string]string)
	}
	attributes["image"] = c.Image
	attributes["name"] = strings.TrimPrefix(c.Names[0], "/")
	return rancher.Event{ID: c.ID, Action: action, Time: time.Unix(1700000000, 0), Attributes: attributes}
}

func TestFollowerCountsByRole(t *testing.T) {
	known, fresh, gone := certWriter("c1"), certWriter("c2"), certWriter("c3")
	fresh.Started = time.Unix(1, 0)
	registration := certWriter("d1")
	registration.Command = rancher.ListedCommand("run.sh --server https://r.example --token t --worker")
	registration.Started = fresh.Started
	pause := rancher.Container{ID: "e1", Names: []string{"/k8s_POD_cattle-node-agent-x_cattle-system_u_0"}, Image: "rancher/pause:3.1"}
	engine := &stubEngine{}
	engine.set(fresh, registration)
	follower, roles, recorder := newTestFollower(engine, new(bytes.Buffer))
	roles.learn(rancher.Classify(slices.Values([]rancher.Container{known})))

	for _, e := range []rancher.Event{
		event("create", known), event("die", known),
		event("create", fresh), event("start", fresh), // one inspect for both
		event("destroy", gone), // gone before anybody could look
		event("create", registration),
		event("create", pause),
		event("destroy", shareMnt("a1")),
		event("start", nodeAgent("b1", "running")),
		{Action: rancher.EventPrune, Time: time.Unix(1700000001, 5)},
	} {
		follower.Event(t.Context(), e)
	}

	want := map[string]int{
		"cert_writer create": 2, "cert_writer start": 1, "cert_writer die": 1,
		"share_mnt destroy": 1, "node_agent start": 1,
	}
	if !maps.Equal(recorder.events, want) {
		t.Errorf("counted %v, want %v", recorder.events, want)
	}
	if len(recorder.prunes) != 1 || recorder.prunes[0].UnixNano() != 1700000001000000005 {
		t.Errorf("prunes %v", recorder.prunes)
	}
	if want := "[c2 c3 d1]"; fmt.Sprint(engine.inspects) != want {
		t.Errorf("inspected %v, want %s", engine.inspects, want)
	}
}

// An engine that fails once must not cost a cert-writer its events: not the later ones, and with them not the first.
func TestFollowerAsksAgain(t *testing.T) {
	engine := &stubEngine{}
	follower, _, recorder := newTestFollower(engine, new(bytes.Buffer))
	writer := certWriter("c1")
	follower.Event(t.Context(), event("create", writer))
	writer.Started = time.Unix(1, 0)
	engine.set(writer)
	follower.Event(t.Context(), event("start", writer))
	if want := (map[string]int{"cert_writer create": 1, "cert_writer start": 1}); !maps.Equal(recorder.events, want) {
		t.Errorf("counted %v, want %v", recorder.events, want)
	}
}

// A list that no longer shows a cert-writer may overtake the event of its end.
func TestRolesOutliveTheirContainers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		writer := certWriter("c1")
		roles := NewRoles(&stubEngine{}, log.NewNopLogger())
		roles.learn(rancher.Classify(slices.Values([]rancher.Container{writer})))
		time.Sleep(10 * time.Minute)
		roles.learn(rancher.Snapshot{})
		if got := told(roles, event("destroy", writer)); !slices.Equal(got, []rancher.Role{rancher.RoleCertWriter}) {
			t.Errorf("after 10 minutes: roles %q, want cert_writer", got)
		}
		time.Sleep(time.Nanosecond)
		roles.learn(rancher.Snapshot{})
		if len(roles.byID) != 0 {
			t.Errorf("after more than 10 minutes %d containers are remembered, want none", len(roles.byID))
		}
	})
}

// The connection may break between an event and the inspect of its container. The event is heard only once, so it counts as
// soon as a list shows what the container is.
func TestFollowerCountsWhenTheInspectFailed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		writer := certWriter("c1")
		follower, roles, recorder := newTestFollower(&stubEngine{}, new(bytes.Buffer))
		const most = 256 // as many as an engine keeps
		for i := range 2 * most {
			if got := told(roles, event("destroy", certWriter(fmt.Sprintf("gone-%d", i)))); got != nil {
				t.Errorf("roles %q of a container that nobody saw", got)
			}
		}
		follower.Event(t.Context(), event("create", writer))
		follower.Event(t.Context(), event("start", writer))
		if len(recorder.events) != 0 || len(roles.waiting) != most {
			t.Errorf("counted %v before anybody could look; %d events wait, want %d", recorder.events, len(roles.waiting), most)
		}
		for range 2 {
			roles.learn(rancher.Classify(slices.Values([]rancher.Container{writer})))
		}
		if want := (map[string]int{"cert_writer create": 1, "cert_writer start": 1}); !maps.Equal(recorder.events, want) {
			t.Errorf("counted %v, want %v", recorder.events, want)
		}
		time.Sleep(10 * time.Minute)
		roles.learn(rancher.Snapshot{})
		if len(roles.waiting) != most-2 {
			t.Errorf("after 10 minutes %d events wait, want %d", len(roles.waiting), most-2)
		}
		time.Sleep(time.Nanosecond)
		roles.learn(rancher.Snapshot{})
		if len(roles.waiting) != 0 {
			t.Errorf("%d events of containers that nobody saw still wait", len(roles.waiting))
		}
	})
}

// A proxy that cuts the stream every few minutes is no trouble; a stream that does not come back is.
func TestFollowerLogsOnlyLastingTrouble(t *testing.T) {
	logs := new(bytes.Buffer)
	follower, _, recorder := newTestFollower(&stubEngine{}, logs)
	err := errors.New("follow events: event stream ended")
	for range 3 {
		follower.Connected()
		follower.Disconnected(err)
		if last := recorder.streams[len(recorder.streams)-1]; last {
			t.Error("the stream is up without a connection")
		}
	}
	if strings.Contains(logs.String(), "level=warn") {
		t.Errorf("a stream that comes back is logged:\n%s", logs)
	}
	for range 3 {
		follower.Disconnected(err)
	}
	follower.Connected()
	if n := strings.Count(logs.String(), "level=warn"); n != 1 {
		t.Errorf("%d warnings, want 1:\n%s", n, logs)
	}
	if n := strings.Count(logs.String(), "level=info"); n != 1 {
		t.Errorf("%d all-clears, want 1:\n%s", n, logs)
	}
	if last := recorder.streams[len(recorder.streams)-1]; !last {
		t.Error("the stream is not up at the end")
	}
}

// The log at its most talkative: every event that counts, with the short ID, and every end of a stream.
func TestFollowerLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		logs := new(bytes.Buffer)
		follower, _, _ := newTestFollower(&stubEngine{}, logs)
		destroyed := shareMnt("3571bad91a6b0a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293")
		err := errors.New("follow events: connection refused")
		follower.Connected()
		follower.Event(t.Context(), event("destroy", destroyed))
		follower.Event(t.Context(), rancher.Event{Action: rancher.EventPrune, Time: time.Unix(1700000001, 5)})
		for range 3 {
			follower.Disconnected(err)
		}
		time.Sleep(15*time.Minute - time.Second)
		follower.Disconnected(err)
		time.Sleep(time.Second)
		follower.Disconnected(err)
		follower.Connected()
		want := `level=debug msg="container event" role=share_mnt action=destroy container_id=3571bad91a6b
level=debug msg="container prune" at=2023-11-14T22:13:21.000000005Z
level=debug msg="event stream ended" err="follow events: connection refused"
level=warn msg="event stream unavailable" err="follow events: connection refused"
level=debug msg="event stream still unavailable" err="follow events: connection refused"
level=debug msg="event stream still unavailable" err="follow events: connection refused"
level=warn msg="event stream still unavailable" err="follow events: connection refused" since=2000-01-01T00:00:00Z
level=info msg="event stream available again" after=15m0s
`
		if got := logs.String(); got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	})
}

// Why a container cannot be inspected is said at debug level, with its ID, unless it is just gone; of a scrape and of an event.
func TestFailedInspectsAreLogged(t *testing.T) {
	const id = "3571bad91a6b0a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293"
	for _, tc := range []struct {
		err  error
		want string
	}{
		{errors.New("inspect container: HTTP status 403"), `level=debug msg="cannot inspect a container" container_id=3571bad91a6b err="inspect container: HTTP status 403"` + "\n"},
		{fmt.Errorf("gone: %w", fs.ErrNotExist), ""},
	} {
		engine, logs := &stubEngine{inspectErr: tc.err}, new(bytes.Buffer)
		engine.set(shareMnt(id))
		newTestObserver(engine, logs).Observe()
		if got := logs.String(); got != tc.want {
			t.Errorf("%v: a scrape logs %q, want %q", tc.err, got, tc.want)
		}
		logs.Reset()
		follower, _, _ := newTestFollower(engine, logs)
		follower.Event(t.Context(), event("create", certWriter(id)))
		if got := logs.String(); got != tc.want {
			t.Errorf("%v: an event logs %q, want %q", tc.err, got, tc.want)
		}
	}
}
