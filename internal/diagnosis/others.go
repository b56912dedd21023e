package diagnosis

import (
	"fmt"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/rancher"
)

// unmanagedOthers are the containers that the clean-up of the node-agent takes along with the cert-writers.
func (l look) unmanagedOthers() []*rancher.Agent {
	var others []*rancher.Agent
	for _, a := range l.Unmanaged() {
		if a.Role != rancher.RoleCertWriter {
			others = append(others, a)
		}
	}
	return others
}

// alsoRemoved warns of what a restart of the node-agent removes besides the cert-writers.
func (l look) alsoRemoved() *Finding {
	const shown = 5
	others := l.unmanagedOthers()
	if len(others) == 0 || len(l.With(rancher.RoleNodeAgent)) == 0 {
		return nil
	}
	f := &Finding{
		Severity: Info,
		Title:    fmt.Sprintf("A restart of the node-agent also removes %s", count(len(others), "other container")),
		Why: "It removes every container of the agent image that belongs to no pod. A registration agent is in use while the node is being registered, " +
			"and left over afterwards; others were started by hand.",
	}
	for i, a := range others {
		if i == shown {
			f.Seen = append(f.Seen, fmt.Sprintf("And %d more.", len(others)-shown))
			break
		}
		f.Seen = append(f.Seen, fmt.Sprintf("%s, %s: %s.", RoleWords(a.Role), State(a), l.describe(a)))
	}
	return f
}

// stopped tells of cert-writers that somebody has stopped: they count for nothing, but are still there.
func (l look) stopped() *Finding {
	var stopped []*rancher.Agent
	removable := 0
	for _, a := range l.With(rancher.RoleCertWriter) {
		if a.State.Live() {
			continue
		}
		stopped = append(stopped, a)
		if a.Unmanaged {
			removable++
		}
	}
	if len(stopped) == 0 {
		return nil
	}
	f := &Finding{
		Severity: Info,
		Title:    fmt.Sprintf("%s left", count(len(stopped), "stopped cert-writer")),
		Seen:     []string{"The oldest: " + l.describe(stopped[0]) + "."},
		Why:      "They take disk space and no memory, and start again only if somebody starts them.",
	}
	if removable > 0 {
		f.Seen = append(f.Seen, fmt.Sprintf("The next start of the node-agent removes %d of them, about 15 s after it has connected to Rancher.", removable))
	}
	return f
}

// failing finds cert-writers that cannot do their work, and which Docker starts again and again.
func (l look) failing() *Finding {
	var failing []*rancher.Agent
	for _, a := range l.live {
		if a.State == rancher.StateRestarting {
			failing = append(failing, a)
		}
	}
	if len(failing) == 0 {
		return nil
	}
	a := failing[len(failing)-1]
	f := &Finding{
		Severity: Info,
		Title:    fmt.Sprintf("Docker keeps restarting %s", count(len(failing), "cert-writer")),
		Seen:     []string{fmt.Sprintf("%s: %s.", State(a), l.describe(a))},
		Why: "It does not reach its server, or refuses it: another CA checksum than at its creation (rancher/rancher#13244), a changed server URL, DNS, a firewall, " +
			"or no default route and no --address (rancher/rancher#21802).",
	}
	f.Commands = logCommands("What does it say?", a)
	return f
}
