package rancher

import (
	"maps"
	"testing"
)

// What an event tells of its container: name, labels and image, never the command (moby daemon/events.go).
func TestEventRole(t *testing.T) {
	attributes := func(name, image string, labels ...map[string]string) map[string]string {
		all := map[string]string{"name": name, "image": image}
		for _, more := range labels {
			maps.Copy(all, more)
		}
		return all
	}
	agentPod := podLabels("cattle-system", "cattle-node-agent-jfdlt", "agent")
	sandboxPod := podLabels("cattle-system", "cattle-node-agent-jfdlt", "POD")
	for name, c := range map[string]struct {
		attributes map[string]string
		role       Role
		certain    bool
	}{
		"share-mnt by name":               {attributes("share-mnt", image233), RoleShareMnt, true},
		"share-mnt by label":              {attributes("x", "busybox", shareMntLabels), RoleShareMnt, true},
		"share-mnt by old label":          {attributes("x", image233, oldLabels), RoleShareMnt, true},
		"node-agent by labels":            {attributes("x", imageID, agentLabels, agentPod), RoleNodeAgent, true},
		"node-agent by name":              {attributes(cattleNodeAgent[1:], imageID), RoleNodeAgent, true},
		"sandbox of the node-agent":       {attributes("x", "rancher/pause:3.1", sandboxPod), RoleNone, true},
		"agent image by label":            {attributes("keen_bell", "example/mirror:v1", agentLabels), RoleNone, false},
		"agent image by repository":       {attributes("keen_bell", image233), RoleNone, false},
		"an image ID may be the agent's":  {attributes("keen_bell", imageID), RoleNone, false},
		"another image":                   {attributes("web", "nginx:1.17"), RoleNone, true},
		"agent image in somebody's pod":   {attributes("x", image233, agentLabels, podLabels("default", "web", "app")), RoleNone, true},
		"a tenant's image says share-mnt": {attributes("k8s_app_web_default_uid_0", "shop:v1", shareMntLabels, podLabels("default", "web", "app")), RoleNone, true},
		"the same without pod labels":     {attributes("k8s_app_web_default_uid_0", "shop:v1", shareMntLabels, oldLabels), RoleNone, true},
		"agent image in a pod by name":    {attributes("k8s_app_web_default_uid_0", image233, agentLabels), RoleNone, true},
		"no attributes":                   {nil, RoleNone, true},
	} {
		if role, certain := (Event{Attributes: c.attributes}).Role(); role != c.role || certain != c.certain {
			t.Errorf("%s: got %q, certain %t", name, role, certain)
		}
	}
}

// The counters are twelve: three roles, four actions (README, rancher_agent_container_events_total).
func TestEventSeries(t *testing.T) {
	if got := len(EventRoles()) * len(EventActions()); got != 12 {
		t.Errorf("%d series", got)
	}
	if EventPrune != "prune" {
		t.Errorf("Docker does not say %q", EventPrune)
	}
	for _, role := range OtherRoles() {
		for _, counted := range EventRoles() {
			if role == counted {
				t.Errorf("%s is counted and other", role)
			}
		}
	}
}
