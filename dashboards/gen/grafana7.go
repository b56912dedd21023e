package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
)

// grafana7Pages are the pages that Grafana 7.1 to 8 get, in a folder of their own. They keep file name and uid: a Grafana has the one set or the
// other, and links and bookmarks hold when the cluster gets a newer Grafana.
func grafana7Pages() map[string]dashboard.Dashboard {
	all := pages()
	return map[string]dashboard.Dashboard{
		"rancher-agent-exporter-fleet.json": all["rancher-agent-exporter-fleet.json"],
		"rancher-agent-exporter-node.json":  all["rancher-agent-exporter-node.json"],
	}
}

func writeGrafana7(dir string) error {
	for name, d := range grafana7Pages() {
		b, err := writtenForGrafana7(d)
		if err != nil {
			return fmt.Errorf("%s for Grafana 7: %w", name, err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// writtenForGrafana7 is the committed form of a page for Grafana 7.1 to 8, made from the form of today.
func writtenForGrafana7(d dashboard.Dashboard) ([]byte, error) {
	today, err := json.Marshal(d)
	if err != nil {
		return nil, err
	}
	var m modernDashboard
	if err := strictDecode(today, &m); err != nil {
		return nil, err
	}
	old, err := forGrafana7(m)
	if err != nil {
		return nil, err
	}
	b, err := json.MarshalIndent(old, "", "  ")
	return append(b, '\n'), err
}

func forGrafana7(m modernDashboard) (oldDashboard, error) {
	old := oldDashboard{
		UID: m.UID, Title: m.Title, Description: m.Description, Tags: m.Tags, Timezone: m.Timezone, Editable: m.Editable,
		GraphTooltip: m.GraphTooltip, Time: oldTime(m.Time), Refresh: m.Refresh, SchemaVersion: 26,
		Templating: oldVariables{[]oldVariable{}}, Annotations: oldAnnotations{[]oldAnnotation{}}, Links: []oldLink{},
	}
	for _, v := range m.Templating.List {
		one, err := variableForGrafana7(v)
		if err != nil {
			return old, err
		}
		old.Templating.List = append(old.Templating.List, one)
	}
	for _, a := range m.Annotations.List {
		color, err := hexColor(a.IconColor)
		if err != nil {
			return old, err
		}
		expr, err := exprForGrafana7(a.Expr)
		if err != nil {
			return old, err
		}
		old.Annotations.List = append(old.Annotations.List, oldAnnotation{
			Name: a.Name, Datasource: oldSource, Enable: a.Enable, IconColor: color, Expr: expr, Step: a.Step,
			TitleFormat: a.TitleFormat, TextFormat: a.TextFormat, UseValueForTime: a.UseValueForTime,
		})
	}
	for _, l := range m.Links {
		if !(l.Type == "dashboards" && l.URL == "") && !(l.Type == "link" && l.URL == "${runbooks}") {
			return old, fmt.Errorf("nothing is decided for the link %s to %q", l.Title, l.URL)
		}
		old.Links = append(old.Links, oldLink(l))
	}
	var err error
	old.Panels, err = panelsForGrafana7(m.Panels)
	return old, err
}

func variableForGrafana7(v modernVariable) (oldVariable, error) {
	old := oldVariable{
		Type: v.Type, Name: v.Name, Label: v.Label, Query: v.Query, Definition: v.Definition, Regex: v.Regex, Current: v.Current, Options: []any{},
		Refresh: v.Refresh, Sort: v.Sort, Hide: v.Hide, Multi: v.Multi, IncludeAll: v.IncludeAll, AllValue: v.AllValue,
	}
	switch v.Type {
	case "datasource", "constant":
	case "query":
		old.Datasource = oldSource
		if _, err := exprForGrafana7(v.Query); err != nil || strings.Contains(v.Query, "$__rate_interval") {
			return old, fmt.Errorf("the query %s of the variable %s: %v", v.Query, v.Name, err)
		}
	default:
		return old, fmt.Errorf("variable %s: the type %s is not known to Grafana 7.1", v.Name, v.Type)
	}
	return old, nil
}

// urlForGrafana7 carries the choices that 7.1 can carry: a list of values only in the form ${x:queryparam}, which came with 7.4, so the other page
// starts with All jobs and clusters, unless the row says which.
func urlForGrafana7(url string) (string, error) {
	if url == "${runbooks}${__data.fields.Alert}.md" {
		return url, nil
	}
	path, query, _ := strings.Cut(url, "?")
	if path != "/d/"+fleetUID && path != "/d/"+nodeUID {
		return "", fmt.Errorf("the link %s leads out of the set", url)
	}
	var kept []string
	for _, part := range strings.Split(query, "&") {
		switch {
		case part == "${datasource:queryparam}":
			kept = append(kept, "var-datasource=${datasource}")
		case strings.HasSuffix(part, ":queryparam}"):
		case part == "${__url_time_range}", strings.HasPrefix(part, "var-") && strings.Contains(part, "=${__data.fields."):
			kept = append(kept, part)
		default:
			return "", fmt.Errorf("%s of the link %s is not known to Grafana 7.1", part, url)
		}
	}
	return path + "?" + strings.Join(kept, "&"), nil
}
