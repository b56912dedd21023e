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
	for _, p := range panelsOf(d) {
		for _, target := range p.Targets {
			q := asked(target)
			all[*d.Title+", "+*p.Title+", "+*q.RefId] = q.Expr
		}
	}
	for _, a := range d.Annotations.List {
		all[*d.Title+", mark "+a.Name] = *a.Expr
	}
	for _, v := range d.Templating.List {
		if v.Type != dashboard.VariableTypeQuery {
			continue
		}
		m := variableQuery.FindStringSubmatch(*v.Query.String)
		if m == nil {
			m = []string{"", "a query of no known kind", "", ""}
		}
		all[*d.Title+", variable "+v.Name] = m[1] + m[3]
	}
	return all
}

var (
	seconds         = regexp.MustCompile(`\$__range_s\b`)
	grafanaVariable = regexp.MustCompile(`\$__\w+`)
)

// checked is what promtool says about expressions, one rule each: nothing if all parse.
func checked(t *testing.T, all map[string]string) string {
	promtool := tool(t, "promtool")
	var rules []string
	for _, where := range sortedKeys(all) {
		expr := grafanaVariable.ReplaceAllString(seconds.ReplaceAllString(all[where], "300"), "5m")
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

// newer is what Prometheus 2.7 does not know, and what VictoriaMetrics reads otherwise, by the reason why no page may need it.
var newer = map[string]*regexp.Regexp{
	"Prometheus 2.7 does not know it": regexp.MustCompile(`@|\b(?:group|last_over_time|present_over_time|absent_over_time|clamp|sgn|a?cosh?|a?sinh?|a?tanh?|deg|rad|pi|atan2|` +
		`sort_by_label|sort_by_label_desc|limitk|limit_ratio|histogram_\w+|mad_over_time|info)\s*(?:\(|by\b|without\b)|offset -`),
	"VictoriaMetrics counts the first sample of a series": regexp.MustCompile(`\b(?:changes|increase|idelta|delta)\(`),
	"Grafana 7.1 does not know it":                        regexp.MustCompile(`\$__rate_interval`),
}

func TestOldestPrometheusKnowsEveryExpression(t *testing.T) {
	for name, d := range decoded(t) {
		for where, expr := range expressions(d) {
			for why, of := range newer {
				// The page on the exporters themselves has no form for Grafana 7.
				if m := of.FindString(expr); m != "" && !(m == "$__rate_interval" && name == "rancher-agent-exporter-health.json") {
					t.Errorf("%s has %s: %s", where, m, why)
				}
			}
		}
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
			for _, metric := range ownMetric.FindAllString(aRecord.ReplaceAllString(expr, ""), -1) {
				if !known[metric] {
					t.Errorf("%s asks for %s, which no table of %s has", where, metric, metricTables)
				}
			}
		}
	}
}

// everybodys are the metrics that are neither ours nor records of our rules.
var everybodys = map[string]bool{
	"up": true, "scrape_duration_seconds": true, "scrape_samples_scraped": true, "process_resident_memory_bytes": true,
	"process_cpu_seconds_total": true, "go_goroutines": true, "ALERTS": true, "ALERTS_FOR_STATE": true,
}

var (
	selected = regexp.MustCompile(`([a-zA-Z_:][a-zA-Z0-9_:]*)\{`)
	// One of a row may stand for the others, of which only the last part is given.
	listedRecord = regexp.MustCompile("`(\\w+:\\w+)?(:\\w+)`")
	aRecord      = regexp.MustCompile(`\b\w+:\w+:\w+\b`)
)

// TestRecordsAreThoseOfTheRules wants every other metric to be a record of the alert rules, as their README lists them.
func TestRecordsAreThoseOfTheRules(t *testing.T) {
	readme, err := os.ReadFile("../../alerts/README.md")
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, row := range strings.Split(string(readme), "\n") {
		base := ""
		for _, m := range listedRecord.FindAllStringSubmatch(row, -1) {
			if m[1] != "" {
				base = m[1]
			}
			known[base+m[2]] = true
		}
	}
	missing := map[string]string{}
	for _, d := range decoded(t) {
		for where, expr := range expressions(d) {
			names := aRecord.FindAllString(expr, -1)
			for _, m := range selected.FindAllStringSubmatch(expr, -1) {
				names = append(names, m[1])
			}
			for _, name := range names {
				if !known[name] && !ownMetric.MatchString(name) && !everybodys[name] || aRecord.MatchString(name) && !known[name] {
					missing[name] = where
				}
			}
		}
	}
	for name, where := range missing {
		t.Errorf("%s asks for %s, which may not be there", where, name)
	}
}
