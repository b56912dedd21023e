package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/common"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/grafana/grafana-foundation-sdk/go/timeseries"
)

// marks are drawn over every graph of the node page. They are timestamps themselves, so they stand at the very second, and need no events.
func marks(s selector) []dashboard.AnnotationQuery {
	return []dashboard.AnnotationQuery{
		mark("node-agent started", "green", s.agentStarted()),
		mark("share-mnt created", "red", s.shareMntCreated()),
		mark("container prune", "purple", node(s.of("rancher_agent_docker_last_container_prune_timestamp_seconds"))),
	}
}

func mark(name, color, timestamp string) dashboard.AnnotationQuery {
	expr := "1000 * " + timestamp
	return dashboard.AnnotationQuery{
		Name: name, Datasource: source(), Enable: true, IconColor: color, Expr: &expr, Step: cog.ToPtr("30s"),
		TitleFormat: cog.ToPtr(name), TextFormat: cog.ToPtr("{{instance}}"), UseValueForTime: cog.ToPtr(true),
	}
}

func liveOverTime(s selector, at place) dashboard.Panel {
	p := curve(words{
		"Live cert-writers",
		"A drop right after the mark of a node-agent start proves the cure. A rise at the mark of a new share-mnt names the cause: the one before it was removed. A container prune right before it names the culprit.",
		unscrapedOr("Docker was not seen in this time range"),
	}, at, "none", leak(green), over("A", titled(s.live()), "live on {{title}}"))
	fixAxis(&p)
	return p
}

// events stands under the graph of the live cert-writers, on the same axis of time: the same moments as its marks, by name and number.
func events(s selector, at place) dashboard.Panel {
	count := func(role, action string) string {
		return s.step("rancher_agent_container_events_total", `role="`+role+`"`, `action="`+action+`"`)
	}
	before := node("max_over_time(" + s.of("rancher_agent_node_agent_started_timestamp_seconds") + "[10m] offset $__interval)")
	p := curve(words{
		"What happened",
		"Events that Docker reported, each counted once, at the step in which Prometheus saw it. Node-agent starts are taken from its start time and need no events.",
		unscrapedOr("it runs with --no-collector.events"),
	}, at, "none", above("text"),
		over("A", fmt.Sprintf("sum(%s > bool %s)", s.agentStarted(), before), "node-agent started"),
		over("B", count("cert_writer", "destroy"), "cert-writer removed"),
		over("C", s.step("rancher_agent_docker_container_prunes_total"), "container prune"),
		over("D", count("share_mnt", "destroy"), "share-mnt removed"),
		over("E", count("share_mnt", "start"), "share-mnt started"),
		over("F", count("cert_writer", "create"), "cert-writer created"),
	)
	bars(&p, map[string]string{
		"node-agent started": "green", "cert-writer removed": "blue", "container prune": "purple",
		"share-mnt removed": "red", "share-mnt started": "yellow", "cert-writer created": "orange",
	})
	fixAxis(&p)
	return p
}

// bars stacks counts, each series in its colour.
func bars(p *dashboard.Panel, colors map[string]string) {
	c := p.FieldConfig.Defaults.Custom.(*timeseries.FieldConfig)
	c.DrawStyle, c.FillOpacity, c.LineWidth = cog.ToPtr(common.GraphDrawStyleBars), cog.ToPtr(90.0), cog.ToPtr(0.0)
	c.Stacking = &common.StackingConfig{Mode: cog.ToPtr(common.StackingModeNormal), Group: cog.ToPtr("A")}
	p.FieldConfig.Defaults.Decimals = cog.ToPtr(0.0)
	for _, name := range slices.Sorted(maps.Keys(colors)) {
		p.FieldConfig.Overrides = append(p.FieldConfig.Overrides, dashboard.DashboardFieldConfigSourceOverrides{
			Matcher:    dashboard.MatcherConfig{Id: "byName", Options: name},
			Properties: []dashboard.DynamicConfigValue{prop("color", map[string]any{"mode": "fixed", "fixedColor": colors[name]})},
		})
	}
}

// removals is a graph of the days in which a nightly job shows, whatever the page's time range is.
func removals(s selector, at place) dashboard.Panel {
	p := curve(words{
		"Removals and prunes",
		"share-mnt removed and container prunes, by the half hour: what comes at the same time each night, or each hour, is a job. docker rm removes without a prune.",
		unscrapedOr("it runs with --no-collector.events"),
	}, at, "none", above("text"),
		over("A", s.step("rancher_agent_container_events_total", `role="share_mnt"`, `action="destroy"`), "share-mnt removed"),
		over("B", s.step("rancher_agent_docker_container_prunes_total"), "container prune"))
	bars(&p, map[string]string{"share-mnt removed": "red", "container prune": "purple"})
	fixAxis(&p)
	p.Interval, p.TimeFrom = cog.ToPtr("30m"), cog.ToPtr("76h")
	return p
}

// fixAxis gives graphs that stand above one another the same left edge and steps, and a graph of zeros a sensible height.
func fixAxis(p *dashboard.Panel) {
	c := p.FieldConfig.Defaults.Custom.(*timeseries.FieldConfig)
	c.AxisWidth, c.AxisSoftMax = cog.ToPtr(50.0), cog.ToPtr(4.0)
	p.Interval = cog.ToPtr("1m")
}

func oldestOverTime(s selector, at place) dashboard.Panel {
	return curve(words{
		"Age of the oldest live cert-writer",
		"It grows with the clock until a restart of the node-agent removes the oldest.",
		unscrapedOr("no live cert-writer was seen in this time range"),
	}, at, "s", above("text"), over("A", titled(age(s.oldest())), "{{title}}"))
}

// shareMntStates are numbered so that the most telling wins where two share-mnt containers exist.
var shareMntStates = []state{
	{0, "missing", "orange"}, {1, "exited", green}, {2, "created", blue}, {3, "removing", orange}, {4, "dead", orange},
	{5, "unknown", orange}, {6, "paused", orange}, {7, "running", blue}, {8, "restarting", red},
}

// shareMntState is the number of the state in which share-mnt is, 0 where there is none.
func shareMntState(s selector) string {
	var branches []string
	for _, st := range shareMntStates[1:] {
		branches = append(branches, fmt.Sprintf("%d * clamp_max(%s, 1)", st.value, s.of("rancher_agent_share_mnt_containers", `state="`+st.text+`"`)))
	}
	return node(strings.Join(branches, " or "))
}

func shareMntNow(s selector, at place) dashboard.Panel {
	p := number(words{
		"share-mnt now",
		"Exited is how it should be. Missing: the node-agent will create it anew within minutes. Restarting: it crash-loops.",
		"not seen: see Node",
	}, at, "none", above("text"), s.figure(titled(shareMntState(s)), "{{title}}"))
	inWords(&p, shareMntStates...)
	return p
}

func shareMntOverTime(s selector, at place) dashboard.Panel {
	p := timeline(words{
		"share-mnt over time",
		"The state of the share-mnt container, and the exit code it ended with. Missing for a moment is a removal; restarting is a crash loop.",
		unscrapedOr("Docker was not seen in this time range"),
	}, at, states(shareMntStates...),
		over("A", titled(shareMntState(s)), "{{title}}"), over("B", titled(node(s.of("rancher_agent_share_mnt_exit_code"))), "{{title}}, exit code"))
	p.TimeFrom = cog.ToPtr("76h")
	p.FieldConfig.Overrides = []dashboard.DashboardFieldConfigSourceOverrides{{
		Matcher: dashboard.MatcherConfig{Id: "byRegexp", Options: "/exit code$/"},
		Properties: []dashboard.DynamicConfigValue{
			mapped(states(state{0, "0", green})), limits(above(green, limit(1, red))),
		},
	}}
	return p
}
