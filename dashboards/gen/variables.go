package main

import (
	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
)

// runbooks is where the runbooks of the alerts are, as in the alerts' own links. A site that has them elsewhere replaces it in the files.
const runbooks = "https://github.com/rancher-agent-exporter/rancher_agent_exporter/blob/main/alerts/runbooks/"

// known selects what tells a target: the exporter's own metric while it answers, and what the alert rules record of its up, in which it stays while it
// is down.
const known = `{__name__=~"rancher_agent_docker_up|instance:rancher_agent_exporter_up:max"`

// variables are datasource, job, cluster, node and instance, each narrowed by those before it, and where the runbooks are.
func variables(node, instance dashboard.VariableModel) []dashboard.VariableModel {
	return []dashboard.VariableModel{
		{
			Type: dashboard.VariableTypeDatasource, Name: "datasource", Label: cog.ToPtr("Data source"),
			Description: cog.ToPtr("The Prometheus that scrapes the exporters."),
			Query:       &dashboard.StringOrMap{String: cog.ToPtr("prometheus")}, Current: option("default"),
			Refresh: cog.ToPtr(dashboard.VariableRefreshOnDashboardLoad),
		},
		// Its All is the jobs listed, not .+, which would select every exporter there is.
		listed("job", "Job", "label_values("+known+"}, job)", "The scrape job of the exporters."),
		// `.*` keeps series without the label: a Prometheus of a single cluster has none.
		many("cluster", "Cluster", ".*", "label_values("+known+`, job=~"$job"}, cluster)`,
			"The label cluster. Empty where the series have none, or only cluster_id and cluster_name: leave it at All then."),
		node, instance,
		{
			Type: dashboard.VariableTypeConstant, Name: "runbooks", Label: cog.ToPtr("Runbooks"), Hide: cog.ToPtr(dashboard.VariableHideHideVariable),
			Description: cog.ToPtr("Where the runbooks of the alerts are."),
			Query:       &dashboard.StringOrMap{String: cog.ToPtr(runbooks)}, Current: option(runbooks),
		},
	}
}

const (
	nodeQuery     = "label_values(" + known + `, job=~"$job", cluster=~"$cluster"}, node)`
	instanceQuery = "label_values(" + known + `, job=~"$job", cluster=~"$cluster", node=~"$node"}, instance)`
	aboutNode     = "The label node. Empty where the series have none: leave it at All then."
)

func someNodes() []dashboard.VariableModel {
	return variables(many("node", "Node", ".*", nodeQuery, aboutNode), many("instance", "Instance", ".+", instanceQuery, "The scrape target, one a node."))
}

func oneNode() []dashboard.VariableModel {
	node := many("node", "Node", ".*", nodeQuery, aboutNode)
	node.Multi = cog.ToPtr(false)
	return variables(node, values("instance", "Instance", instanceQuery, "The scrape target of the node this page is about."))
}

// many is a variable of which several values, or all, can be chosen; all is the text that stands for All.
func many(name, title, all, query, about string) dashboard.VariableModel {
	v := listed(name, title, query, about)
	v.AllValue = &all
	return v
}

// listed is one whose All stands for the values it has found.
func listed(name, title, query, about string) dashboard.VariableModel {
	v := values(name, title, query, about)
	v.Multi, v.IncludeAll = cog.ToPtr(true), cog.ToPtr(true)
	v.Current = option("$__all")
	v.Current.Text.String = cog.ToPtr("All")
	return v
}

func values(name, title, query, about string) dashboard.VariableModel {
	return dashboard.VariableModel{
		Type: dashboard.VariableTypeQuery, Name: name, Label: &title, Description: &about, Datasource: source(),
		Query: &dashboard.StringOrMap{String: &query}, Definition: &query,
		Refresh: cog.ToPtr(dashboard.VariableRefreshOnTimeRangeChanged), Sort: cog.ToPtr(dashboard.VariableSortAlphabeticalAsc),
	}
}

func option(v string) *dashboard.VariableOption {
	return &dashboard.VariableOption{
		Selected: cog.ToPtr(true),
		Text:     dashboard.StringOrArrayOfString{String: &v}, Value: dashboard.StringOrArrayOfString{String: &v},
	}
}
