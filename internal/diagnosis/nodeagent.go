package diagnosis

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/rancher"
)

// nodeAgentMissing finds a node of Rancher without a running node-agent. Since when is known from an event alone.
func (l look) nodeAgentMissing() *Finding {
	if len(l.agents) > 0 || !l.managed() {
		return nil
	}
	f := &Finding{
		Title: "No node-agent runs",
		Why: "The pod of the DaemonSet cattle-node-agent keeps this node as Rancher wants it, and only its start removes leaked cert-writers. " +
			"Its pod may crash or be evicted, a taint or a missing DaemonSet may keep it away, or the kubelet is down.",
		Commands: []Command{
			{"Is its pod there, and what does it wait for?", "kubectl -n cattle-system get pods -o wide | grep cattle-node-agent"},
			{"Is the kubelet up?", "docker ps -a --filter name=kubelet --format '{{.Names}}  {{.Status}}'"},
		},
	}
	ended := l.With(rancher.RoleNodeAgent)
	if len(ended) == 0 {
		f.Seen = append(f.Seen, "There is no container of a node-agent, but others of Rancher.")
	} else {
		last := ended[len(ended)-1]
		f.Seen = append(f.Seen, "The last one is "+State(last)+": "+l.describe(last)+".")
		if id := last.ShortID(); id != rancher.Unknown {
			f.Commands = append(f.Commands, Command{"Why did it end?", logCommand("--tail 40 " + id)})
		}
	}
	var since time.Time
	if times := l.eventTimes(rancher.RoleNodeAgent, "die"); len(times) > 0 {
		since = times[len(times)-1]
	} else {
		f.Seen = append(f.Seen, "Since when, Docker does not tell.")
	}
	f.lasted(missingAlert, since, l.now)
	return f
}

// restartCommand restarts the node-agents. It is pasted into a root shell, so it holds nothing but container IDs.
func (l look) restartCommand() string {
	var ids []string
	for _, a := range l.agents {
		if id := a.ShortID(); id != rancher.Unknown && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return "docker restart $(docker ps -q --filter name=k8s_agent_cattle-node-agent)"
	}
	return "docker restart " + strings.Join(ids, " ")
}

var nodeAgentPod = regexp.MustCompile(`^cattle-node-agent-[a-z0-9-]+$`)

// agentPods are the pods of the running node-agents, those whose names a shell takes as they are.
func (l look) agentPods() []string {
	var pods []string
	for _, a := range l.agents {
		if nodeAgentPod.MatchString(a.Pod) && !slices.Contains(pods, a.Pod) {
			pods = append(pods, a.Pod)
		}
	}
	return pods
}

// logCommand shows the end of a log without the token that agents up to Rancher 2.5 write there (rancher/rancher#14735).
func logCommand(what string) string {
	return "docker logs " + what + " 2>&1 | sed 's/token [^ ]*/token X/'"
}
