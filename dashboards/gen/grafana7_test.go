package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// committedForGrafana7 reads the pages for Grafana 7 that are in the repository, by file name.
func committedForGrafana7(t testing.TB) map[string][]byte { return readAll(t, "../grafana-7/*.json") }

func TestGrafana7FilesAreCurrent(t *testing.T) {
	files := committedForGrafana7(t)
	for name, d := range grafana7Pages() {
		want, err := writtenForGrafana7(d)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(files[name], want) {
			t.Errorf("grafana-7/%s is not what the code makes: run `go run .` in dashboards/gen", name)
		}
		delete(files, name)
	}
	for name := range files {
		t.Errorf("grafana-7/%s is made by no code", name)
	}
}

// walk visits every value of a JSON document with its key.
func walk(v any, key string, visit func(key string, v any)) {
	visit(key, v)
	switch v := v.(type) {
	case map[string]any:
		for k, one := range v {
			walk(one, k, visit)
		}
	case []any:
		for _, one := range v {
			walk(one, key, visit)
		}
	}
}

// TestGrafana7Form looks at the committed files without the structs that made them, for what 7.1 does not know.
func TestGrafana7Form(t *testing.T) {
	for name, b := range committedForGrafana7(t) {
		var d struct {
			UID           string
			SchemaVersion int
			Panels        []map[string]any
		}
		var all any
		if json.Unmarshal(b, &d) != nil || json.Unmarshal(b, &all) != nil {
			t.Fatalf("%s is no JSON", name)
		}
		if today := decoded(t)[name]; d.UID != *today.Uid || d.SchemaVersion != 26 || len(d.Panels) != len(today.Panels) {
			t.Errorf("%s: uid %s, schemaVersion %d, %d panels", name, d.UID, d.SchemaVersion, len(d.Panels))
		}
		kinds := []string{"stat", "table", "text", "graph", "row"}
		walk(all, "", func(key string, v any) {
			switch key {
			case "datasource":
				if v != oldSource {
					t.Errorf("%s has the data source %v", name, v)
				}
			case "gridPos":
				if panel, is := v.(map[string]any); is && (panel["w"] == nil || panel["h"] == nil) {
					t.Errorf("%s: a panel at %v", name, v)
				}
			case "targets":
				if target, is := v.(map[string]any); is && strings.Contains(target["expr"].(string), "$__rate_interval") {
					t.Errorf("%s asks %v", name, target["expr"])
				}
			case "transformations":
				if one, is := v.(map[string]any); is && one["id"] != "merge" && one["id"] != "organize" {
					t.Errorf("%s has the transformation %v", name, one["id"])
				}
			case "panels":
				if panel, is := v.(map[string]any); is && !slices.Contains(kinds, panel["type"].(string)) {
					t.Errorf("%s has the panel %v", name, panel["type"])
				}
			case "cellOptions", "fixedColor", "custom.hidden", "custom.cellOptions", "color-mode", "uid ":
				t.Errorf("%s has %s", name, key)
			}
			if text, is := v.(string); is && (strings.Contains(text, ":queryparam") || text == "transparent" || text == "text" && key == "color") {
				t.Errorf("%s has %s in %s", name, text, key)
			}
		})
	}
}

// TestGrafana7Refuses: what the writer has no answer to must stop it, not fall away.
func TestGrafana7Refuses(t *testing.T) {
	today := committed(t)["rancher-agent-exporter-node.json"]
	convert := func(b []byte) error {
		var m modernDashboard
		if err := strictDecode(b, &m); err != nil {
			return err
		}
		_, err := forGrafana7(m)
		return err
	}
	if err := convert(today); err != nil {
		t.Fatal(err)
	}
	for _, c := range [][3]string{
		{`"graphTooltip"`, `"liveNow": true, "graphTooltip"`, "liveNow"},
		{`"gridPos": {`, `"repeat": "instance", "gridPos": {`, "repeat"},
		{`"type": "state-timeline"`, `"type": "barchart"`, "nothing is decided"},
		{`"type": "query"`, `"type": "custom"`, "the type custom"},
		{`"id": "merge"`, `"id": "joinByField"`, "joinByField"},
		{`"id": "custom.cellOptions"`, `"id": "color"`, "the property color"},
		{`"id": "custom.hidden"`, `"id": "custom.width"`, "an override by"},
		{`"type": "color-background"`, `"type": "gauge"`, "a cell of the type gauge"},
		{`"color": "green"`, `"color": "pink"`, "pink"},
		{`"id": "byName"`, `"id": "byType"`, "byType"},
		{`"type": "value"`, `"type": "regex"`, "regex"},
		{`offset $__interval`, `offset $__from`, "$__from"},
		{`"drawStyle": "bars"`, `"drawStyle": "points"`, "the style points"},
		{`"lineInterpolation": "stepAfter"`, `"lineInterpolation": "smooth"`, "smooth"},
		{`"mode": "multi"`, `"mode": "hidden"`, "hidden"},
		{`"textMode": "name"`, `"textMode": "title"`, "title"},
		{`"stacking": {`, `"pointSize": 5, "stacking": {`, "pointSize"},
		{`${runbooks}${__data`, `${job:text}${__data`, "${job:text}"},
		{`"mode": "palette-classic"`, `"mode": "continuous-GrYlRd"`, "continuous-GrYlRd"},
	} {
		changed := bytes.Replace(today, []byte(c[0]), []byte(c[1]), 1)
		if bytes.Equal(changed, today) {
			t.Errorf("the page has no %s to change", c[0])
			continue
		}
		if err := convert(changed); err == nil || !strings.Contains(err.Error(), c[2]) {
			t.Errorf("%s in the place of %s: %v", c[1], c[0], err)
		}
	}
}

// TestGrafana7Graphs looks at what no library can: the graph is drawn by Grafana 7 itself.
func TestGrafana7Graphs(t *testing.T) {
	graphs := map[string]oldGraph{}
	for name := range committedForGrafana7(t) {
		for _, p := range oldPanels(t, name) {
			var g oldGraph
			if err := json.Unmarshal(p.raw, &g); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if g.Type == "graph" {
				graphs[g.Title] = g
			}
		}
	}
	for title, g := range graphs {
		if g.Bars == g.Lines || g.Renderer != "flot" || g.YAxes[0].Format == "" || !g.YAxes[0].Show || g.NullPointMode != "null" || !strings.Contains(g.Description, " Without data: ") {
			t.Errorf("%s: %+v", title, g)
		}
		legends := []string{}
		for _, target := range g.Targets {
			legends = append(legends, target.LegendFormat)
		}
		for _, o := range g.SeriesOverrides {
			if strings.HasPrefix(o.Alias, "/") {
				if !strings.HasSuffix(strings.Join(legends, "\n"), strings.Trim(o.Alias, "/$")) {
					t.Errorf("%s: an override for %s, which no query of it is called", title, o.Alias)
				}
			} else if !slices.Contains(legends, o.Alias) {
				t.Errorf("%s: an override for %s, which no query of it is called", title, o.Alias)
			}
		}
	}
	if g := graphs["Live cert-writers"]; len(g.Thresholds) != 2 || g.Thresholds[0].ColorMode != "warning" || g.Thresholds[1].ColorMode != "critical" || !g.SteppedLine {
		t.Errorf("the limits of the live cert-writers are %+v", g.Thresholds)
	}
	if g := graphs["What happened"]; !g.Bars || !g.Stack || len(g.SeriesOverrides) != len(g.Targets) || g.SeriesOverrides[0].Color == "" {
		t.Errorf("the events are %+v", g)
	}
	if g := graphs["share-mnt over time"]; !strings.Contains(g.Description, "0 missing, 1 exited") || *g.YAxes[0].Max != "8" || !g.YAxes[1].Show || g.SeriesOverrides[0].YAxis != 2 {
		t.Errorf("the states of share-mnt are %+v", g)
	}
}

// TestGrafana7Versions holds README.md to what the tests run, and the ConfigMap to the files.
func TestGrafana7Versions(t *testing.T) {
	lock, err := os.ReadFile("../grafana-7/check/package-lock.json")
	if err != nil {
		t.Fatal(err)
	}
	var packages struct {
		Packages map[string]struct{ Version string }
	}
	if err := json.Unmarshal(lock, &packages); err != nil {
		t.Fatal(err)
	}
	version := func(of string) string { return packages.Packages["node_modules/grafana-data-"+of].Version }
	run := "`@grafana/data` " + version(grafana7Versions[0]) + " and " + version(grafana7Versions[1])
	row := "| fleet and node in `grafana-7/` | 7.1 to 8 | transformations, field options and links by " + run + " | 2.7 or newer, run on "
	if readme := read(t, "README.md"); !strings.Contains(readme, row) {
		t.Errorf("README.md has no row %s", row)
	} else {
		prometheus, _, _ := strings.Cut(strings.SplitAfter(readme, row)[1], " |")
		for name, program := range oldestServer(t) {
			out, err := exec.Command(program, "--version").CombinedOutput()
			if err != nil || !strings.Contains(string(out), "version "+prometheus) {
				t.Errorf("README.md has Prometheus %s, the tests run %s: %.60s", prometheus, name, out)
			}
		}
	}
	if bytes.Contains(lock, []byte(`"resolved"`)) {
		t.Error("package-lock.json names a registry: npm install --omit-lockfile-registry-resolved")
	}
	for name := range grafana7Pages() {
		if !strings.Contains(read(t, "grafana-7/kustomization.yaml"), "  - "+name+"\n") {
			t.Errorf("grafana-7/kustomization.yaml has no %s", name)
		}
	}
}
