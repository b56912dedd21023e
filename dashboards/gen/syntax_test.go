package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
)

// expressions are all that a dashboard sends to Prometheus: queries, annotations, and what its variables select; by where they stand.
func expressions(d dashboard.Dashboard) map[string]string {
	all := map[string]string{}
	for _, wrapped := range d.Panels {
		for _, target := range wrapped.Panel.Targets {
			q := asked(target)
			all[*d.Title+", "+*wrapped.Panel.Title+", "+*q.RefId] = q.Expr
		}
	}
	for _, a := range d.Annotations.List {
		all[*d.Title+", mark "+a.Name] = *a.Expr
	}
	for _, v := range d.Templating.List[1:] {
		m := regexp.MustCompile(`^label_values\((.+), (\w+)\)$`).FindStringSubmatch(*v.Query.String)
		if m == nil {
			all[*d.Title+", variable "+v.Name] = "not label_values"
			continue
		}
		all[*d.Title+", variable "+v.Name] = m[1]
	}
	return all
}

var grafanaVariable = regexp.MustCompile(`\$__\w+`)

// checked is what promtool says about expressions, one rule each: nothing if all parse.
func checked(t *testing.T, all map[string]string) string {
	promtool := tool(t, "promtool")
	var rules []string
	for _, where := range sortedKeys(all) {
		expr := grafanaVariable.ReplaceAllString(all[where], "5m")
		name, _ := json.Marshal(where)
		expression, _ := json.Marshal(expr)
		rules = append(rules, "  # "+string(name), "  - record: checked:"+strconv.Itoa(len(rules)), "    expr: "+string(expression))
	}
	file := filepath.Join(t.TempDir(), "rules.yml")
	if err := os.WriteFile(file, []byte("groups:\n- name: checked\n  rules:\n"+strings.Join(rules, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(promtool, "check", "rules", "--lint=none", file).CombinedOutput()
	if err == nil {
		return ""
	}
	return string(out)
}

func TestPromtoolParsesEveryExpression(t *testing.T) {
	all := map[string]string{}
	for _, d := range decoded(t) {
		for where, expr := range expressions(d) {
			all[where] = expr
		}
	}
	t.Logf("%d expressions", len(all))
	if out := checked(t, all); out != "" {
		t.Error(out)
	}
	for where := range all {
		broken := map[string]string{where: all[where] + ")"}
		if checked(t, broken) == "" {
			t.Errorf("promtool sees no fault in %s", broken[where])
		}
		break
	}
}

// metricTables is the file whose tables name every metric of the exporter, a row each.
const metricTables = "../../README.md"

var (
	ownMetric = regexp.MustCompile(`\brancher_agent_[a-z0-9_]+\b`)
	tableRow  = regexp.MustCompile("(?m)^\\| *`(rancher_agent_[a-z0-9_]+)`")
)

func TestEveryMetricIsDocumented(t *testing.T) {
	readme, err := os.ReadFile(metricTables)
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, m := range tableRow.FindAllSubmatch(readme, -1) {
		known[string(m[1])] = true
	}
	if len(known) == 0 {
		t.Fatalf("no table of %s has a row that begins with `rancher_agent_…`", metricTables)
	}
	for _, d := range decoded(t) {
		for where, expr := range expressions(d) {
			for _, metric := range ownMetric.FindAllString(expr, -1) {
				if !known[metric] {
					t.Errorf("%s asks for %s, which no table of %s has", where, metric, metricTables)
				}
			}
		}
	}
}

// everybodys are the metrics that are not ours and need no recording rule; the alerts' are asked for in one panel, which says so.
var everybodys = map[string]bool{
	"up": true, "scrape_duration_seconds": true, "scrape_samples_scraped": true, "process_resident_memory_bytes": true,
	"process_cpu_seconds_total": true, "go_goroutines": true,
}

var selected = regexp.MustCompile(`([a-zA-Z_:][a-zA-Z0-9_:]*)\{`)

func TestNoRecordingRuleIsNeeded(t *testing.T) {
	for _, d := range decoded(t) {
		for where, expr := range expressions(d) {
			for _, m := range selected.FindAllStringSubmatch(expr, -1) {
				alerts := strings.HasPrefix(m[1], "ALERTS") && strings.Contains(where, "Firing alerts of this node")
				if !ownMetric.MatchString(m[1]) && !everybodys[m[1]] && !alerts {
					t.Errorf("%s asks for %s, which may not be there", where, m[1])
				}
			}
		}
	}
	p := panelOf(t, decoded(t)["rancher-agent-exporter-node.json"], "Firing alerts of this node")
	if !strings.Contains(*p.FieldConfig.Defaults.NoValue, "the alert rules are not loaded") {
		t.Error("the panel of the alerts does not say that it needs the alert rules")
	}
}
