package main

import "fmt"

// What the panels ask, in PromQL over the exporter's own metrics. What is said to be kept or carried is a record of the alert rules.

// live counts the cert-writers that have not ended: Docker shows a broken one as restarting half of the time.
func (s selector) live() string { return s.liveAgo("") }

func (s selector) liveAgo(offset string) string {
	return fmt.Sprintf("sum by (%s) (%s)", perNode,
		maxBy(perNode+", state", s.of("rancher_agent_cert_writer_containers", `state=~"running|restarting|paused"`)+offset))
}

// liveServers is the same number from fewer series, for it has none where no cert-writer lives; most nodes of a fleet are such.
func (s selector) liveServers(series string) string {
	return fmt.Sprintf("sum by (%[1]s) (max by (%[1]s, server) (%[2]s))", perNode, series)
}

// worstInRange are the nodes that had the most live cert-writers at some time of the range, if they leaked.
func (s selector) worstInRange(count int) string {
	return fmt.Sprintf("topk(%d, %s > 1)", count, s.liveServers("max_over_time("+s.of("rancher_agent_cert_writer_server_containers")+"[$__range])"))
}

// liveOfLeaked has zeros too, and only the instances in the variable of that name: a graph asks hundreds of times, once for each step.
func (s selector) liveOfLeaked() string {
	among := `instance=~"$leaked"`
	return s.liveServers(fmt.Sprintf("%s or 0 * (%s == 1)", s.of("rancher_agent_cert_writer_server_containers", among), s.of("rancher_agent_docker_up", among)))
}

// lastCount is the last number known, also of a node that cannot be seen: a recording rule of the alerts keeps it.
func (s selector) lastCount() string {
	return node(s.of("instance:rancher_agent_cert_writer_live_containers:last"))
}

// leaking nodes have more than the one that an upgrade may leave behind.
func (s selector) leaking() string { return s.live() + " > 1" }

func (s selector) oldest() string {
	return fmt.Sprintf("min by (%s) (%s)", perNode, s.of("rancher_agent_cert_writer_oldest_created_timestamp_seconds"))
}

func (s selector) dockerUp() string { return node(s.of("rancher_agent_docker_up")) }

func (s selector) up() string { return node(s.of("up")) }

// sight is 0 where the exporter does not answer, 1 where Docker does not answer the exporter, 2 where the node is seen.
func (s selector) sight() string {
	return fmt.Sprintf("((%s == 0) or (1 + %s))", s.up(), s.dockerUp())
}

// outage is sight at the times when a node cannot be seen, and nothing at others. It compares before it folds: a graph asks hundreds of times.
func (s selector) outage() string {
	return fmt.Sprintf("(%s) or (1 + %s)", node(s.of("up")+" == 0"), node(s.of("rancher_agent_docker_up")+" == 0"))
}

func (s selector) unseen() string {
	return fmt.Sprintf("((%s == 0) or on (%s) (%s == 0))", s.up(), perNode, s.dockerUp())
}

// canLeak is 1 where each new share-mnt starts a cert-writer. Right after a removal there is no share-mnt to ask, hence the window.
func (s selector) canLeak() string {
	return node(fmt.Sprintf("max_over_time(%s[15m])", s.of("rancher_agent_share_mnt_starts_cert_writer")))
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

// seenIn counts how often something happened in the dashboard's time range, by a counter of the exporter: how far each of its series went up, or what a
// counter has that began at 0 in between. A replaced pod of the exporter is another series.
func (s selector) seenIn(counter string, more ...string) string {
	return fmt.Sprintf("sum by (%s) ((max_over_time(%[2]s[$__range]) - min_over_time(%[2]s[$__range])) unless resets(%[2]s[$__range]) > 0 or %[2]s)",
		perNode, s.of(counter, more...))
}

// step is by how much a counter went up since the step of the graph before: each event counts once. A counter that begins at 0 again shows nothing.
func (s selector) step(counter string, more ...string) string {
	of := s.of(counter, more...)
	return fmt.Sprintf("sum(clamp_min(%s - %s, 0))", node(of), node(of+" offset $__interval"))
}

// times is how often share-mnt did something, by the events; without them at least once, if the timestamp that this moves lies in the range.
func (s selector) times(action, timestamp string) string {
	return fmt.Sprintf("(%s or on (%s) clamp_max(%s > time() - $__range_s, 1))",
		s.seenIn("rancher_agent_container_events_total", `role="share_mnt"`, `action="`+action+`"`), perNode, node(s.of(timestamp)))
}

func (s selector) recreated() string {
	return s.times("create", "rancher_agent_share_mnt_created_timestamp_seconds")
}

func (s selector) shareMntStarts() string {
	return s.times("start", "rancher_agent_share_mnt_started_timestamp_seconds")
}

func (s selector) prunes() string { return s.seenIn("rancher_agent_docker_container_prunes_total") }

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
