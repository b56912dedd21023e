package diagnosis

import (
	"fmt"
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
	s := l.shareMnt
	if s == nil || s.State != rancher.StateRestarting && !l.betweenCrashes() {
		return nil
	}
	f := &Finding{
		Title: "Crash loop: Docker keeps restarting share-mnt",
		Seen:  []string{fmt.Sprintf("share-mnt (%s, image %s) is %s.", s.ShortID(), s.Image, State(s))},
	}
	since := l.createdAt(s.Created)
	if !s.Started.IsZero() {
		f.Seen = append(f.Seen, fmt.Sprintf("Docker has restarted it %s; the last start was %s ago.", count(s.Restarts, "time"), Words(l.now.Sub(s.Started))))
		if began := l.now.Add(-backOff(s.Restarts)); began.After(since) {
			since = began
		}
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
	f.Commands = append(f.Commands, Command{"Why does it fail?", logCommand("--tail 30 share-mnt")})
	f.lasted(crashLoopAlert, since, l.now)
	return f
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
			{"What does it wait for?", logCommand("--tail 30 share-mnt")},
			{"Is there a kubelet?", "docker ps -a --filter name=kubelet --format '{{.Names}}  {{.Status}}'"},
		},
	}
	f.lasted(stuckAlert, s.Started, l.now)
	return f
}
