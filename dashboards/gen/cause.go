package main

import (
	"fmt"

	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
)

// causeTable tells a removed share-mnt from one that crash-loops by what the alert rules record: days of it in one sample.
func causeTable(s selector, at place) dashboard.Panel {
	crashing := node(s.of("instance:rancher_agent_share_mnt_crash_looping:last")) + " > 0"
	again := "topk(100, " + first("4 + 0 * ("+crashing+")", s.recreated()) + ")"
	only := func(expr string) string { return named(and(expr, again)) }
	cause := first(
		label(crashing, "cause", "it crash-loops: Docker restarts it again and again"),
		label(node(s.of("instance:rancher_agent_share_mnt_removed_repeatedly:last")), "cause", "something removes it again and again"),
		label(s.recreated(), "cause", "it was created anew: an upgrade, or a removal"))
	return s.grid(words{
		"Why share-mnt starts again",
		"Up to 100 nodes whose share-mnt crash-loops, or was created again within 76 hours; 3 means 3 or more. Where it leaks, each start leaves one more cert-writer. " +
			"Every is the time between the last two: an hour or a day is a job. Prunes are those Docker reports (20.10 and later; docker rm " +
			"is never in it). The alert rules record all this.",
		"no share-mnt was seen to start again within 76 hours, or the alert rules are not loaded",
	}, at, "Created again",
		append(nodeColumns(170),
			value("B", "Created again", 115, unit("none")),
			value("C", "Every", 90, unit("s"), prop("decimals", 1)),
			value("D", "Last", 90, unit("s"), prop("decimals", 1)),
			value("E", "Last prune", 95, unit("s"), prop("decimals", 1)),
			value("F", "Exit code", 85, unit("none"), colored(), limits(above(plain, limit(1, darkOrange)))),
			value("G", "Leaks", 65, mapped(yesOrNo())),
			col("cause", "Likely cause", 0),
		),
		rows("A", only(cause)), rows("B", only(s.recreated())), rows("C", only(s.created("last")+" - "+s.created("last2"))), rows("D", only(age(s.created("last")))),
		rows("E", only(age(node(s.of("instance:rancher_agent_docker_last_container_prune_timestamp_seconds:last"))))),
		rows("F", only(node(s.of("instance:rancher_agent_share_mnt_exit_code:max")))),
		rows("G", only(node(s.of("instance:rancher_agent_share_mnt_starts_cert_writer:last")))))
}

// creations is the fleet by the hour, over the window of the table: a nightly job shows as a bar a night.
func creations(s selector, at place) dashboard.Panel {
	p := curve(words{
		"Nodes whose share-mnt was created again, by the hour",
		"The last 76 hours, whatever the page's time range is. A bar at the same time each night, or each hour, is a job.",
		unscrapedOr("no share-mnt was created again within 76 hours"),
	}, at, "none", above("text"), over("A", fmt.Sprintf("sum(time() - %s < bool 3600)", s.shareMntCreated()), "nodes"))
	bars(&p, map[string]string{"nodes": orange})
	p.Interval, p.TimeFrom = cog.ToPtr("1h"), cog.ToPtr(fmt.Sprintf("%dh", causeWindow/3600))
	return p
}
