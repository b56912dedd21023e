// Package soak keeps a node busy for an hour: containers come and go, the event stream is cut at random, dockerd is stopped
// and killed, and two Prometheus servers scrape the exporter all the while. `make soak` is the hour; without a flag it is a
// short form of it.
package soak

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/e2e/exporter"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/e2e/monitoring"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/e2e/realengine"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/testkit"
)

var (
	duration = flag.Duration("soak.duration", 75*time.Second, "how long the soak goes on")
	seed     = flag.Uint64("soak.seed", 0, "what the soak does; 0: something else each time")
)

// A stretch of churn lasts so many operations, about one a second. Of the stretches a few have a restart of dockerd in
// them, the second and the third first of all.
const (
	shortestStretch = 12
	longestStretch  = 24
	restartsEvery   = 16
	patience        = time.Minute // the exporter may wait for 30 s before it tries an event stream again
)

// soak is one run: what was done so far, and what the exporter made of it.
type soak struct {
	t         *testing.T
	random    *rand.Rand
	node      *realengine.Node
	proxy     *proxy
	exporter  *exporter.Exporter
	runDir    string // of dockerd's socket, for share-mnt
	kinds     []kind // each as often as its weight
	number    int    // of containers made
	made      []*made
	done      tally
	missed    tally // done and not counted, as of the last quiet point
	restarted bool  // dockerd, since the last quiet point
	samples   []sample

	operated, stops, kills, compared int
}

func TestSoak(t *testing.T) {
	if testing.Short() {
		t.Skip("a soak is not short")
	}
	testkit.NeedPrograms(t, "docker", "prometheus")
	if *seed == 0 {
		*seed = uint64(time.Now().UnixNano())
	}
	t.Logf("-soak.seed=%d", *seed)
	s := newSoak(t)
	servers := []*monitoring.Prometheus{startPrometheus(t, s.exporter), startPrometheus(t, s.exporter)}
	start := time.Now()
	for stretch := 0; time.Since(start) < *duration; stretch++ {
		s.churn(stretch)
		s.quiet()
	}
	time.Sleep(5 * time.Second) // for the last scrapes, of which one may fail
	end := time.Now().Add(-time.Second)
	counters := countedIn(s.exporter.Scrape())
	var seen []scrapes
	for _, p := range servers {
		seen = append(seen, checkPrometheus(t, p, start, end, counters))
	}
	if s.proxy.cuts == 0 || s.stops == 0 || s.kills == 0 {
		t.Errorf("%d cuts, %d stops, %d kills: want some of each", s.proxy.cuts, s.stops, s.kills)
	}
	checkFlat(t, s.samples)
	t.Log(s.report(end.Sub(start), counters, seen))
}

func newSoak(t *testing.T) *soak {
	t.Helper()
	s := &soak{t: t, random: rand.New(rand.NewPCG(*seed, 1)), done: tally{}, missed: tally{}}
	for _, k := range kinds(t.TempDir()) {
		s.kinds = append(s.kinds, slices.Repeat([]kind{k}, k.weight)...)
	}
	s.node = realengine.New(t)
	s.node.ImportLab()
	s.runDir = filepath.Dir(s.node.Socket())
	s.proxy = startProxy(t, s.node.Socket())
	// A scrape must answer within Prometheus's second, dockerd or not.
	s.exporter = exporter.Start(t, "unix://"+s.proxy.socket, "--docker.timeout=700ms")
	s.exporter.Expect(patience, exporter.Metrics{"rancher_agent_docker_events_up": 1})
	return s
}

// churn does one thing after the other while the weather is bad.
func (s *soak) churn(stretch int) {
	s.t.Helper()
	calm := s.proxy.weather(rand.New(rand.NewPCG(*seed, uint64(stretch)+2)))
	defer calm()
	operations := shortestStretch + s.random.IntN(longestStretch-shortestStretch)
	restartAt, kill := -1, false
	if stretch%restartsEvery == 1 || stretch%restartsEvery == 2 {
		restartAt, kill = s.random.IntN(operations), stretch%restartsEvery == 2
	}
	for i := range operations {
		if i == restartAt {
			s.restartDockerd(kill)
		}
		s.operate()
		if above := s.done.minus(countedIn(s.exporter.Scrape())).ofCounted().where(below0); above != "" {
			s.t.Errorf("counted and never done:\n%s", above)
		}
	}
}

// quiet waits until the exporter has heard all, and compares.
func (s *soak) quiet() {
	s.t.Helper()
	marked := s.mark()
	s.exporter.Eventually(patience, func(m exporter.Metrics) string {
		if at := m["rancher_agent_docker_last_container_prune_timestamp_seconds"]; at < marked || m["rancher_agent_docker_events_up"] != 1 {
			return fmt.Sprintf("the exporter has not heard of the last prune, at %f, but of one at %f", marked, at)
		}
		return ""
	})
	// An event whose container could not be looked at counts with a list after it, and shows in the scrape after that.
	s.exporter.Expect(patience, exporter.Metrics{"rancher_agent_docker_up": 1})
	want := want(s.t, s.node.Host())
	m := s.exporter.Eventually(patience, func(m exporter.Metrics) string {
		if different := difference(m, want); different != "" {
			return fmt.Sprintf("quiet point %d: other than docker ps -a says:\n%s", s.compared, different)
		}
		return ""
	})
	missed := s.done.minus(countedIn(m)).ofCounted()
	lost := missed.minus(s.missed)
	if above := lost.where(below0); above != "" {
		s.t.Errorf("quiet point %d: counted and not done since the last one:\n%s", s.compared, above)
	}
	if missing := lost.where(not0); missing != "" && !s.restarted {
		s.t.Errorf("quiet point %d: done and not counted, and dockerd was there all the time:\n%s", s.compared, missing)
	}
	s.t.Logf("quiet point %d: %d operations, %d to count, %d missed, %d cuts, dockerd restarted %t",
		s.compared, s.operated, s.done.ofCounted().sum(), missed.sum(), s.proxy.cuts, s.restarted)
	s.missed, s.restarted = missed, false
	s.compared++
	s.samples = append(s.samples, s.sample())
	if s.t.Failed() {
		s.t.FailNow() // the hour would only repeat it
	}
}
