package enginetest

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"time"
)

// What the containers below carry and nothing may show. All made up.
const (
	Token      = "madeupclustertokenmadeupclustertokenmadeupclustertoken"
	CAChecksum = "decafbaddecafbaddecafbaddecafbaddecafbaddecafbaddecafbaddecafbad"
	Password   = "made-up-proxy-password"
)

// proxy is an environment variable with a password, as a user of an HTTP proxy has Rancher hand it to its agents.
const proxy = "HTTPS_PROXY=http://proxyuser:" + Password + "@proxy.example:3128"

// CertWriter is cert-writer n, counted from 0, as share-mnt of Rancher 2.3.3 starts it, running since its creation.
func CertWriter(n int, server string, created time.Time) Container {
	return agent(hexID("cert-writer", n), randomName(n), "v2.3.3", created,
		"--server", server, "--token", Token, "--ca-checksum", CAChecksum, "--no-register", "--only-write-certs")
}

// Registration is the agent with which a user registers a node, running since its creation.
func Registration(server string, created time.Time) Container {
	c := agent(hexID("registration", server, created), "steadfast_gagarin", "v2.3.3", created,
		"--server", server, "--token", Token, "--ca-checksum", CAChecksum, "--etcd", "--controlplane", "--worker")
	c.Env = append(c.Env, proxy)
	return c
}

// NodeAgent is the node-agent of a pod cattle-node-agent-XXXXX, running since its creation. Attempts count from 0.
func NodeAgent(pod string, attempt int, created time.Time) Container {
	c := podContainer("agent", pod, "cattle-system", attempt, created)
	c.ImageID = "sha256:" + hexID("image", "rancher/rancher-agent:v2.3.3")
	c.Image = "rancher/rancher-agent@sha256:" + hexID("digest", c.ImageID) // the kubelet starts by digest
	c.Path = "run.sh"
	c.Labels["io.cattle.agent"] = "true"
	c.Env = []string{
		"CATTLE_SERVER=https://rancher.example", "CATTLE_CA_CHECKSUM=" + CAChecksum, "CATTLE_CLUSTER=false",
		"CATTLE_K8S_MANAGED=true", "CATTLE_AGENT_CONNECT=true", proxy,
	}
	return c
}

// Sandbox is the pause container of a pod cattle-node-agent-XXXXX, running since its creation.
func Sandbox(pod string, created time.Time) Container {
	c := podContainer("POD", pod, "cattle-system", 0, created)
	c.Image, c.Path = "rancher/pause:3.1", "/pause"
	c.Labels["io.kubernetes.docker.type"] = "podsandbox"
	return c
}

// Pod is a container of workload pod n, which has nothing to do with Rancher, running since its creation.
func Pod(n int, created time.Time) Container {
	c := podContainer("web", fmt.Sprintf("web-%d", n), "shop", 0, created)
	c.Image, c.Path, c.Args = "nginx:1.25", "nginx", []string{"-g", "daemon off;"}
	return c
}

// RKEService is a container that RKE runs on a node it builds (kubelet, kube-proxy …), running since its creation.
func RKEService(name string, created time.Time) Container {
	return Container{
		ID: hexID("rke", name, created), Names: []string{"/" + name}, Image: "rancher/hyperkube:v1.17.4-rancher1",
		Path: "/opt/rke-tools/entrypoint.sh", Args: []string{name}, Labels: map[string]string{"io.rancher.rke.container.name": name},
		State: "running", Created: created, StartedAt: created,
	}
}

// agent is a container that Rancher runs from its agent image with plain docker run.
func agent(id, name, version string, created time.Time, args ...string) Container {
	image := "rancher/rancher-agent:" + version
	return Container{
		ID:        id,
		Names:     []string{"/" + name},
		Image:     image,
		Path:      "run.sh",
		Args:      args,
		Env:       []string{"AGENT_IMAGE=" + image, "SSL_CERT_DIR=/etc/kubernetes/ssl/certs"},
		Labels:    map[string]string{"io.cattle.agent": "true"},
		State:     "running",
		Created:   created,
		StartedAt: created,
	}
}

// podContainer is a container as the kubelet names and labels it.
func podContainer(name, pod, namespace string, attempt int, created time.Time) Container {
	id := hexID("pod", pod)
	uid := strings.Join([]string{id[:8], id[8:12], id[12:16], id[16:20], id[20:32]}, "-")
	return Container{
		ID:    hexID(name, pod, attempt, created),
		Names: []string{fmt.Sprintf("/k8s_%s_%s_%s_%s_%d", name, pod, namespace, uid, attempt)},
		Labels: map[string]string{
			"io.kubernetes.container.name": name,
			"io.kubernetes.docker.type":    "container",
			"io.kubernetes.pod.name":       pod,
			"io.kubernetes.pod.namespace":  namespace,
			"io.kubernetes.pod.uid":        uid,
		},
		State:     "running",
		Created:   created,
		StartedAt: created,
	}
}

// hexID makes 64 hex digits, always the same, out of what tells a thing from others.
func hexID(parts ...any) string {
	for i, part := range parts {
		if t, ok := part.(time.Time); ok { // its text depends on the time zone and on the monotonic clock
			parts[i] = t.UnixNano()
		}
	}
	sum := sha256.Sum256([]byte(fmt.Sprintln(parts...)))
	return hex.EncodeToString(sum[:])
}

// randomName is the name Docker makes up for container n: an adjective and a scientist, and a digit where that is taken.
func randomName(n int) string {
	adjectives := strings.Fields("brave calm dreamy eager gentle happy jolly keen lucid modest nifty quirky serene silly thirsty vibrant")
	surnames := strings.Fields("bohr curie darwin euler fermi gauss hopper kepler lovelace minsky newton noether pasteur tesla turing wilson")
	a, s := len(adjectives), len(surnames)
	name := adjectives[n%a] + "_" + surnames[(n+n/a)%s]
	if again := n / (a * s); again > 0 {
		name += fmt.Sprint(again)
	}
	return name
}
