package main

import (
	"slices"
	"sync"
	"testing"
	"time"
)

// TestFiveHundredNodes reports how long each panel takes for a fleet of 500 nodes scraped every minute. It asserts no time: that is the machine's.
func TestFiveHundredNodes(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a minute or more: not with -short")
	}
	program := tool(t, "prometheus")
	dir := t.TempDir()
	nodes := largeFleet()
	start := time.Now()
	// A piece is a block of Prometheus: promtool reads its whole file once for each block in it.
	const piece = 2 * hour
	var waiting sync.WaitGroup
	for from := begin; from < theEnd; from += piece {
		s := history(nodes, withCluster, from, from+piece, minute)
		waiting.Wait()
		waiting.Go(func() { backfill(t, dir, s) })
	}
	waiting.Wait()
	server := serve(t, program, dir, minute)
	t.Logf("%d nodes, six hours at one scrape a minute, made in %.0f s", len(nodes), time.Since(start).Seconds())
	slowest := time.Duration(0)
	for _, name := range sortedKeys(decoded(t)) {
		d := decoded(t)[name]
		chosen := choice{}
		if *d.Uid == nodeUID {
			chosen = choice{"instance": "node-010:15364"}
		}
		for _, one := range panelsOf(d) {
			p := *one
			if p.Type == "text" {
				continue
			}
			began, before := time.Now(), server.cpu(t)
			results := server.run(t, d, p, chosen, minute)
			took := time.Since(began)
			slowest = max(slowest, took)
			series := 0
			for _, list := range results {
				series += len(list)
			}
			t.Logf("%6.3f s, %5.2f s of CPU, %4d series: %s, %s", took.Seconds(), server.cpu(t)-before, series, *d.Title, *p.Title)
		}
	}
	t.Logf("the slowest panel took %.3f s", slowest.Seconds())
	fleet := looker{t, server, decoded(t)["rancher-agent-exporter-fleet.json"], choice{}}
	_, results := fleet.results("Restart these node agents")
	leaking := slices.DeleteFunc(nodes, func(n *simNode) bool { return len(n.writers) < 2 })
	if got := len(results["A"]); got != len(leaking) || got == 0 {
		t.Errorf("%d nodes to restart, of %d that leak", got, len(leaking))
	}
	// A line each for 500 nodes would be unreadable.
	_, results = fleet.results("Live cert-writers of the nodes that leaked")
	if n := len(results["A"]); n == 0 || n > 20 {
		t.Errorf("%d lines in the graph of the fleet", len(results["A"]))
	}
}
