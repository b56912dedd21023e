package check

import (
	"bytes"
	"os"
	"os/exec"
	"testing"

	"sigs.k8s.io/yaml"
)

// operators are the versions whose CRDs are looked at, from the first that a Rancher brought.
var operators = []string{"0.29.0", "0.32.0", "0.38.1", "0.46.0", "0.48.0", "0.50.0", "0.85.0"}

// knownFrom has the renders that need a newer operator than the first, which the README says.
var knownFrom = map[string]string{
	"tls":             "0.38.1", // tlsConfig with a Secret
	"pod-monitor":     "0.46.0", // a PodMonitor with TLS
	"kubernetes-1.24": "0.46.0",
}

// schema is the part of a CRD's schema that says which fields there are.
type schema struct {
	Properties map[string]*schema
	Items      *schema
}

// Every field of the rendered objects is one that the operator knows. An unknown one would be dropped silently, or refused.
func TestOperatorFields(t *testing.T) {
	program := os.Getenv("OPERATOR_CRDS")
	if program == "" {
		missing(t, "OPERATOR_CRDS is not set: make helm sets it")
	}
	schemas := map[string]map[string]*schema{}
	for _, version := range operators {
		text, err := exec.Command(program, version).Output()
		if err != nil {
			t.Fatalf("%s: %v", version, err)
		}
		schemas[version] = crdSchemas(t, text)
	}
	eachRender(t, func(t *testing.T, r render, all objects) {
		from := operators[0]
		if newer, found := knownFrom[r.name]; found {
			from = newer
		}
		for _, o := range all {
			if o.Kind != "ServiceMonitor" && o.Kind != "PodMonitor" && o.Kind != "PrometheusRule" {
				continue
			}
			var object map[string]any
			if err := yaml.Unmarshal(o.Text, &object); err != nil {
				t.Fatal(err)
			}
			for _, version := range operators {
				known := schemas[version][o.Kind]
				var unknown []string
				if known == nil {
					unknown = []string{"the kind"}
				} else {
					unknown = unknownFields(known.Properties["spec"], object["spec"], "spec")
				}
				if want := version >= from || o.Kind == "PrometheusRule"; want != (len(unknown) == 0) {
					t.Errorf("operator %s does not know of the %s: %q; it should from %s on and not before", version, o.Kind, unknown, from)
				}
			}
		}
	})
}

// crdSchemas returns the schema of each kind, from where CRDs of v1beta1 and of v1 have it.
func crdSchemas(t *testing.T, text []byte) map[string]*schema {
	t.Helper()
	kinds := map[string]*schema{}
	for _, document := range bytes.Split(text, []byte("\n---\n")) {
		type validation struct {
			OpenAPIV3Schema *schema `json:"openAPIV3Schema"`
		}
		var crd struct {
			Spec struct {
				Names      struct{ Kind string }
				Validation validation
				Versions   []struct{ Schema validation }
			}
		}
		if err := yaml.Unmarshal(document, &crd); err != nil {
			t.Fatal(err)
		}
		found := crd.Spec.Validation.OpenAPIV3Schema
		if found == nil && len(crd.Spec.Versions) > 0 {
			found = crd.Spec.Versions[0].Schema.OpenAPIV3Schema
		}
		if found != nil {
			kinds[crd.Spec.Names.Kind] = found
		}
	}
	return kinds
}

// unknownFields returns the paths of what is in the value and not in the schema.
func unknownFields(known *schema, value any, path string) []string {
	var unknown []string
	switch typed := value.(type) {
	case map[string]any:
		if known == nil || known.Properties == nil {
			return nil // free keys, as of labels
		}
		for key, v := range typed {
			if known.Properties[key] == nil {
				unknown = append(unknown, path+"."+key)
				continue
			}
			unknown = append(unknown, unknownFields(known.Properties[key], v, path+"."+key)...)
		}
	case []any:
		if known == nil {
			return nil
		}
		for _, v := range typed {
			unknown = append(unknown, unknownFields(known.Items, v, path+"[]")...)
		}
	}
	return unknown
}
