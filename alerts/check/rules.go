// Package check holds what the tests of rules.yml need: the files read strictly, the PromQL in them split into words, and the scenarios made
// into what each promtool understands.
// It is a module of its own, so that the exporter's go.mod stays free of what only these tests use.
package check

import (
	"bytes"
	"fmt"
	"os"

	"go.yaml.in/yaml/v3"
)

// The fields are those that Prometheus 2.7 and the PrometheusRule CRD of Rancher 2.2 know. Reading is strict, so keep_firing_for, query_offset,
// a limit or labels of a group are errors.
type RuleFile struct {
	Groups []Group `yaml:"groups"`
}

type Group struct {
	Name     string `yaml:"name"`
	Interval string `yaml:"interval,omitempty"`
	Rules    []Rule `yaml:"rules"`
}

type Rule struct {
	Record      string            `yaml:"record,omitempty"`
	Alert       string            `yaml:"alert,omitempty"`
	Expr        string            `yaml:"expr"`
	For         string            `yaml:"for,omitempty"`
	Labels      map[string]string `yaml:"labels,omitempty"`
	Annotations map[string]string `yaml:"annotations,omitempty"`
}

// Name is the name of the alert or of the recorded series.
func (r Rule) Name() string {
	if r.Alert != "" {
		return r.Alert
	}
	return r.Record
}

// TestFile is a file for promtool test rules.
type TestFile struct {
	RuleFiles          []string   `yaml:"rule_files"`
	EvaluationInterval string     `yaml:"evaluation_interval"`
	GroupEvalOrder     []string   `yaml:"group_eval_order"`
	Tests              []Scenario `yaml:"tests"`
}

type Scenario struct {
	Name           string            `yaml:"name,omitempty"`
	Interval       string            `yaml:"interval"`
	ExternalLabels map[string]string `yaml:"external_labels,omitempty"`
	InputSeries    []InputSeries     `yaml:"input_series"`
	AlertRuleTest  []AlertTest       `yaml:"alert_rule_test,omitempty"`
	PromQLExprTest []ExprTest        `yaml:"promql_expr_test,omitempty"`
}

type InputSeries struct {
	Series string `yaml:"series"`
	Values string `yaml:"values"`
}

type AlertTest struct {
	AlertName string          `yaml:"alertname"`
	EvalTime  string          `yaml:"eval_time"`
	ExpAlerts []ExpectedAlert `yaml:"exp_alerts"`
}

type ExpectedAlert struct {
	Labels      map[string]string `yaml:"exp_labels"`
	Annotations map[string]string `yaml:"exp_annotations"`
}

type ExprTest struct {
	Expr       string           `yaml:"expr"`
	EvalTime   string           `yaml:"eval_time"`
	ExpSamples []ExpectedSample `yaml:"exp_samples"`
}

type ExpectedSample struct {
	Labels string  `yaml:"labels"`
	Value  float64 `yaml:"value"`
}

// ReadStrict reads a YAML file and refuses fields that the target does not have.
func ReadStrict(path string, into any) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	d := yaml.NewDecoder(bytes.NewReader(text))
	d.KnownFields(true)
	if err := d.Decode(into); err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	return nil
}

// Write writes v as YAML.
func Write(path string, v any) error {
	text, err := yaml.Marshal(v)
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return os.WriteFile(path, text, 0o644)
}
