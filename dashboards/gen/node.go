package main

import (
	"fmt"

	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/common"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/grafana/grafana-foundation-sdk/go/stat"
)

func nodePage() dashboard.Dashboard {
	s := one
	d := page(nodeUID, "Rancher cert-writers / Node",
		"One node: the command that removes its leaked cert-writers, whether it worked, and what starts them again.",
		variables(values("instance", "Instance", instanceQuery, "The scrape target of the node this page is about.")),
		[]dashboard.DashboardLink{
			to(fleetUID, "Fleet", "All nodes", ""),
			to(healthUID, "Exporter health", "Whether every node can be seen", ""),
		},
		bigCommand(s, place{0, 0, 15, 5}),
		number(words{
			"Live now", "Running, restarting or paused: one is normal, more than one is the leak, more than 20 is critical.", "Docker is not seen",
		}, place{15, 0, 5, 5}, "short", leak(), now("A", s.live(), "")),
		number(words{"Oldest live", "Age of the oldest live cert-writer.", "no live cert-writer is seen"},
			place{20, 0, 4, 5}, "s", above("text"), now("A", age(s.oldest()), "")),
		kubectl(s, place{0, 5, 24, 3}),
		who(s, place{0, 8, 4, 3}),
		number(words{"Node-agent up for", "Time since the node-agent last started. docker restart and a new container both begin it anew.", "no running node-agent is seen"},
			place{4, 8, 4, 3}, "s", above("text"), now("A", age(s.agentStarted()), "")),
		lastRestart(s, place{8, 8, 3, 3}),
		number(words{"Also removed", "Other containers of the agent image that belong to no pod: the node-agent force-removes them too when it is restarted. Look at them first.", "Docker is not seen"},
			place{11, 8, 3, 3}, "short", above(green, limit(1, orange)), now("A", s.alsoRemoved(), "")),
		shareMntNow(s, place{14, 8, 3, 3}),
		couldLeak(s, place{17, 8, 4, 3}),
		number(words{"Last prune", "Age of the newest container prune that Docker reported (20.10 and later) since the exporter started. docker rm is never in it.", "none seen"},
			place{21, 8, 3, 3}, "s", above("text"),
			now("A", age(node(s.of("rancher_agent_docker_last_container_prune_timestamp_seconds"))), "")),
		liveOverTime(s, place{0, 11, 24, 9}),
		events(s, place{0, 20, 24, 6}),
		shareMntOverTime(s, place{0, 26, 24, 4}),
		oneByOne(s, place{0, 30, 15, 9}),
		serverTable(s, place{15, 30, 9, 9}),
		oldestOverTime(s, place{0, 39, 12, 8}),
		alerts(s, place{12, 39, 12, 8}),
	)
	d.Annotations.List = marks(s)
	return d
}

// bigCommand shows the command in letters as high as the panel. Without a leak the command is there too, with a remark that the shell ignores.
func bigCommand(s selector, at place) dashboard.Panel {
	with := func(condition string) string {
		return restartCommand(fmt.Sprintf("%s * 0 + on (%s) group_left () (%s)", s.runningAgents(), perNode, condition))
	}
	return wording(words{
		"Run this on the node",
		"Restarts the node-agent, which removes the cert-writers about 15 s after it connects to Rancher. Orange or red: they leak. Green: there is nothing to remove.",
		"no running node-agent is seen. On the node: docker ps -a --filter name=k8s_agent_cattle-node",
	}, at, leak(), now("A", with(s.leaking()), "{{command}}"), now("B", with(s.live()+" <= 1"), "{{command}}  # nothing leaks"))
}

func kubectl(s selector, at place) dashboard.Panel {
	pods := maxBy(perNode+", agent_pod", s.of("rancher_agent_node_agent_info", `agent_pod=~"cattle-node-agent-[a-z0-9-]+"`))
	return wording(words{
		"Or, without a shell on the node",
		"The same cure: the DaemonSet makes a new pod, whose node-agent removes the cert-writers.",
		"no pod of a running node-agent is seen. kubectl -n cattle-system get pods -o wide",
	}, at, above("text"), now("A", pods, "kubectl -n cattle-system delete pod {{agent_pod}}"))
}

// lastRestart compares as the alert RancherCertWriterSurvivedRestart does: what is older than the node-agent should be gone within minutes.
func lastRestart(s selector, at place) dashboard.Panel {
	p := number(words{
		"Last restart",
		"Whether live cert-writers are older than the last start of the node-agent, 5 minutes and more after it. If so, another restart will not help: " +
			"look whether the node-agent reaches Rancher, and whether those containers carry the label io.cattle.agent=true.",
		"nothing to judge",
	}, at, "none", above("text"), now("A", fmt.Sprintf("(%s - %s > bool 1) + (time() - %s < bool 300)", s.agentStarted(), s.oldest(), s.agentStarted()), ""))
	p.FieldConfig.Defaults.Mappings = states(state{0, "worked", green}, state{1, "old ones left", red}, state{2, "wait 5 minutes", blue})
	return p
}

// who names the node, and more than one if the instance is not enough to tell it: then the cluster has to be chosen too.
func who(s selector, at place) dashboard.Panel {
	p := number(words{
		"Node",
		"The node this page is about, and whether it can be seen: exporter and Docker both answer. Two names are two clusters: choose one.",
		"no exporter is scraped",
	}, at, "none", above("text"), now("A", titled(s.sight()), "{{title}}"))
	p.Options.(*stat.Options).TextMode = common.BigValueTextModeValueAndName
	p.FieldConfig.Defaults.Mappings = sightStates()
	return p
}

func couldLeak(s selector, at place) dashboard.Panel {
	yes, no := fmt.Sprintf("(%s == 1)", s.canLeak()), fmt.Sprintf("(%s == 0)", s.canLeak())
	with := func(can string) string {
		return fmt.Sprintf("%s * on (%s) group_left () %s", s.version(), perNode, can)
	}
	return wording(words{
		"Rancher version",
		"The tag of share-mnt's image, and whether that share-mnt starts a separate cert-writer each time it starts (Rancher 2.0.6 to 2.5.9).",
		"no share-mnt is seen",
	}, at, above(green, limit(1, orange)), now("A", with(yes), "{{version}} could leak"), now("B", with(no), "{{version}} cannot leak"))
}

// oneByOne lists the oldest cert-writers by container, as many as the exporter shows.
func oneByOne(s selector, at place) dashboard.Panel {
	labels := "container_id, container_name, image, server"
	return grid(words{
		"Live cert-writers one by one",
		"The oldest live cert-writers, up to the exporter's --collector.cert-writer.series-limit (20).",
		"no live cert-writer is seen, or --collector.cert-writer.series-limit is 0",
	}, at, "Age", []column{
		col("container_id", "Container", 120), col("container_name", "Name", 160), col("server", "Server", 0),
		col("image", "Image", 230), col("Value", "Age", 100, unit("s"), prop("decimals", 1)),
	}, rows("A", age(maxBy(labels, s.of("rancher_agent_cert_writer_created_timestamp_seconds")))))
}

// alerts needs the alert rules; all other panels do without.
func alerts(s selector, at place) dashboard.Panel {
	by := "alertname, severity"
	only := []string{`alertname=~"Rancher.+"`}
	firing := s.of("ALERTS", append(only, `alertstate="firing"`)...)
	return grid(words{
		"Firing alerts of this node",
		"Alerts of this project's rules that fire for this node, and for how long they have been pending or firing.",
		"no alert fires for this node, or the alert rules are not loaded",
	}, at, "Since", []column{
		col("alertname", "Alert", 0),
		col("severity", "Severity", 110, colored(), prop("mappings", severities())),
		value("B", "Since", 120, unit("s"), prop("decimals", 1)),
	}, rows("A", maxBy(by, firing)), rows("B", fmt.Sprintf("%s and on (%s) %s", maxBy(by, "time() - "+s.of("ALERTS_FOR_STATE", only...)), by, firing)))
}

func severities() []dashboard.ValueMapping {
	m := dashboard.ValueMap{Type: dashboard.MappingTypeValueToText, Options: map[string]dashboard.ValueMappingResult{}}
	for name, color := range map[string]string{"critical": darkRed, "warning": darkOrange, "info": darkBlue} {
		m.Options[name] = dashboard.ValueMappingResult{Text: cog.ToPtr(name), Color: cog.ToPtr(color)}
	}
	return []dashboard.ValueMapping{{ValueMap: &m}}
}
