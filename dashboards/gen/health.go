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
	noProcess := unscrapedOr("they run with --web.disable-exporter-metrics")
	return page(healthUID, "Rancher agent exporter / Health",
		"Whether every node can be seen, how long that takes, and what the exporters cost.", someNodes(),
		section{"", false, []dashboard.Panel{
			number(words{"Nodes that can be seen", "Share of the scraped exporters that answer and reach Docker.", noExporter},
				place{0, 0, 4, 4}, "percentunit", above(orange, limit(1, green)),
				s.figure(fmt.Sprintf("(count(%s == 2) or 0 * count(%s)) / count(%s)", s.sight(), s.up(), s.up()), "")),
			exportersDown(s, place{4, 0, 4, 4}),
			dockerUnreachable(s, place{8, 0, 4, 4}),
			number(words{"Without events", "Exporters whose event stream is not connected: counts are right all the same, only the event counters stand still.", "no exporter answers, or all have events switched off"},
				place{12, 0, 4, 4}, "none", above("text"), s.figure(orZero(eventsUp+" == 0", eventsUp), "")),
			number(words{"Docker last answered", "Of the exporters that answer, the one whose Docker listed its containers longest ago.", "no exporter that answers has reached Docker"},
				place{16, 0, 4, 4}, "s", fine(limit(300, orange)), s.figure("max("+age(last)+")", "")),
			number(words{"Slowest node", "The longest time a scrape spends asking Docker now. From 5 s (--docker.timeout) on a scrape gives up.", "no exporter answers"},
				place{20, 0, 4, 4}, "s", fine(limit(2, orange)), s.figure("max("+s.of("rancher_agent_scrape_duration_seconds")+")", "")),
		}},
		section{"Out of sight", false, []dashboard.Panel{
			unseenTable(s, place{0, 0, 11, 8}),
			sightTimeline(s, place{11, 0, 13, 8}),
		}},
		section{"How long a scrape takes", false, []dashboard.Panel{
			summary(words{"Time spent asking Docker", "How long the exporters wait for Docker a scrape: half of the nodes are faster than the median, one in twenty is slower than the 95 % line.", unscrapedOr("none answered in this time range")},
				place{0, 0, 12, 8}, "s", s.of("rancher_agent_scrape_duration_seconds")),
			summary(words{"Scrape time as Prometheus sees it", "The same with the network and the exposition. A scrape that reaches the scrape timeout (10 s unless configured) fails.", unscrapedOr("none was in this time range")},
				place{12, 0, 12, 8}, "s", s.of("scrape_duration_seconds")),
		}},
		section{"What the exporters cost, and their versions", true, []dashboard.Panel{
			costTable(s, place{0, 0, 14, 8}),
			buildTable(s, place{14, 0, 10, 8}),
			summary(words{"Resident memory", "Memory of the exporters; the budget is 40 MB with 5,000 containers.", noProcess},
				place{0, 8, 8, 8}, "bytes", s.of("process_resident_memory_bytes")),
			summary(words{"CPU", "Share of one CPU the exporters use.", noProcess},
				place{8, 8, 8, 8}, "percentunit", "rate("+s.of("process_cpu_seconds_total")+"[$__rate_interval])"),
			summary(words{"Goroutines", "A number that only grows is a leak in the exporter: please report it.", unscrapedOr("they run with --web.disable-exporter-metrics")},
				place{16, 8, 8, 8}, "none", s.of("go_goroutines")),
		}},
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
	slowest := "topk(50, " + node(s.of("scrape_duration_seconds")) + ")"
	only := func(expr string) string { return named(and(node(expr), slowest)) }
	return s.grid(words{
		"What a scrape of each node costs",
		"The 50 slowest first: the whole scrape as Prometheus sees it, the time its exporter waited for Docker, its samples, and the exporter's memory.",
		"no exporter was scraped",
	}, at, "Scrape",
		append(nodeColumns(170),
			value("A", "Scrape", 80, unit("s")), value("B", "Docker", 80, unit("s")),
			value("C", "Samples", 85, unit("none")), value("D", "Memory", 0, unit("bytes")),
		),
		rows("A", named(slowest)), rows("B", only(s.of("rancher_agent_scrape_duration_seconds"))),
		rows("C", only(s.of("scrape_samples_scraped"))), rows("D", only(s.of("process_resident_memory_bytes"))))
}

func buildTable(s selector, at place) dashboard.Panel {
	by := "version, revision, goversion"
	return s.grid(words{
		"Exporter versions",
		"Exporters by build. More than one row for long is an upgrade that did not reach every node.",
		"no exporter answers",
	}, at, "Exporters",
		[]column{col("version", "Version", 110), col("revision", "Revision", 0), col("goversion", "Go", 90), col("Value", "Exporters", 90, unit("none"))},
		rows("A", fmt.Sprintf("count by (%s) (%s)", by, maxBy(perNode+", "+by, s.of("rancher_agent_exporter_build_info")))))
}
