package diagnosis

import (
	"fmt"
	"strings"
	"time"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/rancher"
)

const leakWhy = "Up to Rancher v2.5.9 each start of share-mnt leaves one more container that writes certificates and then never ends " +
	"(rancher/rancher#15364). "

// leak finds more cert-writers than are normal, and tells a leak that goes on from what is left of one. One that goes on
// is a warning at once: whoever asks before the alert fires gets an answer too.
func (l look) leak() *Finding {
	n := len(l.live)
	if n <= normalCertWriters {
		return nil
	}
	oldest, newest := l.live[0], l.live[n-1]
	f := &Finding{
		Severity: Info,
		Seen: []string{
			fmt.Sprintf("%d live cert-writers; 0 or 1 is normal.", n),
			"The oldest: " + l.describe(oldest) + ".",
			"The newest: " + l.describe(newest) + ".",
		},
	}
	if groups := rancher.ServersOf(l.live, 1).Groups; len(groups) == 1 && groups[0].Server != rancher.Unknown {
		f.Seen = append(f.Seen, "All of them belong to "+groups[0].Server+".")
	}
	switch {
	case l.inProgress():
		f.Title = fmt.Sprintf("Leak in progress: %d cert-writers", n)
		if every, ok := period(l.writerTimes()); ok {
			f.Title += l.pace(every)
		}
		f.Why = leakWhy + "Something keeps starting it: see below."
		if n > normalCertWriters+1 || !l.justStarted() {
			f.Severity = Warning
		}
	case l.shareMnt != nil && !l.shareMnt.Leaks:
		f.Title = fmt.Sprintf("Left over from a leak: %d cert-writers", n)
		f.Why = leakWhy + "The share-mnt of this node starts none (Rancher v2.5.10, v2.6.0 or later), so there will be no more; " +
			"these stay until the node-agent starts again."
	default:
		f.Title = fmt.Sprintf("Left over from a leak: %d cert-writers, the newest %s old", n, Age(newest, l.now))
		f.Why = leakWhy + "None has come for a while, but these stay until the node-agent starts again."
	}
	if n > criticalCertWriters {
		f.lasted(leakCriticalAlert, l.createdAt(l.live[criticalCertWriters].Created), l.now)
	}
	f.lasted(leakAlert, l.createdAt(l.live[normalCertWriters].Created), l.now)
	l.cure(f)
	return f
}

// inProgress says whether there are more cert-writers than normal and more will come: the newest is younger than the
// period in which they come, or than a nightly job would leave it.
func (l look) inProgress() bool {
	if len(l.live) <= normalCertWriters || l.shareMnt != nil && !l.shareMnt.Leaks {
		return false
	}
	age := l.sinceNewest()
	every, ok := period(l.writerTimes())
	return age < leakEnds || ok && age < every+slack(every)
}

func (l look) sinceNewest() time.Duration {
	return l.now.Sub(created(l.live[len(l.live)-1]))
}

// pace says how often cert-writers come, and whether the next one is overdue.
func (l look) pace(every time.Duration) string {
	if age := l.sinceNewest(); age > every+slack(every) {
		return fmt.Sprintf(", one about every %s until %s ago", Words(every), Words(age))
	}
	return ", one more about every " + Words(every)
}

// justStarted says whether the node-agent may still be about to clean up.
func (l look) justStarted() bool {
	return !l.lastStart.IsZero() && l.now.Sub(l.lastStart) < cleanUpTime
}

// cure says what removes the cert-writers, if a restart of the node-agent does.
func (l look) cure(f *Finding) {
	switch {
	case len(l.agents) == 0:
		f.Seen = append(f.Seen, "No node-agent runs, and only its start removes them: bring it back first, see below.")
	case len(l.oldWriters()) > 0:
		f.Seen = append(f.Seen, "Restarting the node-agent will not help: see below.")
	case l.justStarted() && l.lastStart.After(created(l.live[0])):
		f.Seen = append(f.Seen, fmt.Sprintf("The node-agent started %s ago and removes them about 15 s after it has connected to Rancher: "+
			"look again in a few minutes.", Words(l.now.Sub(l.lastStart))))
	default:
		if others := len(l.unmanagedOthers()); others > 0 {
			f.Seen = append(f.Seen, fmt.Sprintf("A restart also removes %s of the agent image: see below first.", count(others, "other container")))
		}
		if ids := l.agentIDs(); len(ids) > 0 {
			f.Commands = append(f.Commands, Command{"Remove them: restart the node-agent. They go about 15 s after it has connected to Rancher.",
				"docker restart " + strings.Join(ids, " ")})
		}
		if pods := l.agentPods(); len(pods) > 0 {
			f.Commands = append(f.Commands, Command{"The same without a shell on the node.", "kubectl -n cattle-system delete pod " + strings.Join(pods, " ")})
		}
	}
}

// writerTimes are the creations of the newest live cert-writers, the oldest first: the pace of the leak now, and not
// what it was in another month.
func (l look) writerTimes() []time.Time {
	const pace = 12
	return creations(l.live[max(0, len(l.live)-pace):])
}

func creations(agents []*rancher.Agent) []time.Time {
	times := make([]time.Time, len(agents))
	for i, a := range agents {
		times[i] = created(a)
	}
	return times
}
