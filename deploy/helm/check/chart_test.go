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
	proxyFile      = "../../socket-proxy/haproxy.cfg"
	dashboardFiles = []string{
		"../../../dashboards/rancher-agent-exporter-fleet.json",
		"../../../dashboards/rancher-agent-exporter-node.json",
		"../../../dashboards/rancher-agent-exporter-health.json",
		"../../../dashboards/grafana-7/rancher-agent-exporter-fleet.json",
		"../../../dashboards/grafana-7/rancher-agent-exporter-node.json",
	}
)

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

func TestLint(t *testing.T) {
	program := helm(t)
	for _, r := range renders {
		args := []string{"lint", "--strict", "--kube-version", r.kubeVersion, chart}
		for _, file := range r.values {
			args = append(args, "--values", file)
		}
		if out, stderr, err := run(program, args...); err != nil || strings.Contains(string(out), "[INFO]") {
			t.Errorf("%s: %v\n%s%s", r.name, err, out, stderr)
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
			got := template(t, chart, r)
			if again := template(t, chart, r); !bytes.Equal(got, again) {
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
		{"image.repository=registry.example:5000/a:v2", "image.repository is registry.example:5000/a:v2: give its tag as image.tag"},
		{"image.repository=registry.example/a@sha256:0", "image.repository is registry.example/a@sha256:0: give its tag"},
		{"image.digest=latest", "at '/image/digest': 'latest' does not match pattern"},
		{"image.pullPolicy=always", "at '/image/pullPolicy': value must be one of '', 'Always'"},
		{"fullnameOverride=Exporter", "at '/fullnameOverride': 'Exporter' does not match pattern"},
		{"socketProxy.enabled=true", "socketProxy.image must be set"},
		{"podLabels.app\\.kubernetes\\.io/name=x", "podLabels: app.kubernetes.io/name is one of the labels by which the pods are found"},
		{"prometheusRule.runbookURL=wiki/", "at '/prometheusRule/runbookURL': 'wiki/' does not match pattern"},
		{"dashboards.set=grafana-5", "at '/dashboards/set': value must be one of"},
		{"extraArgs={--diagnose}", "extraArgs: --diagnose would break"},
		{"extraArgs={--docker.tls-ca=/x}", "extraArgs: --docker.tls-ca=/x would break"},
		{"extraArgs={--help-long}", "extraArgs: --help-long would break"},
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
		{"docker.groupIDs=docker", "at '/docker/groupIDs': 'docker' does not match pattern"},
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
			_, stderr, err := run(program, "template", release, chart, "--values", own("image"), "--set", test.set)
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

// What depends on the version of Kubernetes, and what reads as one thing and could be another.
func TestOtherRenders(t *testing.T) {
	program := helm(t)
	registry := "global.cattle.systemDefaultRegistry=registry.corp"
	tests := []struct {
		name, set, kubeVersion, want string
	}{
		{"tag and version", "image.tag=v2", "1.31.0", `image: "registry.example/rancher_agent_exporter:v2"`},
		{"digest", "image.digest=sha256:" + strings.Repeat("0", 64), "1.31.0", `image: "registry.example/rancher_agent_exporter@sha256:0000`},
		{"port", "image.repository=localhost:5000/exporter", "1.31.0", `image: "localhost:5000/exporter:0.1.0"`},
		{"Rancher's registry", "image.repository=nodes/exporter," + registry, "1.31.0", `image: "registry.corp/nodes/exporter:0.1.0"`},
		{"Rancher's registry and a host", registry, "1.31.0", `image: "registry.example/rancher_agent_exporter:0.1.0"`},
		{"Rancher's registry and a port", "image.repository=docker:5000/exporter," + registry, "1.31.0", `image: "docker:5000/exporter:0.1.0"`},
		{"groups as text", "docker.groupIDs=992\\, 999", "1.31.0", "supplementalGroups: [992,999]"},
		{"a group as number", "docker.groupIDs=992", "1.31.0", "supplementalGroups: [992]"},
		{"a long id", "docker.groupIDs={1000650000}", "1.31.0", "supplementalGroups: [1000650000]"},
		{"name", "fullnameOverride=leak", "1.31.0", "  name: leak\n"},
		{"a system class in 1.17", "priorityClassName=system-node-critical", "1.17.0", "priorityClassName: system-node-critical"},
		{"a system class in 1.16", "priorityClassName=system-node-critical", "1.16.9", "Kubernetes before 1.17 takes system-node-critical in the namespace kube-system alone"},
		{"too old", "image.tag=v2", "1.9.7", "requires kubeVersion: >=1.10.0-0 which is incompatible with Kubernetes v1.9.7"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			out, stderr, _ := run(program, "template", release, chart, "--kube-version", test.kubeVersion, "--values", own("image"), "--set", test.set)
			if !strings.Contains(string(out)+stderr, test.want) {
				t.Errorf("%s is not in\n%s%.4000s", test.want, stderr, out)
			}
		})
	}
	// An API has them or not, and from 1.25 on it never does.
	for kubeVersion, want := range map[string]bool{"1.24.17": true, "1.25.0": false} {
		for _, api := range []string{"policy/v1beta1/PodSecurityPolicy", "policy/v1"} {
			for _, enabled := range []string{"true", "false"} {
				out, stderr, err := run(program, "template", release, chart, "--kube-version", kubeVersion, "--api-versions", api, "--values", own("image"), "--set", "rbac.pspEnabled="+enabled)
				if err != nil {
					t.Fatal(err, stderr)
				}
				want := want && api != "policy/v1" && enabled == "true"
				if got := strings.Contains(string(out), "kind: PodSecurityPolicy"); got != want {
					t.Errorf("%s with %s, rbac.pspEnabled=%s: PodSecurityPolicy %v, want %v", kubeVersion, api, enabled, got, want)
				}
			}
		}
	}
}
