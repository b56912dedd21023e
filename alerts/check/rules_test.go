package check

import (
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"testing"
)

const (
	rulesFile   = "../rules.yml"
	runbookBase = "https://github.com/rancher-agent-exporter/rancher_agent_exporter/blob/main/alerts/runbooks/"
	// metricsDoc has the metrics in tables whose rows begin with the name in backticks.
	metricsDoc = "../../README.md"
)

var testFiles = []string{"../rules_test.yml", "../rules_blind_test.yml", "../rules_gap_test.yml", "../rules_long_test.yml"}

// What the rules read and the exporter does not expose: `up` comes from Prometheus, kube_node_info from kube-state-metrics.
var otherMetrics = set("up kube_node_info")

// Functions and aggregations that Prometheus 2.7 has and that Prometheus, VictoriaMetrics and Thanos answer alike: changes() and increase() count
// the first sample of a series on one and not on the others.
var knownFunctions = set(`absent avg_over_time clamp_max clamp_min count_over_time label_join label_replace max_over_time min_over_time round time
	timestamp avg count max min sum`)

func readRules(t *testing.T) RuleFile {
	t.Helper()
	var rules RuleFile
	if err := ReadStrict(rulesFile, &rules); err != nil {
		t.Fatal(err)
	}
	return rules
}

func readTestFile(t *testing.T, path string) TestFile {
	t.Helper()
	var file TestFile
	if err := ReadStrict(path, &file); err != nil {
		t.Fatal(err)
	}
	return file
}

func readScenarios(t *testing.T) []Scenario {
	t.Helper()
	var all []Scenario
	for _, path := range testFiles {
		all = append(all, readTestFile(t, path).Tests...)
	}
	return all
}

func alerts(rules RuleFile) []Rule {
	var all []Rule
	for _, g := range rules.Groups {
		for _, r := range g.Rules {
			if r.Alert != "" {
				all = append(all, r)
			}
		}
	}
	return all
}

// exposed returns the metrics that the exporter documents, and those that the rules may read besides.
func exposed(t *testing.T) map[string]bool {
	t.Helper()
	text, err := os.ReadFile(metricsDoc)
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, row := range regexp.MustCompile("(?m)^\\| *`(rancher_agent_[a-z0-9_]+)` *\\|").FindAllStringSubmatch(string(text), -1) {
		names[row[1]] = true
	}
	if len(names) < 20 {
		t.Fatalf("%s lists %d metrics: has its table changed?", metricsDoc, len(names))
	}
	for name := range otherMetrics {
		names[name] = true
	}
	return names
}

var templateQuery = regexp.MustCompile("printf (\"(?:[^\"\\\\]|\\\\.)*\"|`[^`]*`)[^|}]*\\| query")

// templateQueries returns the PromQL inside an annotation.
func templateQueries(t *testing.T, annotation string) []string {
	t.Helper()
	var queries []string
	for _, match := range templateQuery.FindAllStringSubmatch(annotation, -1) {
		text, err := strconv.Unquote(match[1])
		if err != nil {
			t.Fatalf("%s: %v", match[1], err)
		}
		queries = append(queries, strings.NewReplacer("%s,", "", "%s", "").Replace(text))
	}
	if n := strings.Count(annotation, "| query"); n != len(queries) {
		t.Errorf("found %d of %d queries in %q", len(queries), n, annotation)
	}
	return queries
}

// recorded reports whether a series comes from a recording rule.
func recorded(name string) bool { return strings.Contains(name, ":") }

// vmalert and Thanos Ruler may put labels of their own on what they record: a rule that mixes that with other series would see one node as two, and
// a text that asks for other series by the labels of its alert would find none.
func TestRulesDoNotMixRecordsWithTheRest(t *testing.T) {
	for _, g := range readRules(t).Groups {
		for _, r := range g.Rules {
			words, err := Words(r.Expr)
			if err != nil {
				t.Fatalf("%s: %v", r.Name(), err)
			}
			kinds := map[bool]bool{}
			for name := range Of(words, Metric) {
				kinds[recorded(name)] = true
			}
			if len(kinds) != 1 {
				t.Errorf("%s reads records and other series, or neither", r.Name())
			}
			for _, a := range r.Annotations {
				for _, query := range templateQueries(t, a) {
					words, err := Words(query)
					if err != nil {
						t.Fatalf("%s: %v", r.Name(), err)
					}
					for name := range Of(words, Metric) {
						if !recorded(name) {
							t.Errorf("a text of %s asks for %s, which is no record", r.Name(), name)
						}
					}
				}
			}
		}
	}
}

func TestRulesReadOnlyWhatIsExposed(t *testing.T) {
	rules := readRules(t)
	known := exposed(t)
	for _, g := range rules.Groups {
		for _, r := range g.Rules {
			if r.Record != "" {
				known[r.Record] = true
			}
		}
	}
	for _, g := range rules.Groups {
		for _, r := range g.Rules {
			exprs := []string{r.Expr}
			for _, a := range r.Annotations {
				exprs = append(exprs, templateQueries(t, a)...)
			}
			for _, expr := range exprs {
				words, err := Words(expr)
				if err != nil {
					t.Errorf("%s: %v", r.Name(), err)
				}
				for name := range Of(words, Metric) {
					if !known[name] {
						t.Errorf("%s reads %s, which is neither exposed nor recorded", r.Name(), name)
					}
				}
				for name := range Of(words, Function) {
					if !knownFunctions[name] {
						t.Errorf("%s calls %s, which not all engines have or understand alike", r.Name(), name)
					}
				}
			}
		}
	}
}

func TestScenariosFeedOnlyWhatIsExposed(t *testing.T) {
	known := exposed(t)
	for _, s := range readScenarios(t) {
		for _, series := range s.InputSeries {
			name, _, _ := strings.Cut(series.Series, "{")
			if !known[name] {
				t.Errorf("%s: %s is not exposed", s.Name, name)
			}
		}
	}
}

func TestEveryAlertIsComplete(t *testing.T) {
	names := map[string]bool{}
	for _, a := range alerts(readRules(t)) {
		if names[a.Alert] {
			t.Errorf("%s exists twice: with the inhibition that Rancher Monitoring ships, a critical one hides the warnings of other nodes", a.Alert)
		}
		names[a.Alert] = true
		if !set("info warning critical")[a.Labels["severity"]] {
			t.Errorf("%s: severity is %q", a.Alert, a.Labels["severity"])
		}
		for name, value := range a.Labels {
			if strings.Contains(value, "{{") {
				t.Errorf("%s: a template in label %s makes a new alert of every value", a.Alert, name)
			}
		}
		wanted := []string{"summary", "description", "rank", "first_command"}
		if strings.HasPrefix(a.Alert, "RancherCertWriterLeak") {
			wanted = []string{"summary", "description", "rank", "caution", "restart_command", "kubectl_command"}
		}
		for _, name := range wanted {
			if strings.TrimSpace(a.Annotations[name]) == "" {
				t.Errorf("%s has no %s", a.Alert, name)
			}
		}
		if strings.Contains(a.Annotations["summary"], "{{") {
			t.Errorf("%s: the summary has a template; values belong into the description", a.Alert)
		}
		if a.Annotations["runbook_url"] != runbookBase+a.Alert+".md" {
			t.Errorf("%s: runbook_url is %q", a.Alert, a.Annotations["runbook_url"])
		}
		for name, text := range a.Annotations {
			for _, unknown := range []string{"$externalLabels", "humanizePercentage", "humanize1024 ", "toTime", "stripPort"} {
				if strings.Contains(text, unknown) {
					t.Errorf("%s: %s needs %s, which Prometheus 2.7 does not have", a.Alert, name, unknown)
				}
			}
		}
		if a.For == "" {
			t.Errorf("%s has no `for`: one evaluation would be enough to fire it", a.Alert)
		}
	}
}

// A regular expression in a selector tries the label's values of all nodes, in each query: with every node firing, the time of an
// evaluation would grow with the square of the fleet.
func TestAnnotationsSelectOneNode(t *testing.T) {
	for _, a := range alerts(readRules(t)) {
		for name, text := range a.Annotations {
			if strings.Contains(text, "=~") || strings.Contains(text, "!~") {
				t.Errorf("%s: %s queries by a regular expression", a.Alert, name)
			}
		}
	}
}

func TestEveryAlertHasARunbook(t *testing.T) {
	wanted := map[string]bool{}
	for _, a := range alerts(readRules(t)) {
		wanted[a.Alert+".md"] = true
		text, err := os.ReadFile(filepath.Join("../runbooks", a.Alert+".md"))
		if err != nil {
			t.Error(err)
			continue
		}
		if !strings.HasPrefix(string(text), "# "+a.Alert+"\n") {
			t.Errorf("the runbook of %s does not begin with its name", a.Alert)
		}
		last := -1
		for _, section := range []string{"\n## Meaning\n", "\n## Impact\n", "\n## Diagnosis\n", "\n## Mitigation\n"} {
			at := strings.Index(string(text), section)
			if at <= last {
				t.Errorf("the runbook of %s lacks %q, or has it in another order", a.Alert, strings.TrimSpace(section))
			}
			last = at
		}
	}
	pages, err := filepath.Glob("../runbooks/*.md")
	if err != nil {
		t.Fatal(err)
	}
	sort.Strings(pages)
	for _, page := range pages {
		if !wanted[filepath.Base(page)] {
			t.Errorf("%s is the page of no alert", page)
		}
	}
}

func TestEveryAlertHasAFiringAndAQuietScenario(t *testing.T) {
	firing, quiet := map[string]bool{}, map[string]bool{}
	quietExpr := regexp.MustCompile(`ALERTS\{alertname="(\w+)"`)
	for _, s := range readScenarios(t) {
		for _, a := range s.AlertRuleTest {
			if len(a.ExpAlerts) == 0 {
				quiet[a.AlertName] = true
			}
			for _, e := range a.ExpAlerts {
				if e.Annotations["description"] == "" || e.Annotations["runbook_url"] == "" {
					t.Errorf("%s: %s at %s is compared without its annotations", s.Name, a.AlertName, a.EvalTime)
				}
				firing[a.AlertName] = true
			}
		}
		for _, e := range s.PromQLExprTest {
			if m := quietExpr.FindStringSubmatch(e.Expr); m != nil && len(e.ExpSamples) == 0 {
				quiet[m[1]] = true
			}
		}
	}
	for _, a := range alerts(readRules(t)) {
		if !firing[a.Alert] {
			t.Errorf("no scenario fires %s", a.Alert)
		}
		if !quiet[a.Alert] {
			t.Errorf("no scenario wants %s quiet", a.Alert)
		}
	}
}
