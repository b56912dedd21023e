package rancher

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// FuzzParseImage: the name is what stands before the digest, and its last element without a tag tells the agent.
func FuzzParseImage(f *testing.F) {
	for _, ref := range []string{
		"", image233, image259, imageID, digest, "rancher-agent", "r.example:5000/a/rancher-agent", "rancher/rancher-agent:v2.3.3@sha256:0", "a@b@c", "rancher-agent:",
		"RANCHER-AGENT", "rancher-agent/x", "x-rancher-agent", "sha256:", "0123456789ab", "u:p@r.example/rancher-agent", "\xff", "rancher/rancher-agent:\xff",
	} {
		f.Add(ref)
	}
	f.Fuzz(func(t *testing.T, ref string) {
		got := parseImage(ref)
		if got.name == Unknown {
			if got.agent && ref != Unknown {
				t.Errorf("%q: an unknown image is the agent's", ref)
			}
			return
		}
		name, digest, found := strings.Cut(ref, "@")
		if got.name != name || found && !isDigest(digest) {
			t.Errorf("%q is called %q", ref, got.name)
		}
		if again := parseImage(got.name); again != got {
			t.Errorf("%q becomes %+v, and that becomes %+v", ref, got, again)
		}
		last := name[strings.LastIndexByte(name, '/')+1:]
		if repository, _, _ := strings.Cut(last, ":"); got.agent != (repository == agentRepository) {
			t.Errorf("%q: agent %t", ref, got.agent)
		}
	})
}

// FuzzEventRole: what an event tells for certain is what a list says of the same container, as far as its events count.
func FuzzEventRole(f *testing.F) {
	for _, seed := range [][4]string{
		{"share-mnt", image233, "", ""}, {"zen_noyce", image233, "", ""}, {"x", imageID, "io.rancher.container.system", "rancher-agent"}, {"x", "nginx", "", ""},
		{cattleNodeAgent[1:], image259, "io.kubernetes.container.name", "agent"}, {"k8s_POD_cattle-node-agent-x_cattle-system_u_0", "rancher/pause:3.1", "io.kubernetes.docker.type", "podsandbox"},
		{"cattle-cluster-agent", image259, "io.kubernetes.pod.namespace", "cattle-system"},
	} {
		f.Add(seed[0], seed[1], seed[2], seed[3])
	}
	f.Fuzz(func(t *testing.T, name, image, label, value string) {
		if label == "name" || label == "image" {
			return // the event has its own
		}
		labels := map[string]string{label: value}
		attributes := maps.Clone(labels)
		attributes["name"], attributes["image"] = name, image
		role, certain := Event{ID: "a", Action: "start", Attributes: attributes}.Role()
		if !certain {
			return
		}
		listedRole := RoleNone
		for _, a := range snapshotOf(Container{ID: "a", Names: []string{"/" + name}, Image: image, Labels: labels, State: "running"}).Agents {
			listedRole = a.Role
		}
		// A container whose events nobody counts may be any other role in the list.
		if counted := slices.Contains(EventRoles(), role) || slices.Contains(EventRoles(), listedRole); counted && role != listedRole {
			t.Errorf("the event says %q, the list %q", role, listedRole)
		}
	})
}
