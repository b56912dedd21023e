package main

import "fmt"

// anyAgent restarts every running node-agent of the node it is pasted on, where the pages cannot name them.
const anyAgent = "docker restart $(docker ps -q --filter name=k8s_agent_cattle-node-agent)"

// Matchers of what may become part of a command: an id that is none, or a strange name, never does.
const (
	withID  = `container_id=~"[0-9a-f]{12}"`
	withPod = `agent_pod=~"cattle-node-agent-[a-z0-9-]+"`
)

// agents are the running node-agents by container, each with the time it started, or 1 where that is not known.
func (s selector) agents() string {
	by := perNode + ", container_id"
	return fmt.Sprintf("(%s or %s)", maxBy(by, s.of("rancher_agent_node_agent_started_timestamp_seconds", withID)), maxBy(by, s.of("rancher_agent_node_agent_info", withID)))
}

// pods are the same by pod.
func (s selector) pods() string {
	info := maxBy(perNode+", container_id, agent_pod", s.of("rancher_agent_node_agent_info", withPod))
	started := maxBy(perNode+", container_id", s.of("rancher_agent_node_agent_started_timestamp_seconds"))
	return fmt.Sprintf("max by (%[1]s, agent_pod) (%[2]s * on (%[1]s, container_id) group_left () %[3]s or %[2]s)", perNode, info, started)
}

// command has one series for each node, with a text made of that label of its node-agent, or of both: PromQL can join labels, but not series, so there
// are the one that started first and the one that started last. On the rare node with three, the command of last resort finds them.
func command(agents, of, text, otherwise string) string {
	per := func(op string) string { return fmt.Sprintf("%s by (%s) (1, %s)", op, perNode, agents) }
	count := fmt.Sprintf("count by (%s) (%s)", perNode, agents)
	second := from(and(per("topk"), count+" == 2"), "second", of, "(.+)")
	both := fmt.Sprintf(`label_join(%s * on (%s) group_left (second) %s, %q, " ", %q, "second")`, per("bottomk"), perNode, second, of, of)
	return first(label(count+" > 2", "command", otherwise), replaced(first(both, per("bottomk")), "command", text, of, "(.+)"))
}

func (s selector) restart() string {
	return command(s.agents(), "container_id", "docker restart $1", anyAgent)
}

func (s selector) deletePods() string {
	return command(s.pods(), "agent_pod", "kubectl -n cattle-system delete pod $1", "kubectl -n cattle-system get pods -o wide")
}
