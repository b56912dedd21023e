package check

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	alpha "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1alpha1"
	"sigs.k8s.io/yaml"
)

// freeMaps are values whose keys the user chooses.
var freeMaps = map[string]bool{"resources": true, "socketProxy.resources": true, "nodeSelector": true, "dashboards.labels": true}

var valueRow = regexp.MustCompile("(?m)^\\| `([a-zA-Z.]+)` \\| `([^`]*)` \\| .+ \\|$")

// The README has a row for every value, with its default, and for nothing else.
func TestReadmeValues(t *testing.T) {
	values := readYAML(t, filepath.Join(chart, "values.yaml")).(map[string]any)
	readme, err := os.ReadFile(filepath.Join(chart, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	documented := map[string]string{}
	for _, row := range valueRow.FindAllStringSubmatch(string(readme), -1) {
		documented[row[1]] = row[2]
	}
	for name, value := range Leaves(values, freeMaps) {
		row, found := documented[name]
		if !found {
			t.Errorf("the README has no row for %s", name)
			continue
		}
		delete(documented, name)
		var parsed any
		if err := yaml.Unmarshal([]byte(row), &parsed); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if got, want := asJSON(t, parsed), asJSON(t, value); got != want {
			t.Errorf("%s is %s by default, the README says %s", name, want, got)
		}
	}
	for name := range documented {
		t.Errorf("the README has %s, values.yaml has not", name)
	}
}

// The form of Rancher's Apps asks for values that exist, with their defaults.
func TestQuestions(t *testing.T) {
	leaves := Leaves(readYAML(t, filepath.Join(chart, "values.yaml")).(map[string]any), freeMaps)
	text, err := os.ReadFile(filepath.Join(chart, "questions.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	type question struct {
		Variable, Label, Description, Type, Group string
		Required                                  bool
		Options                                   []string
		Default                                   any
		ShowSubquestionIf                         any        `json:"show_subquestion_if"`
		Subquestions                              []question `json:"subquestions"`
	}
	var form struct{ Questions []question }
	if err := yaml.UnmarshalStrict(text, &form); err != nil {
		t.Fatal(err)
	}
	questions := form.Questions
	for i := 0; i < len(questions); i++ {
		q := questions[i]
		questions = append(questions, q.Subquestions...)
		value, found := leaves[q.Variable]
		if strings.HasPrefix(q.Variable, "monitor.clusterLabels.") {
			value, found = "", true // not there, which is the same
		}
		if q.Variable == "docker.groupIDs" {
			value = "" // text, since the form has no lists; the same as none
		}
		if !found || asJSON(t, value) != asJSON(t, q.Default) {
			t.Errorf("%s is %v by default, the form says %v", q.Variable, value, q.Default)
		}
	}
	if len(questions) < 5 {
		t.Errorf("%d questions", len(questions))
	}
}

// The AlertmanagerConfig of the README is one for the operator of Rancher 2.6 already, and sends every alert on.
func TestReadmeAlertmanagerConfig(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join(chart, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(readme), "```yaml\napiVersion: monitoring.coreos.com/v1alpha1\n")
	text, _, _ = strings.Cut(text, "\n```")
	var config alpha.AlertmanagerConfig
	if err := yaml.UnmarshalStrict([]byte(text), &config); err != nil {
		t.Fatal(err)
	}
	if config.Kind != "AlertmanagerConfig" || config.Namespace != namespace || len(config.Spec.Route.Matchers) != 1 {
		t.Fatalf("%+v", config)
	}
	rules, err := os.ReadFile(rulesFile)
	if err != nil {
		missing(t, "%s is missing", filepath.Clean(rulesFile))
	}
	matcher := regexp.MustCompile("^(?:" + config.Spec.Route.Matchers[0].Value + ")$")
	for _, alert := range regexp.MustCompile(`(?m)^ *- alert: (\S+)$`).FindAllStringSubmatch(string(rules), -1) {
		if !matcher.MatchString(alert[1]) {
			t.Errorf("%s is not routed", alert[1])
		}
	}
}

// The schema allows no value that values.yaml does not have, but for Rancher's own `global`.
func TestSchemaKnowsOnlyTheValues(t *testing.T) {
	values := readYAML(t, filepath.Join(chart, "values.yaml")).(map[string]any)
	schema := readYAML(t, filepath.Join(chart, "values.schema.json")).(map[string]any)
	var walk func(path string, schema, values map[string]any)
	walk = func(path string, schema, values map[string]any) {
		properties, ok := schema["properties"].(map[string]any)
		if !ok {
			return
		}
		if schema["additionalProperties"] != false {
			t.Errorf("%s takes any key", path)
		}
		for key, sub := range properties {
			if path+key == "global" || path == "monitor.clusterLabels." {
				continue
			}
			value, found := values[key]
			if !found {
				t.Errorf("the schema has %s%s, values.yaml has not", path, key)
			}
			if nested, ok := value.(map[string]any); ok {
				walk(path+key+".", sub.(map[string]any), nested)
			}
		}
		for key := range values {
			if _, found := properties[key]; !found {
				t.Errorf("values.yaml has %s%s, the schema has not", path, key)
			}
		}
	}
	walk("", schema, values)
}

// Every value is put to another one than its default in one of the values files, so that all of them are rendered.
func TestValuesFilesCoverEveryValue(t *testing.T) {
	defaults := readYAML(t, filepath.Join(chart, "values.yaml")).(map[string]any)
	var files []string
	for _, r := range renders {
		files = append(files, r.values...)
	}
	changed := func(path []string, want any) bool {
		for _, file := range files {
			value := readYAML(t, file)
			for _, key := range path {
				m, _ := value.(map[string]any)
				value = m[key]
			}
			if value != nil && asJSON(t, value) != asJSON(t, want) {
				return true
			}
		}
		return false
	}
	for name, value := range Leaves(defaults, freeMaps) {
		if name != "updateStrategy.maxUnavailable" && !changed(strings.Split(name, "."), value) {
			t.Errorf("no values file sets %s", name)
		}
	}
}

func asJSON(t *testing.T, value any) string {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
