package agent

import (
	"reflect"
	"testing"

	"github.com/docker/docker/api/types/container"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/demo/lab/shape"
)

func TestDecide(t *testing.T) {
	for name, c := range map[string]struct {
		found []found
		want  steps
	}{
		"absent":                  {nil, steps{create: true}},
		"done":                    {[]found{{id: "a", state: "exited", planned: true}}, steps{}},
		"failed":                  {[]found{{id: "a", state: "exited", exitCode: 1, planned: true}}, steps{start: "a"}},
		"killed":                  {[]found{{id: "a", state: "exited", exitCode: 137, planned: true}}, steps{start: "a"}},
		"never started":           {[]found{{id: "a", state: "created", planned: true}}, steps{start: "a"}},
		"running":                 {[]found{{id: "a", state: "running", planned: true}}, steps{}},
		"restarting":              {[]found{{id: "a", state: "restarting", exitCode: 1, planned: true}}, steps{start: "a"}},
		"dead":                    {[]found{{id: "a", state: "dead", planned: true}}, steps{start: "a"}},
		"differs":                 {[]found{{id: "a", state: "exited"}}, steps{remove: []string{"a"}, create: true}},
		"two":                     {[]found{{id: "a", state: "exited", planned: true}, {id: "b", state: "created", planned: true}}, steps{remove: []string{"b"}}},
		"two, the second planned": {[]found{{id: "a", state: "exited"}, {id: "b", state: "created", planned: true}}, steps{remove: []string{"a"}, start: "b"}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := decide(c.found); !reflect.DeepEqual(got, c.want) {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}

func TestIsPlanned(t *testing.T) {
	want := DefaultSettings().Cluster.ShareMnt("/var/run", shareMntExitCodeEnv(0))
	for name, c := range map[string]struct {
		change func(*container.Config, *container.HostConfig)
		want   bool
	}{
		"equal":               {func(*container.Config, *container.HostConfig) {}, true},
		"another image":       {func(c *container.Config, _ *container.HostConfig) { c.Image = "rancher/rancher-agent:v2.3.2" }, false},
		"another server":      {func(c *container.Config, _ *container.HostConfig) { c.Cmd[2] += " more" }, false},
		"another environment": {func(c *container.Config, _ *container.HostConfig) { c.Env = []string{shareMntExitCodeEnv(1)} }, false},
		"another mount":       {func(_ *container.Config, h *container.HostConfig) { h.Binds = []string{"/run:/var/run"} }, false},
		"another policy":      {func(_ *container.Config, h *container.HostConfig) { h.RestartPolicy.Name = "no" }, true},
	} {
		t.Run(name, func(t *testing.T) {
			have := DefaultSettings().Cluster.ShareMnt("/var/run", shareMntExitCodeEnv(0))
			c.change(&have.Config, &have.Host)
			inspected := container.InspectResponse{
				ContainerJSONBase: &container.ContainerJSONBase{HostConfig: &have.Host},
				Config:            &have.Config,
			}
			if got := isPlanned(inspected, want); got != c.want {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

func TestIsUnmanaged(t *testing.T) {
	agent := map[string]string{shape.AgentLabel: "true"}
	inPod := map[string]string{shape.AgentLabel: "true", shape.NamespaceLabel: "cattle-system"}
	for name, c := range map[string]struct {
		labels map[string]string
		names  []string
		want   bool
	}{
		"cert-writer":                  {agent, []string{"/thirsty_minsky"}, true},
		"share-mnt":                    {agent, []string{"/share-mnt"}, false},
		"renamed, still share-mnt":     {agent, []string{"/old-share-mnt-1"}, false},
		"share-mnt as a second name":   {agent, []string{"/thirsty_minsky", "/share-mnt"}, true},
		"node-agent":                   {inPod, []string{"/k8s_agent_cattle-node-agent-x2x4v_cattle-system_uid_0"}, false},
		"no name":                      {agent, nil, true},
		"of another image":             {nil, []string{"/web"}, false},
		"label without the right text": {map[string]string{shape.AgentLabel: "false"}, []string{"/web"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := isUnmanaged(container.Summary{Labels: c.labels, Names: c.names}); got != c.want {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}
