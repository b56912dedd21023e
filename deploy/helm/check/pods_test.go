package check

import (
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	monitoring "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	core "k8s.io/api/core/v1"
	policy "k8s.io/api/policy/v1beta1"
	rbac "k8s.io/api/rbac/v1"
)

// Whatever the values, the pod has no more rights than the socket gives.
func TestRights(t *testing.T) {
	eachRender(t, func(t *testing.T, r render, all objects) {
		pod := all.daemonSet(t).Spec.Template.Spec
		if token := pod.AutomountServiceAccountToken; token == nil || *token {
			t.Error("the pod gets a token of the API")
		}
		if pod.HostNetwork || pod.HostPID || pod.HostIPC {
			t.Error("the pod shares a namespace with the node")
		}
		proxied := len(pod.Containers) == 2 && pod.Containers[1].Name == "socket-proxy"
		if len(pod.InitContainers) != 0 || len(pod.Containers) != 1 && !proxied || proxied != strings.Contains(strings.Join(r.values, " "), "socket-proxy") {
			t.Fatalf("%d containers", len(pod.Containers))
		}
		for i, container := range pod.Containers {
			limits := container.SecurityContext
			if *limits.Privileged || *limits.AllowPrivilegeEscalation || !*limits.ReadOnlyRootFilesystem || len(limits.Capabilities.Add) != 0 ||
				!reflect.DeepEqual(limits.Capabilities.Drop, []core.Capability{"ALL"}) {
				t.Errorf("%s: security context %+v", container.Name, limits)
			}
			opens := i == len(pod.Containers)-1 // the socket
			for _, mount := range container.VolumeMounts {
				if mount.Name == "docker" && !opens || !mount.ReadOnly && (!opens || mount.Name != "proxy") {
					t.Errorf("%s has %s", container.Name, mount.MountPath)
				}
			}
			user, nonRoot := pod.SecurityContext.RunAsUser, pod.SecurityContext.RunAsNonRoot
			if limits.RunAsUser != nil {
				user, nonRoot = limits.RunAsUser, limits.RunAsNonRoot
			}
			wantRoot := opens && len(pod.SecurityContext.SupplementalGroups) == 0
			if user == nil || nonRoot == nil || (*user == 0) != wantRoot || *nonRoot == wantRoot {
				t.Errorf("%s: user %v, runAsNonRoot %v, groups %v", container.Name, user, nonRoot, pod.SecurityContext.SupplementalGroups)
			}
		}
		// the field came with Kubernetes 1.19, whose predecessors refuse it and know an annotation
		profile := pod.SecurityContext.SeccompProfile
		annotation := all.daemonSet(t).Spec.Template.Annotations["seccomp.security.alpha.kubernetes.io/pod"]
		if !r.has(19) {
			if profile != nil || annotation != "runtime/default" {
				t.Errorf("seccomp %v, %q", profile, annotation)
			}
		} else if profile == nil || profile.Type != core.SeccompProfileTypeRuntimeDefault || annotation != "" {
			t.Errorf("seccomp %v, %q", profile, annotation)
		}
	})
}

// By default the exporter goes wherever the node-agent goes. The taints are those of RKE1's roles, of a cordoned or
// failing node, and one that somebody made up.
func TestTolerations(t *testing.T) {
	pod := decode(t, template(t, chart, renderOf(t, "rancher-monitoring"))).daemonSet(t).Spec.Template.Spec
	for _, taint := range []core.Taint{
		{Key: "node-role.kubernetes.io/etcd", Value: "true", Effect: core.TaintEffectNoExecute},
		{Key: "node-role.kubernetes.io/controlplane", Value: "true", Effect: core.TaintEffectNoSchedule},
		{Key: "node.kubernetes.io/memory-pressure", Effect: core.TaintEffectNoSchedule},
		{Key: "node.kubernetes.io/unschedulable", Effect: core.TaintEffectNoSchedule},
		{Key: "dedicated", Value: "gpu", Effect: core.TaintEffectNoExecute},
	} {
		tolerated := false
		for _, toleration := range pod.Tolerations {
			tolerated = tolerated || toleration.ToleratesTaint(&taint)
		}
		if !tolerated {
			t.Errorf("%s is not tolerated", taint.ToString())
		}
	}
}

// Linux nodes alone, by the label that the nodes of that version have.
func TestNodeSelector(t *testing.T) {
	eachRender(t, func(t *testing.T, r render, all objects) {
		label := "kubernetes.io/os"
		if !r.has(14) {
			label = "beta.kubernetes.io/os"
		}
		selector := all.daemonSet(t).Spec.Template.Spec.NodeSelector
		if len(selector) > 0 && selector[label] != "linux" || len(selector) == 0 && r.name != "no-operator" {
			t.Errorf("node selector %v", selector)
		}
	})
}

// A PodSecurityPolicy that comes along lets this pod in, is given to its account alone, and would let in little else.
func TestPodSecurityPolicy(t *testing.T) {
	eachRender(t, func(t *testing.T, r render, all objects) {
		found := all.find("PodSecurityPolicy")
		if found == nil {
			if !r.has(25) {
				t.Error("none")
			}
			return
		}
		pod := all.daemonSet(t).Spec.Template.Spec
		spec := found.Typed.(*policy.PodSecurityPolicy).Spec
		if spec.Privileged || spec.HostNetwork || spec.HostPID || spec.HostIPC || *spec.AllowPrivilegeEscalation || !spec.ReadOnlyRootFilesystem ||
			!reflect.DeepEqual(spec.RequiredDropCapabilities, []core.Capability{"ALL"}) || len(spec.AllowedCapabilities) != 0 {
			t.Errorf("%+v", spec)
		}
		if len(spec.AllowedHostPaths) != 1 || spec.AllowedHostPaths[0].ReadOnly != r.has(11) {
			t.Fatalf("host paths %+v", spec.AllowedHostPaths)
		}
		allowed := map[string]bool{}
		for _, kind := range spec.Volumes {
			allowed[string(kind)] = true
		}
		for _, volume := range pod.Volumes {
			switch {
			case volume.HostPath != nil && allowed["hostPath"] && volume.HostPath.Path == spec.AllowedHostPaths[0].PathPrefix:
			case volume.Secret != nil && allowed["secret"]:
			case volume.ConfigMap != nil && allowed["configMap"]:
			case volume.EmptyDir != nil && allowed["emptyDir"]:
			default:
				t.Errorf("volume %s is not allowed", volume.Name)
			}
		}
		role := all.find("Role").Typed.(*rbac.Role)
		if rule := role.Rules[0]; len(role.Rules) != 1 || !reflect.DeepEqual(rule.ResourceNames, []string{found.Name}) || !reflect.DeepEqual(rule.Verbs, []string{"use"}) {
			t.Errorf("role %+v", role.Rules)
		}
		binding := all.find("RoleBinding").Typed.(*rbac.RoleBinding)
		want := []rbac.Subject{{Kind: "ServiceAccount", Name: pod.ServiceAccountName, Namespace: namespace}}
		if binding.RoleRef.Name != role.Name || !reflect.DeepEqual(binding.Subjects, want) {
			t.Errorf("binding %+v", binding)
		}
	})
}

// What has to fit together fits: selectors, port, schemes, and three timeouts that must not overtake each other.
func TestScraping(t *testing.T) {
	eachRender(t, func(t *testing.T, r render, all objects) {
		daemonSet := all.daemonSet(t)
		labels := daemonSet.Spec.Template.Labels
		container := daemonSet.Spec.Template.Spec.Containers[0]
		selects := func(what string, selector map[string]string) {
			t.Helper()
			for key, value := range selector {
				if labels[key] != value {
					t.Errorf("%s selects %s=%s, the pods have %q", what, key, value, labels[key])
				}
			}
			if len(selector) == 0 {
				t.Errorf("%s selects everything", what)
			}
		}
		selects("the DaemonSet", daemonSet.Spec.Selector.MatchLabels)
		if len(container.Ports) != 1 || container.Ports[0].Name != "metrics" || container.Ports[0].ContainerPort != 15364 {
			t.Errorf("ports %v", container.Ports)
		}
		var dockerTimeout time.Duration
		tls := false
		for _, arg := range container.Args {
			if value, found := strings.CutPrefix(arg, "--docker.timeout="); found {
				var err error
				if dockerTimeout, err = time.ParseDuration(value); err != nil {
					t.Fatal(err)
				}
			}
			tls = tls || strings.HasPrefix(arg, "--web.config.file=")
		}
		ready := container.ReadinessProbe
		if got := time.Duration(ready.TimeoutSeconds) * time.Second; got <= dockerTimeout {
			t.Errorf("the readiness probe waits %s and the exporter %s", got, dockerTimeout)
		}
		if ready.PeriodSeconds != 60 {
			t.Errorf("the readiness probe lists the containers every %d s", ready.PeriodSeconds)
		}
		for path, probe := range map[string]*core.Probe{"/-/ready": ready, "/-/healthy": container.LivenessProbe} {
			if probe.HTTPGet != nil && (probe.HTTPGet.Path != path || (probe.HTTPGet.Scheme == core.URISchemeHTTPS) != tls) {
				t.Errorf("probe %+v", probe.HTTPGet)
			}
		}

		var relabelings []*monitoring.RelabelConfig
		var interval, scrapeTimeout, port, scheme string
		if monitor := all.find("ServiceMonitor"); monitor != nil {
			service := all.find("Service").Typed.(*core.Service)
			selects("the Service", service.Spec.Selector)
			if !service.Spec.PublishNotReadyAddresses {
				t.Error("an exporter whose Docker hangs is not scraped")
			}
			spec := monitor.Typed.(*monitoring.ServiceMonitor).Spec
			labels = service.Labels
			selects("the ServiceMonitor", spec.Selector.MatchLabels)
			e := spec.Endpoints[0]
			relabelings, interval, scrapeTimeout, port, scheme = e.RelabelConfigs, e.Interval, e.ScrapeTimeout, e.Port, e.Scheme
			if (e.MetricRelabelConfigs != nil) != (r.values[len(r.values)-1] == own("pod-monitor")) || port != service.Spec.Ports[0].Name {
				t.Errorf("endpoint %+v", e)
			}
		} else if monitor := all.find("PodMonitor"); monitor != nil {
			spec := monitor.Typed.(*monitoring.PodMonitor).Spec
			selects("the PodMonitor", spec.Selector.MatchLabels)
			e := spec.PodMetricsEndpoints[0]
			relabelings, interval, scrapeTimeout, port, scheme = e.RelabelConfigs, e.Interval, e.ScrapeTimeout, e.Port, e.Scheme
			if (e.MetricRelabelConfigs != nil) != (r.values[len(r.values)-1] == own("pod-monitor")) || port != container.Ports[0].Name {
				t.Errorf("endpoint %+v", e)
			}
			if all.find("Service") != nil {
				t.Error("a Service that nothing reads")
			}
		} else {
			return
		}
		if (scheme == "https") != tls {
			t.Errorf("Prometheus scrapes by %q", scheme)
		}
		every, err := time.ParseDuration(interval)
		if err != nil {
			t.Fatal(err)
		}
		wait, err := time.ParseDuration(scrapeTimeout)
		if err != nil {
			t.Fatal(err)
		}
		if wait <= dockerTimeout || wait > every {
			t.Errorf("docker.timeout %s, scrape timeout %s, interval %s", dockerTimeout, wait, every)
		}
		set := map[string]string{}
		for _, r := range relabelings {
			var from []string
			for _, name := range r.SourceLabels {
				from = append(from, string(name))
			}
			set[r.TargetLabel] = strings.Join(from, ",") + r.Replacement
		}
		for label, want := range map[string]string{
			"job": "rancher-agent-exporter", "node": "__meta_kubernetes_pod_node_name", "instance": "__meta_kubernetes_pod_node_name",
		} {
			if set[label] != want {
				t.Errorf("%s is set from %q", label, set[label])
			}
		}
	})
}

// The exporter itself takes the flags: it goes on to look for Docker, where there is none, instead of exiting for a flag it does not know.
func TestFlags(t *testing.T) {
	helm(t)
	program := filepath.Join(t.TempDir(), "rancher_agent_exporter")
	build := exec.Command("go", "build", "-o", program, ".")
	build.Dir = "../../.."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	// a web configuration, and no socket
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "web-config.yml"), []byte("{}"), 0o644); err != nil {
		t.Fatal(err)
	}
	places := strings.NewReplacer("unix:///host/run/", "unix://"+dir+"/", "unix:///proxy/", "unix://"+dir+"/", "/etc/web/", dir+"/")
	eachRender(t, func(t *testing.T, r render, all objects) {
		args := []string{"--once"}
		for _, arg := range all.daemonSet(t).Spec.Template.Spec.Containers[0].Args {
			args = append(args, places.Replace(arg))
		}
		command := exec.Command(program, args...)
		out, _ := command.CombinedOutput()
		if code := command.ProcessState.ExitCode(); code != 1 || !strings.Contains(string(out), "rancher_agent_docker_up 0") {
			t.Errorf("%v: exit code %d\n%s", args, code, out)
		}
	})
}
