package soak

import (
	"fmt"

	"github.com/docker/docker/api/types/container"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/demo/lab/shape"
)

// The roles, as the labels of the metrics have them.
const (
	certWriter       = "cert_writer"
	shareMnt         = "share_mnt"
	nodeAgent        = "node_agent"
	registration     = "registration"
	shareMntHelper   = "share_mnt_helper"
	clusterAgent     = "cluster_agent"
	otherAgent       = "other"
	nothingOfRancher = ""
)

// server is a Rancher server as a command line has it and as the label must.
type server struct{ written, label string }

// servers are more than the five that get a label of their own. The first is that of share-mnt.
var servers = []server{
	{"https://167.172.96.240", "https://167.172.96.240"},
	{"HTTPS://Rancher.Example.com:443/k8s/", "https://rancher.example.com"},
	{"http://10.0.0.7:8080", "http://10.0.0.7:8080"},
	{"https://somebody@rancher.example.net", "https://rancher.example.net"},
	{"https://[2001:DB8::7]:8443", "https://[2001:db8::7]:8443"},
	{"http://rancher.example.org:80", "http://rancher.example.org"},
	{"https://rancher.example.org", "https://rancher.example.org"},
	{"rancher.example.org", "unknown"},
}

func cluster(number int) shape.Cluster {
	return shape.Cluster{Server: servers[number].written, Token: "not-a-real-token", NodeName: "node-1", Image: shape.AgentImage}
}

// kind is one sort of container that the soak makes.
type kind struct {
	role   string
	weight int  // how often it is made
	starts bool // whether its program is in the stand-in image
	make   func(number int) shape.Container
}

// kinds are all but share-mnt, of which there is one at a time. The names tell the oracle what a container is.
func kinds(emptyDir string) []kind {
	return []kind{
		{certWriter, 8, true, func(number int) shape.Container {
			which := number % len(servers)
			return named(fmt.Sprintf("cert-writer-of-%d-%d", which, number), cluster(which).CertWriter())
		}},
		// Without a socket in its directory it connects for ever and keeps no plan: the soak must know all that is done.
		{nodeAgent, 4, true, func(number int) shape.Container {
			pod := shape.Pod{Name: fmt.Sprintf("cattle-node-agent-%d", number), UID: "0f3c9a52-6f6b-11ea-8c4e-0ad3d1b2c3d4"}
			return pod.NodeAgent(shape.AgentImage, emptyDir, "0")
		}},
		{registration, 2, true, func(number int) shape.Container {
			return named(fmt.Sprintf("registration-%d", number), cluster(number%len(servers)).Registration())
		}},
		{otherAgent, 1, true, func(number int) shape.Container {
			return agent(fmt.Sprintf("clean-up-%d", number), container.Config{Cmd: []string{"--", "agent", "clean", "node"}})
		}},
		{shareMntHelper, 1, false, func(number int) shape.Container {
			return agent(fmt.Sprintf("helper-%d", number), container.Config{Entrypoint: []string{"share-mnt"}, Cmd: []string{"/var/lib/kubelet"}})
		}},
		{clusterAgent, 1, true, func(number int) shape.Container {
			pod := fmt.Sprintf("cattle-cluster-agent-%d", number)
			return agent("k8s_cluster-register_"+pod+"_cattle-system_0f3c9a52_0", container.Config{
				Cmd: []string{"--debug"},
				Labels: map[string]string{
					shape.NamespaceLabel:           "cattle-system",
					"io.kubernetes.pod.name":       pod,
					"io.kubernetes.container.name": "cluster-register",
				},
			})
		}},
		{nothingOfRancher, 3, true, func(number int) shape.Container {
			return shape.Container{
				Name:   fmt.Sprintf("web-%d", number),
				Config: container.Config{Image: shape.PauseImage, Cmd: []string{"--only-write-certs"}},
				Host:   container.HostConfig{NetworkMode: "host"},
			}
		}},
	}
}

func agent(name string, config container.Config) shape.Container {
	config.Image = shape.AgentImage
	return shape.Container{Name: name, Config: config, Host: container.HostConfig{NetworkMode: "host"}}
}

func named(name string, c shape.Container) shape.Container {
	c.Name = name
	return c
}
