package diagnosis

import "github.com/rancher-agent-exporter/rancher_agent_exporter/internal/rancher"

// rows are the containers for a table, and how many more there are: at most so many of each role, first the roles there
// are few of, and of the cert-writers those first that live.
func rows(s rancher.Snapshot) (agents []*rancher.Agent, more int) {
	const mostOfARole = 20
	for _, role := range append([]rancher.Role{rancher.RoleNodeAgent, rancher.RoleShareMnt}, append(rancher.OtherRoles(), rancher.RoleCertWriter)...) {
		all := s.With(role)
		if role == rancher.RoleCertWriter {
			all = liveFirst(all)
		}
		shown := min(len(all), mostOfARole)
		agents = append(agents, all[:shown]...)
		more += len(all) - shown
	}
	return agents, more
}

func liveFirst(agents []*rancher.Agent) []*rancher.Agent {
	var live, stopped []*rancher.Agent
	for _, a := range agents {
		if a.State.Live() {
			live = append(live, a)
		} else {
			stopped = append(stopped, a)
		}
	}
	return append(live, stopped...)
}
