package main

import (
	"fmt"
	"net/url"
	"slices"
	"testing"
)

func TestNode(t *testing.T) { eachServer(t, withCluster, lookAtNode) }

func lookAtNode(t *testing.T, server *promServer) {
	page := decoded(t)["rancher-agent-exporter-node.json"]
	on := func(cluster, name string) looker {
		return looker{t, server, page, choice{"cluster": cluster, "instance": name + ":15364"}}
	}
	slow, fast, cured, replaced := on("prod", "slow-1"), on("prod", "fast-1"), on("prod", "cured-1"), on("prod", "cured-2")
	healthy, blind, gone, lost := on("prod", "healthy-1"), on("prod", "blind-1"), on("prod", "gone-1"), on("edge", "lost-1")
	servers, twin, fixed := on("prod", "servers-1"), on("prod", "twin-1"), on("edge", "fixed-1")

	unknown := looker{t, server, page, choice{"instance": "nobody:15364"}}
	both := looker{t, server, page, choice{"instance": "slow-1:15364"}}

	// The value is the live count, which gives the colour, and the last count where nobody can look. -1 has none.
	command, kubectl := "Run this on the node", "Or, without a shell on the node"
	lastResort := " docker restart $(docker ps -q --filter name=k8s_agent_cattle-node-agent)  # prod / "
	find := " kubectl -n cattle-system get pods -o wide --field-selector spec.nodeName="
	slow.stat(command, "18 "+agent("prod", "slow-1")+"  # prod / slow-1")
	fast.stat(command, "90 "+agent("prod", "fast-1")+"  # prod / fast-1")
	both.stat(command, "18 "+agent("prod", "slow-1")+"  # prod / slow-1", "2 "+agent("edge", "slow-1")+"  # edge / slow-1")
	healthy.stat(command, "0 nothing leaks on prod / healthy-1")
	cured.stat(command, "1 nothing leaks on prod / cured-1")
	replaced.stat(command, "0 nothing leaks on prod / cured-2")
	two := newNode("prod", "twin-1", "", true)
	twin.stat(command, "2 "+agent("prod", "twin-1")+" "+two.id("second agent")+"  # prod / twin-1")
	lost.stat(command, "3 docker ps -a --filter name=k8s_agent_cattle-node-agent  # edge / lost-1: no node-agent runs")
	blind.stat(command, "5"+lastResort+"blind-1")
	gone.stat(command, "3"+lastResort+"gone-1")
	unknown.stat(command, "-1 no exporter is scraped")
	pod := func(cluster, name string, i int) string {
		return fmt.Sprintf("cattle-node-agent-%s%d", newNode(cluster, name, "", true).id("pod")[:4], i)
	}
	slow.stat(kubectl, "18 kubectl -n cattle-system delete pod "+pod("prod", "slow-1", 0)+"  # prod / slow-1")
	twin.stat(kubectl, "2 kubectl -n cattle-system delete pod "+pod("prod", "twin-1", 0)+" "+pod("prod", "twin-1", 1)+"  # prod / twin-1")
	healthy.stat(kubectl, "0 nothing leaks on prod / healthy-1")
	lost.stat(kubectl, "3"+find+"lost-1  # edge / lost-1")
	gone.stat(kubectl, "3"+find+"gone-1  # prod / gone-1")

	slow.stat("Live now", "18 prod / slow-1")
	healthy.stat("Live now", "0 prod / healthy-1")
	both.stat("Live now", "18 prod / slow-1", "2 edge / slow-1")
	blind.stat("Live now")
	gone.stat("Live now")
	slow.stat("Last count")
	blind.stat("Last count", "5 prod / blind-1")
	gone.stat("Last count", "3 prod / gone-1")
	slow.stat("Oldest live", "1070m prod / slow-1")
	healthy.stat("Oldest live")
	slow.stat("Node", "2 prod / slow-1")
	both.stat("Node", "2 prod / slow-1", "2 edge / slow-1")
	blind.stat("Node", "1 prod / blind-1")
	gone.stat("Node", "0 prod / gone-1")
	what := "What else is known"
	slow.stat(what, "0 no alert says more of prod / slow-1")
	fast.stat(what, "1 share-mnt is in a crash loop: they come back, one a minute")
	on("prod", "again-1").stat(what, "1 share-mnt is removed again and again: they come back, one each time")
	servers.stat(what, "1 the last restart did not remove them: see the runbook before another one")
	unknown.stat(what, "-1 no exporter is scraped")
	slow.stat("Node-agent up for", "4680m prod / slow-1")
	cured.stat("Node-agent up for", "120m prod / cured-1")
	replaced.stat("Node-agent up for", "60m prod / cured-2")
	lost.stat("Node-agent up for")
	// Older than all cert-writers, so it worked; but they came back.
	slow.stat("Last restart", "3 prod / slow-1")
	cured.stat("Last restart", "0 prod / cured-1")
	servers.stat("Last restart", "1 prod / servers-1")
	healthy.stat("Last restart")
	slow.stat("Also removed", "0 prod / slow-1")
	on("edge", "slow-1").stat("Also removed", "1 edge / slow-1")
	blind.stat("Also removed")
	slow.stat("share-mnt now", "1 prod / slow-1")
	fast.stat("share-mnt now", "8 prod / fast-1")
	on("prod", "healthy-2").stat("share-mnt now", "0 prod / healthy-2")
	blind.stat("share-mnt now")
	slow.stat("Rancher version", "1 v2.3.3 could leak")
	fixed.stat("Rancher version", "0 v2.9.3 cannot leak")
	slow.stat("Last prune", "7m prod / slow-1")
	healthy.stat("Last prune")
	for _, title := range []string{"Live now", "Last count", "Oldest live", "Node", "Node-agent up for", "Last restart", "Also removed", "share-mnt now", "Last prune"} {
		unknown.stat(title, "-1")
	}

	live := "Live cert-writers"
	slow.line(live, "live on prod / slow-1", moment{6*hour - minute, 12}, moment{3 * hour, 15}, moment{minute, 18})
	cured.line(live, "live on prod / cured-1", moment{125 * minute, 11}, moment{115 * minute, 0}, moment{minute, 1})
	on("prod", "again-1").line(live, "live on prod / again-1", moment{185 * minute, 11}, moment{175 * minute, 0}, moment{minute, 3})
	replaced.line(live, "live on prod / cured-2", moment{65 * minute, 6}, moment{55 * minute, 0})
	blind.line(live, "live on prod / blind-1", moment{65 * minute, 5}, moment{55 * minute, missing})

	// The graph of three days has steps of some minutes.
	state := "share-mnt over time"
	fast.line(state, "prod / fast-1", moment{100 * minute, 1}, moment{80 * minute, 8})
	fast.line(state, "prod / fast-1, exit code", moment{100 * minute, 0}, moment{80 * minute, 1})
	slow.line(state, "prod / slow-1", moment{10 * minute, 1})
	blind.line(state, "prod / blind-1", moment{50 * minute, missing})
	both.lines(state, "prod / slow-1", "edge / slow-1", "prod / slow-1, exit code", "edge / slow-1, exit code")
	slow.sum("Removals and prunes", "share-mnt removed", 6)
	slow.sum("Removals and prunes", "container prune", 6)

	happened := "What happened"
	for _, legend := range []string{"container prune", "share-mnt removed", "share-mnt started", "cert-writer created"} {
		slow.sum(happened, legend, 6)
		healthy.sum(happened, legend, 0)
	}
	cured.sum(happened, "node-agent started", 1)
	replaced.sum(happened, "node-agent started", 1)
	cured.sum(happened, "cert-writer removed", 11)
	// The exporter's pod was replaced in between.
	cured.sum(happened, "share-mnt removed", 3)
	fast.sum(happened, "share-mnt started", 90)

	one := "Live cert-writers one by one"
	w := newNode("prod", "servers-1", "", true)
	servers.table(one,
		w.id(fmt.Sprint("writer", begin-40*day, "https://old-rancher.example.com:8443"))+" | thirsty_minsky | 57960m | https://old-rancher.example.com:8443 | rancher/rancher-agent:v2.5.7",
		w.id(fmt.Sprint("writer", begin-39*day, "https://old-rancher.example.com:8443"))+" | friendly_minsky | 56520m | https://old-rancher.example.com:8443 | rancher/rancher-agent:v2.5.7",
		w.id(fmt.Sprint("writer", begin-110*minute, "https://rancher.example.com"))+" | priceless_minsky | 470m | https://rancher.example.com | rancher/rancher-agent:v2.5.7",
		w.id(fmt.Sprint("writer", begin-50*minute, "https://rancher.example.com"))+" | quirky_minsky | 410m | https://rancher.example.com | rancher/rancher-agent:v2.5.7")
	healthy.table(one)
	servers.table("Live cert-writers by Rancher server URL", "https://rancher.example.com | 2 | 1 | 470m", "https://old-rancher.example.com:8443 | 2 | 1 | 57960m")
	servers.line("Age of the oldest live cert-writer", "prod / servers-1", moment{2 * hour, float64(40*day + 4*hour)})
	healthy.lines("Age of the oldest live cert-writer")
	fixed.lines(happened, "node-agent started")
	fast.table("Firing alerts of this node", "RancherCertWriterLeakCritical | critical | 60m", "RancherCertWriterLeak | warning | 50m", "RancherShareMntCrashLooping | warning | 70m")
	// The node of the same name in the other cluster has an alert of its own.
	slow.table("Firing alerts of this node", "RancherCertWriterLeak | warning | 300m")
	on("prod", "again-1").table("Firing alerts of this node", "RancherCertWriterLeak | warning | 49m", "RancherShareMntRemovedRepeatedly | warning | 90m")
	healthy.table("Firing alerts of this node")
}

// regions are the marks that Grafana makes of an annotation's samples, whose values are the times: one at each value.
func regions(t *testing.T, server *promServer, l looker, name string) (at []int64) {
	t.Helper()
	for _, a := range l.page.Annotations.List {
		if a.Name != name {
			continue
		}
		expr := server.filled(t, l.page, l.chosen, 30, 30, *a.Expr)
		last := int64(0)
		for _, s := range server.ask(t, "query_range", url.Values{"query": {expr}, "start": {fmt.Sprint(begin)}, "end": {fmt.Sprint(theEnd - 1)}, "step": {"30"}}) {
			for _, v := range s.values {
				if when := int64(v) / 1000; when > last {
					at, last = append(at, when), when
				}
			}
		}
	}
	// What lies before the graph is not on it.
	return slices.DeleteFunc(at, func(when int64) bool { return when < begin })
}

func TestMarks(t *testing.T) { eachServer(t, withCluster, lookAtMarks) }

func lookAtMarks(t *testing.T, server *promServer) {
	page := decoded(t)["rancher-agent-exporter-node.json"]
	var prunes []int64
	for ago := 5*hour + 7*minute; ago > 0; ago -= hour {
		prunes = append(prunes, theEnd-ago)
	}
	var created []int64 // 40 s after each prune
	for _, at := range prunes {
		created = append(created, at+40)
	}
	for _, c := range []struct {
		node, mark string
		want       []int64
	}{
		{"slow-1", "node-agent started", nil},
		{"cured-1", "node-agent started", []int64{theEnd - 2*hour}},
		{"again-1", "node-agent started", []int64{theEnd - 3*hour}},
		// A new container is a new series: the mark must not depend on one that changes.
		{"cured-2", "node-agent started", []int64{theEnd - hour}},
		{"slow-1", "container prune", prunes},
		{"fast-1", "container prune", nil},
		{"slow-1", "share-mnt created", created},
		// A crash loop removes nothing.
		{"fast-1", "share-mnt created", nil},
		{"cured-1", "share-mnt created", []int64{theEnd - 4*hour - 20*minute + 40, theEnd - 3*hour - 20*minute + 40, theEnd - 80*minute + 40}},
		{"healthy-1", "share-mnt created", nil},
		// Without events.
		{"fixed-1", "share-mnt created", []int64{theEnd - hour + 40}},
	} {
		l := looker{t, server, page, choice{"instance": c.node + ":15364"}}
		if got := regions(t, server, l, c.mark); !slices.Equal(got, c.want) {
			t.Errorf("%s has the mark %q at %v, not at %v", c.node, c.mark, got, c.want)
		}
	}
	for _, a := range page.Annotations.List {
		if !a.Enable || a.Filter != nil {
			t.Errorf("the mark %s is not on every graph", a.Name)
		}
	}
}
