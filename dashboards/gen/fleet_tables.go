package main

import (
	"fmt"

	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/common"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/grafana/grafana-foundation-sdk/go/table"
)

// restartTable has the worst nodes, with one command each. What else is known stands before the command, for it may be in vain.
func restartTable(s selector, at place) dashboard.Panel {
	worst := s.worst()
	only := func(expr string) string { return named(and(expr, worst)) }
	command := first(and(s.restart(), worst), label(worst, "command", "no running node-agent is seen: open the page of the node"))
	return s.grid(words{
		"Restart these node agents",
		"The 100 worst nodes with more than one live cert-writer, and the command that removes them, to be run on that node. Also removed: other containers of the " +
			"agent image that belong to no pod, which the restart force-removes too: docker ps -a --filter label=io.cattle.agent=true shows them. Also known: what " +
			"the alerts say besides. The node's name leads to its page.",
		"no node that can be seen leaks",
	}, at, "Live",
		append(nodeColumns(170),
			value("B", "Live", 65, unit("none"), colored(), limits(leakCell())),
			value("D", "In 1 h", 70, unit("none"), prop("decimals", 0)),
			value("C", "Oldest", 95, unit("s"), prop("decimals", 1)),
			value("E", "Also removed", 115, unit("none"), colored(), limits(above(plain, limit(1, darkOrange)))),
			col("known", "Also known", 260),
			col("command", "Command", 0, prop("custom.inspect", true)),
		),
		rows("A", named(command)), rows("B", named(worst)), rows("C", only(age(s.oldest()))),
		rows("D", only(s.growth())), rows("E", only(s.alsoRemoved())), rows("F", only(s.known())))
}

// firingTable has one query: which alerts fire, and since when.
func firingTable(s selector, title string, at place, firing string, columns ...column) dashboard.Panel {
	p := s.grid(words{
		title,
		"Alerts of this project's rules, and for how long each has been pending and firing. Its name leads to the runbook.",
		"no alert fires, or the alert rules are not loaded",
	}, at, "Since",
		append(append([]column{col("alertname", "Alert", 0, toRunbook())}, columns...), col("severity", "Severity", 80, colored(), prop("mappings", severities())), col("Value", "Since", 85, unit("s"), prop("decimals", 1))),
		rows("A", named(firing)))
	// As words, critical comes first.
	p.Options.(*table.Options).SortBy[0] = common.TableSortByFieldState{DisplayName: "Severity", Desc: cog.ToPtr(false)}
	return p
}

// clusterTable leads from many clusters to one.
func clusterTable(s selector, at place) dashboard.Panel {
	by := "cluster, cluster_id, cluster_name"
	of := func(how, expr string) string { return inCluster(fmt.Sprintf("%s by (%s) (%s)", how, by, expr)) }
	return s.grid(words{
		"Clusters",
		"Nodes scraped, nodes that leak, the most live cert-writers on a node, the age of the oldest, and nodes that cannot be seen. A name leads to that cluster alone.",
		"no cluster has a node",
	}, at, "Leaking",
		[]column{
			col("in", "Cluster", 0, toCluster()),
			value("A", "Nodes", 150, unit("none")),
			value("B", "Leaking", 150, unit("none"), colored(), limits(above(plain, limit(1, darkRed)))),
			value("C", "Worst node", 150, unit("none"), colored(), limits(leakCell())),
			value("D", "Oldest leaked", 150, unit("s"), prop("decimals", 1)),
			value("E", "Not seen", 150, unit("none"), colored(), limits(above(plain, limit(1, darkOrange)))),
		},
		rows("A", of("count", s.up())), rows("B", of("sum", s.live()+" > bool 1")), rows("C", of("max", s.live())),
		rows("D", of("max", age("("+s.oldest()+" and "+s.leaking()+")"))), rows("E", of("count", s.unseen())))
}

func serverTable(s selector, at place) dashboard.Panel {
	perServer := maxBy(perNode+", server", s.of("rancher_agent_cert_writer_server_containers"))
	oldest := s.of("rancher_agent_cert_writer_oldest_created_timestamp_seconds")
	return s.grid(words{
		"Live cert-writers by Rancher server URL",
		"The server each live cert-writer was started for. More than one row is left over from a changed server-url, or from a node that was registered again.",
		"no live cert-writer is seen",
	}, at, "Live",
		[]column{
			col("server", "Server", 0), value("A", "Live", 65, unit("none")), value("B", "Nodes", 65, unit("none")),
			value("C", "Oldest", 90, unit("s"), prop("decimals", 1)),
		},
		rows("A", "sum by (server) ("+perServer+")"), rows("B", "count by (server) ("+perServer+")"),
		rows("C", age("min by (server) ("+oldest+")")))
}

func couldLeakTable(s selector, at place) dashboard.Panel {
	return s.grid(words{
		"Which nodes could leak",
		"Nodes with a share-mnt, up to 200: whether it starts a separate cert-writer (Rancher 2.0.6 to 2.5.9), and the version by the tag of its image.",
		"no share-mnt is seen: no node is seen, or none is an RKE1 node of Rancher",
	}, at, "Could leak",
		append(nodeColumns(210), col("version", "Rancher", 130), col("Value", "Could leak", 0, mapped(yesOrNo()))),
		rows("A", named("topk(200, "+first(fmt.Sprintf("%s * on (%s) group_left (version) %s", s.canLeak(), perNode, s.version()), s.canLeak())+")")))
}

func yesOrNo() []dashboard.ValueMapping {
	return states(state{1, "yes", "text"}, state{0, "no", "text"})
}

func versionTable(s selector, at place) dashboard.Panel {
	return s.grid(words{
		"Rancher versions",
		"Nodes by the tag of share-mnt's image, and how many of them could leak.",
		"no share-mnt is seen: no node is seen, or none is an RKE1 node of Rancher",
	}, at, "Could leak",
		[]column{col("version", "Rancher", 0), value("A", "Nodes", 90, unit("none")), value("B", "Could leak", 110, unit("none"))},
		rows("A", "count by (version) ("+s.version()+")"),
		rows("B", fmt.Sprintf("sum by (version) (%s * on (%s) group_left () %s)", s.version(), perNode, s.canLeak())))
}

// unseenTable keeps the last count known: silence must not look like the all-clear. Where more are out of sight, those that leaked most come first.
func unseenTable(s selector, at place) dashboard.Panel {
	worst := fmt.Sprintf("topk(100, %s)", first(and(s.lastCount(), s.unseen()), "0 * "+s.unseen()))
	only := func(expr string) string { return named(and(expr, worst)) }
	return s.grid(words{
		"Nodes that cannot be seen now",
		"Up to 100. Whether they leak is unknown. Last count is the number of live cert-writers when the node was last seen, which the alert rules record.",
		"no node is out of sight",
	}, at, "Last count",
		append(nodeColumns(150),
			value("C", "Last count", 97, unit("none"), colored(), limits(leakCell())),
			value("B", "Last seen", 85, unit("s"), prop("decimals", 1)),
			col("why", "Why", 0),
		),
		rows("A", only(first(label(s.up()+" == 0", "why", "exporter down"), label(s.dockerUp()+" == 0", "why", "Docker unreachable")))),
		rows("B", only(age(s.lastSeen()))), rows("C", only(s.lastCount())))
}

// lastSeen is when Docker last answered, also of an exporter that is down: the window is that of the page.
func (s selector) lastSeen() string {
	return node("max_over_time(" + s.of("rancher_agent_docker_last_success_timestamp_seconds") + "[$__range])")
}
