package main

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
)

// What Grafana looks up by an id is a plain string to the SDK. These are the ids that Grafana 9.4 and 12 both know, as far as the dashboards use them.
var (
	panelTypes      = []string{"stat", "table", "text", "timeseries", "state-timeline"} // none of them needs Angular
	transformations = []string{"merge", "organize", "sortBy"}
	matchers        = []string{"byName", "byRegexp"}
	overrideIDs     = []string{
		"color", "decimals", "links", "mappings", "noValue", "thresholds", "unit",
		"custom.cellOptions", "custom.hidden", "custom.inspect", "custom.width",
	}
	cellTypes  = []string{"color-background"}
	colorNames = []string{"red", "dark-red", "orange", "dark-orange", "yellow", "green", "blue", "dark-blue", "purple", "text", "transparent"}
)

// faultsOf are the ids of a dashboard that Grafana would not find.
func faultsOf(d dashboard.Dashboard, units map[string]bool) (faults []string) {
	fault := func(where *string, what, id string) { faults = append(faults, *where+": "+what+" "+id) }
	for _, p := range panelsOf(d) {
		if !slices.Contains(panelTypes, p.Type) {
			fault(p.Title, "panel type", p.Type)
		}
		for _, t := range p.Transformations {
			if !slices.Contains(transformations, t.Id) {
				fault(p.Title, "transformation", t.Id)
			}
		}
		if p.FieldConfig == nil {
			continue
		}
		if u := p.FieldConfig.Defaults.Unit; u == nil || !units[*u] {
			fault(p.Title, "unit", "of the panel")
		}
		colorsOf(p.FieldConfig.Defaults.Thresholds, p.FieldConfig.Defaults.Mappings, func(c string) { fault(p.Title, "color", c) })
		for _, o := range p.FieldConfig.Overrides {
			if !slices.Contains(matchers, o.Matcher.Id) {
				fault(p.Title, "matcher", o.Matcher.Id)
			}
			for _, property := range o.Properties {
				if !slices.Contains(overrideIDs, property.Id) {
					fault(p.Title, "override", property.Id)
				}
				switch v := property.Value.(type) {
				case string:
					if property.Id == "unit" && !units[v] {
						fault(p.Title, "unit", v)
					}
				case map[string]any:
					if kind, is := v["type"].(string); property.Id == "custom.cellOptions" && (!is || !slices.Contains(cellTypes, kind)) {
						fault(p.Title, "cell type", kind)
					}
					if fixed, is := v["fixedColor"].(string); property.Id == "color" && (!is || !slices.Contains(colorNames, fixed)) {
						fault(p.Title, "color", fixed)
					}
				}
			}
		}
	}
	return faults
}

func colorsOf(thresholds *dashboard.ThresholdsConfig, mappings []dashboard.ValueMapping, bad func(string)) {
	if thresholds != nil {
		for _, s := range thresholds.Steps {
			if !slices.Contains(colorNames, s.Color) {
				bad(s.Color)
			}
		}
	}
	for _, m := range mappings {
		for _, r := range m.ValueMap.Options {
			// Never colour alone: a mapped value has words.
			if r.Color == nil || !slices.Contains(colorNames, *r.Color) || r.Text == nil || *r.Text == "" {
				bad("of a mapping, or its text")
			}
		}
	}
}

func TestIDs(t *testing.T) {
	units := sdkConstants(t)["units"]
	for name, d := range decoded(t) {
		for _, fault := range faultsOf(d, units) {
			t.Errorf("%s: Grafana knows no such thing: %s", name, fault)
		}
	}
	for what, change := range map[string]func(*dashboard.Panel){
		"panel type":     func(p *dashboard.Panel) { p.Type = "graph" },
		"transformation": func(p *dashboard.Panel) { p.Transformations[0].Id = "merging" },
		"unit":           func(p *dashboard.Panel) { u := "seconds"; p.FieldConfig.Defaults.Unit = &u },
		"override":       func(p *dashboard.Panel) { p.FieldConfig.Overrides[0].Properties[0].Id = "custom.cellOption" },
		"color":          func(p *dashboard.Panel) { p.FieldConfig.Defaults.Thresholds.Steps[0].Color = "rde" },
	} {
		d := fleet()
		change(panelsOf(d)[9])
		if faults := strings.Join(faultsOf(d, units), "\n"); !strings.Contains(faults, what) {
			t.Errorf("this test does not see a wrong %s: %q", what, faults)
		}
	}
}

// TestDatasource wants the variable everywhere: a fixed data source is another one, or none, on the next Grafana.
func TestDatasource(t *testing.T) {
	for name, d := range decoded(t) {
		for _, p := range panelsOf(d) {
			if p.Type == "text" {
				continue
			}
			if p.Datasource == nil || *p.Datasource.Uid != "${datasource}" || *p.Datasource.Type != "prometheus" {
				t.Errorf("%s: %s has a data source of its own", name, *p.Title)
			}
			for _, target := range p.Targets {
				if q := asked(target); q.Datasource == nil || *q.Datasource.Uid != "${datasource}" || *q.Datasource.Type != "prometheus" {
					t.Errorf("%s: a query of %s has a data source of its own", name, *p.Title)
				}
			}
		}
		for _, a := range d.Annotations.List {
			if a.Datasource == nil || *a.Datasource.Uid != "${datasource}" {
				t.Errorf("%s: annotation %s has a data source of its own", name, a.Name)
			}
		}
		for _, v := range d.Templating.List[1:] {
			if v.Type == dashboard.VariableTypeQuery && (v.Datasource == nil || *v.Datasource.Uid != "${datasource}") {
				t.Errorf("%s: variable %s has a data source of its own", name, v.Name)
			}
		}
		if v := d.Templating.List[0]; v.Type != dashboard.VariableTypeDatasource || *v.Query.String != "prometheus" {
			t.Errorf("%s: the variable datasource is not one of type prometheus", name)
		}
	}
}

var dashboardURL = regexp.MustCompile(`^/d/([a-z-]+)\?\$\{datasource:queryparam\}&\$\{job:queryparam\}&var-cluster=\$\{__data\.fields\.link\}(&var-instance=\$\{__data\.fields\.instance\})?&\$\{__url_time_range\}$`)

// TestLinks allows links only where Grafana can prefix them with the path under which a proxy, such as Rancher's, serves it; and to runbooks.
func TestLinks(t *testing.T) {
	cells := map[string]int{}
	for name, d := range decoded(t) {
		if len(d.Links) != 2 || d.Links[0].Type != dashboard.DashboardLinkTypeDashboards || !d.Links[0].AsDropdown || !d.Links[0].IncludeVars || !d.Links[0].KeepTime ||
			!slices.Equal(d.Links[0].Tags, []string{tag}) || *d.Links[1].Url != "${runbooks}" {
			t.Errorf("%s does not link to the others by their tag, with what is chosen, or not to the runbooks", name)
		}
		for _, p := range panelsOf(d) {
			if p.Type == "text" && committedText(p) == "" {
				t.Errorf("%s: the text of %s is not found", name, *p.Title)
			}
			if options := committedText(p); regexp.MustCompile(`\]\(|https?:|<a|/d/`).MatchString(options) {
				t.Errorf("%s: the text of %s has a link, which breaks behind a proxy's path", name, *p.Title)
			}
			if p.FieldConfig == nil {
				continue
			}
			for _, o := range p.FieldConfig.Overrides {
				for _, property := range o.Properties {
					if property.Id != "links" {
						continue
					}
					url, _ := property.Value.([]any)[0].(map[string]any)["url"].(string)
					m := dashboardURL.FindStringSubmatch(url)
					switch {
					case m != nil && m[1] == nodeUID && m[2] != "", m != nil && m[1] == fleetUID && m[2] == "":
						cells[m[1]]++
					case url == "${runbooks}${__data.fields.Alert}.md" && o.Matcher.Options == "Alert":
						cells["runbooks"]++
					default:
						t.Errorf("%s: the cells of %s lead to %s", name, *p.Title, url)
					}
				}
			}
		}
	}
	if cells[nodeUID] != 7 || cells[fleetUID] != 1 || cells["runbooks"] != 2 {
		t.Errorf("so many tables lead to other pages: %v", cells)
	}
}

// TestRunbooks wants the pages to lead where the alerts do, and that in one place of each file, so that a site can replace it.
func TestRunbooks(t *testing.T) {
	rules, err := os.ReadFile("../../alerts/rules.yml")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(rules), "runbook_url: "+runbooks+"RancherCertWriterLeak.md") {
		t.Errorf("the alerts do not lead to %s", runbooks)
	}
	for name, b := range committed(t) {
		if n := strings.Count(string(b), runbooks); n != 3 {
			t.Errorf("%s has the address of the runbooks %d times, not as text, value and query of one variable", name, n)
		}
	}
}
