package check

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const manifestsDir = "../../kubernetes"

// manifests are the renders that are kept as plain files, for who has no Helm 3. What is given for a newer version of
// Kubernetes is refused by an older one, or dropped, so each is rendered for the oldest that it is for.
var manifests = []struct {
	file, namespace, title string
	render
}{
	{"exporter.yaml", "rancher-agent-exporter", "The exporter alone, for Kubernetes 1.25 and later.",
		render{"", []string{ready("no-operator"), own("image")}, "1.25.0"}},
	{"exporter-1.10.yaml", "rancher-agent-exporter", "The exporter alone, for Kubernetes 1.10 to 1.24.",
		render{"", []string{ready("no-operator"), own("image")}, "1.10.0"}},
	{"monitoring-v1.yaml", "cattle-prometheus", "For Rancher's Monitoring V1 (Rancher 2.2 to 2.5), Kubernetes 1.11 to 1.20.",
		render{"", []string{ready("monitoring-v1"), own("image")}, "1.11.0"}},
	{"monitoring-2.5.yaml", "cattle-monitoring-system", "For the Monitoring of Rancher 2.5's Apps, Kubernetes 1.16 to 1.24. Dashboards: see README.md.",
		render{"", []string{ready("monitoring-2.5"), own("no-dashboards"), own("image")}, "1.16.0"}},
}

// helmsLines are those that speak of Helm, which has no part in a plain manifest.
var helmsLines = regexp.MustCompile(`(?m)^(# Source: .*| *helm\.sh/chart: .*| *app\.kubernetes\.io/managed-by: Helm)\n`)

const namespaceObject = `apiVersion: v1
kind: Namespace
metadata:
  name: rancher-agent-exporter
  labels:
    # the exporter mounts the directory of the Docker socket
    pod-security.kubernetes.io/enforce: privileged
---
`

// deploy/kubernetes is what the chart renders. -update writes it.
func TestManifests(t *testing.T) {
	program := helm(t)
	for _, m := range manifests {
		t.Run(m.file, func(t *testing.T) {
			rendered, stderr, err := run(program, append([]string{"template", release, chart, "--namespace", m.namespace}, m.flags()...)...)
			if err != nil {
				t.Fatalf("%v\n%s", err, stderr)
			}
			rendered = bytes.TrimPrefix(helmsLines.ReplaceAll(rendered, nil), []byte("---\n"))
			got := "# " + m.title + "\n# Rendered from the Helm chart, do not edit: see README.md beside this file, also for the image.\n"
			if m.namespace == "rancher-agent-exporter" {
				got += namespaceObject
			}
			got += string(rendered)
			path := filepath.Join(manifestsDir, m.file)
			if *update {
				if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("%s is not what the chart renders, from line %d on; `make manifests` writes it", path, firstDifference([]byte(got), want))
			}
			if found := regexp.MustCompile(`(?i).*helm.*`).FindAllString(strings.SplitN(got, "README.md beside", 2)[1], -1); found != nil {
				t.Errorf("still speaks of Helm: %q", found)
			}
			for _, o := range decode(t, []byte(got)) {
				if o.Namespace != m.namespace && o.Kind != "PodSecurityPolicy" && o.Kind != "Namespace" {
					t.Errorf("%s %s is in namespace %q", o.Kind, o.Name, o.Namespace)
				}
			}
		})
	}
	readme, err := os.ReadFile(filepath.Join(manifestsDir, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(manifestsDir, "*.yaml"))
	if err != nil || len(files) != len(manifests) {
		t.Errorf("%q, %v", files, err)
	}
	for _, file := range files {
		if !bytes.Contains(readme, []byte(filepath.Base(file))) {
			t.Errorf("the README does not name %s", file)
		}
	}
}
