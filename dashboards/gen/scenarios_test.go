package main

import "fmt"

const (
	hour   = int64(3600)
	day    = 24 * hour
	minute = int64(60)
	// theEnd is the moment the dashboards are looked at: the end of a block of Prometheus, 12:00 UTC.
	theEnd = int64(1768478400)
	begin  = theEnd - 6*hour
	server = "https://rancher.example.com"
)

// newNode is a healthy node: a share-mnt ten days old, a node-agent three days old, no cert-writer.
func newNode(cluster, name, version string, leaks bool) *simNode {
	n := &simNode{
		cluster: cluster, name: name, image: "rancher/rancher-agent:" + version, leaks: leaks,
		agentStarted: begin - 3*day, smCreated: begin - 10*day, smStarted: begin - 10*day, smState: "exited",
		up: true, docker: true, counts: map[[2]string]int{}, server: server,
	}
	n.agents, n.creations = []string{n.id("agent")}, []int64{n.smCreated}
	return n
}

// with gives the node cert-writers made one an hour before the history begins.
func (n *simNode) with(count int) *simNode {
	for i := count; i > 0; i-- {
		n.writers = append(n.writers, certWriter{begin - int64(i)*hour + 10*minute, n.server})
	}
	return n
}

func (n *simNode) at(ago int64, what happening) *simNode {
	n.plan(event{theEnd - ago, what})
	return n
}

// every repeats something from one moment (before the end) to another.
func (n *simNode) every(period, from, until int64, what happening) *simNode {
	for ago := from; ago >= until; ago -= period {
		n.at(ago, what)
	}
	return n
}

// smallFleet has every state that an operator meets, in two clusters that both have a node slow-1.
func smallFleet() []*simNode {
	twin := newNode("prod", "twin-1", "v2.4.8", true).with(2)
	twin.agents = append(twin.agents, twin.id("second agent"))
	servers := newNode("prod", "servers-1", "v2.5.7", true).with(2)
	servers.writers = append([]certWriter{
		{begin - 40*day, "https://old-rancher.example.com:8443"}, {begin - 39*day, "https://old-rancher.example.com:8443"},
	}, servers.writers...)
	// Their server is gone: Docker starts them again and again. A restart could not help: they are older than the node-agent.
	servers.broken = 2
	servers.agentStarted = begin - 30*day
	leftovers := newNode("edge", "slow-1", "v2.5.9", true).with(2)
	leftovers.leftovers, leftovers.ended = 1, 1
	fixed := newNode("edge", "fixed-1", "v2.9.3", false).at(hour, prune)
	fixed.noEvents = true
	return []*simNode{
		newNode("prod", "healthy-1", "v2.5.7", true),
		// Between a prune and the node-agent's next look there is no share-mnt.
		newNode("prod", "healthy-2", "v2.5.7", true).with(1).at(40, prune),
		// 12 at first, one more at each hourly prune, the last one 7 minutes ago: 18.
		newNode("prod", "slow-1", "v2.3.3", true).with(12).every(hour, 5*hour+7*minute, 7*minute, prune),
		// The crash loop of a host with cgroup v2 began 90 minutes ago: 90.
		newNode("prod", "fast-1", "v2.5.8", true).every(minute, 90*minute, minute, crash),
		// 9 at first, two more by prunes; the restart 2 hours ago removed all 11; one more prune since: 1.
		newNode("prod", "cured-1", "v2.5.7", true).with(9).every(hour, 4*hour+20*minute, 3*hour+20*minute, prune).
			at(2*hour, agentRestart).at(3*hour, podReplaced).at(80*minute, prune),
		// 8 at first, three more by prunes; the restart 3 hours ago removed all 11, but the prunes went on: 3.
		newNode("prod", "again-1", "v2.5.7", true).with(8).every(hour, 5*hour+20*minute, 20*minute, prune).at(3*hour, agentRestart),
		// 6 at first; the kubelet made a new node-agent an hour ago: 0.
		newNode("prod", "cured-2", "v2.5.7", true).with(6).at(hour, agentReplaced),
		newNode("prod", "blind-1", "v2.5.7", true).with(5).at(hour, dockerGone),
		newNode("prod", "flaky-1", "v2.5.7", true).at(4*hour, dockerGone).at(3*hour, dockerBack),
		newNode("prod", "gone-1", "v2.5.7", true).with(3).at(30*minute, exporterGone),
		servers, twin, leftovers, fixed,
		newNode("edge", "lost-1", "v2.5.9", true).with(3).at(2*hour, agentGone),
	}
}

// largeFleet has 500 nodes, every tenth of which leaks at an hourly prune.
func largeFleet() []*simNode {
	var nodes []*simNode
	for i := range 500 {
		n := newNode(fmt.Sprintf("cluster-%d", i%5), fmt.Sprintf("node-%03d", i), "v2.5.7", true)
		if i%10 == 0 {
			n.with(i%40).every(hour, 5*hour+int64(i%50)*minute, int64(i%50)*minute, prune)
		}
		nodes = append(nodes, n)
	}
	return nodes
}

// history scrapes the nodes from one moment to another, and adds what is not ours but in every Prometheus.
func history(nodes []*simNode, site labelled, from, until, interval int64) samples {
	s := samples{}
	for at := from; at < until; at += interval {
		for _, n := range nodes {
			n.step(at)
			n.scrape(s, site, at)
			s.add("up", fmt.Sprintf(`job="node-exporter",instance="%s:9100"`, n.name), at, 0)
			s.add("process_resident_memory_bytes", fmt.Sprintf(`job="node-exporter",instance="%s:9100"`, n.name), at, 5e9)
		}
	}
	return s
}

// firing adds an alert of our rules, as Prometheus writes it.
func firing(s samples, n *simNode, site labelled, alert, severity string, since int64) {
	labels := fmt.Sprintf(`alertname=%q,severity=%q,job="rancher-agent-exporter",instance="%s:15364"`, alert, severity, n.name)
	if extra := site(n); extra != "" {
		labels += "," + extra
	}
	for at := since; at < theEnd; at += 30 {
		s.add("ALERTS", labels+`,alertstate="firing"`, at, 1)
		s.add("ALERTS_FOR_STATE", labels, at, float64(since))
	}
}
