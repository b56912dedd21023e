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

// section is a part of a page under a heading, or the top of the page, which has none. The panels' places are relative to it. A collapsed one asks nothing
// before it is opened.
type section struct {
	title     string
	collapsed bool
	panels    []dashboard.Panel
}

func page(uid, title, about string, variables []dashboard.VariableModel, sections ...section) dashboard.Dashboard {
	d := dashboard.Dashboard{
		Uid: &uid, Title: &title, Description: &about, Tags: []string{tag},
		// 39 is what the oldest supported Grafana and those of today both read without a migration of panels.
		SchemaVersion: 39,
		Editable:      cog.ToPtr(false), GraphTooltip: cog.ToPtr(dashboard.DashboardCursorSyncCrosshair),
		// An hourly leak does not show in one hour.
		Time: &dashboard.DashboardDashboardTime{From: "now-6h", To: "now"}, Refresh: cog.ToPtr("1m"), Timezone: cog.ToPtr("browser"),
		Templating:  dashboard.DashboardDashboardTemplating{List: variables},
		Annotations: dashboard.AnnotationContainer{List: []dashboard.AnnotationQuery{}},
		Links: []dashboard.DashboardLink{
			{
				Type: dashboard.DashboardLinkTypeDashboards, Title: "Rancher cert-writers", Tooltip: "Fleet, node, and the exporters themselves", Icon: "dashboard",
				Tags: []string{tag}, AsDropdown: true, IncludeVars: true, KeepTime: true,
			},
			{Type: dashboard.DashboardLinkTypeLink, Title: "Runbooks", Tooltip: "What to do about each alert", Icon: "doc", Url: cog.ToPtr("${runbooks}"), Tags: []string{}, TargetBlank: true},
		},
	}
	id, y := uint32(0), uint32(0)
	next := func() uint32 { id++; return id }
	for _, s := range sections {
		row := &dashboard.RowPanel{Type: "row", Collapsed: s.collapsed, Title: &s.title, GridPos: &dashboard.GridPos{Y: y, W: 24, H: 1}, Panels: []dashboard.Panel{}}
		if s.title != "" {
			row.Id = next()
			d.Panels = append(d.Panels, dashboard.PanelOrRowPanel{RowPanel: row})
			y++
		}
		bottom := y
		for _, p := range s.panels {
			p.Id = cog.ToPtr(next())
			p.GridPos.Y += y
			bottom = max(bottom, p.GridPos.Y+p.GridPos.H)
			if s.collapsed {
				row.Panels = append(row.Panels, p)
			} else {
				d.Panels = append(d.Panels, dashboard.PanelOrRowPanel{Panel: &p})
			}
		}
		if !s.collapsed {
			y = bottom
		}
	}
	return d
}

// written is the committed form of a dashboard.
func written(d dashboard.Dashboard) ([]byte, error) {
	b, err := json.MarshalIndent(d, "", "  ")
	return append(b, '\n'), err
}
