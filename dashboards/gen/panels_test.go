package main

import (
	"testing"

	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
)

// panelsOf are the panels of a dashboard, those under a collapsed heading too.
func panelsOf(d dashboard.Dashboard) []*dashboard.Panel {
	var list []*dashboard.Panel
	for _, one := range d.Panels {
		if one.RowPanel == nil {
			list = append(list, one.Panel)
			continue
		}
		for i := range one.RowPanel.Panels {
			list = append(list, &one.RowPanel.Panels[i])
		}
	}
	return list
}

func panelOf(t testing.TB, d dashboard.Dashboard, title string) dashboard.Panel {
	t.Helper()
	for _, p := range panelsOf(d) {
		if *p.Title == title {
			return *p
		}
	}
	t.Fatalf("%s has no panel %q", *d.Title, title)
	return dashboard.Panel{}
}

// TestRows wants the headings, and closed what is not needed for the first look: a closed one asks nothing.
func TestRows(t *testing.T) {
	for name, want := range map[string]map[string]bool{
		"rancher-agent-exporter-fleet.json": {
			"What asks for an act": false, "Clusters": false, "Trend: live cert-writers over time, by server, and when nodes were out of sight": true,
			"Cause: why share-mnt starts again, in the last 76 hours": true, "Rancher versions, and which nodes could leak": true,
		},
		"rancher-agent-exporter-node.json": {
			"Alerts and history": false, "Cause: the last 76 hours": true, "The cert-writers one by one": true,
		},
		"rancher-agent-exporter-health.json": {
			"Out of sight": false, "How long a scrape takes": false, "What the exporters cost, and their versions": true,
		},
	} {
		rows := 0
		for _, one := range decoded(t)[name].Panels {
			if one.RowPanel == nil {
				continue
			}
			rows++
			if closed, is := want[*one.RowPanel.Title]; !is || closed != one.RowPanel.Collapsed || closed != (len(one.RowPanel.Panels) > 0) {
				t.Errorf("%s: the heading %q is not as agreed", name, *one.RowPanel.Title)
			}
		}
		if rows != len(want) {
			t.Errorf("%s has %d headings", name, rows)
		}
	}
}

// TestCauseLooksBackThreeNights wants the panels about the cause to show the window of the alert rules, whatever the time range of the page.
func TestCauseLooksBackThreeNights(t *testing.T) {
	long := map[string]bool{}
	for _, d := range decoded(t) {
		for _, p := range panelsOf(d) {
			if p.TimeFrom != nil && *p.TimeFrom == "76h" {
				long[*p.Title] = true
			}
		}
	}
	same(t, "the window of 76 h", sortedKeys(long), []string{"Nodes whose share-mnt was created again, by the hour", "Removals and prunes", "share-mnt over time"})
}
