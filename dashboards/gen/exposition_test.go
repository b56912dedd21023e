package main

import "fmt"

// labelled says which target labels a site gives its series.
type labelled func(n *simNode) string

func withCluster(n *simNode) string { return fmt.Sprintf(`cluster=%q,node=%q`, n.cluster, n.name) }

func withRancherLabels(n *simNode) string {
	return fmt.Sprintf(`cluster_id="c-%s",cluster_name=%q`, n.id("")[:5], n.cluster)
}

// withNode is one cluster whose targets are scraped by address and carry the node's name.
func withNode(n *simNode) string { return fmt.Sprintf(`node="worker-%s"`, n.name) }

func withNone(*simNode) string { return "" }

var dockerStates = []string{"created", "running", "paused", "restarting", "removing", "exited", "dead", "unknown"}

// scrape adds what one scrape of the node gives: names and labels as the exporter shows them, nothing that a failed look could not know.
func (n *simNode) scrape(s samples, site labelled, at int64) {
	target := fmt.Sprintf(`job="rancher-agent-exporter",instance="%s:15364",namespace="cattle-monitoring",pod="exporter-%s-%d"`, n.name, n.name, n.pod)
	if extra := site(n); extra != "" {
		target += "," + extra
	}
	add := func(metric string, value float64, labels ...string) {
		l := target
		for _, more := range labels {
			l += "," + more
		}
		s.add(metric, l, at, value)
	}
	stamp := func(metric string, value int64, labels ...string) { add(metric, float64(value), labels...) }
	if n.up && n.docker {
		n.lastCount = len(n.writers)
	}
	defer n.records(s, site, at)
	add("up", truth(n.up))
	if !n.up {
		add("scrape_duration_seconds", 10)
		add("scrape_samples_scraped", 0)
		return
	}
	add("scrape_duration_seconds", 0.05)
	add("scrape_samples_scraped", 140)
	add("go_goroutines", 12)
	add("process_resident_memory_bytes", 22e6)
	add("process_cpu_seconds_total", float64(at%1_000_000)/500)
	add("rancher_agent_exporter_build_info", 1, `version="0.1.0",revision="0123abcd",branch="main",goversion="go1.26"`)
	add("rancher_agent_docker_up", truth(n.docker))
	if !n.noEvents {
		n.eventCounters(add, stamp)
	}
	if n.docker {
		n.lastSeen = at
	}
	stamp("rancher_agent_docker_last_success_timestamp_seconds", n.lastSeen)
	if !n.docker {
		add("rancher_agent_scrape_duration_seconds", 5)
		return
	}
	add("rancher_agent_scrape_duration_seconds", 0.036)
	n.certWriters(add, stamp)
	n.shareMnt(add, stamp)
	n.nodeAgents(add, stamp)
	for _, role := range []string{"registration", "share_mnt_helper", "cluster_agent", "other"} {
		add("rancher_agent_other_containers", 0, fmt.Sprintf("role=%q", role))
	}
	add("rancher_agent_unmanaged_containers", float64(len(n.writers)+n.ended+n.leftovers))
}

// records adds what the alert rules record of the node, without the labels that change with the exporter's pod.
func (n *simNode) records(s samples, site labelled, at int64) {
	labels := fmt.Sprintf(`job="rancher-agent-exporter",instance="%s:15364",namespace="cattle-monitoring"`, n.name)
	if extra := site(n); extra != "" {
		labels += "," + extra
	}
	record := func(name string, value float64) { s.add("instance:rancher_agent_"+name, labels, at, value) }
	record("exporter_up:max", truth(n.up))
	record("cert_writer_live_containers:last", float64(n.lastCount))
	known := len(n.creations)
	for i, name := range []string{"last", "last2", "last3", "last4"} {
		if i < known {
			record("share_mnt_created_timestamp_seconds:"+name, float64(n.creations[known-1-i]))
		}
	}
	record("share_mnt_starts_cert_writer:last", truth(n.leaks))
	record("share_mnt_crash_looping:last", truth(n.smState == "restarting"))
	if n.leaks && known > 3 {
		record("share_mnt_removed_repeatedly:last", 1)
	}
	if n.smState != "" {
		record("share_mnt_exit_code:max", float64(n.smExit))
	}
	if n.lastPrune > 0 {
		record("docker_last_container_prune_timestamp_seconds:last", float64(n.lastPrune))
	}
}

func (n *simNode) eventCounters(add adder, stamp stamper) {
	add("rancher_agent_docker_events_up", truth(n.docker))
	for _, role := range []string{"cert_writer", "share_mnt", "node_agent"} {
		for _, action := range []string{"create", "start", "die", "destroy"} {
			add("rancher_agent_container_events_total", float64(n.counts[[2]string{role, action}]), fmt.Sprintf("role=%q,action=%q", role, action))
		}
	}
	add("rancher_agent_docker_container_prunes_total", float64(n.prunes))
	if n.lastPrune > 0 {
		stamp("rancher_agent_docker_last_container_prune_timestamp_seconds", n.lastPrune)
	}
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

type (
	adder   func(metric string, value float64, labels ...string)
	stamper func(metric string, value int64, labels ...string)
)

func byState(add adder, metric string, counts map[string]int) {
	for _, s := range dockerStates {
		add(metric, float64(counts[s]), fmt.Sprintf("state=%q", s))
	}
}

func (n *simNode) certWriters(add adder, stamp stamper) {
	byState(add, "rancher_agent_cert_writer_containers", map[string]int{"running": len(n.writers) - n.broken, "restarting": n.broken, "exited": n.ended})
	servers := map[string][]certWriter{}
	for i, w := range n.writers {
		servers[w.server] = append(servers[w.server], w)
		if i < 20 {
			stamp("rancher_agent_cert_writer_created_timestamp_seconds", w.created, fmt.Sprintf("container_id=%q,container_name=%q,image=%q,server=%q",
				n.id(fmt.Sprint("writer", w.created, w.server)), fmt.Sprintf("%s_%s", adjectives[i%len(adjectives)], "minsky"), n.image, w.server))
		}
	}
	for server, list := range servers {
		label := fmt.Sprintf("server=%q", server)
		add("rancher_agent_cert_writer_server_containers", float64(len(list)), label)
		stamp("rancher_agent_cert_writer_oldest_created_timestamp_seconds", list[0].created, label)
		stamp("rancher_agent_cert_writer_newest_created_timestamp_seconds", list[len(list)-1].created, label)
	}
}

var adjectives = []string{"thirsty", "friendly", "priceless", "quirky", "sleepy", "hopeful", "eager", "jolly", "wizardly", "zealous"}

func (n *simNode) shareMnt(add adder, stamp stamper) {
	add("rancher_agent_share_mnt_present", truth(n.smState != ""))
	byState(add, "rancher_agent_share_mnt_containers", map[string]int{n.smState: 1})
	if n.smState == "" {
		return
	}
	stamp("rancher_agent_share_mnt_created_timestamp_seconds", n.smCreated)
	stamp("rancher_agent_share_mnt_started_timestamp_seconds", n.smStarted)
	add("rancher_agent_share_mnt_info", 1, fmt.Sprintf("container_id=%q,image=%q", n.id(fmt.Sprint("share-mnt", n.smCreated)), n.image))
	add("rancher_agent_share_mnt_starts_cert_writer", truth(n.leaks))
	add("rancher_agent_share_mnt_exit_code", float64(n.smExit))
}

func (n *simNode) nodeAgents(add adder, stamp stamper) {
	byState(add, "rancher_agent_node_agent_containers", map[string]int{"running": len(n.agents)})
	for i, id := range n.agents {
		pod := fmt.Sprintf("cattle-node-agent-%s%d", n.id("pod")[:4], i)
		add("rancher_agent_node_agent_info", 1, fmt.Sprintf("container_id=%q,container_name=%q,agent_pod=%q,image=%q",
			id, "k8s_agent_"+pod+"_cattle-system_uid_0", pod, "unknown"))
		stamp("rancher_agent_node_agent_started_timestamp_seconds", n.agentStarted+int64(i), fmt.Sprintf("container_id=%q", id))
	}
}
