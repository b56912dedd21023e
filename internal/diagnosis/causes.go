package diagnosis

import (
	"fmt"
	"slices"
	"time"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/rancher"
)

// soonAfter is how long after its creation the node-agent starts a container at most.
const soonAfter = 2 * time.Minute

// searchDocker tells whether Docker itself was restarted, which starts share-mnt again.
var searchDocker = Command{"When was Docker started, and the node?", "systemctl show docker -p ActiveEnterTimestamp; uptime -s"}

// causes are the reasons why share-mnt is started: those that are proven, else what is likely.
func (l look) causes() []*Finding {
	found := []*Finding{l.crashLoop(), l.removals(), l.starts()}
	if !slices.ContainsFunc(found, func(f *Finding) bool { return f != nil }) {
		found = append(found, l.likely())
	}
	return found
}

// starts finds that something starts share-mnt although nothing removes it and it does not crash: its start has moved, its
// creation has not, and Docker has not restarted it by itself. Every cert-writer since its creation is such a start.
func (l look) starts() *Finding {
	s := l.shareMnt
	if s == nil || !l.inProgress() || l.crashing() || s.Started.IsZero() || s.Restarts > 0 || l.withNodeAgent(s.Started) {
		return nil
	}
	times := slices.DeleteFunc(l.startTimes(), l.withNodeAgent)
	if s.Started.Sub(created(s)) <= soonAfter || len(times) == 0 {
		return nil
	}
	f := &Finding{
		Severity: Info,
		Title:    fmt.Sprintf("Something started share-mnt again %s ago", Words(l.now.Sub(s.Started))),
		Seen: []string{
			fmt.Sprintf("share-mnt (%s) was created at %s and last started at %s.", s.ShortID(), Stamp(created(s)), Stamp(s.Started)),
			"Docker has not restarted it by itself, and nothing has removed it since its creation.",
			"It was started at " + list(times) + ".",
		},
		Why: "Most likely a script or a tool that starts whatever is stopped (docker start $(docker ps -aq)), Docker restarted while live-restore kept the " +
			"node-agent running, or new certificates of the cluster, for which the node-agent restarts everything once.",
		Commands: []Command{searchDocker, {"Is live-restore on?", "docker info --format '{{.LiveRestoreEnabled}}'"}, searchCron, searchTimers},
	}
	if len(times) > normalRecreations {
		f.Severity = Warning
		f.Title = fmt.Sprintf("Something starts share-mnt again and again: %d times in %s", len(times), Words(l.now.Sub(times[0])))
	}
	if every, ok := period(times); ok {
		f.Title += ", about every " + Words(every)
		f.Seen = append(f.Seen, fmt.Sprintf("Look for a timer or a cron job that runs about every %s.", Words(every)))
	}
	return f
}

// startTimes are the starts of the share-mnt that is there, but for that of its creation: of each a cert-writer is left.
func (l look) startTimes() []time.Time {
	return slices.DeleteFunc(creations(l.live), func(t time.Time) bool {
		return t.Sub(created(l.shareMnt)) <= soonAfter
	})
}

// withNodeAgent says whether something came about with the last start of the node-agent: a start of the node, or an upgrade.
func (l look) withNodeAgent(t time.Time) bool {
	return t.Sub(l.lastStart).Abs() < cleanUpTime
}

// likely says what is likely where nothing is proven: of most cert-writers only the creation is known.
func (l look) likely() *Finding {
	if !l.inProgress() {
		return nil
	}
	f := &Finding{
		Severity: Info,
		Title:    fmt.Sprintf("share-mnt was started %d times; what started it is not known", len(l.live)),
		Why: "Likely, the first most of all: something removes stopped containers (docker system prune, docker container prune, docker rm, docker-gc), and the " +
			"node-agent creates share-mnt again; Docker was restarted while live-restore kept the node-agent running; a script starts what is stopped. " +
			"The page of an exporter that runs hears the next time and then tells which.",
		Commands: []Command{searchCron, searchTimers, searchContainers, searchDocker, sparingPrune},
	}
	again := l.shareMnt == nil
	if again {
		f.Seen = append(f.Seen, "There is no share-mnt just now: something has removed it.")
	} else if sameStart(l.shareMnt, l.live[len(l.live)-1]) {
		again = true
		f.Seen = append(f.Seen, fmt.Sprintf("share-mnt was created with the newest cert-writer, at %s. An upgrade does that once.", Stamp(created(l.shareMnt))))
	} else if n := len(l.startTimes()); n > 0 {
		f.Seen = append(f.Seen, fmt.Sprintf("share-mnt has been there since %s, so %s of it, and not removals, left the newest.",
			Stamp(created(l.shareMnt)), count(n, "start")))
	}
	f.Seen = append(f.Seen, "Of the earlier times Docker tells no more than when: "+list(l.writerTimes())+".")
	if every, ok := period(l.writerTimes()); ok && again {
		f.Title = "Likely cause: a job that removes stopped containers about every " + Words(every)
		f.Seen = append(f.Seen, fmt.Sprintf("Look for a timer or a cron job that runs about every %s.", Words(every)))
	}
	return f
}

// sameStart says whether a cert-writer came from the first start of a share-mnt.
func sameStart(shareMnt, writer *rancher.Agent) bool {
	return time.Duration(writer.Created-shareMnt.Created)*time.Second <= soonAfter
}
