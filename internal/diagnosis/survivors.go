package diagnosis

import (
	"fmt"
	"strings"
	"time"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/rancher"
)

// oldWriters are the live cert-writers that the last start of the node-agent should have removed; none while it may still
// be about to. Docker tells a creation in whole seconds and a start with its fraction, so a second makes none old.
func (l look) oldWriters() []*rancher.Agent {
	if l.lastStart.IsZero() || l.now.Sub(l.lastStart) <= cleanUpTime {
		return nil
	}
	for i, a := range l.live {
		if l.lastStart.Sub(created(a)) <= time.Second {
			return l.live[:i]
		}
	}
	return l.live
}

// survivors finds that the node-agent does not clean up, so that restarting it once more is no cure.
func (l look) survivors() *Finding {
	old := l.oldWriters()
	if len(old) == 0 {
		return nil
	}
	f := &Finding{
		Title: fmt.Sprintf("The node-agent did not remove %s: restarting it will not help", count(len(old), "old cert-writer")),
		Seen: []string{
			fmt.Sprintf("The node-agent started %s ago (%s).", Words(l.now.Sub(l.lastStart)), Stamp(l.lastStart)),
			"Older than that: " + l.describe(old[0]) + ".",
		},
		Why: "About 15 s after it has connected to Rancher it removes all containers with the label io.cattle.agent=true that are in no pod.",
	}
	var unlabelled []string
	for _, a := range old {
		if id := a.ShortID(); !a.Unmanaged && id != rancher.Unknown {
			unlabelled = append(unlabelled, id)
		}
	}
	if len(unlabelled) > 0 {
		f.Why += " Some of these do not carry that label (a rebuilt image), so it never touches them: remove them yourself, if they are agents of Rancher."
		f.Commands = append(f.Commands, removeCommands("Remove what has no label.", unlabelled[:min(len(unlabelled), 4)]...)...)
	}
	if len(unlabelled) < len(old) {
		f.Why += " Most likely it does not reach Rancher: DNS, firewall, proxy, server URL, or a certificate that changed (rancher/rancher#13244). " +
			"Mend that, and the clean-up follows by itself."
		f.Commands = append(f.Commands, l.connectionCommands()...)
	}
	if id := l.nameless(); id != "" {
		f.Seen = append(f.Seen, "There is an agent container without a name, on which the clean-up of the node-agent may panic.")
		f.Commands = append(f.Commands, removeCommands("Remove the container without a name.", id)...)
	}
	f.lasted(survivedAlert, l.lastStart, l.now)
	return f
}

// removeCommands removes containers, and shows before what they are: image and program, but no argument, for among those
// is the cluster's token.
func removeCommands(what string, ids ...string) []Command {
	all := strings.Join(ids, " ")
	return []Command{
		{"First make sure that each is a rancher-agent that runs run.sh.", "docker inspect -f '{{.Id}} {{.Config.Image}} {{.Path}}' " + all},
		{what, "docker rm -f " + all},
	}
}

// connectionCommands look whether the node-agent reaches Rancher.
func (l look) connectionCommands() []Command {
	agent := l.agents[len(l.agents)-1]
	commands := logCommands("What does the node-agent say? It should be connecting once, without errors.", agent)
	if len(commands) > 0 {
		commands = append(commands, Command{"Does it reach Rancher? The answer should be pong.", "docker exec " + agent.ShortID() + " sh -c 'curl -sk $CATTLE_SERVER/ping'"})
	}
	return commands
}

// nameless is the ID of a container without a name that the clean-up meets; "" if there is none. The node-agent takes
// the first name without looking whether there is one.
func (l look) nameless() string {
	for _, a := range l.Unmanaged() {
		if id := a.ShortID(); a.Nameless && id != rancher.Unknown {
			return id
		}
	}
	return ""
}
