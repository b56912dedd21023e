package check

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// The webhooks of the operators that Rancher 2.3.8 to 2.5 ship take the rules as a PrometheusRule, whose spec reaches them as JSON.
func TestOperatorsTakeTheRules(t *testing.T) {
	oldest := os.Getenv("OPERATOR_RULES")
	if oldest == "" {
		if os.Getenv("CI") == "true" {
			t.Fatal("OPERATOR_RULES is not set")
		}
		t.Skip("OPERATOR_RULES is not set: tools/program operator-rules-0.38.1")
	}
	programs, err := filepath.Glob(filepath.Join(filepath.Dir(oldest), "operator-rules-*"))
	if err != nil || len(programs) != 3 {
		t.Fatal(programs, err)
	}
	text, err := os.ReadFile("../rules.yml")
	if err != nil {
		t.Fatal(err)
	}
	var rules any
	if err := yaml.Unmarshal(text, &rules); err != nil {
		t.Fatal(err)
	}
	spec, err := json.Marshal(rules)
	if err != nil {
		t.Fatal(err)
	}
	tooNew := strings.Replace(string(spec), `"expr":"`, `"expr":"present_over_time(up[5m]) or `, 1) // Prometheus 2.29
	for _, program := range programs {
		for input, fine := range map[string]bool{string(spec): true, tooNew: false} {
			parse := exec.Command(program)
			parse.Stdin = strings.NewReader(input)
			if output, err := parse.CombinedOutput(); (err == nil) != fine {
				t.Errorf("%s: %v\n%s", filepath.Base(program), err, output)
			}
		}
	}
}
