package check

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// TestKube puts everything that can be installed on real API servers: those in KUBE_APISERVERS, newest first.
func TestKube(t *testing.T) {
	servers := strings.Fields(os.Getenv("KUBE_APISERVERS"))
	if len(servers) == 0 {
		missing(t, "KUBE_APISERVERS is not set: `make kube` builds them and sets it")
	}
	for _, server := range servers {
		t.Run(server[strings.LastIndex(server, "/")+1:], func(t *testing.T) {
			c := startCluster(t, server)
			c.must(t, kubectl(t), "create", "namespace", namespace)
			t.Run("half installs are refused", c.refusals)
			for _, operator := range []string{"0.50.0", "0.85.0"} {
				c.applyCRDs(t, operator)
			}
			c.must(t, kubectl(t), "create", "namespace", "cattle-dashboards")
			t.Run("every values file", c.everyValuesFile)
			t.Run("plain manifests", c.plainManifests)
			t.Run("pod security admission", c.podSecurity)
		})
	}
}

// install is `helm upgrade --install` of the README with the files of values.
func (c *cluster) install(t *testing.T, values []string, more ...string) {
	t.Helper()
	args := append([]string{"upgrade", "--install", release, chart, "--namespace", namespace}, more...)
	for _, file := range values {
		args = append(args, "--values", file)
	}
	notes := c.must(t, helm(t), args...)
	for _, want := range []string{"kubectl -n " + namespace + " describe daemonset ", "kubectl label namespace " + namespace + " pod-security.kubernetes.io/enforce=privileged\n"} {
		if !strings.Contains(notes, want) {
			t.Errorf("the notes of the release have no %q:\n%s", want, notes)
		}
	}
}

// left are the objects of the release that are there, by kind and name.
func (c *cluster) left(t *testing.T) []string {
	t.Helper()
	kinds := "daemonset,service,serviceaccount,configmap,secret,networkpolicy,role,rolebinding,servicemonitor,podmonitor,prometheusrule"
	if c.minor < "25" {
		kinds += ",podsecuritypolicy"
	}
	return strings.Fields(c.must(t, kubectl(t), "get", kinds, "-A", "-l", "app.kubernetes.io/instance="+release, "-o", "name"))
}

// Nothing is created where something that the chart needs is missing, and the message says what.
func (c *cluster) refusals(t *testing.T) {
	for _, test := range []struct{ name, set, want string }{
		{"no image", "image.repository=", "image.repository must be set"},
		{"no CRDs", "dashboards.enabled=false", `no matches for kind "PrometheusRule" in version "monitoring.coreos.com/v1"`},
		{"no namespace for dashboards", "monitor.enabled=false,prometheusRule.enabled=false", "there is no namespace cattle-dashboards for the dashboards"},
	} {
		_, stderr, err := c.run(helm(t), "upgrade", "--install", release, chart, "--namespace", namespace, "--values", own("image"), "--set", test.set)
		if err == nil || !strings.Contains(stderr, test.want) {
			t.Errorf("%s: %v\n%s", test.name, err, stderr)
		}
		if left := strings.Fields(c.must(t, kubectl(t), "get", "daemonset,service,configmap,secret", "-n", namespace, "-l", "app.kubernetes.io/instance="+release, "-o", "name")); len(left) > 0 {
			t.Errorf("%s: left behind %q", test.name, left)
		}
		if releases := strings.TrimSpace(c.must(t, helm(t), "list", "--all", "--short", "--namespace", namespace)); releases != "" {
			t.Errorf("%s: release %q is there", test.name, releases)
		}
	}
	// without what the operator and Grafana read nothing else is needed
	c.install(t, []string{ready("no-operator"), own("image")})
	c.must(t, helm(t), "uninstall", release, "--namespace", namespace)
}

// One after the other, as upgrades of one release: no warning, and what is rendered is there, with every field; back to
// the one before; in the end nothing is left.
func (c *cluster) everyValuesFile(t *testing.T) {
	for _, r := range renders {
		before := c.left(t)
		c.install(t, r.values)
		c.holds(t, r)
		c.must(t, helm(t), "upgrade", release, chart, "--namespace", namespace, "--reuse-values", "--dry-run=server")
		if len(before) > 0 {
			after := c.left(t)
			c.must(t, helm(t), "rollback", release, "--namespace", namespace)
			if back := c.left(t); !slices.Equal(back, before) {
				t.Errorf("rollback of %s: %q, before it was %q", r.name, back, before)
			}
			c.install(t, r.values)
			if again := c.left(t); !slices.Equal(again, after) {
				t.Errorf("%s again: %q, before it was %q", r.name, again, after)
			}
		}
	}
	c.must(t, helm(t), "uninstall", release, "--namespace", namespace)
	if left := c.left(t); len(left) > 0 {
		t.Errorf("uninstall leaves %q", left)
	}
}

// holds compares what helm sent with what the API server keeps: no field was dropped.
func (c *cluster) holds(t *testing.T, r render) {
	t.Helper()
	sent := c.must(t, helm(t), "get", "manifest", release, "--namespace", namespace)
	for _, o := range decode(t, []byte(sent)) {
		args := []string{"get", o.Kind, o.Name, "-o", "yaml"}
		if o.Namespace != "" {
			args = append(args, "-n", o.Namespace)
		}
		var want, got any
		if err := yaml.Unmarshal(o.Text, &want); err != nil {
			t.Fatal(err)
		}
		if err := yaml.Unmarshal([]byte(c.must(t, kubectl(t), args...)), &got); err != nil {
			t.Fatal(err)
		}
		for _, path := range dropped(want, got, o.Kind) {
			t.Errorf("%s: the API server dropped or changed %s", r.name, path)
		}
	}
}

// dropped returns the paths of what is wanted and is not there in the same way. The server adds defaults of its own.
func dropped(want, got any, path string) []string {
	var missing []string
	switch typed := want.(type) {
	case map[string]any:
		there, _ := got.(map[string]any)
		for key, value := range typed {
			missing = append(missing, dropped(value, there[key], path+"."+key)...)
		}
	case []any:
		there, _ := got.([]any)
		if len(there) != len(typed) {
			return []string{path}
		}
		for i, value := range typed {
			missing = append(missing, dropped(value, there[i], path+"[]")...)
		}
	default:
		// Kubernetes writes quantities in its own way, and no null
		if want != nil && got != want && !strings.Contains(path, ".resources.") {
			missing = append(missing, path)
		}
	}
	return missing
}

// applyCRDs puts the CRDs of an operator's release on the API server.
func (c *cluster) applyCRDs(t *testing.T, version string) {
	t.Helper()
	program := os.Getenv("OPERATOR_CRDS")
	if program == "" {
		missing(t, "OPERATOR_CRDS is not set: `make kube` sets it")
	}
	text, err := exec.Command(program, version).Output()
	if err != nil {
		t.Fatal(err)
	}
	file := c.write(t, "crds-"+version+".yaml", string(text))
	// they are too large for the annotation of a client's apply
	if _, stderr, err := c.run(kubectl(t), "apply", "--server-side", "--force-conflicts", "-f", file); err != nil {
		t.Fatal(err, stderr)
	}
	c.must(t, kubectl(t), "wait", "--for=condition=Established", "--timeout=60s", "crd/servicemonitors.monitoring.coreos.com", "crd/podmonitors.monitoring.coreos.com", "crd/prometheusrules.monitoring.coreos.com")
}
