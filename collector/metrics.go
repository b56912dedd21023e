package collector

import "github.com/prometheus/client_golang/prometheus"

const namespace = "rancher_agent"

// The metrics of a snapshot. What they mean to the letter is in README.md; the names, labels and meanings are a contract
// with dashboards, alerts and their users.
var (
	dockerUp = describe("docker_up",
		"Whether the containers could be listed for this scrape.")
	scrapeDuration = describe("scrape_duration_seconds",
		"Time this scrape spent asking the Docker Engine.")
	lastSuccess = describe("docker_last_success_timestamp_seconds",
		"When the containers were last listed, in Unix seconds.")

	certWriters = describe("cert_writer_containers",
		"Cert-writer containers by Docker state.", "state")
	serverCertWriters = describe("cert_writer_server_containers",
		"Live cert-writer containers by Rancher server URL.", "server")
	oldestCertWriter = describe("cert_writer_oldest_created_timestamp_seconds",
		"Creation of the oldest live cert-writer of a Rancher server URL, in Unix seconds.", "server")
	newestCertWriter = describe("cert_writer_newest_created_timestamp_seconds",
		"Creation of the newest live cert-writer of a Rancher server URL, in Unix seconds.", "server")
	certWriterCreated = describe("cert_writer_created_timestamp_seconds",
		"Creation of each of the oldest live cert-writers, in Unix seconds.", "container_id", "container_name", "image", "server")

	shareMntPresent = describe("share_mnt_present",
		"Whether a share-mnt container exists that is neither removing nor dead.")
	shareMnts = describe("share_mnt_containers",
		"Containers named or labelled share-mnt by Docker state.", "state")
	shareMntCreated = describe("share_mnt_created_timestamp_seconds",
		"Creation of the newest share-mnt container, in Unix seconds.")
	shareMntStarted = describe("share_mnt_started_timestamp_seconds",
		"Last start of the newest share-mnt container, in Unix seconds.")
	shareMntInfo = describe("share_mnt_info",
		"The newest share-mnt container.", "container_id", "image")
	shareMntLeaks = describe("share_mnt_starts_cert_writer",
		"Whether the newest share-mnt container starts a separate cert-writer at each start, as Rancher 2.0.6 to 2.5.9 has it.")
	shareMntExitCode = describe("share_mnt_exit_code",
		"Exit code of the newest share-mnt container while it is exited or restarting.")

	nodeAgents = describe("node_agent_containers",
		"Node-agent containers by Docker state.", "state")
	nodeAgentInfo = describe("node_agent_info",
		"The running node-agent containers: what to restart against a leak.", "container_id", "container_name", "agent_pod", "image")
	nodeAgentStarted = describe("node_agent_started_timestamp_seconds",
		"Last start of each running node-agent container, in Unix seconds.", "container_id")

	otherContainers = describe("other_containers",
		"Other containers of the agent image by role, in any state.", "role")
	unmanagedContainers = describe("unmanaged_containers",
		"Containers in any state that the node-agent will force-remove 15 s after it next connects.")
)

// snapshotMetrics lists the metrics above.
func snapshotMetrics() []*prometheus.Desc {
	return []*prometheus.Desc{
		dockerUp, scrapeDuration, lastSuccess,
		certWriters, serverCertWriters, oldestCertWriter, newestCertWriter, certWriterCreated,
		shareMntPresent, shareMnts, shareMntCreated, shareMntStarted, shareMntInfo, shareMntLeaks, shareMntExitCode,
		nodeAgents, nodeAgentInfo, nodeAgentStarted,
		otherContainers, unmanagedContainers,
	}
}

func describe(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc(namespace+"_"+name, help, labels, nil)
}
