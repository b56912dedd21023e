package main

import "fmt"

// What the panels ask, in PromQL over the exporter's own metrics: the dashboards work with no recording rule loaded.

// live counts the cert-writers that have not ended: Docker shows a broken one as restarting half of the time.
func (s selector) live() string { return s.liveAgo("") }

func (s selector) liveAgo(offset string) string {
	return fmt.Sprintf("sum by (%s) (%s)", perNode,
		maxBy(perNode+", state", s.of("rancher_agent_cert_writer_containers", `state=~"running|restarting|paused"`)+offset))
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

// inRange counts the changes of a timestamp in the dashboard's time range. The subquery sees one series a node, however often its pod was replaced.
func inRange(timestamp string) string { return fmt.Sprintf("changes((%s)[$__range:1m])", timestamp) }

func (s selector) recreated() string { return inRange(s.shareMntCreated()) }

func (s selector) shareMntStarts() string {
	return inRange(node(s.of("rancher_agent_share_mnt_started_timestamp_seconds")))
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
