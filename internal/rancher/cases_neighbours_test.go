package rancher

import (
	"testing"
	"time"
)

// Look-alikes of a cert-writer and other containers of such a node. Sources: rancher/rancher issues unless named.
func TestNeighbourCases(t *testing.T) {
	const day = 24 * time.Hour
	const oldChecksum = "run.sh --server https://r.example --token t --ca-checksum old"
	reg := func(name, image, command string, age time.Duration) Container {
		return ctr(name, image, command, "running", "Up", age, agentLabels)
	}
	broken := func(name string, age time.Duration) Container {
		return ctr(name, image208, oldChecksum+withCertWriter, "restarting", "Restarting (1) 20 seconds ago", age, agentLabels)
	}
	oneRegistration := view{registration: 1, unmanaged: 1}
	runCases(t, []fieldCase{
		{"FC-28 #13244 a, registration with an old checksum", []Container{
			withStatus(reg("/keen_bell", image208, oldChecksum+" --worker", day), "restarting", "Restarting (1) 20 seconds ago"),
		}, oneRegistration},
		{"FC-28 #13244 b, cert-writer with an old checksum", []Container{broken("/keen_bell", day)},
			view{certWriters: states{StateRestarting: 1}, servers: map[string]int{"https://r.example": 1}, oldest: day, newest: day, unmanaged: 1}},
		{"FC-29 #33060, private registry", []Container{reg("/priceless_gagarin", "registry.example/rancher/rancher-agent:v2.5.7",
			"run.sh --server https://r.example --token t --etcd --controlplane", 13*time.Hour)}, oneRegistration},
		{"FC-29 #33060, private registry with port and path", []Container{reg("/priceless_gagarin", "registry.example:5000/proj/rancher/rancher-agent:v2.5.7",
			"run.sh --server https://r.example --token t --etcd --controlplane", 13*time.Hour)}, oneRegistration},
		{"FC-30 #12088, registration at localhost", []Container{reg("/keen_bell", "rancher/rancher-agent:v2.3.5",
			"run.sh --server https://localhost --token t --ca-checksum c --etcd --controlplane --worker", day)}, oneRegistration},
		{"node driver (utils.go buildAgentCommand)", []Container{reg("/keen_bell", image259,
			"run.sh --server https://r.example --token t --ca-checksum c -r -n m-abc12", day)}, oneRegistration},
		{"FC-33 #15047, a dead attempt beside a living one", []Container{
			nodeAgent("cattle-node-agent-jfdlt", 11, "exited", "Exited (137) 2 hours ago", 2*day),
			nodeAgent("cattle-node-agent-jfdlt", 12, "running", "Up 2 hours", 2*time.Hour),
			sandbox("cattle-node-agent-jfdlt"),
			ctr("/k8s_cluster-register_cattle-cluster-agent-6c8f8d9b5-x_cattle-system_uid_3", imageID, "run.sh", "exited", "Exited (1) 3 hours ago", day,
				agentLabels, podLabels("cattle-system", "cattle-cluster-agent-6c8f8d9b5-x", "cluster-register")),
		}, view{nodeAgents: states{StateExited: 1, StateRunning: 1}, clusterAgent: 1}},
		{"FC-36 #29397, local cluster without share-mnt", []Container{nodeAgent("cattle-node-agent-jfdlt", 0, "running", "Up", day)},
			view{nodeAgents: states{StateRunning: 1}}},
		{"FC-38 #13266, RKE's containers after the node was removed", []Container{
			rkeService("kubelet", "running", "Up 3 days"), rkeService("kube-proxy", "running", "Up 3 days"), rkeService("nginx-proxy", "running", "Up 3 days"),
			rkeService("etcd", "restarting", "Restarting (0) 23 seconds ago"), rkeService("service-sidekick", "created", "Created"),
			ctr("/old-kubelet", "rancher/hyperkube:v1.16", "kubelet", "exited", "Exited (0)", day, map[string]string{"io.rancher.rke.container.name": "kubelet"}),
		}, view{}},
		{"FC-39 #31931, node-agent up for 30 days, cert-writers there all the same", []Container{
			nodeAgent("cattle-node-agent-jfdlt", 0, "running", "Up 30 days", 30*day), leaked("/a_b", image259, 29*day), leaked("/c_d", image259, day),
		}, view{certWriters: states{StateRunning: 2}, servers: map[string]int{"https://r.example": 2}, oldest: 29 * day, newest: day, unmanaged: 2,
			nodeAgents: states{StateRunning: 1}}},
		{"FC-41 #24798, node-agent crashes, so nobody cleans up", []Container{
			nodeAgent("cattle-node-agent-jfdlt", 57, "exited", "Exited (1) 2 minutes ago", 3*time.Minute),
			leaked("/a_b", "rancher/rancher-agent:v2.3.5", 3*day), shareMntOf(rangeC, "exited", "Exited (0) 3 days ago", 3*day),
		}, view{certWriters: states{StateRunning: 1}, servers: map[string]int{"https://r.example": 1}, oldest: 3 * day, newest: 3 * day, unmanaged: 1,
			shareMnt: states{StateExited: 1}, present: true, shareMntAge: 3 * day, exitCode: "0", leaks: true, nodeAgents: states{StateExited: 1}}},
		{"FC-42 #14731, three with the old checksum, one with the new", []Container{
			broken("/a", 4*day), broken("/b", 3*day), broken("/c", 2*day), leaked("/d", image208, day),
		}, view{certWriters: states{StateRestarting: 3, StateRunning: 1}, servers: map[string]int{"https://r.example": 4},
			oldest: 4 * day, newest: day, unmanaged: 4}},
		{"node clean-up of 2.6", []Container{ctr("/cattle-node-cleanup", image259, "run.sh -- agent clean node", "running", "Up", time.Minute, agentLabels)},
			view{other: 1, unmanaged: 1}},
		{"import job in a pod", []Container{ctr("/k8s_cleanup_cattle-cleanup-job_default_uid_0", image259,
			"run.sh --server https://r.example --token t"+withCertWriter,
			"running", "Up", time.Minute, agentLabels, podLabels("default", "cattle-cleanup-job", "cleanup"))}, view{other: 1}},
		{"helper that crashed (#20740)", []Container{ctr("/keen_x", image208, "/usr/bin/share-mnt /var/lib/kubelet /var/lib/rancher -- norun",
			"exited", "Exited (133) 2 hours ago", day, agentLabels)}, view{helper: 1, unmanaged: 1}},
	})
}

// Node-agent and cluster-agent, by labels and, where a runtime shows none, by the kubelet's naming.
func TestPods(t *testing.T) {
	const namespace, pod = "cattle-system", "cattle-node-agent-jfdlt"
	in := func(name, command string, labels ...map[string]string) []Container {
		return []Container{ctr(name, imageID, command, "running", "Up", time.Hour, labels...)}
	}
	second := leaked("/alias", image208, time.Hour)
	second.Names = []string{"/alias", "/k8s_app_web_default_uid_0"}
	nodeAgents, clusterAgent := view{nodeAgents: states{StateRunning: 1}}, view{clusterAgent: 1}
	runCases(t, []fieldCase{
		{"node-agent by labels", in(cattleNodeAgent, "run.sh", agentLabels, podLabels(namespace, pod, "agent")), nodeAgents},
		{"node-agent by labels, no name", in("", "run.sh", agentLabels, podLabels(namespace, pod, "agent")), nodeAgents},
		{"node-agent by labels, image without Rancher's", in(cattleNodeAgent, "run.sh", podLabels(namespace, pod, "agent")), nodeAgents},
		{"node-agent by name", in(cattleNodeAgent, "run.sh"), nodeAgents},
		{"node-agent by name, after a name conflict (kubernetes#40448)", in(cattleNodeAgent+"_3f2a1b", "run.sh"), nodeAgents},
		{"node-agent on Windows", in("/k8s_agent_cattle-node-agent-windows-x2v9q_cattle-system_uid_0", `pwsh -NoLogo -NonInteractive -File c:\etc\entrypoint.ps1`,
			agentLabels, podLabels(namespace, "cattle-node-agent-windows-x2v9q", "agent")), nodeAgents},
		{"node-agent's sandbox", []Container{sandbox(pod)}, view{}},
		{"node-agent's sandbox by name", in("/k8s_POD_cattle-node-agent-jfdlt_cattle-system_uid_0", "/pause"), view{}},
		{"another container of its pod", in("/k8s_sidecar_"+pod+"_cattle-system_uid_0", "run.sh", podLabels(namespace, pod, "sidecar")), view{}},
		{"its twin in another namespace", in(cattleNodeAgent, "run.sh", agentLabels, podLabels("default", pod, "agent")), view{other: 1}},
		{"another DaemonSet's agent", in("/k8s_agent_web_cattle-system_uid_0", "run.sh", podLabels(namespace, "web", "agent")), view{}},
		{"a DaemonSet of nearly its name", in("/x", "run.sh", podLabels(namespace, "cattle-node-agents-jfdlt", "agent")), view{}},
		{"a Deployment of nearly the cluster-agent's name", in("/x", "run.sh", podLabels(namespace, "cattle-cluster-agents-7-x", "cluster-register")), view{}},
		{"cluster-agent by labels", in("/x", "run.sh", agentLabels, podLabels(namespace, "cattle-cluster-agent-7-x", "cluster-register")), clusterAgent},
		{"cluster-agent by name", in("/k8s_cluster-register_cattle-cluster-agent-7-x_cattle-system_uid_0", "run.sh"), clusterAgent},
		{"another pod's cluster-register", in("/x", "run.sh", podLabels(namespace, "web", "cluster-register")), view{}},
		{"another container of the cluster-agent's pod", in("/x", "run.sh", podLabels(namespace, "cattle-cluster-agent-7-x", "sidecar")), view{}},
		{"the cluster-agent's twin in another namespace", in("/x", "run.sh", podLabels("default", "cattle-cluster-agent-7-x", "cluster-register")), view{}},
		{"a leaked command in a pod is no cert-writer", in("/k8s_x", certWriter, agentLabels, podLabels("default", "web", "app")), view{other: 1}},
		{"an empty namespace is a pod too", in("/k8s_x", certWriter, agentLabels, map[string]string{"io.kubernetes.pod.namespace": ""}), view{other: 1}},
		{"nor is it in a pod told by name alone", in("/k8s_app_web_default_uid_0", certWriter, agentLabels), view{other: 1, unmanaged: 1}},
		{"nor where the kubelet's name comes second", []Container{second}, view{other: 1, unmanaged: 1}},
		{"k8s without the underscore is no name of the kubelet", []Container{ctr("/k8s-bell", image208, certWriter, "exited", "", time.Hour, agentLabels)},
			view{certWriters: states{StateExited: 1}, unmanaged: 1}},
		{"node-agent by name with Rancher's label alone: the clean-up would take it", in(cattleNodeAgent, "run.sh", agentLabels),
			view{nodeAgents: states{StateRunning: 1}, unmanaged: 1}},
	})
}

// The pod a node-agent belongs to is what an operator restarts.
func TestNodeAgentPod(t *testing.T) {
	byLabel := nodeAgent("cattle-node-agent-jfdlt", 0, "running", "Up", time.Hour)
	byName, bySecondName, renamed, noPod := byLabel, byLabel, byLabel, leaked("/k8s_like_name", image208, time.Hour)
	byName.Labels, bySecondName.Labels = nil, nil
	bySecondName.Names = []string{"/alias", "/k8s_alias", "/an_alias_too", byLabel.Names[0]}
	renamed.Names = []string{"/k8s_agent_alias_too"}
	for want, list := range map[string][]Container{"cattle-node-agent-jfdlt": {byLabel, byName, bySecondName, renamed}, "": {noPod}} {
		for _, c := range list {
			if got := snapshotOf(c).Agents[0].Pod; got != want {
				t.Errorf("%v: got pod %q, want %q", c.Names, got, want)
			}
		}
	}
}
