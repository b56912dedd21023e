// Package check holds the tests of the Helm chart. It is a module of its own, so that the exporter's go.mod stays free of
// the Kubernetes API.
package check

import (
	"bytes"
	"fmt"
	"strings"

	monitoring "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	apps "k8s.io/api/apps/v1"
	core "k8s.io/api/core/v1"
	networking "k8s.io/api/networking/v1"
	policy "k8s.io/api/policy/v1beta1"
	rbac "k8s.io/api/rbac/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

// Object is one rendered manifest: its text, and the Kubernetes type it was decoded into.
type Object struct {
	Kind, Name, Namespace string
	Text                  []byte
	Typed                 meta.Object
}

// newTyped has the kinds that the chart may render, and the namespace of the plain manifests. The versions in go.mod are old on purpose, and Rancher 2.6's first
// Monitoring chart is what decides them (prometheus-operator 0.50): what these types know, all later ones know too.
func newTyped(apiVersion, kind string) meta.Object {
	switch apiVersion + " " + kind {
	case "v1 ConfigMap":
		return new(core.ConfigMap)
	case "v1 Namespace":
		return new(core.Namespace)
	case "v1 Service":
		return new(core.Service)
	case "v1 ServiceAccount":
		return new(core.ServiceAccount)
	case "apps/v1 DaemonSet":
		return new(apps.DaemonSet)
	case "networking.k8s.io/v1 NetworkPolicy":
		return new(networking.NetworkPolicy)
	case "policy/v1beta1 PodSecurityPolicy":
		return new(policy.PodSecurityPolicy)
	case "rbac.authorization.k8s.io/v1 Role":
		return new(rbac.Role)
	case "rbac.authorization.k8s.io/v1 RoleBinding":
		return new(rbac.RoleBinding)
	case "monitoring.coreos.com/v1 ServiceMonitor":
		return new(monitoring.ServiceMonitor)
	case "monitoring.coreos.com/v1 PodMonitor":
		return new(monitoring.PodMonitor)
	case "monitoring.coreos.com/v1 PrometheusRule":
		return new(monitoring.PrometheusRule)
	}
	return nil
}

// Decode splits what helm rendered and decodes each object strictly: an unknown field or a key given twice is an error.
func Decode(rendered []byte) ([]Object, error) {
	var objects []Object
	for _, text := range bytes.Split(append([]byte("\n"), rendered...), []byte("\n---\n")) {
		var head meta.TypeMeta
		if err := yaml.Unmarshal(text, &head); err != nil {
			return nil, fmt.Errorf("%w in:\n%s", err, text)
		}
		if head.Kind == "" && len(bytes.TrimSpace(text)) == 0 {
			continue
		}
		typed := newTyped(head.APIVersion, head.Kind)
		if typed == nil {
			return nil, fmt.Errorf("%q %q is no kind that the chart should have:\n%s", head.APIVersion, head.Kind, text)
		}
		if err := yaml.UnmarshalStrict(text, typed); err != nil {
			return nil, fmt.Errorf("%s: %w", head.Kind, err)
		}
		objects = append(objects, Object{Kind: head.Kind, Name: typed.GetName(), Namespace: typed.GetNamespace(), Text: text, Typed: typed})
	}
	return objects, nil
}

// Leaves returns the paths of all values with their defaults. An empty map or list is a leaf, and so is a list; maps whose
// keys the user chooses are leaves too.
func Leaves(values map[string]any, free map[string]bool) map[string]any {
	leaves := map[string]any{}
	var walk func(path []string, value any)
	walk = func(path []string, value any) {
		name := strings.Join(path, ".")
		if m, ok := value.(map[string]any); ok && len(m) > 0 && !free[name] {
			for key, v := range m {
				walk(append(append([]string(nil), path...), key), v)
			}
			return
		}
		leaves[name] = value
	}
	for key, v := range values {
		walk([]string{key}, v)
	}
	return leaves
}
