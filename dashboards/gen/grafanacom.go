package main

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
)

// writeForGrafanaCom writes the pages in the form that grafana.com takes: what differs from site to site is asked for at the import.
func writeForGrafanaCom(dir string) error {
	for name, d := range pages() {
		b, err := forGrafanaCom(d)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o644); err != nil {
			return err
		}
	}
	return nil
}

func forGrafanaCom(d dashboard.Dashboard) ([]byte, error) {
	const source, constant = "${DS_PROMETHEUS}", "${VAR_RUNBOOKS}"
	d.Templating.List = slices.Clone(d.Templating.List)
	for i, v := range d.Templating.List {
		switch v.Type {
		case dashboard.VariableTypeDatasource:
			d.Templating.List[i].Current = option(source)
		case dashboard.VariableTypeConstant:
			text := constant
			d.Templating.List[i].Query = &dashboard.StringOrMap{String: &text}
			d.Templating.List[i].Current = option(constant)
		}
	}
	b, err := json.Marshal(d)
	if err != nil {
		return nil, err
	}
	var page map[string]any
	if err := json.Unmarshal(b, &page); err != nil {
		return nil, err
	}
	page["id"] = nil
	page["__elements"] = map[string]any{}
	page["__inputs"] = []map[string]any{
		{"name": "DS_PROMETHEUS", "label": "Prometheus", "description": "The Prometheus that scrapes the exporters.", "type": "datasource", "pluginId": "prometheus", "pluginName": "Prometheus"},
		{"name": "VAR_RUNBOOKS", "label": "Runbooks", "description": "Where the runbooks of the alerts are.", "type": "constant", "value": runbooks},
	}
	page["__requires"] = requires(d)
	b, err = json.MarshalIndent(page, "", "  ")
	return append(b, '\n'), err
}

var panelNames = map[string]string{"stat": "Stat", "state-timeline": "State timeline", "table": "Table", "text": "Text", "timeseries": "Time series"}

// requires are the oldest Grafana that shows the page as it is meant, the data source, and the panels in use.
func requires(d dashboard.Dashboard) []map[string]string {
	used := map[string]bool{}
	for _, one := range d.Panels {
		if one.Panel != nil {
			used[one.Panel.Type] = true
			continue
		}
		for _, p := range one.RowPanel.Panels {
			used[p.Type] = true
		}
	}
	list := []map[string]string{
		{"type": "grafana", "id": "grafana", "name": "Grafana", "version": "9.4.0"},
		{"type": "datasource", "id": "prometheus", "name": "Prometheus", "version": "1.0.0"},
	}
	for _, kind := range slices.Sorted(maps.Keys(used)) {
		list = append(list, map[string]string{"type": "panel", "id": kind, "name": panelNames[kind], "version": ""})
	}
	return list
}
