package main

import (
	"fmt"

	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
)

// restartTable has one row a running node-agent: two on a node are two commands. The command comes first, so that the merge gives each its counts.
func restartTable(s selector, at place) dashboard.Panel {
	command := fmt.Sprintf("%s or on (%s) %s",
		restartCommand(s.runningAgents()+" and on ("+perNode+") ("+s.leaking()+")"), perNode,
		label(s.leaking(), "command", "no running node-agent is seen: open the page of the node"))
	only := func(expr string) string { return named(fmt.Sprintf("(%s) and (%s)", expr, s.leaking())) }
	return grid(words{
		"Restart these node agents",
		"Nodes with more than one live cert-writer, and the command that removes them, to be run on that node. Also removed: other containers of the agent image " +
			"that belong to no pod, which the restart force-removes too. The node's name leads to its page.",
		"no node that can be seen leaks",
	}, at, "Live",
		append(nodeColumns(210),
			value("B", "Live", 90, unit("short"), colored(), limits(leakCell())),
			value("D", "In 1 h", 90, unit("short"), prop("decimals", 0)),
			value("C", "Oldest", 120, unit("s"), prop("decimals", 1)),
			value("E", "Also removed", 130, unit("short"), colored(), limits(above(plain, limit(1, darkOrange)))),
			col("command", "Command", 0, prop("custom.inspect", true)),
		),
		rows("A", named(command)), rows("B", named(s.leaking())), rows("C", only(age(s.oldest()))),
		rows("D", only(s.growth())), rows("E", only(s.alsoRemoved())))
}

func serverTable(s selector, at place) dashboard.Panel {
	perServer := maxBy(perNode+", server", s.of("rancher_agent_cert_writer_server_containers"))
	oldest := s.of("rancher_agent_cert_writer_oldest_created_timestamp_seconds")
	return grid(words{
		"Live cert-writers by Rancher server URL",
		"The server each live cert-writer was started for. More than one row is left over from a changed server-url, or from a node that was registered again.",
		"no live cert-writer is seen",
	}, at, "Live",
		[]column{
			col("server", "Server", 0), value("A", "Live", 70, unit("short")), value("B", "Nodes", 70, unit("short")),
			value("C", "Oldest", 110, unit("s"), prop("decimals", 1)),
		},
		rows("A", "sum by (server) ("+perServer+")"), rows("B", "count by (server) ("+perServer+")"),
		rows("C", age("min by (server) ("+oldest+")")))
}

// causeTable tells a removed share-mnt from one that crash-loops by what each leaves behind: a new creation time, or the state restarting.
func causeTable(s selector, at place) dashboard.Panel {
	restarting := node("max_over_time(" + s.of("rancher_agent_share_mnt_containers", `state="restarting"`) + "[$__range])")
	or := " or on (" + perNode + ") "
	cause := "(" + label(restarting+" > 0", "cause", "it crash-loops: Docker restarts it again and again") +
		or + label(s.recreated()+" > 2", "cause", "something removes it again and again") +
		or + label(s.recreated()+" > 0", "cause", "it was created anew once or twice: an upgrade, or the first removals") +
		or + label(s.shareMntStarts()+" > 0", "cause", "it was started again: Docker or the node was restarted, or it ended with an error") + ")"
	any := fmt.Sprintf("(%s > 0 or %s > 0)", s.shareMntStarts(), s.recreated())
	only := func(expr string) string { return named(fmt.Sprintf("%s and %s", expr, any)) }
	return grid(words{
		"Why share-mnt starts again",
		"Nodes whose share-mnt was started again in the time range. Where it leaks, each start leaves one more cert-writer. Prunes are those Docker reports " +
			"(20.10 and later; docker rm is never in it).",
		"no share-mnt was seen to start again in this time range",
	}, at, "Starts",
		append(nodeColumns(210),
			value("B", "Starts", 90, unit("short")),
			value("C", "Created anew", 130, unit("short")),
			value("D", "Prunes", 90, unit("short")),
			value("E", "Exit code", 100, unit("none"), colored(), limits(above(plain, limit(1, darkOrange)))),
			value("F", "Leaks", 90, colored(), mapped(yesOrNo())),
			col("cause", "Likely cause", 0),
		),
		rows("A", named(cause)), rows("B", only(s.shareMntStarts())), rows("C", only(s.recreated())), rows("D", only(s.prunes())),
		rows("E", only(node("max_over_time("+s.of("rancher_agent_share_mnt_exit_code")+"[15m])"))), rows("F", only(s.canLeak())))
}

func yesOrNo() []dashboard.ValueMapping {
	return states(state{1, "yes", darkOrange}, state{0, "no", plain})
}

func couldLeakTable(s selector, at place) dashboard.Panel {
	return grid(words{
		"Which nodes could leak",
		"Every node with a share-mnt: whether its share-mnt starts a separate cert-writer (Rancher 2.0.6 to 2.5.9), and the version by the tag of its image.",
		"no share-mnt is seen: no node is seen, or none is an RKE1 node of Rancher",
	}, at, "Could leak",
		append(nodeColumns(210),
			col("version", "Rancher", 130),
			value("B", "Could leak", 130, colored(), mapped(yesOrNo())),
			value("C", "Live cert-writers", 0, unit("short")),
		),
		rows("A", named(s.version())), rows("B", named(s.canLeak())), rows("C", named(s.live()+" and "+s.canLeak())))
}

func versionTable(s selector, at place) dashboard.Panel {
	return grid(words{
		"Rancher versions",
		"Nodes by the tag of share-mnt's image, and how many of them could leak.",
		"no share-mnt is seen: no node is seen, or none is an RKE1 node of Rancher",
	}, at, "Could leak",
		[]column{
			col("version", "Rancher", 0), value("A", "Nodes", 100, unit("short")),
			value("B", "Could leak", 130, unit("short"), colored(), limits(above(plain, limit(1, darkOrange)))),
		},
		rows("A", "count by (version) ("+s.version()+")"),
		rows("B", fmt.Sprintf("sum by (version) (%s * on (%s) group_left () %s)", s.version(), perNode, s.canLeak())))
}

// unseenTable keeps the last count known: silence must not look like the all-clear.
func unseenTable(s selector, at place) dashboard.Panel {
	why := fmt.Sprintf("(%s or on (%s) %s)", label(s.up()+" == 0", "why", "exporter down"), perNode, label(s.dockerUp()+" == 0", "why", "Docker unreachable"))
	only := func(expr string) string { return named(fmt.Sprintf("%s and %s", expr, s.unseen())) }
	return grid(words{
		"Nodes that cannot be seen now",
		"Whether they leak is unknown. Last count is the number of live cert-writers when the node was last seen, which the alert rules record.",
		"no node is out of sight",
	}, at, "Last count",
		append(nodeColumns(140),
			col("why", "Why", 160),
			value("B", "Last seen", 110, unit("s"), prop("decimals", 1)),
			value("C", "Last count", 0, unit("short"), colored(), limits(leakCell())),
		),
		rows("A", named(why)),
		rows("B", only(age(node("max_over_time("+s.of("rancher_agent_docker_last_success_timestamp_seconds")+"[$__range])")))),
		rows("C", only(s.lastCount())))
}
