package main

import (
	"fmt"

	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/cog/variants"
	"github.com/grafana/grafana-foundation-sdk/go/common"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/grafana/grafana-foundation-sdk/go/stat"
)

func nodePage() dashboard.Dashboard {
	s := one
	d := page(nodeUID, "Rancher cert-writers / Node",
		"One node: the command that removes its leaked cert-writers, whether it worked, and what starts them again.", oneNode(),
		section{"", false, []dashboard.Panel{
			bigCommand(s, place{0, 0, 15, 4}),
			number(words{"Live now", "Running, restarting or paused: one is normal, more than one is the leak, more than 20 is critical.", "not seen: see Node"},
				place{15, 0, 4, 4}, "none", leak("text", limit(0, green)), s.figure(titled(s.live()), "{{title}}")),
			number(words{"Oldest live", "Age of the oldest live cert-writer.", "none is seen"},
				place{19, 0, 5, 4}, "s", above("text"), s.figure(titled(age(s.oldest())), "{{title}}")),
			kubectl(s, place{0, 4, 24, 3}),
			who(s, place{0, 7, 7, 4}),
			whatElse(s, place{7, 7, 11, 4}),
			lastRestart(s, place{18, 7, 6, 4}),
			number(words{"Last count", "Live cert-writers when the node was last seen, where it cannot be seen now. The alert rules record it.", "seen now"},
				place{0, 11, 4, 4}, "none", leak("text"), s.figure(titled(and(s.lastCount(), s.unseen())), "{{title}}")),
			number(words{"Also removed", "Other containers of the agent image that belong to no pod: the node-agent force-removes them too when it is restarted. Look at them first: docker ps -a --filter label=io.cattle.agent=true.", "not seen: see Node"},
				place{4, 11, 4, 4}, "none", above("text", limit(1, orange)), s.figure(titled(s.alsoRemoved()), "{{title}}")),
			number(words{"Node-agent up for", "Time since the node-agent last started. docker restart and a new container both begin it anew.", "none is seen to run"},
				place{8, 11, 4, 4}, "s", above("text"), s.figure(titled(age(s.agentStarted())), "{{title}}")),
			shareMntNow(s, place{12, 11, 4, 4}),
			couldLeak(s, place{16, 11, 4, 4}),
			number(words{"Last prune", "Age of the newest container prune that Docker reported (20.10 and later) since the exporter started. docker rm is never in it.", "none seen"},
				place{20, 11, 4, 4}, "s", above("text"), s.figure(titled(age(node(s.of("rancher_agent_docker_last_container_prune_timestamp_seconds")))), "{{title}}")),
		}},
		section{"Alerts and history", false, []dashboard.Panel{
			firingTable(s, "Firing alerts of this node", place{0, 0, 24, 6}, s.firing()),
			liveOverTime(s, place{0, 6, 24, 9}),
			events(s, place{0, 15, 24, 6}),
		}},
		section{"Cause: the last 76 hours", true, []dashboard.Panel{
			removals(s, place{0, 0, 24, 7}),
			shareMntOverTime(s, place{0, 7, 24, 5}),
		}},
		section{"The cert-writers one by one", true, []dashboard.Panel{
			oneByOne(s, place{0, 0, 24, 9}),
			serverTable(s, place{0, 9, 12, 8}),
			oldestOverTime(s, place{12, 9, 12, 8}),
		}},
	)
	d.Annotations.List = marks(s)
	return d
}

// unscrapedOr is what an empty graph says: first what would make all of them empty.
func unscrapedOr(text string) string { return noExporter + ", or " + text }

// bigCommand is the command alone, or that there is none. Where the node cannot be seen, it goes by the last count.
func bigCommand(s selector, at place) dashboard.Panel {
	return wording(words{
		"Run this on the node",
		"Restarts the node-agent, which removes the cert-writers about 15 s after it connects to Rancher. Orange or red: they leak, or did when the node was last seen. Green: there is nothing to remove.",
		"the node is not chosen",
	}, at, 22, above("text", limit(0, green), limit(2, orange), limit(21, red)),
		now("A", titled(s.whereLeaking(s.restart())), "{{command}}  # {{title}}"),
		now("B", titled(fmt.Sprintf("%s unless on (%s) %s", s.leaking(), perNode, s.agents())),
			"docker ps -a --filter name=k8s_agent_cattle-node-agent  # {{title}}: no node-agent runs"),
		now("C", titled(s.live()+" <= 1"), "nothing leaks on {{title}}"),
		now("D", titled(s.leakedWhenSeen()), anyAgent+"  # {{title}}"),
		now("E", titled(fmt.Sprintf("0 * %s - 1 unless on (%s) %s", s.unseen(), perNode, s.leakedWhenSeen())), "{{title}} cannot be seen"),
		now("U", s.unscraped("title", noExporter), "{{title}}"))
}

// whereLeaking has the live count as its value, which gives the colour.
func (s selector) whereLeaking(expr string) string {
	return fmt.Sprintf("%s * 0 + on (%s) group_left () (%s)", expr, perNode, s.leaking())
}

func (s selector) leakedWhenSeen() string {
	return fmt.Sprintf("(%s > 1 and on (%s) %s)", s.lastCount(), perNode, s.unseen())
}

func kubectl(s selector, at place) dashboard.Panel {
	// On which node to look, if its name is known.
	pods := func(expr string) string {
		return replaced(label(titled(expr), "at", "-o wide"), "at", "-o wide --field-selector spec.nodeName=$1", "node", "([a-z0-9.-]+)")
	}
	return wording(words{
		"Or, without a shell on the node",
		"The same cure: the DaemonSet makes a new pod, whose node-agent removes the cert-writers. Where its name is not known, the command that finds it.",
		"the node is not chosen",
	}, at, 18, above("text"),
		now("A", titled(s.whereLeaking(s.deletePods())), "{{command}}  # {{title}}"),
		now("B", pods(fmt.Sprintf("%s unless on (%s) %s", s.leaking(), perNode, s.pods())), "kubectl -n cattle-system get pods {{at}}  # {{title}}"),
		now("C", titled(s.live()+" <= 1"), "nothing leaks on {{title}}"),
		now("D", pods(s.leakedWhenSeen()), "kubectl -n cattle-system get pods {{at}}  # {{title}}"),
		now("U", s.unscraped("title", noExporter), "{{title}}"))
}

// whatElse says why a restart is not all there is to do.
func whatElse(s selector, at place) dashboard.Panel {
	var targets []variants.Dataquery
	for i, one := range siblings {
		targets = append(targets, now(string(rune('A'+i)), titled(s.sibling(one.alert)), one.long))
	}
	// Of a node that is scraped, or not seen any more.
	var all []string
	for _, one := range siblings {
		all = append(all, s.sibling(one.alert))
	}
	nothing := fmt.Sprintf("0 * %s unless on (%s) %s", s.sight(), perNode, first(all...))
	return wording(words{
		"What else is known",
		"By the alerts of this node, pending or firing. Their runbooks say what to do.",
		"no alert says more",
	}, at, 16, above("text", limit(1, orange)), append(targets, now("N", titled(nothing), "no alert says more of {{title}}"), now("U", s.unscraped("title", noExporter), "{{title}}"))...)
}

// lastRestart compares as the alert RancherCertWriterSurvivedRestart does: what is older than the node-agent should be gone within minutes.
func lastRestart(s selector, at place) dashboard.Panel {
	old := fmt.Sprintf("(%s - %s > bool 1)", s.agentStarted(), s.oldest())
	p := number(words{
		"Last restart",
		"Whether live cert-writers are older than the last start of the node-agent, 5 minutes and more after it. If so, another restart will not help: " +
			"look whether the node-agent reaches Rancher, and whether those containers carry the label io.cattle.agent=true.",
		"there is nothing to judge",
	}, at, "none", above("text"), s.figure(titled(fmt.Sprintf("%[1]s * (1 + (time() - %[2]s < bool 300)) + 3 * (1 - %[1]s) * (%[3]s > bool 1)", old, s.agentStarted(), s.live())), "{{title}}"))
	p.Options.(*stat.Options).Text = &common.VizTextDisplayOptions{ValueSize: cog.ToPtr(20.0), TitleSize: cog.ToPtr(14.0)}
	inWords(&p, state{0, "worked", green}, state{1, "old ones left", red}, state{2, "wait 5 minutes", blue}, state{3, "worked, but they came back", orange})
	return p
}

// who names the node and says whether it can be seen, in letters of fixed size: names are long.
func who(s selector, at place) dashboard.Panel {
	p := number(words{
		"Node",
		"The node this page is about, and whether it can be seen: exporter and Docker both answer. Two names are two clusters: choose one.",
		"not chosen",
	}, at, "none", above("text"), s.figure(titled(s.sight()), "{{title}}"))
	o := p.Options.(*stat.Options)
	o.TextMode, o.Orientation = common.BigValueTextModeValueAndName, common.VizOrientationHorizontal
	o.Text = &common.VizTextDisplayOptions{ValueSize: cog.ToPtr(20.0), TitleSize: cog.ToPtr(16.0)}
	inWords(&p, sightStates...)
	return p
}

func couldLeak(s selector, at place) dashboard.Panel {
	return wording(words{
		"Rancher version",
		"The tag of share-mnt's image, and whether that share-mnt starts a separate cert-writer each time it starts (Rancher 2.0.6 to 2.5.9).",
		"no share-mnt is seen",
	}, at, 20, above("text"), now("A", s.versionWhere("== 1"), "{{version}} could leak"), now("B", s.versionWhere("== 0"), "{{version}} cannot leak"),
		now("N", titled(fmt.Sprintf("0 * %s unless on (%s) %s", s.sight(), perNode, s.version())), "no share-mnt is seen"),
		now("U", s.unscraped("title", noExporter), "{{title}}"))
}

func (s selector) versionWhere(can string) string {
	return fmt.Sprintf("%s * on (%s) group_left () (%s %s)", s.version(), perNode, s.canLeak(), can)
}

// oneByOne lists the oldest cert-writers by container, as many as the exporter shows.
func oneByOne(s selector, at place) dashboard.Panel {
	labels := "container_id, container_name, image, server"
	return s.grid(words{
		"Live cert-writers one by one",
		"The oldest live cert-writers, up to the exporter's --collector.cert-writer.series-limit (20).",
		"no live cert-writer is seen, or --collector.cert-writer.series-limit is 0",
	}, at, "Age", []column{
		col("container_id", "Container", 120), col("container_name", "Name", 160), col("Value", "Age", 100, unit("s"), prop("decimals", 1)),
		col("server", "Server", 0), col("image", "Image", 0),
	}, rows("A", age(maxBy(labels, s.of("rancher_agent_cert_writer_created_timestamp_seconds")))))
}
