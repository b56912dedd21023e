package diagnosis

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/rancher"
)

// searchKubelet finds the kubelet of an RKE1 node, which is a container.
var searchKubelet = Command{"Is the kubelet up?", "docker ps -a --filter label=io.rancher.rke.container.name=kubelet"}

// nodeAgentMissing finds a node of Rancher without a running node-agent.
func (l look) nodeAgentMissing() *Finding {
	if len(l.agents) > 0 || len(l.managed()) == 0 {
		return nil
	}
	f := &Finding{
		Title: "No node-agent runs",
		Why: "The pod of the DaemonSet cattle-node-agent keeps this node as Rancher wants it, and only its start removes leaked cert-writers. " +
			"Its pod may crash or be evicted, a taint or a missing DaemonSet may keep it away, or the kubelet is down.",
		Commands: []Command{
			{"Is its pod there, and what does it wait for?", "kubectl -n cattle-system get pods -o wide | grep cattle-node-agent"},
			searchKubelet,
		},
	}
	if ended := l.With(rancher.RoleNodeAgent); len(ended) == 0 {
		f.Seen = append(f.Seen, "There is no container of a node-agent, but others of Rancher.")
	} else {
		last := ended[len(ended)-1]
		f.Seen = append(f.Seen, "The last one is "+State(last)+": "+l.describe(last)+".")
		f.Commands = append(f.Commands, logCommands("Why did it end?", last)...)
	}
	f.lasted(missingAlert, l.missingSince(), l.now)
	return f
}

// missingSince is since when no node-agent has run: since the last one ended, by the list or by an event, unless it ran for
// so short a time that it most likely crashes again and again. No longer than anything of Rancher has been there. Zero where
// nobody knows.
func (l look) missingSince() time.Time {
	oldest := l.now
	for _, a := range l.managed() {
		if t := created(a); t.Before(oldest) {
			oldest = t
		}
	}
	since := missingAlert.atMost(oldest, l.now)
	if all := l.With(rancher.RoleNodeAgent); len(all) > 0 {
		last := all[len(all)-1]
		ended := l.now.Add(-last.Ended)
		if last.ExitCode != nil && ended.Sub(created(last)) >= shortRun && ended.After(since) {
			since = ended
		}
	}
	if died := l.times(rancher.RoleNodeAgent, "die"); len(died) > 0 {
		if t := runSince(died, 2*shortRun, died[len(died)-1]); t.After(since) { // 5 minutes is the kubelet's longest wait
			since = t
		}
	}
	return since
}

// twoNodeAgents finds more than one that runs.
func (l look) twoNodeAgents() *Finding {
	if len(l.agents) < 2 {
		return nil
	}
	f := &Finding{
		Severity: Info,
		Title:    fmt.Sprintf("%d node-agents run, and one is right", len(l.agents)),
		Why: "After docker restart with the ID of an old message: the kubelet had replaced that container, and the restart started it beside the new one. The kubelet " +
			"lets both run. While a new version is rolled out two run for a moment.",
	}
	for _, a := range l.agents {
		f.Seen = append(f.Seen, l.describe(a)+".")
	}
	if pods := l.agentPods(); len(pods) > 0 {
		f.Commands = append(f.Commands, Command{"If both are there in five minutes too, delete the pod: both end, and the DaemonSet makes a new one.",
			"kubectl -n cattle-system delete pod " + strings.Join(pods, " ")})
	}
	if stale := l.staleAgents(); len(stale) > 0 {
		f.Commands = append(f.Commands, Command{"Or, without kubectl, stop what the kubelet has replaced.", "docker stop " + strings.Join(stale, " ")})
	}
	return f
}

// staleAgents are the IDs of running node-agents that the kubelet has replaced by a younger container of the same pod.
func (l look) staleAgents() []string {
	current := l.agentIDs()
	var stale []string
	for _, a := range l.agents {
		if id := a.ShortID(); id != rancher.Unknown && !slices.Contains(current, id) {
			stale = append(stale, id)
		}
	}
	return stale
}

// agentIDs are the IDs of the running node-agents, the youngest of each pod: what a restart is for. They are pasted into a
// root shell, so nothing but hexadecimal digits is among them.
func (l look) agentIDs() []string {
	var ids, pods []string
	for _, a := range slices.Backward(l.agents) {
		id := a.ShortID()
		if id == rancher.Unknown || slices.Contains(ids, id) || slices.Contains(pods, a.Pod) {
			continue
		}
		ids, pods = append(ids, id), append(pods, a.Pod)
	}
	slices.Reverse(ids)
	return ids
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

// logCommands shows the end of a container's log without the token that agents write there: the whole of
// it up to Rancher 2.5 (rancher/rancher#14735), its first half from 2.6 on. Nothing where the engine tells no ID.
func logCommands(what string, a *rancher.Agent) []Command {
	id := a.ShortID()
	if id == rancher.Unknown {
		return nil
	}
	return []Command{{what, "docker logs --tail 40 " + id + " 2>&1 | sed 's/token .*/token X/'"}}
}
