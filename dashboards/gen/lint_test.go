package main

import (
	"regexp"
	"strings"
	"testing"

	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/grafana/grafana-foundation-sdk/go/prometheus"
	"github.com/grafana/grafana-foundation-sdk/go/text"
)

// The rules of Grafana's dashboard-linter, as own checks, and more of the kind; but for its rule that a counter stands in rate or increase, which
// extrapolate. An exception has its reason.
var exceptions = map[string]string{
	"template-instance-rule rancher-cert-writer-node": "the page is about one node: All would show the commands of all nodes at once",
	"template-node-rule rancher-cert-writer-node":     "the same; its All narrows the instances by nothing",
	"template-job-rule rancher-cert-writer-fleet":     "All as .+ would take in the node-exporter and everybody else",
	"template-job-rule rancher-cert-writer-node":      "the same",
	"template-job-rule rancher-agent-exporter":        "the same",
}

func excepted(rule string, d dashboard.Dashboard) bool { return exceptions[rule+" "+*d.Uid] != "" }

func committedText(p *dashboard.Panel) string {
	if o, is := p.Options.(*text.Options); is {
		return o.Content
	}
	return ""
}

func TestLintPanels(t *testing.T) {
	for name, d := range decoded(t) {
		for _, list := range together(d) {
			for _, p := range list {
				overlaps(t, name, list, p)
			}
		}
		for i, p := range panelsOf(d) {
			if p.Title == nil || *p.Title == "" || p.Description == nil || len(*p.Description) < 20 || !strings.HasSuffix(*p.Description, ".") {
				t.Errorf("%s: panel %d has no title or no description", name, i)
				continue
			}
			if p.Type == "text" {
				continue
			}
			if len(p.Targets) == 0 {
				t.Errorf("%s: %s asks nothing", name, *p.Title)
			}
			defaults := p.FieldConfig.Defaults
			if defaults.NoValue == nil || *defaults.NoValue == "" {
				t.Errorf("%s: %s does not say what it means when it is empty", name, *p.Title)
			}
			if defaults.Unit == nil || (defaults.Thresholds == nil || len(defaults.Thresholds.Steps) == 0) && len(defaults.Mappings) == 0 {
				t.Errorf("%s: %s has no unit, or neither thresholds nor mappings", name, *p.Title)
			}
			if defaults.Thresholds != nil && defaults.Thresholds.Steps[0].Value != nil {
				t.Errorf("%s: the first threshold of %s is not the base", name, *p.Title)
			}
		}
	}
}

// overlaps looks at the page with every heading open alone, as Grafana lays it out.
func overlaps(t *testing.T, name string, list []*dashboard.Panel, p *dashboard.Panel) {
	a := p.GridPos
	if a.X+a.W > 24 {
		t.Errorf("%s: %s stands out on the right", name, *p.Title)
	}
	for _, other := range list {
		b := other.GridPos
		if other.Id != p.Id && a.X < b.X+b.W && b.X < a.X+a.W && a.Y < b.Y+b.H && b.Y < a.Y+a.H {
			t.Errorf("%s: %s and %s overlap", name, *p.Title, *other.Title)
		}
	}
}

// together are the lists of panels that are laid out beside one another.
func together(d dashboard.Dashboard) [][]*dashboard.Panel {
	open := []*dashboard.Panel{}
	var all [][]*dashboard.Panel
	for _, one := range d.Panels {
		if one.RowPanel == nil {
			open = append(open, one.Panel)
		} else if len(one.RowPanel.Panels) > 0 {
			var list []*dashboard.Panel
			for i := range one.RowPanel.Panels {
				list = append(list, &one.RowPanel.Panels[i])
			}
			all = append(all, list)
		}
	}
	return append(all, open)
}

func TestLintVariables(t *testing.T) {
	for name, d := range decoded(t) {
		all := map[string]string{"job": ".+", "cluster": ".*", "node": ".*", "instance": ".+"}
		for _, v := range d.Templating.List {
			if v.Type != dashboard.VariableTypeQuery {
				continue
			}
			if v.Refresh == nil || *v.Refresh != dashboard.VariableRefreshOnTimeRangeChanged || v.Label == nil || v.Description == nil {
				t.Errorf("%s: variable %s is not read again when the time range changes, or has no label or description", name, v.Name)
			}
			if !strings.Contains(*v.Query.String, "rancher_agent_") || !variableQuery.MatchString(*v.Query.String) {
				t.Errorf("%s: variable %s takes its values from elsewhere", name, v.Name)
			}
			if excepted("template-"+v.Name+"-rule", d) || v.Hide != nil && *v.Hide == dashboard.VariableHideHideVariable {
				continue
			}
			if v.Multi == nil || !*v.Multi || v.IncludeAll == nil || !*v.IncludeAll || v.AllValue == nil || *v.AllValue != all[v.Name] {
				t.Errorf("%s: variable %s allows not several values, or not All as %s", name, v.Name, all[v.Name])
			}
		}
	}
}

var (
	selectors = regexp.MustCompile(`[a-zA-Z_:][a-zA-Z0-9_:]*\{([^{}]*)\}`)
	rates     = regexp.MustCompile(`\b(?:rate|irate)\([^\[]*\[([^\]]*)\]`)
)

// faultsOfQuery are the linter's rules for a query.
func faultsOfQuery(expr, instance string) (faults []string) {
	for _, m := range selectors.FindAllStringSubmatch(expr, -1) {
		// Two alerts are of no node and no job.
		if strings.Contains(m[1], `alertname=~"RancherAgentExporter(Absent|NodeNotCovered)"`) {
			continue
		}
		for _, matcher := range []string{`job=~"$job"`, `cluster=~"$cluster"`, instance} {
			if !strings.Contains(m[1], matcher) {
				faults = append(faults, m[0]+" does not select "+matcher)
			}
		}
	}
	if len(selectors.FindAllString(expr, -1)) == 0 {
		faults = append(faults, "nothing is selected")
	}
	for _, m := range rates.FindAllStringSubmatch(expr, -1) {
		if m[1] != "$__rate_interval" {
			faults = append(faults, "a rate over "+m[1])
		}
	}
	return faults
}

func instanceMatcher(d dashboard.Dashboard) string {
	if *d.Uid == nodeUID {
		return `instance="$instance"`
	}
	return `node=~"$node", instance=~"$instance"`
}

func TestLintQueries(t *testing.T) {
	for name, d := range decoded(t) {
		for _, p := range panelsOf(d) {
			refs := map[string]bool{}
			for _, target := range p.Targets {
				q := asked(target)
				if refs[*q.RefId] {
					t.Errorf("%s: %s has two queries %s", name, *p.Title, *q.RefId)
				}
				refs[*q.RefId] = true
				for _, fault := range faultsOfQuery(q.Expr, instanceMatcher(d)) {
					t.Errorf("%s: query %s of %s: %s", name, *q.RefId, *p.Title, fault)
				}
				if table := q.Format != nil && *q.Format == prometheus.PromQueryFormatTable; table != (p.Type == "table") {
					t.Errorf("%s: query %s of %s has not the format of its panel", name, *q.RefId, *p.Title)
				}
				if *q.Instant == *q.Range || *q.Range != (p.Type == "timeseries" || p.Type == "state-timeline") {
					t.Errorf("%s: query %s of %s has not the kind of its panel", name, *q.RefId, *p.Title)
				}
			}
		}
	}
	for _, bad := range []string{
		`up{cluster=~"$cluster", instance=~"$instance"}`, `up`, `rate(x_total{job=~"$job", cluster=~"$cluster", instance=~"$instance"}[5m])`,
	} {
		if len(faultsOfQuery(bad, `node=~"$node", instance=~"$instance"`)) == 0 {
			t.Errorf("this test sees no fault in %s", bad)
		}
	}
}
