package diagnosis

import (
	"fmt"
	"slices"
	"time"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/rancher"
)

// While share-mnt runs, these tell that it is between two crashes, or that it takes longer than it should.
const (
	manyRestarts = 3
	shortRun     = 5 * time.Minute
)

// crashLoop finds a share-mnt that Docker starts again and again.
func (l look) crashLoop() *Finding {
	if !l.crashing() {
		return nil
	}
	s := l.shareMnt
	f := &Finding{
		Title: "Crash loop: Docker keeps restarting share-mnt",
		Seen:  []string{fmt.Sprintf("share-mnt (%s, image %s) is %s.", s.ShortID(), s.Image, State(s))},
	}
	if !s.Started.IsZero() {
		f.Seen = append(f.Seen, fmt.Sprintf("Docker has restarted it %s; the last start was %s ago.", count(s.Restarts, "time"), Words(l.now.Sub(s.Started))))
	}
	switch {
	case s.ExitCode != nil && *s.ExitCode == 126:
		f.Why = "Exit code 126: a script in a development build of the image is not executable (rancher/rancher#32727). Nothing leaks; use a release."
	case s.Leaks:
		f.Why = "Most often: on a host with cgroup v2 the share-mnt of Rancher up to v2.5.9 cannot end itself (rancher/rancher#34839). Every start leaves one more " +
			"cert-writer, up to 1440 a day. Rancher v2.5.10 or v2.6.0 ends it, or cgroup v1 on the node; until then restart the node-agent every few hours."
	default:
		f.Why = "It starts no cert-writer, so nothing leaks. Its log says why it fails, most often the certificate or the address of the Rancher server."
	}
	if s.Leaks {
		f.Commands = append(f.Commands, Command{"cgroup2fs is cgroup v2, tmpfs is cgroup v1.", "stat -fc %T /sys/fs/cgroup"})
	}
	f.Commands = append(f.Commands, logCommands("Why does it fail?", s)...)
	since := l.crashingSince()
	if !since.IsZero() {
		f.Seen = append(f.Seen, fmt.Sprintf("It has crashed for at least %s.", Words(l.now.Sub(since))))
	}
	f.lasted(crashLoopAlert, since, l.now)
	return f
}

// crashing says whether Docker keeps restarting share-mnt.
func (l look) crashing() bool {
	return l.shareMnt != nil && (l.shareMnt.State == rancher.StateRestarting || l.betweenCrashes())
}

// crashingSince is since when a share-mnt that crashes has done so at least: as long as Docker took for its restarts, or as
// long as starts have come closely one after the other, for a removal in between starts the count of restarts again. Zero
// where nobody knows.
func (l look) crashingSince() time.Time {
	s := l.shareMnt
	since := crashLoopAlert.atMost(l.createdAt(s.Created), l.now)
	if s.Restarts > 0 {
		since = l.now.Add(-backOff(s.Restarts))
	}
	starts := l.times(rancher.RoleShareMnt, "start")
	if s.Leaks {
		starts = append(starts, creations(l.live)...)
	}
	if run := runSince(starts, shortRun, l.now); !run.IsZero() && (since.IsZero() || run.Before(since)) {
		since = run
	}
	return since
}

// betweenCrashes says whether share-mnt runs only until it crashes again.
func (l look) betweenCrashes() bool {
	s := l.shareMnt
	return s.State == rancher.StateRunning && s.Restarts > manyRestarts && l.now.Sub(s.Started) < shortRun
}

// backOff is how long Docker takes for so many restarts of a container that ends at once: it waits 100 ms, each time
// twice as long, up to a minute.
func backOff(restarts int) time.Duration {
	total, wait := time.Duration(0), 100*time.Millisecond
	for ; restarts > 0 && wait < time.Minute; restarts-- {
		total += wait
		wait *= 2
	}
	return total + time.Duration(restarts)*time.Minute
}

// stuck finds a share-mnt that does not come to its end.
func (l look) stuck() *Finding {
	s := l.shareMnt
	if s == nil || s.State != rancher.StateRunning || l.betweenCrashes() || s.Started.IsZero() || l.now.Sub(s.Started) < shortRun {
		return nil
	}
	f := &Finding{
		Title: "Stuck: share-mnt does not come to its end",
		Seen: []string{fmt.Sprintf("share-mnt (%s, image %s) has been running for %s (since %s); seconds are normal.",
			s.ShortID(), s.Image, Words(l.now.Sub(s.Started)), Stamp(s.Started))},
		Why: "Up to Rancher v2.4 it waits for a container named kubelet (rancher/rancher#13314). From v2.6.0 on it waits for the Rancher server: " +
			"that answers but refuses the connection, has no plan for this node, or no longer knows it. Nothing leaks because of this.",
		Commands: []Command{
			searchKubelet,
		},
	}
	f.Commands = append(logCommands("What does it wait for?", s), f.Commands...)
	f.lasted(stuckAlert, s.Started, l.now)
	return f
}

// missingTime is more than the node-agent takes to create share-mnt.
const missingTime = 10 * time.Minute

// shareMntMissing finds a node that RKE1 built and whose node-agent does not create share-mnt. Imported clusters have
// neither RKE's containers nor a share-mnt.
func (l look) shareMntMissing() *Finding {
	if !l.RKE || l.shareMnt != nil || len(l.agents) == 0 || l.shareMntComes() {
		return nil
	}
	f := &Finding{
		Severity: Info,
		Title:    "There is no share-mnt",
		Seen: []string{
			"RKE's containers are here (kubelet, kube-proxy …), and the node-agent runs" + l.runningFor() + ".",
			"For a few minutes that is normal, after something has removed share-mnt. If it is still missing in ten minutes, the node-agent cannot create it.",
		},
		Why: "The node-agent then does not reach Rancher, or cannot do all that Rancher wants of it, as when an image cannot be pulled (rancher/rancher#45640): its log says " +
			"what. Only in the cluster local, if RKE built it, there never is a share-mnt.",
	}
	f.Commands = logCommands("What does the node-agent say?", l.agents[len(l.agents)-1])
	return f
}

// shareMntComes says whether the node-agent may still be about to create share-mnt.
func (l look) shareMntComes() bool {
	recent := append(l.times(rancher.RoleShareMnt, "destroy"), l.lastStart)
	return l.now.Sub(slices.MaxFunc(recent, time.Time.Compare)) < missingTime
}

// runningFor is for how long the node-agent has run, as a sentence can end.
func (l look) runningFor() string {
	if l.lastStart.IsZero() {
		return ""
	}
	return ", for " + Words(l.now.Sub(l.lastStart))
}
