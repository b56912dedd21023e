package rancher

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// now is when the lists of these tests are taken, in Unix seconds: ages count back from it.
const now = 1_700_000_000

// Names, labels and commands that come back in many cases. The tokens are made up.
const (
	token    = "q7x2made2up9token4zz"
	checksum = "0a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f9"

	image208 = "rancher/rancher-agent:v2.0.8"
	image233 = "rancher/rancher-agent:v2.3.3"
	image259 = "rancher/rancher-agent:v2.5.9"
	imageID  = "sha256:3571bad91a6b0a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293"
	digest   = "rancher/rancher-agent@sha256:0a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f9"

	withCertWriter  = " --no-register --only-write-certs"
	certWriter      = "run.sh --server https://r.example --token " + token + withCertWriter
	registration    = "run.sh --server https://r.example --token " + token + " --ca-checksum " + checksum + " --etcd --controlplane --worker"
	cattleNodeAgent = "/k8s_agent_cattle-node-agent-jfdlt_cattle-system_uid_0"
)

var (
	agentLabels    = map[string]string{"io.cattle.agent": "true"}
	shareMntLabels = map[string]string{"io.rancher.rke.container.name": "share-mnt"}
	oldLabels      = map[string]string{"io.cattle.process.name": "share-mnt"} // Rancher 2.0.0
)

// podLabels are what the kubelet puts on the container of a pod.
func podLabels(namespace, pod, container string) map[string]string {
	return map[string]string{
		"io.kubernetes.pod.namespace":  namespace,
		"io.kubernetes.pod.name":       pod,
		"io.kubernetes.container.name": container,
		"io.kubernetes.docker.type":    "container",
	}
}

// ctr is one object of GET /containers/json?all=1.
func ctr(name, image, command, state, status string, age time.Duration, labels ...map[string]string) Container {
	c := Container{
		Names: []string{name}, Image: image, Command: ListedCommand(command), State: state, Status: status,
		Created: now - int64(age/time.Second), Labels: map[string]string{},
	}
	for _, more := range labels {
		maps.Copy(c.Labels, more)
	}
	return c
}

// The containers that most nodes have. Tests change what they are about.

func leaked(name, image string, age time.Duration) Container {
	return ctr(name, image, certWriter, "running", "Up some time", age, agentLabels)
}

func shareMntOf(rancher, state, status string, age time.Duration) Container {
	return ctr("/share-mnt", image233, listed("run.sh", shareMntArgs[rancher]...), state, status, age, agentLabels, shareMntLabels)
}

func nodeAgent(pod string, attempt int, state, status string, age time.Duration) Container {
	name := fmt.Sprintf("/k8s_agent_%s_cattle-system_uid_%d", pod, attempt)
	return ctr(name, digest, "run.sh", state, status, age, agentLabels, podLabels("cattle-system", pod, "agent"))
}

func sandbox(pod string) Container {
	labels := podLabels("cattle-system", pod, "POD")
	labels["io.kubernetes.docker.type"] = "podsandbox"
	return ctr("/k8s_POD_"+pod+"_cattle-system_uid_0", "rancher/pause:3.1", "/pause", "running", "Up 3 days", 72*time.Hour, labels)
}

func rkeService(name, state, status string) Container {
	return ctr("/"+name, "rancher/hyperkube:v1.17.4-rancher1", "/opt/rke-tools/entrypoint.sh "+name, state, status, 72*time.Hour,
		map[string]string{"io.rancher.rke.container.name": name})
}

// snapshotOf classifies a list, giving each container without an ID one of its own.
func snapshotOf(containers ...Container) Snapshot {
	containers = slices.Clone(containers)
	for i := range containers {
		if containers[i].ID == "" {
			containers[i].ID = fmt.Sprintf("%064x", i+0xa0000)
		}
	}
	return Classify(slices.Values(containers))
}

// states counts containers by Docker state; those that are 0 are left out.
type states map[State]int

// view is everything a list says about the leak, in a form that compares and prints well. What is not given is none.
type view struct {
	certWriters    states
	servers        map[string]int // live cert-writers
	oldest, newest time.Duration  // ages of live cert-writers
	shareMnt       states
	present        bool          // ShareMntPresent
	shareMntAge    time.Duration // of the newest
	exitCode       string        // of the newest share-mnt
	leaks          bool          // of the newest share-mnt
	nodeAgents     states
	registration   int
	helper         int
	clusterAgent   int
	other          int
	unmanaged      int
}

func viewOf(s Snapshot) view {
	v := view{
		certWriters:  nonZero(s.ByState(RoleCertWriter)),
		shareMnt:     nonZero(s.ByState(RoleShareMnt)),
		nodeAgents:   nonZero(s.ByState(RoleNodeAgent)),
		present:      s.ShareMntPresent(),
		registration: len(s.With(RoleRegistration)),
		helper:       len(s.With(RoleShareMntHelper)),
		clusterAgent: len(s.With(RoleClusterAgent)),
		other:        len(s.With(RoleOther)),
		unmanaged:    len(s.Unmanaged()),
	}
	if live := s.LiveCertWriters(); len(live) > 0 {
		v.oldest, v.newest = age(live[0]), age(live[len(live)-1])
		v.servers = map[string]int{}
		for _, group := range ServersOf(live, 5).Groups {
			v.servers[group.Server] = group.Count
		}
	}
	if newest := s.ShareMnt(); newest != nil {
		v.shareMntAge, v.leaks = age(newest), newest.Leaks
		if newest.ExitCode != nil {
			v.exitCode = strconv.Itoa(*newest.ExitCode)
		}
	}
	return v
}

func age(a *Agent) time.Duration { return time.Duration(now-a.Created) * time.Second }

func nonZero(counts map[State]int) states {
	var kept states
	for state, n := range counts {
		if n != 0 {
			if kept == nil {
				kept = states{}
			}
			kept[state] = n
		}
	}
	return kept
}

// expect compares all that a list says with what a case wants.
func expect(t *testing.T, containers []Container, want view) {
	t.Helper()
	if got := viewOf(snapshotOf(containers...)); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

// fieldCase is one list and what it means.
type fieldCase struct {
	name string
	list []Container
	want view
}

func runCases(t *testing.T, cases []fieldCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) { expect(t, c.list, c.want) })
	}
}

// listed writes a command as Docker's list does (moby container/view.go): joined with blanks, an argument that contains a
// blank in single quotes, nothing escaped.
func listed(path string, args ...string) string {
	line := []string{path}
	for _, arg := range args {
		if strings.Contains(arg, " ") {
			arg = "'" + arg + "'"
		}
		line = append(line, arg)
	}
	return strings.Join(line, " ")
}

// repeat makes n containers that differ in their number.
func repeat(n int, one func(i int) Container) []Container {
	many := make([]Container, n)
	for i := range many {
		many[i] = one(i)
	}
	return many
}

// withStatus is a container in another state.
func withStatus(c Container, state, status string) Container {
	c.State, c.Status = state, status
	return c
}

// withCommand is a container with another command.
func withCommand(c Container, command string) Container {
	c.Command = ListedCommand(command)
	return c
}
