package check

import (
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// render is what the tests look at: values on a version of Kubernetes.
type render struct {
	name        string
	values      []string
	kubeVersion string
}

var renders = []render{
	{"rancher-monitoring", []string{own("image")}, "1.31.0"},
	{"kube-prometheus-stack", []string{ready("kube-prometheus-stack"), own("kube-prometheus-stack")}, "1.31.0"},
	{"no-operator", []string{ready("no-operator"), own("bare")}, "1.31.0"},
	{"tls", []string{own("tls")}, "1.31.0"},
	{"pod-monitor", []string{own("pod-monitor")}, "1.31.0"},
	{"socket-proxy", []string{ready("socket-proxy"), own("image")}, "1.31.0"},
	// the last with PodSecurityPolicies
	{"kubernetes-1.24", []string{ready("socket-proxy"), own("pod-monitor")}, "1.24.17"},
	// the oldest of Rancher 2.5
	{"monitoring-2.5", []string{ready("monitoring-2.5"), own("image")}, "1.16.15"},
	{"monitoring-v1", []string{ready("monitoring-v1"), own("image")}, "1.13.12"},
	// the oldest of all, Rancher 2.0's default
	{"kubernetes-1.10", []string{ready("no-operator"), own("image")}, "1.10.13"},
}

// ready are the chart's own files of values, own the tests'.
func ready(name string) string { return filepath.Join(chart, "values-"+name+".yaml") }
func own(name string) string   { return filepath.Join("testdata", "values", name+".yaml") }

// has reports whether the version of Kubernetes is at least the one given.
func (r render) has(minor int) bool {
	got, err := strconv.Atoi(strings.Split(r.kubeVersion, ".")[1])
	return err == nil && got >= minor
}

// operator reports whether the render has objects for the operator and for Grafana's sidecar.
func (r render) operator() bool { return r.name != "no-operator" && r.name != "kubernetes-1.10" }

// flags are what helm gets besides chart and release; only APIs before 1.25 have PodSecurityPolicies.
func (r render) flags() []string {
	flags := []string{"--kube-version", r.kubeVersion}
	if !r.has(25) {
		flags = append(flags, "--api-versions", "policy/v1beta1/PodSecurityPolicy")
	}
	for _, file := range r.values {
		flags = append(flags, "--values", file)
	}
	return flags
}

func template(t *testing.T, from string, r render) []byte {
	t.Helper()
	out, stderr, err := run(helm(t), append([]string{"template", release, from, "--namespace", namespace}, r.flags()...)...)
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr)
	}
	return out
}

// renderOf returns the render of that name.
func renderOf(t *testing.T, name string) render {
	t.Helper()
	for _, r := range renders {
		if r.name == name {
			return r
		}
	}
	t.Fatalf("no render %s", name)
	return render{}
}

// eachRender calls f with the decoded objects of each render; decoding is strict, so this alone is a test.
func eachRender(t *testing.T, f func(t *testing.T, r render, all objects)) {
	t.Helper()
	helm(t)
	for _, r := range renders {
		t.Run(r.name, func(t *testing.T) { f(t, r, decode(t, template(t, chart, r))) })
	}
}
