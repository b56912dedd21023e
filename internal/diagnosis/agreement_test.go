package diagnosis_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/collector"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/diagnosis"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/node"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/testkit"
)

const rulesFile = "../../alerts/rules.yml"

// The same nodes are looked at by the diagnosis and, through the metrics, by the alert rules; both must come to the
// verdict that the scenario says is right.
func TestAgreesWithAlerts(t *testing.T) {
	if testing.Short() {
		t.Skip("promtool takes a minute or two")
	}
	testkit.NeedPrograms(t, "promtool")
	_, err := os.Stat(rulesFile)
	testkit.Need(t, err)
	rules, err := filepath.Abs(rulesFile)
	if err != nil {
		t.Fatal(err)
	}
	file := testFile{
		RuleFiles:          []string{rules},
		EvaluationInterval: "1m",
		// else promtool evaluates the groups in random order
		GroupEvalOrder: []string{"rancher-agent-exporter.rules", "rancher-agent-exporter.alerts"},
	}
	for _, s := range scenarios() {
		file.Tests = append(file.Tests, s.rulesTest(t))
	}
	path := filepath.Join(t.TempDir(), "agreement.yml")
	text, err := json.Marshal(file) // which YAML is a superset of
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	if output, err := exec.CommandContext(t.Context(), "promtool", "test", "rules", path).CombinedOutput(); err != nil {
		t.Errorf("the alert rules do not agree: %v\n%s", err, output)
	}
}

// Without promtool too, the diagnosis comes to the verdict of each scenario.
func TestVerdicts(t *testing.T) {
	for _, s := range scenarios() {
		for _, v := range s.want {
			report := diagnosis.Diagnose(s.observe(v.minute), minute(v.minute))
			if got := strings.Join(alerts(report), " "); got != v.said() {
				t.Errorf("%s: at minute %d the diagnosis has %q, want %q", s.name, v.minute, got, v.said())
			}
			if first := report.Severity().String() + ": " + report.Findings[0].Title; v.first != "" && first != v.first {
				t.Errorf("%s: at minute %d it says %q, want %q", s.name, v.minute, first, v.first)
			}
			inProgress := strings.HasPrefix(report.Findings[0].Title, "Leak in progress")
			for _, f := range report.Findings {
				if len(f.Alerts) == 0 && f.Severity >= diagnosis.Warning && report.Looked && !inProgress && !strings.Contains(strings.Join(f.Seen, " "), "Docker does not tell") {
					t.Errorf("%s: at minute %d %q is a %v without an alert", s.name, v.minute, f.Title, f.Severity)
				}
				if f.Severity > report.Findings[0].Severity {
					t.Errorf("%s: at minute %d %q is worse than the first finding", s.name, v.minute, f.Title)
				}
			}
		}
	}
}

// alerts are the alerts that fire according to a report.
func alerts(r diagnosis.Report) []string {
	var names []string
	for _, f := range r.Findings {
		names = append(names, f.Alerts...)
	}
	slices.Sort(names)
	return names
}

// observe is what is seen of the node at a minute.
func (s scenario) observe(m int) node.Observation {
	o := observe(s.at(m)...)
	if s.at(m) == nil {
		o.Err = errDown
	}
	if s.heard != nil && o.Err == nil {
		o.Heard = s.heard(m)
	}
	for ; m >= 0 && o.LastSuccess.IsZero(); m-- {
		if s.at(m) != nil {
			o.LastSuccess = minute(m)
		}
	}
	return o
}

// The file format of promtool test rules.
type testFile struct {
	RuleFiles          []string    `json:"rule_files"`
	EvaluationInterval string      `json:"evaluation_interval"`
	GroupEvalOrder     []string    `json:"group_eval_order"`
	Tests              []rulesTest `json:"tests"`
}

type rulesTest struct {
	Name   string     `json:"name"`
	Step   string     `json:"interval"`
	Series []series   `json:"input_series"`
	Exprs  []exprTest `json:"promql_expr_test"`
}

type series struct {
	Series string `json:"series"`
	Values string `json:"values"`
}

type exprTest struct {
	Expr     string   `json:"expr"`
	EvalTime string   `json:"eval_time"`
	Samples  []sample `json:"exp_samples"`
}

type sample struct {
	Labels string  `json:"labels"`
	Value  float64 `json:"value"`
}

// rulesTest scrapes the scenario once a minute.
func (s scenario) rulesTest(t *testing.T) rulesTest {
	test := rulesTest{Name: s.name, Step: "1m"}
	last := s.want[len(s.want)-1].minute
	values := make(map[string][]string)
	for m := range last + 1 {
		for name, value := range scrape(t, s.observe(m)) {
			if values[name] == nil {
				values[name] = slices.Repeat([]string{"_"}, last+1)
			}
			values[name][m] = value
		}
	}
	for name, v := range values {
		test.Series = append(test.Series, series{name, strings.Join(markStale(v), " ")})
	}
	for _, v := range s.want {
		expr := exprTest{Expr: `count by (alertname) (ALERTS{alertstate="firing"})`, EvalTime: fmt.Sprintf("%dm", v.minute), Samples: []sample{}}
		for name := range strings.FieldsSeq(v.alerts) {
			expr.Samples = append(expr.Samples, sample{fmt.Sprintf("{alertname=%q}", strings.Trim(name, "[]")), 1})
		}
		test.Exprs = append(test.Exprs, expr)
	}
	return test
}

// markStale ends a series where a scrape does not have it any more, as Prometheus does.
func markStale(values []string) []string {
	marked := slices.Clone(values)
	for i := range values {
		if i > 0 && values[i] == "_" && values[i-1] != "_" {
			marked[i] = "stale"
		}
	}
	return marked
}

// observed is an observation that has been made.
type observed node.Observation

func (o observed) Observe() node.Observation { return node.Observation(o) }

// scrape is what Prometheus gets of an observation: the value of each series.
func scrape(t *testing.T, o node.Observation) map[string]string {
	t.Helper()
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(collector.New(observed(o), collector.Limits{Servers: 5, CertWriterSeries: 20}))
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	const target = `job="rancher-agent-exporter",instance="n1"`
	values := map[string]string{"up{" + target + "}": "1"}
	for _, family := range families {
		for _, m := range family.GetMetric() {
			labels := target
			for _, pair := range m.GetLabel() {
				labels += fmt.Sprintf(",%s=%q", pair.GetName(), pair.GetValue())
			}
			values[family.GetName()+"{"+labels+"}"] = strconv.FormatFloat(m.GetGauge().GetValue(), 'f', -1, 64)
		}
	}
	return values
}
