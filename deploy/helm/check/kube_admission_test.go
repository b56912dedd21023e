package check

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	core "k8s.io/api/core/v1"
)

// deprecated is what an API says of a manifest that is made for an older one.
var deprecated = regexp.MustCompile(`(?m)^Warning: .*(beta\.kubernetes\.io/os\]: deprecated since v1\.14|seccomp\.security\.alpha\.kubernetes\.io/pod.*deprecated since v1\.19|policy/v1beta1 PodSecurityPolicy is deprecated in v1\.21\+).*\n`)

// The plain manifests are applied and deleted again. Those for old versions of Kubernetes are refused whole by a new one.
func (c *cluster) plainManifests(t *testing.T) {
	for _, m := range manifests {
		path := filepath.Join(manifestsDir, m.file)
		if _, stderr, err := c.run(kubectl(t), "create", "namespace", m.namespace); err != nil && !strings.Contains(stderr, "already exists") {
			t.Fatal(err, stderr)
		}
		if c.minor >= "25" && !m.has(25) {
			_, stderr, err := c.run(kubectl(t), "apply", "--dry-run=server", "-f", path)
			if err == nil || !strings.Contains(stderr, `no matches for kind "PodSecurityPolicy"`) {
				t.Errorf("%s: %v\n%s", m.file, err, stderr)
			}
			continue
		}
		for _, args := range [][]string{{"apply", "--dry-run=server", "-f", path}, {"apply", "-f", path}, {"delete", "--wait=false", "-f", path}} {
			stdout, stderr, err := c.run(kubectl(t), args...)
			// the namespace was made before without `kubectl apply`
			said := regexp.MustCompile(`(?m)^Warning: resource namespaces/.* is missing the .*last-applied-configuration annotation.*\n`).ReplaceAllString(deprecated.ReplaceAllString(stderr, ""), "")
			if err != nil || strings.TrimSpace(said) != "" || m.has(25) && deprecated.MatchString(stderr) {
				t.Errorf("%s: %v\n%s%s", strings.Join(args, " "), err, stdout, stderr)
			}
			if args[0] == "apply" && !strings.Contains(stdout, "daemonset.apps/rancher-agent-exporter created") {
				t.Errorf("%s: %s", strings.Join(args, " "), stdout)
			}
		}
	}
}

// pod is one that the controller would make of the release's DaemonSet.
func (c *cluster) pod(t *testing.T, name string) string {
	t.Helper()
	daemonSet := decode(t, []byte(c.must(t, helm(t), "get", "manifest", release, "--namespace", namespace))).daemonSet(t)
	pod := core.Pod{Spec: daemonSet.Spec.Template.Spec, ObjectMeta: daemonSet.Spec.Template.ObjectMeta}
	pod.APIVersion, pod.Kind, pod.Name, pod.Namespace = "v1", "Pod", name, namespace
	text, err := json.Marshal(pod)
	if err != nil {
		t.Fatal(err)
	}
	return c.write(t, name+".json", string(text))
}

// Pod Security Admission: what it says at the install where it warns, and that nothing but `privileged` lets the pod in.
func (c *cluster) podSecurity(t *testing.T) {
	label := func(labels ...string) {
		c.must(t, kubectl(t), append([]string{"label", "--overwrite", "namespace", namespace}, labels...)...)
	}
	const mode = "pod-security.kubernetes.io/"
	for name, values := range map[string][]string{"root": {"image.tag=v1"}, "groups": {"docker.groupIDs={992}"}, "proxy": {"socketProxy.enabled=true,socketProxy.image=haproxy:3.0-alpine"}} {
		for level, want := range map[string]string{
			"baseline":   `hostPath volumes (volume "docker")`,
			"restricted": `restricted volume types (volume "docker" uses restricted volume type "hostPath")`,
			"privileged": "",
		} {
			label(mode+"warn="+level, mode+"enforce=privileged")
			args := []string{"upgrade", "--install", release, chart, "--namespace", namespace, "--values", own("image"), "--set", values[0]}
			_, stderr, err := c.run(helm(t), args...)
			said := strings.ReplaceAll(c.warnings(stderr), `\"`, `"`) // helm logs it quoted
			if err != nil || !strings.Contains(said, want) || (said == "") != (want == "") {
				t.Errorf("%s, warn=%s: %v\n%s", name, level, err, stderr)
			}
			label(mode+"warn-", mode+"enforce="+level)
			_, stderr, err = c.run(kubectl(t), "create", "--dry-run=server", "-f", c.pod(t, "psa-"+name+"-"+level))
			if refused := strings.Contains(stderr, `violates PodSecurity "`+level+`:latest": `) && strings.Contains(stderr, want); refused != (want != "") || (err != nil) != refused {
				t.Errorf("%s, enforce=%s: %v\n%s", name, level, err, stderr)
			}
			c.must(t, helm(t), "uninstall", release, "--namespace", namespace)
		}
	}
	label(mode + "enforce-")
}
