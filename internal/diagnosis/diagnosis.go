// Package diagnosis tells a person what is wrong with a node and what to do about it, from one observation. It states what
// is proven, calls likely what is not, and names an alert only where what it sees makes that alert fire; a test feeds the
// same nodes to the rules in alerts/rules.yml.
//
// It is pure, and shows nothing of a command line but the server URL. Names of containers come from outside: whoever
// shows a report must escape them. Commands hold none of them.
package diagnosis

import (
	"slices"
	"time"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/node"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/rancher"
)

// Severity says how much a finding matters, the most the greatest.
type Severity int

// The severities, of which the last three are those of alerts.
const (
	OK Severity = iota
	Info
	Warning
	Critical
)

// String is the severity in a word.
func (s Severity) String() string { return [...]string{"ok", "info", "warning", "critical"}[s] }

// Finding is one thing there is to say about a node.
type Finding struct {
	Severity Severity
	Title    string
	Seen     []string // what was seen, a sentence each
	Why      string   // why that happens
	Commands []Command
	Alerts   []string // the alerts that fire for it by now
}

// Command is something to run on the node, or with kubectl.
type Command struct {
	What string
	Line string
}

// Report is what there is to say about a node.
type Report struct {
	At       time.Time
	Findings []Finding // never empty, the worst first
	Agents   []*rancher.Agent
	More     int  // containers left out of Agents
	Looked   bool // false if the containers could not be listed: Findings says why
}

// Severity is that of the worst finding.
func (r Report) Severity() Severity {
	worst := OK
	for _, f := range r.Findings {
		worst = max(worst, f.Severity)
	}
	return worst
}

// Diagnose makes a report of what was observed now, with the events that were heard before.
func Diagnose(o node.Observation, now time.Time) Report {
	if o.Err != nil {
		return Report{At: now, Findings: []Finding{unreachable(o, now)}}
	}
	l := newLook(o, now)
	report := Report{At: now, Looked: true}
	report.Agents, report.More = rows(o.Snapshot)
	report.add(l.leak(), l.survivors(), l.registering(), l.nodeAgentMissing())
	report.add(l.causes()...)
	report.add(l.stuck(), l.shareMntMissing(), l.servers())
	if len(report.Findings) == 0 {
		report.add(l.quiet())
	}
	report.add(l.twoNodeAgents(), l.failing(), l.stopped(), l.alsoRemoved()) // beside a node that is well, too
	slices.SortStableFunc(report.Findings, func(a, b Finding) int { return int(b.Severity - a.Severity) })
	return report
}

// add adds those findings that there are.
func (r *Report) add(findings ...*Finding) {
	for _, f := range findings {
		if f != nil {
			r.Findings = append(r.Findings, *f)
		}
	}
}

// look is what was seen of a node, with what several findings ask of it.
type look struct {
	rancher.Snapshot
	now       time.Time
	heard     []node.Heard
	live      []*rancher.Agent // cert-writers, the oldest first
	shareMnt  *rancher.Agent   // the newest; nil if there is none
	agents    []*rancher.Agent // running node-agents
	lastStart time.Time        // of the node-agent that started last; zero if unknown
}

func newLook(o node.Observation, now time.Time) look {
	s := o.Snapshot
	l := look{
		Snapshot: s,
		now:      now,
		heard:    o.Heard,
		live:     s.LiveCertWriters(),
		shareMnt: s.ShareMnt(),
		agents:   s.RunningNodeAgents(),
	}
	for _, a := range l.agents {
		if a.Started.After(l.lastStart) {
			l.lastStart = a.Started
		}
	}
	return l
}

// managed are the containers that Rancher leaves only on nodes of its RKE1 clusters, as the alert rules have it.
func (l look) managed() []*rancher.Agent {
	return slices.Concat(l.With(rancher.RoleShareMnt), l.With(rancher.RoleNodeAgent), l.With(rancher.RoleCertWriter))
}

// times are those of the events of a role, or of an action that has none, the oldest first.
func (l look) times(role rancher.Role, action string) []time.Time {
	var times []time.Time
	for _, e := range l.heard {
		if e.Role == role && e.Action == action {
			times = append(times, e.At)
		}
	}
	return times
}
