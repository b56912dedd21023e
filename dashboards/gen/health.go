package main

import (
	"fmt"

	"github.com/grafana/grafana-foundation-sdk/go/cog/variants"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
)

func health() dashboard.Dashboard {
	s := chosen
	last := node(s.of("rancher_agent_docker_last_success_timestamp_seconds"))
	duration := node(s.of("rancher_agent_scrape_duration_seconds"))
	eventsUp := node(s.of("rancher_agent_docker_events_up"))
	return page(healthUID, "Rancher agent exporter / Health",
		"Whether every node can be seen, how long that takes, and what the exporters cost.",
		variables(instances()),
		[]dashboard.DashboardLink{
			to(fleetUID, "Fleet", "All nodes", "&${instance:queryparam}"),
			to(nodeUID, "Node", "One node: the command, and what happened when", ""),
		},
		number(words{"Nodes that can be seen", "Share of the scraped exporters that answer and reach Docker.", "no exporter is scraped"},
			place{0, 0, 4, 4}, "percentunit", above(orange, limit(1, green)),
			now("A", fmt.Sprintf("(count(%s == 2) or 0 * count(%s)) / count(%s)", s.sight(), s.up(), s.up()), "")),
		number(words{"Exporters down", "Exporters that Prometheus cannot scrape.", "no exporter is scraped"},
			place{4, 0, 4, 4}, "short", above(green, limit(1, orange)), now("A", orZero(s.up()+" == 0", s.up()), "")),
		number(words{"Docker unreachable", "Exporters that answer but cannot list the containers: the socket's permission, a wrong --docker.host, or Docker is down.", "no exporter is seen"},
			place{8, 0, 4, 4}, "short", above(green, limit(1, orange)), now("A", orZero(s.dockerUp()+" == 0", s.dockerUp()), "")),
		number(words{"Without events", "Exporters whose event stream is not connected: counts are right all the same, only the event counters stand still.", "no exporter is seen, or all run with --no-collector.events"},
			place{12, 0, 4, 4}, "short", above(green, limit(1, orange)), now("A", orZero(eventsUp+" == 0", eventsUp), "")),
		number(words{"Docker last answered", "Of the exporters that answer, the one whose Docker listed its containers longest ago.", "Docker was never reached"},
			place{16, 0, 4, 4}, "s", above(green, limit(300, orange)), now("A", "max("+age(last)+")", "")),
		number(words{"Slowest node", "The longest time a scrape spends asking Docker now. From 5 s (--docker.timeout) on a scrape gives up.", "no exporter is seen"},
			place{20, 0, 4, 4}, "s", above(green, limit(2, orange)), now("A", "max("+duration+")", "")),
		unseenTable(s, place{0, 4, 12, 8}),
		sightTimeline(s, place{12, 4, 12, 8}),
		curve(words{"Time spent asking Docker", "How long the exporters wait for Docker a scrape: half of the nodes are faster than the median, one in twenty is slower than the 95 % line.", "no exporter was seen in this time range"},
			place{0, 12, 12, 8}, "s", above("text"), quantiles(duration)...),
		curve(words{"Scrape time as Prometheus sees it", "The same with the network and the exposition: the longest scrape of each kind of result.", "no exporter was scraped in this time range"},
			place{12, 12, 12, 8}, "s", above("text"), quantiles(node(s.ours("scrape_duration_seconds")))...),
		slowTable(s, place{0, 20, 12, 8}),
		buildTable(s, place{12, 20, 12, 8}),
		curve(words{"Resident memory", "Memory of the exporters; the budget is 40 MB with 5,000 containers.", "no exporter shows process_*: they run with --web.disable-exporter-metrics"},
			place{0, 28, 8, 8}, "bytes", above("text"), quantiles(node(s.ours("process_resident_memory_bytes")))...),
		curve(words{"CPU", "Share of one CPU the exporters use.", "no exporter shows process_*: they run with --web.disable-exporter-metrics"},
			place{8, 28, 8, 8}, "percentunit", above("text"), quantiles(node("rate("+s.of("process_cpu_seconds_total")+"[$__rate_interval]) and on (job) group by (job) (rancher_agent_docker_up)"))...),
		curve(words{"Goroutines", "A number that only grows is a leak in the exporter: please report it.", "no exporter shows go_*: they run with --web.disable-exporter-metrics"},
			place{16, 28, 8, 8}, "short", above("text"), quantiles(node(s.ours("go_goroutines")))...),
	)
}

// quantiles sum a fleet up in three lines, however many nodes it has.
func quantiles(expr string) []variants.Dataquery {
	return []variants.Dataquery{
		over("A", "max("+expr+")", "highest"), over("B", "quantile(0.95, "+expr+")", "95 %"), over("C", "quantile(0.5, "+expr+")", "median"),
	}
}

func slowTable(s selector, at place) dashboard.Panel {
	slowest := "topk(20, " + node(s.of("rancher_agent_scrape_duration_seconds")) + ")"
	only := func(expr string) string { return named(fmt.Sprintf("%s and %s", expr, slowest)) }
	return grid(words{
		"Slowest nodes",
		"The 20 nodes where Docker takes longest to answer now, and what a scrape of them costs.",
		"no exporter is seen",
	}, at, "Docker",
		append(nodeColumns(140),
			value("A", "Docker", 90, unit("s")), value("B", "Scrape", 90, unit("s")),
			value("C", "Samples", 90, unit("short")), value("D", "Memory", 0, unit("bytes")),
		),
		rows("A", named(slowest)), rows("B", only(node(s.ours("scrape_duration_seconds")))),
		rows("C", only(node(s.ours("scrape_samples_scraped")))), rows("D", only(node(s.ours("process_resident_memory_bytes")))))
}

func buildTable(s selector, at place) dashboard.Panel {
	by := "version, revision, goversion"
	return grid(words{
		"Exporter versions",
		"Exporters by build. More than one row for long is an upgrade that did not reach every node.",
		"no exporter is seen",
	}, at, "Exporters",
		[]column{col("version", "Version", 120), col("revision", "Revision", 0), col("goversion", "Go", 120), col("Value", "Exporters", 110, unit("short"))},
		rows("A", fmt.Sprintf("count by (%s) (%s)", by, maxBy(perNode+", "+by, s.of("rancher_agent_exporter_build_info")))))
}
