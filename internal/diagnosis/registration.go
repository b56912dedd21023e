package diagnosis

import (
	"fmt"
	"time"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/rancher"
)

// registrationTime is more than a registration takes: after that it hangs.
const registrationTime = time.Hour

// registering finds a node whose registration is under way, or has come to nothing: no node-agent runs yet.
func (l look) registering() *Finding {
	all := l.With(rancher.RoleRegistration)
	if len(all) == 0 || len(l.With(rancher.RoleNodeAgent)) > 0 {
		return nil
	}
	a := all[len(all)-1]
	began := created(a)
	f := &Finding{
		Severity: Info,
		Title:    fmt.Sprintf("A registration is under way, for %s", Words(l.now.Sub(began))),
		Seen:     []string{fmt.Sprintf("The registration agent is %s: %s.", State(a), l.describe(a))},
		Why:      "Rancher builds the node now: the node-agent, whose start removes this container and leaked cert-writers, comes last.",
	}
	if l.now.Sub(began) >= registrationTime || !a.State.Live() {
		f.Title = "Registration not finished since " + Stamp(began)
		f.Why = "The agent registers the node and Rancher then builds it, which takes minutes. Most often it does not reach Rancher, Rancher does not reach the node or " +
			"refuses it (a node of that name is there already, a port is taken), or a container of RKE does not start. Rancher shows the reason beside the node."
		f.Commands = append(f.Commands, Command{"What has been built so far?", "docker ps -a --filter label=io.rancher.rke.container.name"})
	}
	f.Commands = append(logCommands("What does the registration agent say?", a), f.Commands...)
	return f
}
