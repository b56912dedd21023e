package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
)

// oldPanel is a panel of the pages for Grafana 7, for its queries; Grafana's own code reads the rest.
type oldPanel struct {
	Type, Title string
	Targets     []oldTarget
	raw         json.RawMessage
}

func oldPanels(t testing.TB, name string) (list []oldPanel) {
	t.Helper()
	var d struct{ Panels []json.RawMessage }
	if err := json.Unmarshal(committedForGrafana7(t)[name], &d); err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(d.Panels); i++ {
		p := oldPanel{raw: d.Panels[i]}
		if err := json.Unmarshal(p.raw, &p); err != nil {
			t.Fatal(err)
		}
		var row struct{ Panels []json.RawMessage }
		if json.Unmarshal(p.raw, &row) == nil {
			d.Panels = append(d.Panels, row.Panels...)
		}
		if p.Type != "row" {
			list = append(list, p)
		}
	}
	return list
}

// drawing is a panel with the answers of its queries, as check.js reads it.
type drawing struct {
	Panel     json.RawMessage   `json:"panel"`
	Answers   []answer          `json:"answers"`
	Variables map[string]string `json:"variables"`

	title string
	page  dashboard.Dashboard
	today dashboard.Panel
	with  choice
	// what the page of today gets for the same choice
	results map[string][]series
}

type answer struct {
	RefID  string         `json:"refId"`
	Series []answerSeries `json:"series"`
}

type answerSeries struct {
	Metric map[string]string `json:"metric"`
	Values [][2]any          `json:"values"`
}

// drawn is what Grafana makes of it.
type drawn struct {
	Error   string
	Columns []struct {
		Name, Field string
		Painted     bool
		Links       int
	}
	Rows   [][]struct{ Text, Color, Href string }
	Values []struct{ Title, Text, Color string }
}

// asked7 asks what the panel asks at the end of the history, and what today's panel of the same title does.
func asked7(t *testing.T, server *promServer, page dashboard.Dashboard, p oldPanel, with choice) drawing {
	t.Helper()
	d := drawing{
		Panel: p.raw, Variables: map[string]string{"datasource": "prometheus", "runbooks": runbooks}, title: p.Title, page: page,
		today: panelOf(t, page, p.Title), with: with,
	}
	for _, target := range p.Targets {
		a := answer{RefID: target.RefID, Series: []answerSeries{}}
		expr := server.filled(t, page, with, 30, 30, target.Expr)
		for _, s := range server.ask(t, "query", url.Values{"query": {expr}, "time": {fmt.Sprint(theEnd - 1)}}) {
			one := answerSeries{Metric: s.labels}
			for i, v := range s.values {
				one.Values = append(one.Values, [2]any{s.times[i], strconv.FormatFloat(v, 'g', -1, 64)})
			}
			a.Series = append(a.Series, one)
		}
		d.Answers = append(d.Answers, a)
	}
	d.results = server.run(t, page, d.today, with, 30)
	return d
}

// draw has Grafana of a version do it.
func draw(t *testing.T, version string, drawings []drawing) ([]drawn, map[string]string) {
	t.Helper()
	node := os.Getenv("GRAFANA_DATA_7")
	if node == "" {
		if os.Getenv("CI") == "true" {
			t.Fatal("GRAFANA_DATA_7 is not set, and CI=true: use make dashboards")
		}
		t.Skip("without GRAFANA_DATA_7, which make dashboards sets")
	}
	colors := slices.Sorted(maps.Keys(palette))
	in, err := json.Marshal(map[string]any{"panels": drawings, "colors": colors})
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(node, "../grafana-7/check/check.js", version)
	cmd.Stdin = bytes.NewReader(in)
	var fault bytes.Buffer
	cmd.Stderr = &fault
	b, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, fault.String())
	}
	var out struct {
		Colors map[string]string
		Panels []drawn
	}
	if err := json.Unmarshal(b, &out); err != nil || len(out.Panels) != len(drawings) {
		t.Fatalf("%v in %.500s", err, b)
	}
	return out.Panels, out.Colors
}

var grafana7Versions = []string{"7.1", "7.5"}

// TestGrafana7ShowsTheSame runs every stat and table of both pages, for the whole fleet and for each node alone, through Grafana 7.1 and 7.5, and
// wants what the pages of today mean: columns, rows, words and colours.
func TestGrafana7ShowsTheSame(t *testing.T) {
	for nodes, site := range map[int]labelled{9: withCluster, 4: withNone} {
		for _, program := range oldestServer(t) {
			showsTheSame(t, serve(t, program, smallHistory(t, site), 30), nodes)
		}
	}
}

// oldestServer is the old one of the servers to ask.
func oldestServer(t *testing.T) map[string]string {
	all := servers(t)
	if len(all) == 1 {
		t.Skip("without SERVERS, which make dashboards sets")
	}
	delete(all, "prometheus")
	return all
}

func showsTheSame(t *testing.T, server *promServer, nodes int) {
	var drawings []drawing
	for name := range grafana7Pages() {
		page := decoded(t)[name]
		choices := []choice{{}}
		if *page.Uid == nodeUID {
			choices = nil
		}
		for _, name := range []string{"slow-1", "blind-1", "gone-1", "healthy-1", "fast-1", "twin-1", "servers-1", "fixed-1", "lost-1"}[:nodes] {
			choices = append(choices, choice{"instance": name + ":15364"})
		}
		for _, p := range oldPanels(t, name) {
			for _, c := range choices {
				switch p.Type {
				case "stat", "table":
					drawings = append(drawings, asked7(t, server, page, p, c))
				case "graph": // of which no library tells more than that its queries can be asked
					for _, target := range p.Targets {
						server.ask(t, "query", url.Values{"query": {server.filled(t, page, c, 30, 30, target.Expr)}, "time": {fmt.Sprint(theEnd - 1)}})
					}
				}
			}
		}
	}
	for _, version := range grafana7Versions {
		panels, colors := draw(t, version, drawings)
		if !maps.Equal(colors, palette) {
			t.Errorf("Grafana %s has the colours %v", version, colors)
		}
		for i, got := range panels {
			for _, fault := range drawings[i].faults(got, version) {
				t.Errorf("Grafana %s, %s, %s for %v: %s", version, *drawings[i].page.Title, drawings[i].title, drawings[i].with, fault)
			}
		}
	}
}

// faults compares what Grafana 7 shows with what the panel of today means.
func (d drawing) faults(got drawn, version string) (faults []string) {
	if got.Error != "" {
		return []string{got.Error}
	}
	if d.today.Type == "stat" {
		want := []string{}
		for _, target := range d.today.Targets {
			for _, s := range d.results[*asked(target).RefId] {
				text, color := meant(s.last(), d.today.FieldConfig.Defaults.Mappings, d.today.FieldConfig.Defaults.Thresholds)
				want = append(want, s.labels["legend"]+" | "+text+" | "+color)
			}
		}
		shown := []string{}
		for _, v := range got.Values {
			text := v.Text
			if _, err := strconv.Atoi(text[:1]); err == nil {
				text = "a number"
			}
			// Without a legend there is no title to see.
			if len(want) > 0 && strings.HasPrefix(want[0], " | ") {
				v.Title = ""
			}
			shown = append(shown, v.Title+" | "+text+" | "+v.Color)
		}
		if len(want) == 0 {
			// The one value is what the panel says when it is empty; its colour means nothing.
			if len(got.Values) != 1 || got.Values[0].Text != *d.today.FieldConfig.Defaults.NoValue {
				faults = append(faults, fmt.Sprintf("empty, it shows %+v", got.Values))
			}
			return faults
		}
		return different(faults, shown, want)
	}
	columns, present := d.columns()
	var names []string
	for _, c := range got.Columns {
		names = append(names, c.Name)
	}
	if len(got.Rows) == 0 && len(present) == 0 {
		return nil
	}
	if want := titles(columns); !slices.Equal(names, want) {
		return append(faults, fmt.Sprintf("the columns %q, not %q", names, want))
	}
	for i, c := range columns {
		if got.Columns[i].Painted != c.painted || (got.Columns[i].Links > 0) != (c.link != "") {
			faults = append(faults, fmt.Sprintf("the column %s is %+v", c.title, got.Columns[i]))
		}
	}
	var want, shown []string
	for _, r := range merged(d.today, d.results) {
		want = append(want, cells(columns, r))
	}
	for _, row := range got.Rows {
		var texts []string
		for i, cell := range row {
			text := cell.Text
			if columns[i].number && columns[i].mappings == nil && text != "–" {
				text = "a number"
			}
			if columns[i].painted {
				text += " in " + cell.Color
			}
			if columns[i].link != "" {
				text += " to " + cell.Href
			}
			texts = append(texts, text)
		}
		shown = append(shown, strings.Join(texts, " | "))
	}
	if version == "7.1" {
		// Of a node with two commands, its merge gives one of them the numbers.
		twin := func(row string) bool { return strings.HasPrefix(row, "twin-1 ") }
		shown, want = slices.DeleteFunc(shown, twin), slices.DeleteFunc(want, twin)
	}
	return different(faults, shown, want)
}

func different(faults, shown, want []string) []string {
	slices.Sort(shown)
	slices.Sort(want)
	if !slices.Equal(shown, want) {
		faults = append(faults, fmt.Sprintf("it shows\n\t%s\nnot\n\t%s", strings.Join(shown, "\n\t"), strings.Join(want, "\n\t")))
	}
	return faults
}

// meaning is a column as today's page has it.
type meaning struct {
	field, title, link string
	mappings           []dashboard.ValueMapping
	thresholds         *dashboard.ThresholdsConfig
	painted, number    bool
}

func titles(columns []meaning) (list []string) {
	for _, c := range columns {
		list = append(list, c.title)
	}
	return list
}

// columns are those of today's table that the results fill, in their order, and behind them the hidden fields of its links.
func (d drawing) columns() (list []meaning, present map[string]bool) {
	present = map[string]bool{}
	for ref, result := range d.results {
		// A query without a result has the rows of the first one without a number.
		if len(d.results["A"]) > 0 {
			present["Value #"+ref] = true
		}
		for _, s := range result {
			present["Value"], present["Value #"+ref] = true, true
			for label := range s.labels {
				present[label] = true
			}
		}
	}
	organize := d.today.Transformations[1].Options.(map[string]any)
	order := organize["indexByName"].(map[string]any)
	names := organize["renameByName"].(map[string]any)
	links := ""
	for _, field := range sortedKeys(names) {
		c := meaning{field: field, title: names[field].(string), number: strings.HasPrefix(field, "Value")}
		for _, o := range d.today.FieldConfig.Overrides {
			if o.Matcher.Options == c.title {
				c.properties(o.Properties)
			}
		}
		links += c.link
		// Grafana 7 colours numbers alone.
		c.painted = c.painted && c.number
		if present[field] {
			list = append(list, c)
		}
	}
	slices.SortFunc(list, func(a, b meaning) int { return cmp.Compare(order[a.field].(float64), order[b.field].(float64)) })
	for _, field := range []string{"instance", "link"} {
		if present[field] && strings.Contains(links, "${__data.fields."+field+"}") {
			list = append(list, meaning{field: field, title: shownAnyway[field]})
		}
	}
	return list, present
}

func (c *meaning) properties(properties []dashboard.DynamicConfigValue) {
	for _, p := range properties {
		b, _ := json.Marshal(p.Value)
		switch p.Id {
		case "mappings":
			json.Unmarshal(b, &c.mappings)
		case "thresholds":
			json.Unmarshal(b, &c.thresholds)
		case "custom.cellOptions":
			c.painted = true
		case "links":
			var links []struct{ URL string }
			json.Unmarshal(b, &links)
			c.link, _ = urlForGrafana7(links[0].URL)
		}
	}
}

// cells are the row's cells as they should be shown.
func cells(columns []meaning, r row) string {
	var texts []string
	for _, c := range columns {
		text, color := "–", inDark(plain)
		switch v := r[c.field].(type) {
		case string:
			if v != "" {
				text = v
			}
			if c.field == "container_id" {
				text = "id " + v
			}
		case float64:
			text, color = meant(v, c.mappings, c.thresholds)
		case nil:
			// An empty cell has the colour of the lowest limit.
			if lowest, is := base7(c); is {
				color = lowest
			}
		}
		if c.painted {
			text += " in " + color
		}
		if c.link != "" {
			field := func(name string) string { text, _ := r[name].(string); return text }
			text += " to " + strings.NewReplacer("${datasource}", "prometheus", "${runbooks}", runbooks, "${__url_time_range}", "from=1&to=2", "${__data.fields.Alert}", field("alertname"),
				"${__data.fields.link}", field("link"), "${__data.fields.instance}", field("instance")).Replace(c.link)
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, " | ")
}

// base7 is the colour of what is lower than every limit.
func base7(c meaning) (string, bool) {
	if c.thresholds != nil {
		return inDark(c.thresholds.Steps[0].Color), true
	}
	if len(c.mappings) > 0 {
		values := sortedKeys(c.mappings[0].ValueMap.Options)
		return inDark(*c.mappings[0].ValueMap.Options[values[0]].Color), true
	}
	return "", false
}

// meant is how today's panel words and colours a number; a number that is not worded is just "a number".
func meant(v float64, mappings []dashboard.ValueMapping, thresholds *dashboard.ThresholdsConfig) (text, color string) {
	if thresholds != nil {
		for _, s := range thresholds.Steps {
			if s.Value == nil || v >= *s.Value {
				color = inDark(s.Color)
			}
		}
	}
	for _, m := range mappings {
		if to, is := m.ValueMap.Options[strconv.FormatFloat(v, 'f', -1, 64)]; is {
			return *to.Text, inDark(*to.Color)
		}
	}
	return "a number", color
}

// inDark is a colour as Grafana 7 draws it in the dark theme.
func inDark(name string) string {
	switch name {
	case "text":
		return palette["blue"]
	case plain:
		return grey
	}
	return palette[name]
}
