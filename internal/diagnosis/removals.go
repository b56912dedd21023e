package diagnosis

import (
	"fmt"
	"slices"
	"time"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/rancher"
)

// What looks for whoever removes or starts containers.
var (
	searchCron       = Command{"Look for the job in cron.", "grep -rnE 'docker.*(prune| rm |start)|docker-gc' /etc/cron* /var/spool/cron"}
	searchTimers     = Command{"Look for a timer.", "systemctl --no-pager list-timers --all"}
	searchContainers = Command{"Look for a container that tidies up.", "docker ps -a | grep -Ei 'docker-gc|docker-cleanup|janitor|prune'"}
	sparingPrune     = Command{"For that job: a prune that spares Rancher's containers.",
		"docker system prune -f --filter 'label!=io.rancher.rke.container.name'"}
)

// removals finds that something removes share-mnt, where each removal leaks: proven by the events of the engine and the
// creation of the share-mnt that is there. It is so after a cure too, until a day has passed without one.
func (l look) removals() *Finding {
	if l.shareMnt != nil && !l.shareMnt.Leaks || l.shareMnt == nil && len(l.live) == 0 {
		return nil
	}
	times, removed := l.recreations(), l.removed()
	proof := times
	if len(removed) > len(times) { // share-mnt is not created again yet
		proof = removed
	}
	if len(proof) == 0 || l.now.Sub(proof[len(proof)-1]) >= leakEnds && !l.inProgress() {
		return nil
	}
	f := &Finding{
		Why: "A stopped share-mnt looks like rubbish to whatever removes stopped containers (docker system prune, docker container prune, docker rm, " +
			"docker-gc). The node-agent creates it again within minutes, and each new one leaves one more cert-writer (rancher/rancher#15364). " +
			"Stop that job, or make it spare containers of Rancher.",
		Commands: []Command{searchCron, searchTimers, searchContainers, sparingPrune},
	}
	switch {
	case len(proof) > normalRecreations:
		f.Severity = Warning
		f.Title = fmt.Sprintf("Something removes share-mnt again and again: %d times in %s", len(proof), Words(l.now.Sub(proof[0])))
	case len(removed) > 0 && !l.crashing():
		f.Severity = Info
		f.Title = fmt.Sprintf("Something removed share-mnt %s ago", Words(l.now.Sub(removed[len(removed)-1])))
	default:
		return nil
	}
	if len(times) > 0 {
		f.Seen = append(f.Seen, "It was created again at "+list(times)+".")
	}
	if every, ok := period(proof); ok {
		f.Title += ", about every " + Words(every)
		f.Seen = append(f.Seen, fmt.Sprintf("Look for a timer or a cron job that runs about every %s.", Words(every)))
	}
	if len(removed) > 0 {
		f.Seen = append(f.Seen, "Docker reported its removal at "+list(removed)+".")
	}
	if pruned := l.times(rancher.RoleNone, rancher.EventPrune); len(pruned) > 0 {
		f.Seen = append(f.Seen, "Docker reported a container prune at "+list(pruned)+".")
	}
	if since, ok := l.oftenSince(times); ok {
		f.lasted(removedAlert, since, l.now)
	}
	return f
}

// recreations are the creations of share-mnt that are proven, the oldest first: those that events tell of, and that of the
// one that is there, if it is young enough for the alert.
func (l look) recreations() []time.Time {
	times := l.times(rancher.RoleShareMnt, "create")
	if s := l.shareMnt; s != nil && !l.heardOf(s, "create") && (len(times) > 0 || l.recent(created(s))) {
		times = append(times, created(s))
	}
	slices.SortFunc(times, time.Time.Compare)
	return l.butNodeAgents(times)
}

// removed are the removals of share-mnt that events tell of, the oldest first.
func (l look) removed() []time.Time { return l.butNodeAgents(l.times(rancher.RoleShareMnt, "destroy")) }

// butNodeAgents leaves out one time that belongs to a start of the node-agent, which creates share-mnt itself when a node is
// built, and removes it before where it is upgraded.
func (l look) butNodeAgents(times []time.Time) []time.Time {
	if i := slices.IndexFunc(times, l.withNodeAgent); i >= 0 {
		return slices.Delete(times, i, i+1)
	}
	return times
}

func (l look) recent(t time.Time) bool { return l.now.Sub(t) < removalsWindow }

// oftenSince is since when share-mnt has been created as often as the alert wants it, with a cert-writer left; false if that
// is not so now.
func (l look) oftenSince(times []time.Time) (since time.Time, often bool) {
	times = slices.DeleteFunc(slices.Clone(times), func(t time.Time) bool { return !l.recent(t) })
	n := len(times)
	if n <= normalRecreations || l.now.Sub(times[n-1]) >= leakEnds {
		return time.Time{}, false
	}
	if third := times[n-1-normalRecreations]; len(l.live) == 0 || l.live[len(l.live)-1].Created < third.Unix() {
		return time.Time{}, false
	}
	since = times[normalRecreations]
	for i := normalRecreations + 1; i < n; i++ {
		if times[i].Sub(times[i-1]) >= leakEnds { // the alert ended in between
			since = times[i]
		}
	}
	return since, true
}

// heardOf says whether an event of a container was heard.
func (l look) heardOf(a *rancher.Agent, action string) bool {
	id := a.ShortID()
	for _, e := range l.heard {
		if e.ID == id && e.Action == action {
			return true
		}
	}
	return false
}
