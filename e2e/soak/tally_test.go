package soak

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/e2e/exporter"
)

const prunes = "rancher_agent_docker_container_prunes_total"

// tally counts events by series of the exporter: what was done, or what was counted.
type tally map[string]int

// counted are the roles whose events the exporter counts.
var counted = []string{certWriter, shareMnt, nodeAgent}

func eventSeries(role, action string) string {
	return fmt.Sprintf("rancher_agent_container_events_total{action=%q,role=%q}", action, role)
}

// add notes something done to a container of a role.
func (t tally) add(role string, actions ...string) {
	for _, action := range actions {
		t[eventSeries(role, action)]++
	}
}

// countedIn are the exporter's counters in a scrape.
func countedIn(m exporter.Metrics) tally {
	t := tally{prunes: int(m[prunes])}
	for _, series := range m.Of("rancher_agent_container_events_total") {
		t[series] = int(m[series])
	}
	return t
}

// ofCounted leaves the series that the exporter has.
func (t tally) ofCounted() tally {
	kept := tally{prunes: t[prunes]}
	for _, role := range counted {
		for _, action := range []string{"create", "start", "die", "destroy"} {
			kept[eventSeries(role, action)] = t[eventSeries(role, action)]
		}
	}
	return kept
}

// minus is the difference, by all series of either.
func (t tally) minus(other tally) tally {
	difference := maps.Clone(t)
	for series, count := range other {
		difference[series] -= count
	}
	return difference
}

// where says which counts are like that.
func (t tally) where(like func(count int) bool) string {
	var text strings.Builder
	for _, series := range slices.Sorted(maps.Keys(t)) {
		if like(t[series]) {
			fmt.Fprintf(&text, "%s: %d\n", series, t[series])
		}
	}
	return text.String()
}

func below0(count int) bool { return count < 0 }
func not0(count int) bool   { return count != 0 }

func (t tally) sum() int {
	sum := 0
	for _, count := range t {
		sum += count
	}
	return sum
}
