package main

import "fmt"

// What the panels ask, in PromQL over the exporter's own metrics: the dashboards work with no recording rule loaded.

// live counts the cert-writers that have not ended: Docker shows a broken one as restarting half of the time.
func (s selector) live() string { return s.liveAgo("") }

func (s selector) liveAgo(offset string) string {
	return fmt.Sprintf("sum by (%s) (%s)", perNode,
		maxBy(perNode+", state", s.of("rancher_agent_cert_writer_containers", `state=~"running|restarting|paused"`)+offset))
}

// liveServers is the same number from fewer series, for it has none where no cert-writer lives; most nodes of a fleet are such.
func (s selector) liveServers() string {
	return s.liveOf(s.of("rancher_agent_cert_writer_server_containers"))
}

func (s selector) liveOf(series string) string {
	return fmt.Sprintf("sum by (%[1]s) (max by (%[1]s, server) (%[2]s))", perNode, series)
}

// liveSeries is liveServers with the zeros, of the nodes among some. A graph asks hundreds of times, once for each step: the others are
// left out before anything is summed.
func (s selector) liveSeries(among string) string {
	return s.liveOf(fmt.Sprintf("(%s or 0 * (%s == 1)) and on (%s) %s",
		s.of("rancher_agent_cert_writer_server_containers"), s.of("rancher_agent_docker_up"), perNode, among))
}

// leaking nodes have more than the one that an upgrade may leave behind.
func (s selector) leaking() string { return s.live() + " > 1" }

func (s selector) oldest() string {
	return fmt.Sprintf("min by (%s) (%s)", perNode, s.of("rancher_agent_cert_writer_oldest_created_timestamp_seconds"))
}

func (s selector) dockerUp() string { return node(s.of("rancher_agent_docker_up")) }

func (s selector) up() string { return node(s.ours("up")) }

// sight is 0 where the exporter does not answer, 1 where Docker does not answer the exporter, 2 where the node is seen.
func (s selector) sight() string {
	return fmt.Sprintf("((%s == 0) or (1 + %s))", s.up(), s.dockerUp())
}

// sightOnce is sight over time, of the nodes that at some time could not be seen: which ones is found once, at the end of the range.
func (s selector) sightOnce() string {
	least := func(metric string) string { return "min_over_time(" + s.of(metric) + "[$__range] @ end())" }
	among := fmt.Sprintf(" and on (%[1]s) (min by (%[1]s) (%[2]s) == 0 or min by (%[1]s) (%[3]s) == 0)", perNode,
		ourJobs(least("up")), least("rancher_agent_docker_up"))
	return fmt.Sprintf("(%s == 0) or (1 + %s)", node(s.of("up")+among), node(s.of("rancher_agent_docker_up")+among))
}

func (s selector) unseen() string {
	return fmt.Sprintf("((%s == 0) or on (%s) (%s == 0))", s.up(), perNode, s.dockerUp())
}

// canLeak is 1 where each new share-mnt starts a cert-writer. Right after a removal there is no share-mnt to ask, hence the window.
func (s selector) canLeak() string {
	return node(fmt.Sprintf("last_over_time(%s[15m])", s.of("rancher_agent_share_mnt_starts_cert_writer")))
}

// version is the tag of share-mnt's image: the node-agent's image is mostly a digest.
func (s selector) version() string {
	return from(label(maxBy(perNode+", image", s.of("rancher_agent_share_mnt_info")), "version", "unknown"), "version", "image", ".+:([^/:]+)")
}

func (s selector) agentStarted() string {
	// Without container_id: a new container would be a new series, in which nothing changes.
	return node(s.of("rancher_agent_node_agent_started_timestamp_seconds"))
}

func (s selector) shareMntCreated() string {
	return node(s.of("rancher_agent_share_mnt_created_timestamp_seconds"))
}

// changed counts the changes of a timestamp in the dashboard's time range. A replaced pod of the exporter is another series: hence the sum.
func (s selector) changed(timestamp string) string {
	return fmt.Sprintf("sum by (%s) (changes(%s[$__range]))", perNode, s.of(timestamp))
}

func (s selector) recreated() string {
	return s.changed("rancher_agent_share_mnt_created_timestamp_seconds")
}

func (s selector) shareMntStarts() string {
	return s.changed("rancher_agent_share_mnt_started_timestamp_seconds")
}

func (s selector) prunes() string {
	return fmt.Sprintf("round(sum by (%s) (increase(%s[$__range])))", perNode, s.of("rancher_agent_docker_container_prunes_total"))
}

// alsoRemoved is what a restart of the node-agent removes besides cert-writers: every container of the agent image that belongs to no pod.
func (s selector) alsoRemoved() string {
	return fmt.Sprintf("clamp_min(%s - sum by (%s) (%s), 0)", node(s.of("rancher_agent_unmanaged_containers")), perNode,
		maxBy(perNode+", state", s.of("rancher_agent_cert_writer_containers")))
}

// runningAgents has one series a node-agent; an id that is none never becomes part of a command.
func (s selector) runningAgents() string {
	return maxBy(perNode+", container_id", s.of("rancher_agent_node_agent_info", `container_id=~"[0-9a-f]{12}"`))
}

func restartCommand(expr string) string {
	return fmt.Sprintf(`label_replace(%s, "command", "docker restart $1", "container_id", "(.+)")`, expr)
}

// growth is the change of the live count within the last hour.
func (s selector) growth() string { return s.live() + " - " + s.liveAgo(" offset 1h") }
