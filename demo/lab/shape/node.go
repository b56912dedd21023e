package shape

import (
	"strings"

	"github.com/docker/docker/api/types/container"
)

// The images, as Rancher 2.3.3 names them.
const (
	AgentImage = "rancher/rancher-agent:v2.3.3"
	PauseImage = "rancher/pause:3.1"
)

// Cluster is what an agent knows of its Rancher server.
type Cluster struct {
	Server     string // https://rancher.example
	Token      string
	CAChecksum string // empty where the server's certificate is signed by a known CA
	NodeName   string
	Image      string // of the agents
}

// flags are the arguments with which an agent of the cluster finds the server.
func (c Cluster) flags() []string {
	flags := []string{"--server", c.Server, "--token", c.Token}
	if c.CAChecksum != "" {
		flags = append(flags, "--ca-checksum", c.CAChecksum)
	}
	return flags
}

// CertWriter is the container that leaks: share-mnt starts one each time it runs (Rancher 2.0.6 to 2.5.9), and it never
// ends.
func (c Cluster) CertWriter() Container {
	return Container{
		Config: container.Config{Image: c.Image, Cmd: append(c.flags(), "--no-register", "--only-write-certs")},
		Host:   onHost(container.RestartPolicyUnlessStopped),
	}
}

// CertWriterRun is the same as the docker run command that share-mnt carries as one argument. It has what the lab leaves
// out (--privileged, the mounts): this text is what a real node shows.
func (c Cluster) CertWriterRun() string {
	words := []string{"docker", "run", "-d", "--privileged", "--restart=unless-stopped", "--net=host",
		"-v", "/etc/kubernetes:/etc/kubernetes", "-v", "/var/run:/var/run", c.Image}
	return strings.Join(append(words, c.CertWriter().Config.Cmd...), " ")
}

// ShareMnt is the share-mnt container of Rancher 2.3.3 to 2.3.11, which have --node-name behind the quoted command. Its
// runDir, the directory of the engine's socket, is mounted whole, so that it sees the socket of a restarted engine.
func (c Cluster) ShareMnt(runDir string, env ...string) Container {
	host := onHost(container.RestartPolicyAlways)
	host.Binds = []string{runDir + ":/var/run"}
	return Container{
		Name: ShareMntName,
		Config: container.Config{
			Image: c.Image,
			Cmd: []string{"--", "share-root.sh", c.CertWriterRun(), "--node-name", c.NodeName,
				"/var/lib/kubelet", "/var/lib/rancher"},
			Env:    env,
			Labels: map[string]string{ProcessLabel: ShareMntName},
		},
		Host: host,
	}
}

// Registration is the container of the command that a person copies from Rancher to add a node.
func (c Cluster) Registration() Container {
	return Container{
		Config: container.Config{Image: c.Image, Cmd: append(c.flags(), "--etcd", "--controlplane", "--worker")},
		Host:   onHost(container.RestartPolicyUnlessStopped),
	}
}

// Pod is the pod of a node-agent.
type Pod struct {
	Name string // cattle-node-agent-XXXXX
	UID  string
}

// labels are those that the kubelet puts on a container of the pod.
func (p Pod) labels(kind, name string) map[string]string {
	return map[string]string{
		NamespaceLabel:                 "cattle-system",
		"io.kubernetes.pod.name":       p.Name,
		"io.kubernetes.pod.uid":        p.UID,
		"io.kubernetes.container.name": name,
		"io.kubernetes.docker.type":    kind,
	}
}

// NodeAgent is attempt N of the pod's agent container. Its socket directory is mounted as in [Cluster.ShareMnt]. The
// kubelet starts such a container again; here is no kubelet, so Docker does.
func (p Pod) NodeAgent(image, runDir, attempt string, env ...string) Container {
	host := onHost(container.RestartPolicyAlways)
	host.Binds = []string{runDir + ":/var/run"}
	return Container{
		Name:   strings.Join([]string{"k8s_agent", p.Name, "cattle-system", p.UID, attempt}, "_"),
		Config: container.Config{Image: image, Env: env, Labels: p.labels("container", "agent")},
		Host:   host,
	}
}

// Sandbox is the pause container of the pod: it has the pod's labels and nothing of Rancher's image.
func (p Pod) Sandbox() Container {
	labels := p.labels("podsandbox", "POD")
	return Container{
		Name:   strings.Join([]string{"k8s_POD", p.Name, "cattle-system", p.UID, "0"}, "_"),
		Config: container.Config{Image: PauseImage, Labels: labels},
		Host:   onHost(container.RestartPolicyAlways),
	}
}
