// Package diagnosis tells a person what is wrong with a node and what to do about it, from one observation. Its verdicts
// are those of the alert rules in alerts/rules.yml; a test feeds the same nodes to both.
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
	More     int  // cert-writers left out of Agents
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

// Diagnose makes a report of what was observed now. Events are those before now that are known, if any.
func Diagnose(o node.Observation, events []rancher.Event, now time.Time) Report {
	if o.Err != nil {
		return Report{At: now, Findings: []Finding{unreachable(o, now)}}
	}
	l := newLook(o.Snapshot, events, now)
	report := Report{At: now, Looked: true}
	report.Agents, report.More = rows(o.Snapshot)
	for _, find := range []func() *Finding{
		l.leak, l.survivors, l.nodeAgentMissing, l.crashLoop, l.stuck, l.removals, l.servers,
	} {
		if f := find(); f != nil {
			report.Findings = append(report.Findings, *f)
		}
	}
	slices.SortStableFunc(report.Findings, func(a, b Finding) int { return int(b.Severity - a.Severity) })
	if len(report.Findings) == 0 {
		report.Findings = append(report.Findings, l.quiet())
	}
	if f := l.alsoRemoved(); f != nil {
		report.Findings = append(report.Findings, *f)
	}
	return report
}

// look is what was seen of a node, with what several findings ask of it.
type look struct {
	rancher.Snapshot
	now       time.Time
	events    []rancher.Event
	live      []*rancher.Agent // cert-writers, the oldest first
	shareMnt  *rancher.Agent   // the newest; nil if there is none
	agents    []*rancher.Agent // running node-agents
	lastStart time.Time        // of the node-agent that started last; zero if unknown
}

func newLook(s rancher.Snapshot, events []rancher.Event, now time.Time) look {
	l := look{
		Snapshot: s,
		now:      now,
		events:   events,
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

// managed says whether Rancher manages this node as one of an RKE1 cluster, or has left something of that.
func (l look) managed() bool {
	return l.shareMnt != nil || len(l.With(rancher.RoleNodeAgent))+len(l.With(rancher.RoleCertWriter)) > 0
}

// eventTimes are the times of the events of a role, or of an action that has none, the oldest first.
func (l look) eventTimes(role rancher.Role, actions ...string) []time.Time {
	var times []time.Time
	for _, e := range l.events {
		if got, _ := e.Role(); got == role && slices.Contains(actions, e.Action) {
			times = append(times, e.Time)
		}
	}
	return times
}
