package main

import (
	"fmt"

	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/common"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/grafana/grafana-foundation-sdk/go/stat"
	"github.com/grafana/grafana-foundation-sdk/go/timeseries"
)

const whatToDo = `1. **Restart the node-agent** of each node below: run its command on that node. The cert-writers are gone within about a minute; pods go on.
2. **Look first** where *Also removed* is not 0: those go too. And where *Also known* says something.
3. **Stop the cause**: *Why share-mnt starts again* names it, mostly a cron job that prunes.
4. **For good**: Rancher 2.5.10, 2.6.0 and later do not leak.

**Nothing here?** Look at the data source, *Job*, and the scrape configuration.`

func fleet() dashboard.Dashboard {
	s := chosen
	return page(fleetUID, "Rancher cert-writers / Fleet",
		"Which nodes hold leaked cert-writers of the rancher-agent, how many and since when, what removes them, and which nodes could leak.",
		append(someNodes(), leaked(s)),
		section{"", false, append([]dashboard.Panel{
			markdown(words{title: "What to do", about: "The cure and the cure of the cause, in the order of the tables below."}, place{0, 0, 8, 8}, whatToDo),
		}, tiles(s)...)},
		section{"What asks for an act", false, []dashboard.Panel{
			restartTable(s, place{0, 0, 24, 9}),
			firingTable(s, "Firing alerts", place{0, 9, 13, 8}, s.firingAnywhere(), nodeColumns(140)...),
			unseenTable(s, place{13, 9, 11, 8}),
		}},
		section{"Clusters", false, []dashboard.Panel{clusterTable(s, place{0, 0, 24, 7})}},
		section{"Trend: live cert-writers over time, by server, and when nodes were out of sight", true, []dashboard.Panel{
			trend(s, place{0, 0, 24, 10}),
			serverTable(s, place{0, 10, 10, 9}),
			sightTimeline(s, place{10, 10, 14, 9}),
		}},
		section{"Cause: why share-mnt starts again, in the last 76 hours", true, []dashboard.Panel{
			causeTable(s, place{0, 0, 24, 9}),
			creations(s, place{0, 9, 24, 7}),
		}},
		section{"Rancher versions, and which nodes could leak", true, []dashboard.Panel{
			couldLeakTable(s, place{0, 0, 14, 10}),
			versionTable(s, place{14, 0, 10, 10}),
		}},
	)
}

func tiles(s selector) []dashboard.Panel {
	return []dashboard.Panel{
		number(words{"Nodes leaking", "Nodes seen now with more than one live cert-writer. A node that cannot be seen is not in it: see the two counts below.", "no node is seen"},
			place{8, 0, 4, 4}, "none", fine(limit(1, red)), s.figure(orZero(s.leaking(), s.dockerUp()+" == 1"), "")),
		number(words{"Leaked containers", "Live cert-writers beyond the one that is normal, over all nodes seen now.", "no node is seen"},
			place{12, 0, 4, 4}, "none", fine(limit(1, orange), limit(20, red)), s.figure(fmt.Sprintf("sum(clamp_min(%s - 1, 0))", s.live()), "")),
		worst(s),
		number(words{"Oldest leaked", "Age of the oldest live cert-writer of the nodes that leak now: since when the leak goes on, or since the last restart of the node-agent.", "no node leaks"},
			place{20, 0, 4, 4}, "s", above("text"), s.figure(fmt.Sprintf("max(%s)", age("("+s.oldest()+" and "+s.leaking()+")")), "")),
		number(words{"Nodes that could leak", "Nodes whose share-mnt starts a separate cert-writer each time it starts (Rancher 2.0.6 to 2.5.9). An upgrade of Rancher ends that.", "no share-mnt is seen"},
			place{8, 4, 4, 4}, "none", above(blue), s.figure(orZero(s.canLeak()+" == 1", s.canLeak()), "")),
		number(words{"Nodes seen", "Nodes whose Docker Engine listed its containers for the last scrape.", "no exporter answers"},
			place{12, 4, 4, 4}, "none", above(orange, limit(1, blue)), s.figure("sum("+s.dockerUp()+")", "")),
		dockerUnreachable(s, place{16, 4, 4, 4}),
		exportersDown(s, place{20, 4, 4, 4}),
	}
}

func dockerUnreachable(s selector, at place) dashboard.Panel {
	return number(words{
		"Docker unreachable",
		"Exporters that answer but cannot list the containers (the socket's permission, a wrong --docker.host, or Docker is down): what leaks there is unknown, not zero.",
		"no exporter answers",
	}, at, "none", fine(limit(1, orange)), s.figure(orZero(s.dockerUp()+" == 0", s.dockerUp()), ""))
}

func exportersDown(s selector, at place) dashboard.Panel {
	return number(words{
		"Exporters down", "Exporters that Prometheus cannot scrape: what leaks there is unknown, not zero.", noExporter,
	}, at, "none", fine(limit(1, orange)), s.figure(orZero(s.up()+" == 0", s.up()), ""))
}

func worst(s selector) dashboard.Panel {
	p := number(words{"Worst node", "The node with the most live cert-writers now.", "no node is seen"},
		place{16, 0, 4, 4}, "none", leak("text"), s.figure("topk(1, "+titled(s.live())+")", "{{title}}"))
	p.Options.(*stat.Options).TextMode = common.BigValueTextModeValueAndName
	return p
}

// leaked holds what the graph of the fleet shows. PromQL can tell it only for one moment: in a graph, topk chooses at each step.
func leaked(s selector) dashboard.VariableModel {
	v := listed("leaked", "Leaked", "query_result("+s.worstInRange(20)+")", "The nodes that leaked most in the time range.")
	v.Regex, v.Hide = cog.ToPtr(`/instance="([^"]+)"/`), cog.ToPtr(dashboard.VariableHideHideVariable)
	return v
}

// trend leaves out the nodes that never leaked: 500 lines at 0 would hide the others.
func trend(s selector, at place) dashboard.Panel {
	p := curve(words{
		"Live cert-writers of the nodes that leaked",
		"The 20 nodes with the most live cert-writers at some time of the range. A drop is a restart of the node-agent; lines at 2 (a leak) and 21 (critical) are dashed.",
		unscrapedOr("no node was seen leaking in this time range"),
	}, at, "none", leak(green), over("A", titled(s.liveOfLeaked()), "{{title}}"))
	p.MaxDataPoints = cog.ToPtr(wholeFleet)
	o := p.Options.(*timeseries.Options)
	o.Legend.DisplayMode, o.Legend.Placement, o.Legend.Calcs = common.LegendDisplayModeTable, common.LegendPlacementRight, []string{"lastNotNull", "max"}
	o.Legend.SortBy, o.Legend.SortDesc = cog.ToPtr("Max"), cog.ToPtr(true)
	return p
}

// sightTimeline shows outages only, of no more nodes at a time than there is room for.
func sightTimeline(s selector, at place) dashboard.Panel {
	p := timeline(words{
		"Nodes that could not be seen at some time",
		"When the exporter did not answer Prometheus, and when Docker did not answer the exporter; up to 30 nodes at a time. In those times nothing is known about leaks.",
		unscrapedOr("no node was out of sight in this time range"),
	}, at, states(sightStates...), over("A", titled("topk(30, "+s.outage()+")"), "{{title}}"))
	p.MaxDataPoints = cog.ToPtr(wholeFleet)
	return p
}

var sightStates = []state{{0, "exporter down", darkOrange}, {1, "Docker unreachable", orange}, {2, "seen", green}}
