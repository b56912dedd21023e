package main

import (
	"fmt"

	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
)

func health() dashboard.Dashboard {
	s := chosen
	last := node(s.of("rancher_agent_docker_last_success_timestamp_seconds"))
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
			place{20, 0, 4, 4}, "s", above(green, limit(2, orange)), now("A", "max("+s.of("rancher_agent_scrape_duration_seconds")+")", "")),
		unseenTable(s, place{0, 4, 12, 8}),
		sightTimeline(s, place{12, 4, 12, 8}),
		summary(words{"Time spent asking Docker", "How long the exporters wait for Docker a scrape: half of the nodes are faster than the median, one in twenty is slower than the 95 % line.", "no exporter was seen in this time range"},
			place{0, 12, 12, 8}, "s", s.of("rancher_agent_scrape_duration_seconds")),
		summary(words{"Scrape time as Prometheus sees it", "The same with the network and the exposition. A scrape that reaches the scrape timeout (10 s unless configured) fails.", "no exporter was scraped in this time range"},
			place{12, 12, 12, 8}, "s", s.of("scrape_duration_seconds")),
		costTable(s, place{0, 20, 12, 8}),
		buildTable(s, place{12, 20, 12, 8}),
		summary(words{"Resident memory", "Memory of the exporters; the budget is 40 MB with 5,000 containers.", "no exporter shows process_*: they run with --web.disable-exporter-metrics"},
			place{0, 28, 8, 8}, "bytes", s.of("process_resident_memory_bytes")),
		summary(words{"CPU", "Share of one CPU the exporters use.", "no exporter shows process_*: they run with --web.disable-exporter-metrics"},
			place{8, 28, 8, 8}, "percentunit", "rate("+s.of("process_cpu_seconds_total")+"[$__rate_interval])"),
		summary(words{"Goroutines", "A number that only grows is a leak in the exporter: please report it.", "no exporter shows go_*: they run with --web.disable-exporter-metrics"},
			place{16, 28, 8, 8}, "short", s.of("go_goroutines")),
	)
}

// summary shows a fleet in three lines, however many nodes it has.
func summary(w words, at place, unit, expr string) dashboard.Panel {
	p := curve(w, at, unit, above("text"),
		over("A", "max("+expr+")", "highest"), over("B", "quantile(0.95, "+expr+")", "95 %"), over("C", "quantile(0.5, "+expr+")", "median"))
	p.MaxDataPoints = cog.ToPtr(wholeFleet)
	return p
}

func costTable(s selector, at place) dashboard.Panel {
	return grid(words{
		"What a scrape of each node costs",
		"The slowest first: the time its exporter waited for Docker, the whole scrape as Prometheus sees it, its samples, and the exporter's memory.",
		"no exporter is seen",
	}, at, "Docker",
		append(nodeColumns(140),
			value("A", "Docker", 90, unit("s")), value("B", "Scrape", 90, unit("s")),
			value("C", "Samples", 90, unit("short")), value("D", "Memory", 0, unit("bytes")),
		),
		rows("A", named(node(s.of("rancher_agent_scrape_duration_seconds")))), rows("B", named(node(s.of("scrape_duration_seconds")))),
		rows("C", named(node(s.of("scrape_samples_scraped")))), rows("D", named(node(s.of("process_resident_memory_bytes")))))
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
