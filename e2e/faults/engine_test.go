package faults

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/events"
	"github.com/docker/docker/api/types/filters"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/e2e/exporter"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/rancher"
)

// Dockerd stands still for longer than the exporter waits. It lives on, so nothing may be lost: neither what happened to
// containers meanwhile nor what happens the moment it goes on.
func pausedEngine(t *testing.T, o *outcome) {
	l := begin(t, 3)
	x := start(t, l.Host(), "--docker.timeout=1s")
	x.healthy(l.want())
	process := l.process(l.writers[0])
	t.Cleanup(func() { _ = l.ResumeDockerd() }) // it would not end otherwise

	l.Pause()
	x.blind("timeout: no answer in time")
	o.sawf("`docker_up` 0, timeout, `docker_events_up` %v (nobody closed the stream)", x.Scrape()[eventsUp])
	l.crash(process)
	time.Sleep(time.Second)
	resumed := time.Now()
	l.Resume()
	x.rightAgain(o, resumed, nil)
	x.counted(l)
	x.loggedOutage()

	l.Pause()
	x.blind("timeout: no answer in time")
	l.Resume()
	l.shrink(1)
	l.grow(2)
	l.prune()
	x.counted(l)
	o.lost = fmt.Sprintf("nothing: %v of %d events counted", x.events(), l.total())
	x.unharmed()
}

// Dockerd is killed, a container ends while there is none, and some seconds later it is started again. Its memory of events
// went with it: what it tells since is counted, and nothing else. At its start 20.10 ends the cert-writers that lived on.
func killedEngine(t *testing.T, o *outcome) {
	l := begin(t, 3)
	x := start(t, l.Host())
	x.healthy(l.want())
	socket, err := os.Stat(l.Socket())
	if err != nil {
		t.Fatal(err)
	}
	before := x.Scrape()
	process := l.process(l.writers[0])

	l.Kill()
	killed := time.Now()
	x.blind("connection refused")
	o.sawf("`docker_up` 0, connection refused, `docker_events_up` %v", x.Scrape()[eventsUp])
	l.crash(process)
	time.Sleep(2 * time.Second)
	l.Start()
	started := time.Now()
	// not by its inode, which the file system may have given to the new one
	if again, err := os.Stat(l.Socket()); err != nil || again.ModTime().Equal(socket.ModTime()) {
		t.Errorf("the socket is the same, %v; want another", err)
	}
	o.rightAgain("values", x.until(started, func(m exporter.Metrics) string { return otherStates(m, l.List()) }))
	var told map[string]int
	o.rightAgain("events", x.until(started, func(m exporter.Metrics) string {
		told = l.told(killed)
		for action, n := range told {
			if counted := m[certWriterEvents(action)] - before[certWriterEvents(action)]; counted != float64(n) {
				return fmt.Sprintf("counted %v times %s since the kill, dockerd tells of %d", counted, action, n)
			}
		}
		if m[eventsUp] != 1 {
			return "the event stream is down"
		}
		return ""
	}))
	x.loggedOutage()
	o.sawf("the 3 cert-writers afterwards: %s", describe(l.List()))
	o.lost = fmt.Sprintf("%d of 3 ends, of which dockerd itself does not tell; nothing of what it does: %d ends, %d starts",
		3-told["die"], told["die"], told["start"])

	count := x.Scrape()[certWriterEvents("create")]
	l.grow(2)
	x.Expect(patience, exporter.Metrics{certWriterEvents("create"): count + 2})
	x.unharmed()
}

// otherStates says where the exporter counts other cert-writers than the engine lists.
func otherStates(m exporter.Metrics, list []container.Summary) string {
	states := make(map[string]int)
	for _, c := range list {
		if isCertWriter(c) {
			states[c.State]++
		}
	}
	series := m.Of("rancher_agent_cert_writer_containers")
	if len(series) == 0 {
		return "no counts"
	}
	for _, s := range series {
		state := strings.TrimSuffix(strings.TrimPrefix(s, `rancher_agent_cert_writer_containers{state="`), `"}`)
		if m[s] != float64(states[state]) {
			return fmt.Sprintf("%v are %s, the engine has %d", m[s], state, states[state])
		}
	}
	return ""
}

func isCertWriter(c container.Summary) bool {
	return strings.HasSuffix(c.Command, " --only-write-certs")
}

func describe(list []container.Summary) string {
	var statuses []string
	for _, c := range list {
		if isCertWriter(c) {
			statuses = append(statuses, c.Status)
		}
	}
	return strings.Join(statuses, ", ")
}

// told are the events of cert-writers that the engine itself tells of, since a moment, by action.
func (l *life) told(since time.Time) map[string]int {
	messages, errs := l.Docker().Events(l.t.Context(), events.ListOptions{
		Since:   since.Format(time.RFC3339Nano),
		Until:   time.Now().Format(time.RFC3339Nano),
		Filters: filters.NewArgs(filters.Arg("type", "container"), filters.Arg("image", cluster().Image)),
	})
	told := make(map[string]int)
	for _, action := range rancher.EventActions() {
		told[action] = 0
	}
	for {
		select {
		case m := <-messages:
			if _, ok := told[string(m.Action)]; ok && m.Actor.Attributes["name"] != "share-mnt" {
				told[string(m.Action)]++
			}
		case <-errs: // the end
			return told
		}
	}
}
