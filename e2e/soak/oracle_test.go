package soak

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/demo/lab/shape"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/e2e/exporter"
)

// The limits that the exporter has by default.
const (
	serverLimit     = 5
	certWriterLimit = 20
)

// roleOf goes by the name that the soak gave. What has none of these was named by Docker: a cert-writer from share-mnt.
func roleOf(name string) string {
	for prefix, role := range map[string]string{
		"share-mnt":                              shareMnt,
		"k8s_agent_cattle-node-agent-":           nodeAgent,
		"k8s_cluster-register_cattle-cluster-ag": clusterAgent,
		"registration-":                          registration,
		"helper-":                                shareMntHelper,
		"clean-up-":                              otherAgent,
		"web-":                                   nothingOfRancher,
	} {
		if strings.HasPrefix(name, prefix) {
			return role
		}
	}
	return certWriter
}

// serverOf is the label of a cert-writer's server.
func serverOf(name string) string {
	number := 0
	if rest, ours := strings.CutPrefix(name, "cert-writer-of-"); ours {
		number = int(rest[0] - '0')
	}
	return servers[number].label
}

// oracle works out every metric of the containers from docker ps: slowly, one after the other, from what the soak knows of
// its own containers, and with nothing of the exporter's code.
type oracle struct {
	tb   testing.TB
	host string
	rows []row // of docker ps, the oldest first
	want exporter.Metrics
}

func want(tb testing.TB, host string) exporter.Metrics {
	tb.Helper()
	o := &oracle{tb: tb, host: host, rows: dockerPS(tb, host), want: exporter.Metrics{"rancher_agent_docker_up": 1}}
	slices.SortFunc(o.rows, func(a, b row) int { return cmp.Compare(a.created(tb), b.created(tb)) })
	o.states("rancher_agent_cert_writer_containers", certWriter)
	o.states("rancher_agent_share_mnt_containers", shareMnt)
	o.states("rancher_agent_node_agent_containers", nodeAgent)
	o.certWriters()
	o.shareMnt()
	o.nodeAgents()
	o.others()
	return o.want
}

func (o *oracle) of(role string) []row {
	var found []row
	for _, r := range o.rows {
		if roleOf(r.Names) == role {
			found = append(found, r)
		}
	}
	return found
}

func (o *oracle) states(metric, role string) {
	for _, state := range []string{"created", "running", "paused", "restarting", "removing", "exited", "dead", "unknown"} {
		o.want[fmt.Sprintf("%s{state=%q}", metric, state)] = 0
	}
	for _, r := range o.of(role) {
		o.want[fmt.Sprintf("%s{state=%q}", metric, r.State)]++
	}
}

func (o *oracle) certWriters() {
	labels := map[string]string{"unknown": "unknown"} // of the servers that have a live one, the first five besides unknown
	shown := 0
	for _, r := range o.of(certWriter) {
		if !r.live() {
			continue
		}
		server := serverOf(r.Names)
		if labels[server] == "" {
			labels[server] = server
			if len(labels) > serverLimit+1 {
				labels[server] = "other"
			}
		}
		server = labels[server]
		oldest := fmt.Sprintf("rancher_agent_cert_writer_oldest_created_timestamp_seconds{server=%q}", server)
		if _, older := o.want[oldest]; !older {
			o.want[oldest] = r.created(o.tb)
		}
		o.want[fmt.Sprintf("rancher_agent_cert_writer_newest_created_timestamp_seconds{server=%q}", server)] = r.created(o.tb)
		o.want[fmt.Sprintf("rancher_agent_cert_writer_server_containers{server=%q}", server)]++
		if shown++; shown <= certWriterLimit {
			o.want[fmt.Sprintf("rancher_agent_cert_writer_created_timestamp_seconds{container_id=%q,container_name=%q,image=%q,server=%q}",
				r.ID[:12], r.Names, shape.AgentImage, server)] = r.created(o.tb)
		}
	}
}

func (o *oracle) shareMnt() {
	found := o.of(shareMnt)
	o.want["rancher_agent_share_mnt_present"] = float64(len(found))
	if len(found) == 0 {
		return
	}
	r := found[0] // there is never more than one
	o.want[fmt.Sprintf("rancher_agent_share_mnt_info{container_id=%q,image=%q}", r.ID[:12], shape.AgentImage)] = 1
	o.want["rancher_agent_share_mnt_starts_cert_writer"] = 1
	o.want["rancher_agent_share_mnt_created_timestamp_seconds"] = r.created(o.tb)
	if r.State != "created" {
		o.want["rancher_agent_share_mnt_started_timestamp_seconds"] = startedAt(o.tb, o.host, r.ID)
	}
	if code, ok := r.exitCode(); ok {
		o.want["rancher_agent_share_mnt_exit_code"] = code
	}
}

func (o *oracle) nodeAgents() {
	for _, r := range o.of(nodeAgent) {
		if r.State != "running" {
			continue
		}
		pod := strings.Split(r.Names, "_")[2]
		o.want[fmt.Sprintf("rancher_agent_node_agent_info{agent_pod=%q,container_id=%q,container_name=%q,image=%q}",
			pod, r.ID[:12], r.Names, shape.AgentImage)] = 1
		o.want[fmt.Sprintf("rancher_agent_node_agent_started_timestamp_seconds{container_id=%q}", r.ID[:12])] = startedAt(o.tb, o.host, r.ID)
	}
}

func (o *oracle) others() {
	for _, role := range []string{registration, shareMntHelper, clusterAgent, otherAgent} {
		o.want[fmt.Sprintf("rancher_agent_other_containers{role=%q}", role)] = float64(len(o.of(role)))
	}
	o.want["rancher_agent_unmanaged_containers"] = float64(
		len(o.of(certWriter)) + len(o.of(registration)) + len(o.of(shareMntHelper)) + len(o.of(otherAgent)))
}

// notOfContainers are the metrics that docker ps says nothing about.
var notOfContainers = []string{
	"rancher_agent_scrape_duration_seconds", "rancher_agent_exporter_build_info", "rancher_agent_docker_last_success_timestamp_seconds",
	"rancher_agent_docker_events_up", "rancher_agent_container_events_total", "rancher_agent_docker_container_prunes_total",
	"rancher_agent_docker_last_container_prune_timestamp_seconds",
}

// difference says what a scrape has too much, too little or otherwise than wanted; times may differ by a millisecond.
func difference(got, want exporter.Metrics) string {
	var text strings.Builder
	for _, series := range slices.Sorted(maps.Keys(want)) {
		if value, ok := got[series]; !ok || math.Abs(value-want[series]) > 0.001 {
			fmt.Fprintf(&text, "%s is %s, want %s\n", series, written(got, series), written(want, series))
		}
	}
	for _, series := range slices.Sorted(maps.Keys(got)) {
		name, _, _ := strings.Cut(series, "{")
		if _, ok := want[series]; !ok && strings.HasPrefix(name, "rancher_agent_") && !slices.Contains(notOfContainers, name) {
			fmt.Fprintf(&text, "%s is %s, want none\n", series, written(got, series))
		}
	}
	return text.String()
}

func written(m exporter.Metrics, series string) string {
	value, ok := m[series]
	if !ok {
		return "absent"
	}
	return strconv.FormatFloat(value, 'f', -1, 64)
}
