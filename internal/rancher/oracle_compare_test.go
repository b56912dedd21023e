package rancher

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// The pieces that random containers are made of: real ones, and their neighbours.
var (
	someNames = [][]string{
		nil, {}, {"/zen_noyce"}, {"/share-mnt"}, {"/old-share-mnt"}, {"/zen_noyce", "/share-mnt"}, {"/x/share-mnt"}, {"/share-mnt-2"},
		{cattleNodeAgent}, {"/alias", cattleNodeAgent}, {"/k8s_POD_cattle-node-agent-jfdlt_cattle-system_uid_0"},
		{"/k8s_cluster-register_cattle-cluster-agent-7-x_cattle-system_uid_0"},
	}
	someImages = []string{
		image233, image259, digest, imageID, imageID[len("sha256:"):], "3571bad91a6b", "rancher-agent",
		"registry.example:5000/proj/rancher/rancher-agent:v2.5.7", "rancher/agent:v1.2.11", "rancher/agent:v2.0.0-beta3",
		"nginx:1.17", "rancher/rancher-agent-x:v1", "rancher-agent/x:v1", "",
	}
	someLabels = []map[string]string{
		agentLabels, agentLabels, agentLabels, {"io.cattle.agent": "false"}, {},
		shareMntLabels, oldLabels, {"io.rancher.rke.container.name": "kubelet"},
		podLabels("cattle-system", "cattle-node-agent-jfdlt", "agent"), podLabels("cattle-system", "cattle-node-agent-jfdlt", "POD"),
		podLabels("cattle-system", "cattle-cluster-agent-7-x", "cluster-register"), podLabels("default", "cattle-node-agent-jfdlt", "agent"),
		{"io.kubernetes.pod.namespace": ""},
	}
	somePaths  = []string{"run.sh", "run.sh", "run.sh", "/usr/bin/run.sh", "/run.sh", "/usr/bin/share-mnt", "pwsh", "tini", ""}
	someStates = []string{
		"created", "running", "running", "running", "paused", "restarting", "removing", "exited", "exited", "dead", "stopped", "",
	}
	someStatus = []string{
		"", "Up 3 hours", "Up 3 hours (Paused)", "Exited (0) 5 minutes ago", "Exited (137) 2 hours ago",
		"Restarting (1) 40 seconds ago", "Restarting (126) 1 second ago", "Created",
	}
	someWords = strings.Fields("--debug -d --server -s --token -t --ca-checksum -c --all-roles -a --etcd -e --worker -w " +
		"--controlplane -p --node-name -n --no-register -r --address --internal-address -i --label -l --taints " +
		"--only-write-certs -o --only-write-certs -o -- -ro --server=https://r.example stray")
	someServers = []string{
		"https://r.example", "https://R.example:443/", "http://r.example", "http://r.example:80", "https://r.example:8443/x?y#z",
		"https://u:p@r.example", "https://a.example", "https://b.example", "https://c.example", "https://d.example",
		"https://[2001:db8::7]:443", "https://[2001:db8::7]:6443", "https://u:1/2@r.example", "https://r.example:99999",
		"ftp://r.example", "--token", "", "https://", "r.example",
	}
)

func pick[T any](random *rand.Rand, from []T) T { return from[random.IntN(len(from))] }

// someArgs are those of a real container, of one with random flags around a server, or random words.
func someArgs(random *rand.Rand) []string {
	switch random.IntN(4) {
	case 0:
		versions := slices.Sorted(maps.Keys(shareMntArgs))
		args := shareMntArgs[pick(random, versions)]
		if slices.ContainsFunc(args, func(arg string) bool { return strings.Contains(arg, "'") }) {
			return nil // what a list shows of these has two readings
		}
		return args
	case 1:
		return []string{"--server", pick(random, someServers), "--token", token, "--no-register", "--only-write-certs"}
	case 2:
		args := []string{pick(random, someWords), pick(random, someWords)}
		return append(args, "--server", pick(random, someServers), pick(random, someWords), pick(random, someWords), "a b", pick(random, someWords))
	default:
		args := make([]string, random.IntN(8))
		for i := range args {
			args[i] = pick(random, someWords)
		}
		return args
	}
}

func someContainer(random *rand.Rand, number int) truth {
	c := truth{
		id: fmt.Sprintf("%064x", number*7919%100_003), image: pick(random, someImages), path: pick(random, somePaths), state: pick(random, someStates),
		status: pick(random, someStatus), names: pick(random, someNames), args: someArgs(random), labels: map[string]string{}, created: now - random.Int64N(50),
	}
	for range random.IntN(3) {
		maps.Copy(c.labels, pick(random, someLabels))
	}
	if c.path == "" { // as in a container without a command
		c.args = nil
	}
	return c
}

// container is how Docker shows it, in a list or in an inspect.
func (c truth) container(inspected bool) Container {
	command := ListedCommand(listed(c.path, c.args...))
	if inspected {
		command = InspectedCommand(c.path, c.args)
	}
	return Container{ID: c.id, Names: c.names, Image: c.image, Command: command, Created: c.created, Labels: c.labels, State: c.state, Status: c.status}
}

// factsOf are the same numbers from a snapshot.
func factsOf(s Snapshot, limit int) facts {
	f := facts{byState: map[Role]map[State]int{}, unmanaged: len(s.Unmanaged()), present: s.ShareMntPresent(), labels: map[string]string{}}
	for _, role := range append(EventRoles(), OtherRoles()...) {
		if counts := nonZero(s.ByState(role)); counts != nil {
			f.byState[role] = counts
		}
	}
	if newest := s.ShareMnt(); newest != nil {
		f.newest, f.leaks = newest.ID, newest.Leaks
		if newest.ExitCode != nil {
			f.exitCode = strconv.Itoa(*newest.ExitCode)
		}
	}
	for _, a := range s.RunningNodeAgents() {
		f.running = append(f.running, a.ID)
	}
	live := s.LiveCertWriters()
	servers := ServersOf(live, limit)
	f.servers = servers.Groups
	for _, a := range live {
		f.labels[a.ID] = servers.Label(a.Server)
	}
	return f
}

// Thousands of random lists, the same each time: the code and the plain one say the same of each.
func TestOracle(t *testing.T) {
	random := rand.New(rand.NewPCG(15364, 2))
	roles := map[Role]int{}
	for round := range 4000 {
		list := make([]truth, random.IntN(25))
		for i := range list {
			list[i] = someContainer(random, i)
			if i > 0 && random.IntN(20) == 0 {
				list[i] = list[i-1] // listed twice
			}
			roles[list[i].role()]++
		}
		limit := random.IntN(6)
		containers := make([]Container, len(list))
		for i, c := range list {
			containers[i] = c.container(random.IntN(4) == 0)
		}
		if got, want := factsOf(Classify(slices.Values(containers)), limit), oracle(list, limit); !reflect.DeepEqual(got, want) {
			t.Fatalf("round %d, limit %d\ngot  %+v\nwant %+v\n%s", round, limit, got, want, describe(list))
		}
	}
	for _, role := range append(EventRoles(), append(OtherRoles(), RoleNone)...) {
		if roles[role] < 500 {
			t.Errorf("only %d of role %q: the lists say too little", roles[role], role)
		}
	}
}

func describe(list []truth) string {
	var text strings.Builder
	for _, c := range list {
		fmt.Fprintf(&text, "%s %q %+v\n", c.role(), c.server(), c)
	}
	return text.String()
}
