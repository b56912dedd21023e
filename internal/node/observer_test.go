package node

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-kit/log"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/rancher"
)

func newTestObserver(engine Engine, logs *bytes.Buffer) *Observer {
	return NewObserver(engine, 5*time.Second, NewRoles(engine, log.NewLogfmtLogger(logs)), log.NewLogfmtLogger(logs))
}

func TestObserveAsksOnceForAllAtTheSameMoment(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		engine := &stubEngine{wait: make(chan struct{})}
		observer := newTestObserver(engine, new(bytes.Buffer))
		var group sync.WaitGroup
		for range 50 {
			group.Go(func() { observer.Observe() })
		}
		synctest.Wait() // all 50 wait for the list
		close(engine.wait)
		group.Wait()
		if engine.lists != 1 {
			t.Errorf("50 observations at once made %d lists, want 1", engine.lists)
		}
		observer.Observe()
		if engine.lists != 2 {
			t.Errorf("the next observation made %d lists in all, want 2: nothing is remembered", engine.lists)
		}
	})
}

func TestObserveInspectsOnlyShareMntAndRunningNodeAgents(t *testing.T) {
	started := time.Unix(1700000000, 0)
	old, newest := shareMnt("a1"), shareMnt("a2")
	old.Created, newest.Created, newest.Started = 1, 2, started
	running, dead := nodeAgent("b1", "running"), nodeAgent("b2", "exited")
	running.Started, running.RestartCount = started, 3
	engine := &stubEngine{}
	engine.set(old, newest, running, dead, certWriter("c1"), certWriter("c2"), rancher.Container{ID: "d1", Image: "nginx"})

	o := newTestObserver(engine, new(bytes.Buffer)).Observe()

	slices.Sort(engine.inspects)
	if want := []string{"a2", "b1"}; !slices.Equal(engine.inspects, want) {
		t.Errorf("inspected %v, want %v", engine.inspects, want)
	}
	if a := o.Snapshot.ShareMnt(); !a.Started.Equal(started) {
		t.Errorf("share-mnt started %v, want %v", a.Started, started)
	}
	if a := o.Snapshot.RunningNodeAgents()[0]; !a.Started.Equal(started) || a.Restarts != 3 {
		t.Errorf("node-agent started %v after %d restarts, want %v after 3", a.Started, a.Restarts, started)
	}
}

// slow is an engine that takes a second for a list, and another for an inspect.
type slow struct{ stubEngine }

func (s *slow) List(ctx context.Context, yield func(rancher.Container) bool) error {
	time.Sleep(time.Second)
	return s.stubEngine.List(ctx, yield)
}

func (s *slow) Inspect(ctx context.Context, id string) (rancher.Container, error) {
	time.Sleep(time.Second)
	return s.stubEngine.Inspect(ctx, id)
}

// What the last list showed is inspected beside the next one, once; what is new in that is inspected after it, and what is gone
// is not shown. After a list that failed there is nothing to expect.
func TestObserveInspectsBesideTheList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		old, agent := shareMnt("a1"), nodeAgent("b1", "running")
		old.Created, old.Started, agent.Started = 1, time.Unix(1700000000, 0), time.Unix(1700000001, 0)
		fresh := shareMnt("a2")
		fresh.Created, fresh.Started = 2, time.Unix(1700000002, 0)
		engine := &slow{}
		observer := newTestObserver(engine, new(bytes.Buffer))
		for _, step := range []struct {
			what       string
			containers []rancher.Container
			err        error
			took       time.Duration
			inspects   string
			shareMnt   time.Time
		}{
			{"the first look", []rancher.Container{old, agent}, nil, 2 * time.Second, "[a1 b1]", old.Started},
			{"the next", []rancher.Container{old, agent}, nil, time.Second, "[a1 b1]", old.Started},
			{"a new share-mnt", []rancher.Container{fresh, agent}, nil, 2 * time.Second, "[a1 a2 b1]", fresh.Started},
			{"again", []rancher.Container{fresh, agent}, nil, time.Second, "[a2 b1]", fresh.Started},
			{"no engine", nil, errors.New("list containers: connection refused"), time.Second, "[a2 b1]", time.Time{}},
			{"still none", nil, errors.New("list containers: connection refused"), time.Second, "[]", time.Time{}},
			{"one again", []rancher.Container{fresh, agent}, nil, 2 * time.Second, "[a2 b1]", fresh.Started},
		} {
			engine.set(step.containers...)
			engine.fail(step.err)
			engine.inspects = nil
			o := observer.Observe()
			slices.Sort(engine.inspects)
			if got := fmt.Sprint(engine.inspects); got != step.inspects || o.Duration != step.took {
				t.Errorf("%s: inspected %s in %v, want %s in %v", step.what, got, o.Duration, step.inspects, step.took)
			}
			if newest := o.Snapshot.ShareMnt(); newest != nil && !newest.Started.Equal(step.shareMnt) || newest == nil && step.err == nil {
				t.Errorf("%s: share-mnt %+v, want one started %v", step.what, newest, step.shareMnt)
			}
		}
	})
}

// FC-49, FC-50, FC-55: what cannot be inspected costs its start and nothing else.
func TestObserveFailedInspect(t *testing.T) {
	engine := &stubEngine{}
	engine.set(shareMnt("a1"), nodeAgent("b1", "running"), certWriter("c1"))
	o := newTestObserver(engine, new(bytes.Buffer)).Observe()
	if o.Err != nil || len(o.Snapshot.Agents) != 3 {
		t.Fatalf("got %d agents and error %v, want 3 and none", len(o.Snapshot.Agents), o.Err)
	}
	for _, a := range o.Snapshot.Agents {
		if !a.Started.IsZero() {
			t.Errorf("%s has a start from nowhere", a.ID)
		}
	}
}

// What an observation shows needs no inspect when it ends.
func TestObserveRemembersRoles(t *testing.T) {
	engine, writer := &stubEngine{}, certWriter("c1")
	engine.set(writer)
	observer := newTestObserver(engine, new(bytes.Buffer))
	observer.Observe()
	engine.set()
	got := told(observer.roles, event("die", writer))
	if !slices.Equal(got, []rancher.Role{rancher.RoleCertWriter}) || len(engine.inspects) != 0 {
		t.Errorf("roles %q after the inspects %v, want cert_writer after none", got, engine.inspects)
	}
}

// crowd is an engine that takes a second for each inspect, and counts how many are under way.
type crowd struct {
	stubEngine
	underWay, most int
}

func (c *crowd) Inspect(ctx context.Context, id string) (rancher.Container, error) {
	count := func(more int) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.underWay += more
		c.most = max(c.most, c.underWay)
	}
	count(1)
	defer count(-1)
	time.Sleep(time.Second)
	return c.stubEngine.Inspect(ctx, id)
}

// A node with many node-agents must not meet them all at once: the engine has other work.
func TestObserveInspectsEightAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		engine := &crowd{}
		var agents []rancher.Container
		for i := range 20 {
			agents = append(agents, nodeAgent(fmt.Sprint("b", i), "running"))
		}
		engine.set(agents...)
		o := newTestObserver(engine, new(bytes.Buffer)).Observe()
		if engine.most != 8 || len(engine.inspects) != 20 {
			t.Errorf("%d of %d inspects at once, want 8 of 20", engine.most, len(engine.inspects))
		}
		if o.Duration != 3*time.Second || !o.LastSuccess.Equal(time.Now().Add(-3*time.Second)) {
			t.Errorf("took %v, last success %v", o.Duration, o.LastSuccess)
		}
	})
}

func TestObserveTimesOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		engine := &stubEngine{wait: make(chan struct{})}
		o := newTestObserver(engine, new(bytes.Buffer)).Observe()
		if !errors.Is(o.Err, context.DeadlineExceeded) || o.Duration != 5*time.Second {
			t.Errorf("got error %v after %v, want a timeout after 5s", o.Err, o.Duration)
		}
	})
}

// FC-74: three failures, then recovery: one line down, a reminder now and then, one line up.
func TestObserveLogsAnOutageOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		engine, logs := &stubEngine{}, new(bytes.Buffer)
		observer := newTestObserver(engine, logs)
		if o := observer.Observe(); o.Err != nil || o.LastSuccess.IsZero() {
			t.Fatalf("got %v, want a success", o.Err)
		}
		success := time.Now()
		engine.fail(errors.New("list containers: connection refused"))
		for range 80 { // 20 minutes of scrapes
			time.Sleep(15 * time.Second)
			o := observer.Observe()
			if o.Err == nil || len(o.Snapshot.Agents) != 0 || !o.LastSuccess.Equal(success) {
				t.Fatalf("while down: got %+v", o)
			}
		}
		engine.fail(nil)
		observer.Observe()
		observer.Observe()

		var got []string
		for line := range strings.Lines(logs.String()) {
			if !strings.HasPrefix(line, "level=debug") {
				got = append(got, line)
			}
		}
		want := []string{
			`level=error msg="Docker Engine unavailable" err="list containers: connection refused"`,
			`level=error msg="Docker Engine still unavailable" err="list containers: connection refused" since=`,
			`level=info msg="Docker Engine available again" after=19m45s`,
		}
		if len(got) != len(want) {
			t.Fatalf("logged %d lines, want %d:\n%s", len(got), len(want), strings.Join(got, ""))
		}
		for i := range want {
			if !strings.HasPrefix(got[i], want[i]) {
				t.Errorf("line %d is %s, want %s", i, got[i], want[i])
			}
		}
	})
}
