package check

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	apps "k8s.io/api/apps/v1"
)

const (
	chart     = "../rancher-agent-exporter"
	rulesFile = "../../../alerts/rules.yml"
	release   = "rancher-agent-exporter"
	namespace = "cattle-monitoring-system"
)

var (
	update         = flag.Bool("update", false, "write the golden renders anew")
	dashboardFiles = []string{
		"../../../dashboards/rancher-agent-exporter-fleet.json",
		"../../../dashboards/rancher-agent-exporter-node.json",
		"../../../dashboards/rancher-agent-exporter-health.json",
	}
)

// renders are what the tests look at: testdata/values/<values>.yaml on a version of Kubernetes.
var renders = []struct{ name, values, kubeVersion string }{
	{"rancher-monitoring", "rancher-monitoring", "1.31.0"},
	{"kube-prometheus-stack", "kube-prometheus-stack", "1.31.0"},
	{"tls", "tls", "1.31.0"},
	{"pod-monitor", "pod-monitor", "1.31.0"},
	{"bare", "bare", "1.31.0"},
	// Rancher v2.5 on its oldest clusters
	{"kubernetes-1.16", "rancher-monitoring", "1.16.15"},
}

func valuesFile(name string) string { return filepath.Join("testdata", "values", name+".yaml") }

// helm returns the program to test with, or skips the test; in CI it has to be there.
func helm(t *testing.T) string {
	t.Helper()
	program := os.Getenv("HELM")
	if program == "" {
		program = "helm"
	}
	path, err := exec.LookPath(program)
	if err != nil {
		missing(t, "helm is missing: run `make helm` in the repository's root, which builds it, or set HELM to a helm 3")
	}
	for _, source := range append([]string{rulesFile}, dashboardFiles...) {
		if _, err := os.Stat(source); err != nil {
			missing(t, "%s is missing, and the chart has a symbolic link to it", filepath.Clean(source))
		}
	}
	return path
}

func missing(t *testing.T, format string, args ...any) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatalf(format, args...)
	}
	t.Skipf(format, args...)
}

// run returns what helm wrote to stdout, and what it wrote to stderr.
func run(program string, args ...string) ([]byte, string, error) {
	command := exec.Command(program, args...)
	// nothing of the user's own settings, and no cluster
	command.Env = append(os.Environ(), "HELM_NAMESPACE=", "HELM_PLUGINS=/nonexistent", "KUBECONFIG=/nonexistent")
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	err := command.Run()
	return stdout.Bytes(), stderr.String(), err
}

func template(t *testing.T, from, values, kubeVersion string) []byte {
	t.Helper()
	out, stderr, err := run(helm(t), "template", release, from, "--namespace", namespace, "--kube-version", kubeVersion, "--values", valuesFile(values))
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr)
	}
	return out
}

// objects are those of a render; find returns the one of a kind, or nil.
type objects []Object

func decode(t *testing.T, rendered []byte) objects {
	t.Helper()
	all, err := Decode(rendered)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func (o objects) find(kind string) *Object {
	for i := range o {
		if o[i].Kind == kind {
			return &o[i]
		}
	}
	return nil
}

func (o objects) daemonSet(t *testing.T) *apps.DaemonSet {
	t.Helper()
	found := o.find("DaemonSet")
	if found == nil {
		t.Fatal("no DaemonSet")
	}
	return found.Typed.(*apps.DaemonSet)
}

// eachRender calls f with the decoded objects of each render; decoding is strict, so this alone is a test.
func eachRender(t *testing.T, f func(t *testing.T, all objects)) {
	t.Helper()
	helm(t)
	for _, r := range renders {
		t.Run(r.name, func(t *testing.T) { f(t, decode(t, template(t, chart, r.values, r.kubeVersion))) })
	}
}

func TestLint(t *testing.T) {
	program := helm(t)
	files, err := filepath.Glob(valuesFile("*"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, values := range files {
		if out, stderr, err := run(program, "lint", "--strict", "--values", values, chart); err != nil {
			t.Errorf("%s: %v\n%s%s", values, err, out, stderr)
		}
	}
}

// The renders equal the golden ones, in which the rules and dashboards, which other tests compare, stand as a file name.
func TestGolden(t *testing.T) {
	helm(t)
	var elide []string
	for _, source := range append([]string{rulesFile}, dashboardFiles...) {
		text, err := os.ReadFile(source)
		if err != nil {
			t.Fatal(err)
		}
		indent := "    "
		if source == rulesFile {
			indent = "  "
		}
		elide = append(elide, indented(string(text), indent), indent+"<"+strings.TrimPrefix(source, "../../../")+">\n")
	}
	for _, r := range renders {
		t.Run(r.name, func(t *testing.T) {
			got := template(t, chart, r.values, r.kubeVersion)
			if again := template(t, chart, r.values, r.kubeVersion); !bytes.Equal(got, again) {
				t.Error("a second render differs from the first")
			}
			got = []byte(strings.NewReplacer(elide...).Replace(string(got)))
			golden := filepath.Join("testdata", "golden", r.name+".yaml")
			if *update {
				if err := os.WriteFile(golden, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, want) {
				t.Errorf("differs from %s at line %d; `go test -run TestGolden -update` writes it, then look at git diff", golden, firstDifference(got, want))
			}
		})
	}
}

// indented is what the chart makes of a file: each line indented, an empty one as the YAML writer or sprig leaves it.
func indented(text, indent string) string {
	lines := strings.SplitAfter(strings.TrimSuffix(text, "\n")+"\n", "\n")
	var out strings.Builder
	for _, line := range lines {
		if line == "" || line == "\n" && indent == "    " {
			out.WriteString(line)
			continue
		}
		out.WriteString(indent + line)
	}
	return out.String()
}

func firstDifference(a, b []byte) int {
	x, y := bytes.Split(a, []byte("\n")), bytes.Split(b, []byte("\n"))
	for i := range x {
		if i >= len(y) || !bytes.Equal(x[i], y[i]) {
			return i + 1
		}
	}
	return len(x) + 1
}

// A wrong value is refused, and the message names it.
func TestWrongValues(t *testing.T) {
	program := helm(t)
	tests := []struct{ set, want string }{
		{"image.repository=", "image.repository must be set"},
		{"image.repository=registry.example/a b", "at '/image/repository': 'registry.example/a b' does not match pattern"},
		{"image.name=x", "at '/image': additional properties 'name' not allowed"},
		{"images.repository=x", "at '': additional properties 'images' not allowed"},
		{"image.pullSecrets={x}", "at '/image/pullSecrets/0': got string, want object"},
		{"docker.mount=file", "at '/docker/mount': value must be one of 'directory', 'socket'"},
		{"docker.socket=unix:///var/run/docker.sock", "at '/docker/socket': 'unix:///var/run/docker.sock' does not match pattern"},
		// its directory would be the whole node
		{"docker.socket=/docker.sock", "at '/docker/socket': '/docker.sock' does not match pattern"},
		{"docker.groupIDs={docker}", "at '/docker/groupIDs/0': got string, want integer"},
		{"docker.groupIDs={0}", "at '/docker/groupIDs/0': minimum: got 0, want 1"},
		{"docker.timeoutSeconds=5s", "at '/docker/timeoutSeconds': got string, want integer"},
		{"docker.timeoutSeconds=40", "monitor.intervalSeconds must be at least 45"},
		{"extraArgs={-h}", "at '/extraArgs/0': '-h' does not match pattern '^--'"},
		{"extraArgs={--once}", "extraArgs: --once would break what the chart sets up"},
		{"extraArgs={--web.listen-address=:1}", "extraArgs: --web.listen-address=:1 would break"},
		{"web.clientAuth=true", "web.clientAuth is true, but no web.configSecret"},
		{"updateStrategy.maxUnavailable=0", "at '/updateStrategy/maxUnavailable': minimum: got 0, want 1"},
		{"monitor.kind=Probe", "at '/monitor/kind': value must be one of 'ServiceMonitor', 'PodMonitor'"},
		{"monitor.intervalSeconds=300", "at '/monitor/intervalSeconds': maximum: got 300, want 120"},
		{"monitor.clusterLabels.region=x", "at '/monitor/clusterLabels': additional properties 'region' not allowed"},
		{"monitor.clusterLabels.cluster=a$1", "at '/monitor/clusterLabels/cluster': 'a$1' does not match pattern"},
		{"monitoringLabels.release=1", "at '/monitoringLabels/release': got number, want string"},
		{"prometheusRule.enabled=maybe", "at '/prometheusRule/enabled': got string, want boolean"},
		{"dashboards.labels.grafana_dashboard=1", "at '/dashboards/labels/grafana_dashboard': got number, want string"},
		{"networkPolicy.from={x}", "at '/networkPolicy/from/0': got string, want object"},
	}
	for _, test := range tests {
		t.Run(test.set, func(t *testing.T) {
			_, stderr, err := run(program, "template", release, chart, "--values", valuesFile("rancher-monitoring"), "--set", test.set)
			var exit *exec.ExitError
			if !errors.As(err, &exit) {
				t.Fatalf("not refused: %v", err)
			}
			if !strings.Contains(stderr, test.want) {
				t.Errorf("got %s\nwant %s", stderr, test.want)
			}
		})
	}
}
