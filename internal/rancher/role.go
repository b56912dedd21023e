package rancher

import "strings"

// Role is what a container is to the leak.
type Role string

// The roles. RoleNone is every container that has nothing to do with it.
const (
	RoleNone           Role = ""
	RoleCertWriter     Role = "cert_writer"      // run.sh --only-write-certs, leaked by share-mnt of Rancher 2.0.6 to 2.5.9
	RoleShareMnt       Role = "share_mnt"        // the container share-mnt, in all its forms over the versions
	RoleNodeAgent      Role = "node_agent"       // container agent of the DaemonSet cattle-node-agent: what to restart
	RoleRegistration   Role = "registration"     // registers the node: role flags, or -r -n of a node driver
	RoleShareMntHelper Role = "share_mnt_helper" // /usr/bin/share-mnt, started by share-mnt up to Rancher 2.4.18
	RoleClusterAgent   Role = "cluster_agent"    // pod cattle-cluster-agent
	RoleOther          Role = "other"            // any other container of the agent image (agent clean node, import jobs …)
)

// OtherRoles lists the roles of the agent image that play no part in the leak itself.
func OtherRoles() []Role {
	return []Role{RoleRegistration, RoleShareMntHelper, RoleClusterAgent, RoleOther}
}

const (
	agentLabel        = "io.cattle.agent"
	processLabel      = "io.rancher.rke.container.name" // Rancher 2.0.1 and later
	oldProcessLabel   = "io.cattle.process.name"        // Rancher 2.0.0
	podNamespaceLabel = "io.kubernetes.pod.namespace"
	podNameLabel      = "io.kubernetes.pod.name"
	podContainerLabel = "io.kubernetes.container.name"

	shareMnt = "share-mnt"

	nodeAgentPod           = "cattle-node-agent-"
	nodeAgentContainer     = "agent"
	clusterAgentPod        = "cattle-cluster-agent-"
	clusterAgentContainer  = "cluster-register"
	kubeletName            = "k8s_"
	kubeletNodeAgent       = kubeletName + nodeAgentContainer + "_" + nodeAgentPod
	kubeletClusterAgent    = kubeletName + clusterAgentContainer + "_" + clusterAgentPod
	agentNamespace         = "cattle-system"
	shareMntHelperCommand  = "share-mnt"
	kubeletNamePodPosition = 2 // k8s_CONTAINER_POD_NAMESPACE_UID_ATTEMPT
)

// identity is the role that labels and names alone decide; certain is false where the command must be looked at. Pods come
// first: Docker copies the labels of an image into its containers, so a tenant's pod may claim to be anything that Rancher
// runs without a pod. Then share-mnt: from Rancher 2.5.10 on its flags are a cert-writer's, to the letter.
func identity(labels map[string]string, names []string) (role Role, certain bool) {
	if inPod(labels, names) {
		return podRole(labels, names), true
	}
	if labels[processLabel] == shareMnt || labels[oldProcessLabel] == shareMnt {
		return RoleShareMnt, true
	}
	for _, name := range names {
		if trimSlash(name) == shareMnt {
			return RoleShareMnt, true
		}
	}
	return RoleNone, false
}

// inPod says whether the kubelet started a container: by its labels, or by its naming where a runtime shows none.
func inPod(labels map[string]string, names []string) bool {
	if _, ok := labels[podNamespaceLabel]; ok {
		return true
	}
	for _, name := range names {
		if strings.HasPrefix(trimSlash(name), kubeletName) {
			return true
		}
	}
	return false
}

// podRole is the role of a container in a pod.
func podRole(labels map[string]string, names []string) Role {
	if namespace, labelled := labels[podNamespaceLabel]; labelled {
		pod, container := labels[podNameLabel], labels[podContainerLabel]
		switch {
		case namespace == agentNamespace && container == nodeAgentContainer && strings.HasPrefix(pod, nodeAgentPod):
			return RoleNodeAgent
		case namespace == agentNamespace && container == clusterAgentContainer && strings.HasPrefix(pod, clusterAgentPod):
			return RoleClusterAgent
		default:
			return RoleNone
		}
	}
	for _, name := range names {
		switch name = trimSlash(name); {
		case strings.HasPrefix(name, kubeletNodeAgent):
			return RoleNodeAgent
		case strings.HasPrefix(name, kubeletClusterAgent):
			return RoleClusterAgent
		}
	}
	return RoleNone
}

// RoleOf tells the role of a container.
func RoleOf(c Container) Role {
	role, _ := classify(c, newMemory())
	return role
}

// classify tells the role of a container, and the server URL in its command if it is a cert-writer.
func classify(c Container, known memory) (role Role, server string) {
	byImage := hasAgentImage(c.Labels, c.Image, known)
	if role, certain := identity(c.Labels, c.Names); certain {
		if role == RoleNone && byImage {
			return RoleOther, ""
		}
		return role, ""
	}
	if !byImage && !isImageID(c.Image) {
		return RoleNone, ""
	}
	role = RoleOther
	command := c.Command.words()
	switch program(command) {
	case runShProgram:
		flags := parseRunSh(command)
		byImage = byImage || flags.complete() // else an image ID with somebody else's run.sh
		if role = flags.role(); role == RoleCertWriter {
			server = known.server(flags.server)
		}
	case shareMntHelperCommand:
		role = RoleShareMntHelper
	}
	if !byImage {
		return RoleNone, ""
	}
	return role, server
}

// hasAgentImage goes by Rancher's label, or by the repository for a rebuilt image that lost it.
func hasAgentImage(labels map[string]string, ref string, known memory) bool {
	return hasAgentLabel(labels) || known.isAgentRepository(ref)
}

func hasAgentLabel(labels map[string]string) bool { return labels[agentLabel] == "true" }

// isRKEService says whether RKE made a container (kubelet, kube-proxy …), which imported clusters do not have.
func isRKEService(c Container) bool {
	service := c.Labels[processLabel]
	return service != "" && service != shareMnt && !inPod(c.Labels, c.Names)
}

// isUnmanaged is the rule by which the node-agent, 15 s after it connects, force-removes agent containers in any state
// (cleanup in cmd/agent/main.go, Rancher v2.0.0 to v2.11): the label, no pod, no share-mnt in the first name.
func isUnmanaged(c Container) bool {
	_, inPod := c.Labels[podNamespaceLabel]
	return hasAgentLabel(c.Labels) && !inPod && !strings.Contains(c.firstName(), shareMnt)
}

// podName is the name of the pod a container belongs to, from the labels or from the kubelet's naming; "" without a pod.
func podName(c Container) string {
	if pod := c.Labels[podNameLabel]; pod != "" {
		return pod
	}
	for _, name := range c.Names {
		fields := strings.Split(trimSlash(name), "_")
		if fields[0] == "k8s" && len(fields) > kubeletNamePodPosition {
			return fields[kubeletNamePodPosition]
		}
	}
	return ""
}

func trimSlash(name string) string { return strings.TrimPrefix(name, "/") }
