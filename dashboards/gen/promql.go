package main

import (
	"fmt"
	"strings"
)

// Every expression here runs on Prometheus 2.7, the oldest that a Rancher ships, up to 3.x, and avoids what VictoriaMetrics is known to answer otherwise. Hence no @, group or
// last_over_time, and neither changes nor increase: VictoriaMetrics counts the first sample of a series, and Prometheus extrapolates.

// perNode are the labels that tell one node from another. A site has cluster, Rancher's cluster_id and cluster_name, node, or none of them; instance is
// always there. Grouping by all of them keeps equal instances of two clusters apart, and drops what changes when an exporter's pod is replaced.
const perNode = "cluster, cluster_id, cluster_name, node, instance"

// selector picks the series of the nodes chosen in the dashboard's variables.
type selector string

const (
	// A fleet or a part of it.
	chosen selector = `job=~"$job", cluster=~"$cluster", node=~"$node", instance=~"$instance"`
	// The one node of the node page.
	one selector = `job=~"$job", cluster=~"$cluster", instance="$instance"`
)

// of selects a metric of the chosen nodes, by more matchers if given.
func (s selector) of(metric string, more ...string) string {
	return metric + "{" + strings.Join(append([]string{string(s)}, more...), ", ") + "}"
}

// maxBy folds several series of one node into one: an old and a new pod, or two Prometheus replicas.
func maxBy(labels, expr string) string { return fmt.Sprintf("max by (%s) (%s)", labels, expr) }

func node(expr string) string { return maxBy(perNode, expr) }

// age of a timestamp; Docker's clock may be ahead of Prometheus's.
func age(expr string) string { return fmt.Sprintf("clamp_min(time() - %s, 0)", expr) }

// orZero counts what matches, and says 0 only where there is something to count: with nothing seen the panel shows its noValue, no false all-clear.
func orZero(matching, all string) string {
	return fmt.Sprintf("count(%s) or 0 * count(%s)", matching, all)
}

// and keeps what is of the nodes among some, whatever else its labels say.
func and(expr, among string) string {
	return fmt.Sprintf("(%s) and on (%s) (%s)", expr, perNode, among)
}

// first takes of each node what the first expression says that says anything.
func first(exprs ...string) string { return "(" + strings.Join(exprs, " or on ("+perNode+") ") + ")" }

// label sets a label to a fixed text.
func label(expr, name, text string) string {
	return fmt.Sprintf(`label_replace(%s, %q, %q, "", "")`, expr, name, text)
}

// replaced sets a label to a text made of another one, if that matches.
func replaced(expr, name, text, source, re string) string {
	return fmt.Sprintf(`label_replace(%s, %q, %q, %q, %q)`, expr, name, text, source, re)
}

// from copies a label, as far as the regular expression's first group goes, if it matches.
func from(expr, name, source, re string) string { return replaced(expr, name, "$1", source, re) }

// named adds what tables show: name (the node, else the instance without its port), in (the cluster, under whichever label the site has), and link,
// the cluster's value for a link to the node page, which has to be "All" where series have no such label.
func named(expr string) string {
	e := from(expr, "name", "instance", `(.+?)(?::[0-9]+)?`)
	e = from(e, "name", "node", "(.+)")
	return inCluster(e)
}

func inCluster(expr string) string {
	for _, source := range []string{"cluster_id", "cluster_name", "cluster"} {
		expr = from(expr, "in", source, "(.+)")
	}
	return from(label(expr, "link", "All"), "link", "cluster", "(.+)")
}

// titled adds the label title, "cluster / node" or just the node, for legends: a label that is missing would be shown by its name there.
func titled(expr string) string {
	return from(fmt.Sprintf(`label_join(%s, "title", " / ", "in", "name")`, named(expr)), "title", "title", " / (.+)")
}
