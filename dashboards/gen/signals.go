package main

import "fmt"

// What the panels ask, in PromQL over the exporter's own metrics. What is said to be last known is a record of the alert rules.

// live counts the cert-writers that have not ended: Docker shows a broken one as restarting half of the time.
func (s selector) live() string { return s.liveAgo("") }

func (s selector) liveAgo(offset string) string {
	return fmt.Sprintf("(%s or 0 * (%s == 1))", liveServers(s.of("rancher_agent_cert_writer_server_containers")+offset), node(s.of("rancher_agent_docker_up")+offset))
}

// liveServers has no zeros: there is no series where no cert-writer lives.
func liveServers(series string) string {
	return fmt.Sprintf("sum by (%[1]s) (max by (%[1]s, server) (%[2]s))", perNode, series)
}

// leaking nodes have more than the one that an upgrade may leave behind.
func (s selector) leaking() string {
	return liveServers(s.of("rancher_agent_cert_writer_server_containers")) + " > 1"
}

// worst are as many of them as a table holds.
func (s selector) worst() string { return "topk(100, " + s.leaking() + ")" }

// worstInRange are the nodes that had the most live cert-writers at some time of the range, if they leaked.
func (s selector) worstInRange(count int) string {
	return fmt.Sprintf("topk(%d, %s > 1)", count, liveServers("max_over_time("+s.of("rancher_agent_cert_writer_server_containers")+"[$__range])"))
}

// liveOfLeaked has only the instances in the variable of that name: a graph asks hundreds of times, once for each step.
func (s selector) liveOfLeaked() string {
	return selector(string(s) + `, instance=~"$leaked"`).live()
}

// lastCount is the last number known, also of a node that cannot be seen.
func (s selector) lastCount() string {
	return node(s.of("instance:rancher_agent_cert_writer_live_containers:last"))
}

func (s selector) oldest() string {
	return fmt.Sprintf("min by (%s) (%s)", perNode, s.of("rancher_agent_cert_writer_oldest_created_timestamp_seconds"))
}

func (s selector) dockerUp() string { return node(s.of("rancher_agent_docker_up")) }

func (s selector) up() string { return node(s.of("up")) }

// orUnscraped is -1 where no exporter is scraped: an empty panel would read as a fleet where all is well.
func (s selector) orUnscraped(expr string) string {
	return expr + " or on () " + s.unscraped("title", " ")
}

// unscraped is that series, with a text in a label.
func (s selector) unscraped(name, text string) string {
	return label("(absent("+s.of("up")+") - 2)", name, text)
}

const noExporter = "no exporter is scraped"

// sight is 0 where the exporter does not answer, 1 where Docker does not answer the exporter, 2 where the node is seen.
func (s selector) sight() string {
	return fmt.Sprintf("((%s == 0) or (1 + %s))", s.up(), s.dockerUp())
}

// outage is sight at the times when a node cannot be seen, and nothing at others. It compares before it folds: a graph asks hundreds of times.
func (s selector) outage() string {
	return fmt.Sprintf("(%s) or (1 + %s)", node(s.of("up")+" == 0"), node(s.of("rancher_agent_docker_up")+" == 0"))
}

func (s selector) unseen() string { return first(s.up()+" == 0", s.dockerUp()+" == 0") }

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

// created is the newest creation of share-mnt that is known, or one of the three before it: "last", "last2" to "last4". Each but the oldest known is a
// re-creation.
func (s selector) created(which string) string {
	return node(s.of("instance:rancher_agent_share_mnt_created_timestamp_seconds:" + which))
}

// causeWindow is the time in which the alert rules look for removals, in seconds: three nights, and the hour by which a clock may be set.
const causeWindow = 76 * 3600

// recreated counts the re-creations within the window: 3 are 3 or more.
func (s selector) recreated() string {
	var counts []string
	names := []string{"last", "last2", "last3", "last4"}
	for n := 3; n > 0; n-- {
		counts = append(counts, fmt.Sprintf("%d + 0 * (time() - %s < %d and %s)", n, s.created(names[n-1]), causeWindow, s.created(names[n])))
	}
	return first(counts...)
}

// step is by how much a counter went up since the step of the graph before: each event counts once. A counter that begins at 0 again shows nothing.
func (s selector) step(counter string, more ...string) string {
	of := s.of(counter, more...)
	return fmt.Sprintf("sum(clamp_min(%s - %s, 0))", node(of), node(of+" offset $__interval"))
}

// alsoRemoved is what a restart of the node-agent removes besides cert-writers: every container of the agent image that belongs to no pod.
func (s selector) alsoRemoved() string {
	unmanaged := node(s.of("rancher_agent_unmanaged_containers"))
	writers := fmt.Sprintf("sum by (%s) (%s)", perNode, maxBy(perNode+", state", s.of("rancher_agent_cert_writer_containers")+" > 0"))
	return fmt.Sprintf("clamp_min(%s - (%s or 0 * %s), 0)", unmanaged, writers, unmanaged)
}

// growth is the change of the live count within the last hour.
func (s selector) growth() string { return s.live() + " - " + s.liveAgo(" offset 1h") }

// siblings are the alerts that say why a restart of the node-agent is not all there is to do, the most telling first.
var siblings = []struct{ alert, short, long string }{
	{"RancherCertWriterSurvivedRestart", "the last restart did not help", "the last restart did not remove them: see the runbook before another one"},
	{"RancherShareMntCrashLooping", "crash loop: one more a minute", "share-mnt is in a crash loop: they come back, one a minute"},
	{"RancherShareMntRemovedRepeatedly", "share-mnt is removed repeatedly", "share-mnt is removed again and again: they come back, one each time"},
}

func (s selector) sibling(alert string) string {
	return node(s.of("ALERTS", fmt.Sprintf("alertname=%q", alert)))
}

// known names the most telling of them in a label.
func (s selector) known() string {
	var list []string
	for _, one := range siblings {
		list = append(list, label(s.sibling(one.alert), "known", one.short))
	}
	return first(list...)
}

const (
	ofOurRules = `alertname=~"Rancher.+"`
	ofNoNode   = `alertname=~"RancherAgentExporter(Absent|NodeNotCovered)", cluster=~"$cluster"`
	isFiring   = `alertstate="firing"`
)

// firing are the alerts of our rules about the nodes, each with the seconds since which it has been pending or firing.
func (s selector) firing() string {
	return firingSince(s.of("ALERTS_FOR_STATE", ofOurRules), s.of("ALERTS", ofOurRules, isFiring))
}

// firingAnywhere has also the two that are of no exporter.
func (s selector) firingAnywhere() string {
	all := firingSince(s.of("ALERTS_FOR_STATE", ofOurRules)+" or ALERTS_FOR_STATE{"+ofNoNode+"}", s.of("ALERTS", ofOurRules, isFiring)+" or ALERTS{"+ofNoNode+", "+isFiring+"}")
	return replaced(all, "instance", "none", "instance", "") // for the link of the row
}

func firingSince(since, firing string) string {
	by := "alertname, severity, " + perNode
	return fmt.Sprintf("topk(100, time() - %s and on (alertname, %s) %s)", maxBy(by, since), perNode, maxBy(by, firing))
}
