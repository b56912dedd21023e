package main

import (
	"fmt"
	"strings"

	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/cog/variants"
	"github.com/grafana/grafana-foundation-sdk/go/common"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/grafana/grafana-foundation-sdk/go/prometheus"
	"github.com/grafana/grafana-foundation-sdk/go/table"
)

// column is a field of the merged queries (a label, or the value of a query by its letter) as the table shows it.
type column struct {
	field, title string
	width        int
	properties   []dashboard.DynamicConfigValue
}

func col(field, title string, width int, properties ...dashboard.DynamicConfigValue) column {
	return column{field, title, width, properties}
}

// value is a column of the query with that letter.
func value(ref, title string, width int, properties ...dashboard.DynamicConfigValue) column {
	return col("Value #"+ref, title, width, properties...)
}

func prop(id string, v any) dashboard.DynamicConfigValue {
	return dashboard.DynamicConfigValue{Id: id, Value: v}
}

func unit(id string) dashboard.DynamicConfigValue { return prop("unit", id) }

// colored paints the cell by its limits or mappings; needs Grafana 9.4, before that the cell stays plain.
func colored() dashboard.DynamicConfigValue {
	return prop("custom.cellOptions", map[string]any{"type": "color-background", "mode": "basic"})
}

func limits(t *dashboard.ThresholdsConfig) dashboard.DynamicConfigValue { return prop("thresholds", t) }

func mapped(states []dashboard.ValueMapping) dashboard.DynamicConfigValue {
	return prop("mappings", states)
}

// toNode makes the cell a link to the node page of its row. It works behind a proxy's path because it starts with /d/, which Grafana knows to prefix.
func toNode() dashboard.DynamicConfigValue {
	return link("Open the page of this node", "/d/"+nodeUID+"?${datasource:queryparam}&${job:queryparam}&var-cluster=${__data.fields.link}"+
		"&var-instance=${__data.fields.instance}&${__url_time_range}")
}

// toCluster leads to the fleet page of one cluster.
func toCluster() dashboard.DynamicConfigValue {
	return link("Only this cluster", "/d/"+fleetUID+"?${datasource:queryparam}&${job:queryparam}&var-cluster=${__data.fields.link}&${__url_time_range}")
}

func toRunbook() dashboard.DynamicConfigValue {
	return link("What to do", "${runbooks}${__data.fields.Alert}.md")
}

func link(title, url string) dashboard.DynamicConfigValue {
	return prop("links", []map[string]any{{"title": title, "url": url}})
}

// nodeColumns name the node of a row. A site without any cluster label has no column for it.
func nodeColumns(width int) []column {
	return []column{col("name", "Node", width, toNode()), col("in", "Cluster", 100)}
}

// grid shows the rows of its queries, merged by the labels they share: those of nodeColumns, or the columns themselves. Where no exporter is scraped, its
// one row says so in the first column.
func (s selector) grid(w words, at place, sortBy string, columns []column, targets ...variants.Dataquery) dashboard.Panel {
	where := targets[0].(prometheus.Dataquery)
	where.Expr += " or on () 0 * " + s.unscraped(columns[0].field, noExporter)
	targets[0] = where
	p := panel("table", w, at, targets...)
	o := table.NewOptions()
	o.SortBy = []common.TableSortByFieldState{{DisplayName: sortBy, Desc: cog.ToPtr(true)}}
	o.CellHeight = cog.ToPtr(common.TableCellHeightSm)
	o.Footer.Reducer = []string{}
	p.Options = o
	c := table.NewFieldConfig()
	c.Filterable = cog.ToPtr(true)
	p.FieldConfig.Defaults.Custom = c
	// Columns of numbers have units of their own; without this one, a container ID made of digits would be shown as trillions.
	p.FieldConfig.Defaults.Unit, p.FieldConfig.Defaults.Thresholds = cog.ToPtr("string"), above("text")
	p.FieldConfig.Defaults.Color = &dashboard.FieldColor{Mode: dashboard.FieldColorModeIdThresholds}
	p.FieldConfig.Overrides = append(overrides(columns), hidden())
	p.Transformations = []dashboard.DataTransformerConfig{
		{Id: "merge", Options: map[string]any{}},
		{Id: "organize", Options: organize(columns, len(targets))},
		// Prometheus gives rows in no order: let equals of the column sorted by stand by the first column. The table turns equals round with the rest.
		{Id: "sortBy", Options: map[string]any{"fields": map[string]any{}, "sort": []map[string]any{{"field": columns[0].title, "desc": true}}}},
	}
	return p
}

func overrides(columns []column) []dashboard.DashboardFieldConfigSourceOverrides {
	var list []dashboard.DashboardFieldConfigSourceOverrides
	for _, c := range columns {
		// A dash of its own, or an empty cell would show what the panel says when the whole table is empty.
		props := append([]dashboard.DynamicConfigValue{prop("noValue", "–")}, c.properties...)
		if c.width > 0 {
			props = append(props, prop("custom.width", c.width))
		}
		list = append(list, dashboard.DashboardFieldConfigSourceOverrides{
			Matcher:    dashboard.MatcherConfig{Id: "byName", Options: c.title},
			Properties: props,
		})
	}
	return list
}

// hidden fields are in no column but in the link of a row.
func hidden() dashboard.DashboardFieldConfigSourceOverrides {
	return dashboard.DashboardFieldConfigSourceOverrides{
		Matcher:    dashboard.MatcherConfig{Id: "byRegexp", Options: "/^(instance|link)$/"},
		Properties: []dashboard.DynamicConfigValue{prop("custom.hidden", true)},
	}
}

// organize orders and names the columns and drops every other field that a query can bring.
func organize(columns []column, queries int) map[string]any {
	order, names, drop := map[string]int{}, map[string]string{}, map[string]bool{}
	for i, c := range columns {
		order[c.field], names[c.field] = i, c.title
	}
	noise := append(strings.Split(perNode, ", "), "Time", "container_id", "image", "name", "in", "second", "Value")
	for i := range queries {
		noise = append(noise, fmt.Sprintf("Value #%c", 'A'+i))
	}
	for _, field := range noise {
		if _, shown := order[field]; !shown && field != "instance" {
			drop[field] = true
		}
	}
	last := len(columns)
	for _, field := range []string{"instance", "link"} {
		if _, shown := order[field]; !shown {
			order[field] = last
			last++
		}
	}
	return map[string]any{"excludeByName": drop, "indexByName": order, "renameByName": names}
}
