package main

import (
	"encoding/json"

	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
)

// The uids are part of links that people keep: they never change.
const (
	fleetUID  = "rancher-cert-writer-fleet"
	nodeUID   = "rancher-cert-writer-node"
	healthUID = "rancher-agent-exporter"
	tag       = "rancher-agent-exporter"
)

// pages are the dashboards by file name. Rancher Monitoring's sidecar lays all files in one flat folder, hence the long names.
func pages() map[string]dashboard.Dashboard {
	return map[string]dashboard.Dashboard{
		"rancher-agent-exporter-fleet.json":  fleet(),
		"rancher-agent-exporter-node.json":   nodePage(),
		"rancher-agent-exporter-health.json": health(),
	}
}

func page(uid, title, about string, variables []dashboard.VariableModel, links []dashboard.DashboardLink, panels ...dashboard.Panel) dashboard.Dashboard {
	d := dashboard.Dashboard{
		Uid: &uid, Title: &title, Description: &about, Tags: []string{tag},
		// 39 is what the oldest supported Grafana and those of today both read without a migration of panels.
		SchemaVersion: 39,
		Editable:      cog.ToPtr(false), GraphTooltip: cog.ToPtr(dashboard.DashboardCursorSyncCrosshair),
		// An hourly leak does not show in one hour.
		Time: &dashboard.DashboardDashboardTime{From: "now-6h", To: "now"}, Refresh: cog.ToPtr("1m"), Timezone: cog.ToPtr("browser"),
		Templating:  dashboard.DashboardDashboardTemplating{List: variables},
		Annotations: dashboard.AnnotationContainer{List: []dashboard.AnnotationQuery{}},
		Links:       links,
	}
	for i := range panels {
		panels[i].Id = cog.ToPtr(uint32(i + 1))
		d.Panels = append(d.Panels, dashboard.PanelOrRowPanel{Panel: &panels[i]})
	}
	return d
}

// variables are datasource, job, cluster and instance, each narrowed by those before it.
func variables(instance dashboard.VariableModel) []dashboard.VariableModel {
	return []dashboard.VariableModel{
		{
			Type: dashboard.VariableTypeDatasource, Name: "datasource", Label: cog.ToPtr("Data source"),
			Description: cog.ToPtr("The Prometheus that scrapes the exporters."),
			Query:       &dashboard.StringOrMap{String: cog.ToPtr("prometheus")}, Current: option("default"),
			Refresh: cog.ToPtr(dashboard.VariableRefreshOnDashboardLoad),
		},
		// Its All is the jobs listed, not .+, which would select every exporter there is. The record shows the job where no exporter answers.
		listed("job", "Job", `label_values({__name__=~"rancher_agent_docker_up|instance:rancher_agent_exporter_up:max"}, job)`, "The scrape job of the exporters."),
		// `.*` keeps series without the label: a Prometheus of a single cluster has none.
		many("cluster", "Cluster", ".*", `label_values(rancher_agent_docker_up{job=~"$job"}, cluster)`,
			"The label cluster. Empty where the series have none, or only cluster_id and cluster_name: leave it at All then."),
		instance,
	}
}

func instances() dashboard.VariableModel {
	return many("instance", "Instance", ".+", instanceQuery, "The scrape target, one a node.")
}

const instanceQuery = `label_values(rancher_agent_docker_up{job=~"$job", cluster=~"$cluster"}, instance)`

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

// to links to another dashboard with the choices that mean the same there; the node page has an instance of its own.
func to(uid, title, about, choices string) dashboard.DashboardLink {
	url := "/d/" + uid + "?${datasource:queryparam}&${job:queryparam}&${cluster:queryparam}" + choices
	return dashboard.DashboardLink{
		Type: dashboard.DashboardLinkTypeLink, Title: title, Tooltip: about, Icon: "dashboard", Url: &url, Tags: []string{}, KeepTime: true,
	}
}

// written is the committed form of a dashboard.
func written(d dashboard.Dashboard) ([]byte, error) {
	b, err := json.MarshalIndent(d, "", "  ")
	return append(b, '\n'), err
}
