package main

import (
	"testing"
)

func TestHealth(t *testing.T) { eachServer(t, withCluster, lookAtHealth) }

func lookAtHealth(t *testing.T, server *promServer) {
	page := decoded(t)["rancher-agent-exporter-health.json"]
	all := looker{t, server, page, choice{}}
	edge := looker{t, server, page, choice{"cluster": "edge"}}
	gone := looker{t, server, page, choice{"instance": "gone-1:15364"}}
	nothing := looker{t, server, page, choice{"job": "another"}}

	all.stat("Nodes that can be seen", "0.867")
	edge.stat("Nodes that can be seen", "1")
	gone.stat("Nodes that can be seen", "0")
	nothing.stat("Nodes that can be seen", "-1")
	all.stat("Exporters down", "1")
	edge.stat("Exporters down", "0")
	gone.stat("Exporters down", "1")
	nothing.stat("Exporters down", "-1")
	all.stat("Docker unreachable", "1")
	edge.stat("Docker unreachable", "0")
	gone.stat("Docker unreachable")
	all.stat("Without events", "1")
	edge.stat("Without events", "0")
	all.stat("Docker last answered", "60m")
	edge.stat("Docker last answered", "29")
	all.stat("Slowest node", "5")
	edge.stat("Slowest node", "0.036")
	unseen(all, edge)

	for _, title := range []string{"Time spent asking Docker", "Scrape time as Prometheus sees it", "Resident memory", "CPU", "Goroutines"} {
		all.lines(title, "highest", "95 %", "median")
		edge.lines(title, "highest", "95 %", "median")
		nothing.lines(title)
	}
	all.line("Time spent asking Docker", "highest", moment{200 * minute, 5}, moment{150 * minute, 0.036}, moment{30 * minute, 5})
	all.line("Time spent asking Docker", "median", moment{30 * minute, 0.036})
	all.line("Scrape time as Prometheus sees it", "highest", moment{2 * hour, 0.05}, moment{10 * minute, 10})
	// Not the 5 GB of the node-exporters.
	all.line("Resident memory", "highest", moment{hour, 22e6})
	all.line("Goroutines", "median", moment{hour, 12})
	all.line("CPU", "median", moment{hour, 0.002})

	cost := "What a scrape of each node costs"
	edge.table(cost, "slow-1 | edge | 0.050 | 0.036 | 140 | 22000000", "fixed-1 | edge | 0.050 | 0.036 | 140 | 22000000", "lost-1 | edge | 0.050 | 0.036 | 140 | 22000000")
	// A failed scrape costs as well.
	gone.table(cost, "gone-1 | prod | 10 | - | 0 | -")
	nothing.table(cost, "no exporter is scraped | - | 0 | - | - | -")
	all.table("Exporter versions", "0.1.0 | 0123abcd | go1.26 | 14")
	edge.table("Exporter versions", "0.1.0 | 0123abcd | go1.26 | 3")
}

// TestOtherLabels looks at series that carry Rancher's cluster_id and cluster_name, or only the node, or nothing but the instance.
func TestOtherLabels(t *testing.T) {
	pages := decoded(t)
	for _, c := range []struct {
		labels              string
		site                labelled
		cluster, in, prefix string // the cluster in a column and in a title, and what stands before a node's name
	}{
		{"cluster_id and cluster_name", withRancherLabels, "prod", "prod / ", ""},
		{"node", withNode, "-", "", "worker-"},
		{"none", withNone, "-", "", ""},
	} {
		t.Run(c.labels, func(t *testing.T) {
			server := serve(t, tool(t, "prometheus"), smallHistory(t, c.site), 30)
			all := looker{t, server, pages["rancher-agent-exporter-fleet.json"], choice{}}
			title := c.in + c.prefix
			all.stat("Worst node", "90 "+title+"fast-1")
			all.lines("Nodes that could not be seen at some time", title+"blind-1", title+"flaky-1", title+"gone-1")
			all.table("Nodes that cannot be seen now",
				c.prefix+"blind-1 | "+c.cluster+" | 5 | 60m | Docker unreachable", c.prefix+"gone-1 | "+c.cluster+" | 3 | 30m | exporter down")
			if c.cluster == "prod" {
				all.stat("Nodes leaking", "7")
			} else {
				all.stat("Nodes leaking", "5")
			}
			all.stat("Docker unreachable", "1")
			all.stat("Exporters down", "1")
			// A row's link has to choose All where there is no label to choose by.
			p, results := all.results("Restart these node agents")
			rows := merged(p, results)
			if len(rows) < 5 {
				t.Errorf("only %d rows in %s", len(rows), *p.Title)
			}
			for _, r := range rows {
				if r["link"] != "All" || r["instance"] == nil || c.prefix+r["instance"].(string) != r["name"].(string)+":15364" {
					t.Errorf("a link leads to cluster %v, instance %v", r["link"], r["instance"])
				}
			}
			node := looker{t, server, pages["rancher-agent-exporter-node.json"], choice{"instance": "fast-1:15364"}}
			node.stat("Run this on the node", "90 "+agent("prod", "fast-1")+"  # "+title+"fast-1")
			node.stat("Node", "2 "+title+"fast-1")
			node.table("Firing alerts of this node", "RancherCertWriterLeakCritical | critical | 60m", "RancherCertWriterLeak | warning | 50m", "RancherShareMntCrashLooping | warning | 70m")
			for _, title := range []string{"Live cert-writers", "Age of the oldest live cert-writer"} {
				if _, results := node.results(title); len(results["A"]) != 1 {
					t.Errorf("%s has %d lines for one node", title, len(results["A"]))
				}
			}
			health := looker{t, server, pages["rancher-agent-exporter-health.json"], choice{}}
			health.lines("Resident memory", "highest", "95 %", "median")
		})
	}
}
