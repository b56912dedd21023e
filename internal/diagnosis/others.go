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
	if len(others) == 0 {
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
