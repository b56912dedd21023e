package enginetest

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/rancher"
)

func classify(containers ...Container) []*rancher.Agent {
	var list []rancher.Container
	for _, c := range containers {
		list = append(list, c.Listed())
	}
	return rancher.Classify(slices.Values(list)).Agents
}

// The presets are what the exporter takes them for.
func TestRoles(t *testing.T) {
	const server = "https://rancher.example"
	now := time.Now()
	for want, c := range map[rancher.Role]Container{
		rancher.RoleCertWriter:   CertWriter(3, server, now),
		rancher.RoleRegistration: Registration(server, now),
		rancher.RoleNodeAgent:    NodeAgent("cattle-node-agent-jfdlt", 1, now),
		rancher.RoleShareMnt:     ShareMnt("v2.5.12", server, "n1", now),
	} {
		if got := classify(c); len(got) != 1 || got[0].Role != want {
			t.Errorf("%s: got %+v", want, got)
		}
	}
	if got := classify(Sandbox("cattle-node-agent-jfdlt", now), Pod(0, now)); len(got) != 0 {
		t.Errorf("pods have roles: %+v", got)
	}
}

func TestShareMntVersions(t *testing.T) {
	const server = "https://rancher.example"
	command := "docker run -d --privileged --restart=unless-stopped --net=host -v /etc/kubernetes:/etc/kubernetes -v /var/run:/var/run "
	args := "--server " + server + " --token " + Token + " --ca-checksum " + CAChecksum + " --no-register --only-write-certs"
	dirs := " /var/lib/kubelet /var/lib/rancher"
	for version, tc := range map[string]struct {
		want  string
		env   []string
		leaks bool
	}{
		"v2.0.0":  {want: "run.sh -- share-root.sh" + dirs},
		"v2.0.5":  {want: "run.sh -- share-root.sh" + dirs},
		"v2.0.6":  {want: "run.sh -- share-root.sh '" + command + "rancher/rancher-agent:v2.0.6 " + args + "'" + dirs, leaks: true},
		"v2.3.2":  {want: "run.sh -- share-root.sh '" + command + "rancher/rancher-agent:v2.3.2 " + args + "'" + dirs, leaks: true},
		"v2.3.3":  {want: "run.sh -- share-root.sh '" + command + "rancher/rancher-agent:v2.3.3 " + args + "' --node-name n1" + dirs, leaks: true},
		"v2.4.0":  {want: "run.sh -- share-root.sh '" + command + "rancher/rancher-agent:v2.4.0 " + args + " --node-name n1'" + dirs, leaks: true},
		"v2.5.5":  {want: "run.sh -- share-root.sh '" + command + "rancher/rancher-agent:v2.5.5 " + args + " --node-name n1'", leaks: true},
		"v2.5.6":  {want: "run.sh -- share-root.sh '" + command + " rancher/rancher-agent:v2.5.6 " + args + " --node-name n1'", leaks: true},
		"v2.5.9":  {want: "run.sh -- share-root.sh '" + command + "-e A=b -e C=d rancher/rancher-agent:v2.5.9 " + args + " --node-name n1'", env: []string{"A=b", "C=d"}, leaks: true},
		"v2.5.10": {want: "run.sh --no-register --only-write-certs --node-name n1 --server " + server + " --token " + Token + " '--ca-checksum " + CAChecksum + "'"},
		"v2.6.0":  {want: "run.sh --no-register --only-write-certs --node-name n1 --server " + server + " --token " + Token + " '--ca-checksum " + CAChecksum + "'"},
	} {
		c := ShareMnt(version, server, "n1", time.Now().Add(-time.Hour), tc.env...)
		if got := c.command(); got != tc.want {
			t.Errorf("%s:\n got %s\nwant %s", version, got, tc.want)
		}
		if got := classify(c); len(got) != 1 || got[0].Role != rancher.RoleShareMnt || got[0].Leaks != tc.leaks {
			t.Errorf("%s: got %+v", version, got)
		}
	}
}

func TestIDsAndNames(t *testing.T) {
	now := time.Now()
	ids, names := make(map[string]bool), make(map[string]bool)
	for n := range 5000 {
		c := CertWriter(n, "https://rancher.example", now)
		ids[c.ID], names[c.Names[0]] = true, true
		if len(c.ID) != 64 || strings.Trim(c.ID, "0123456789abcdef") != "" {
			t.Fatalf("ID %s", c.ID)
		}
	}
	if len(ids) != 5000 || len(names) != 5000 {
		t.Errorf("%d IDs, %d names", len(ids), len(names))
	}
	if a, b := ShareMnt("v2.3.3", "", "", now), ShareMnt("v2.3.3", "", "", now.Add(time.Nanosecond)); a.ID == b.ID {
		t.Error("share-mnt created again has its old ID")
	}
	if a, b := NodeAgent("p", 0, now), NodeAgent("p", 0, now.Round(0).UTC()); a.ID != b.ID || !maps.Equal(a.Labels, b.Labels) {
		t.Error("the same node-agent has two IDs")
	}
}
