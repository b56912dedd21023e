package rancher

import (
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// This is the classification once more, from the tables of README.md and docs/rancher.md, as slow and as plain
// as can be: regular expressions, whole argument lists, one pass over the list for every number. TestOracle compares.

// truth is a container as its maker knows it, the arguments not yet joined.
type truth struct {
	id, image, path, state, status string
	names, args                    []string
	labels                         map[string]string
	created                        int64
}

var (
	oracleAgentImage = regexp.MustCompile(`^([^@]+/)?rancher-agent(:[A-Za-z0-9._-]+)?(@sha256:[0-9a-f]{64})?$`)
	oracleImageID    = regexp.MustCompile(`^(sha256:[0-9a-f]+|[0-9a-f]{12,64})$`)
	oracleURL        = regexp.MustCompile(`^(https?)://([^/?#]*@)?([a-z0-9._-]+|\[[0-9a-f:]+\])(:([0-9]*))?([/?#][^@]*)?$`)
	oracleWriteCerts = regexp.MustCompile(`^docker +run .*--only-write-certs( |$)`)
	oracleExit       = regexp.MustCompile(`^(Exited|Restarting) \(([0-9]+)\)`)
)

// role of one container, in the order of the contract: pods, share-mnt, agent image, command.
func (c truth) role() Role {
	agentImage := c.labels["io.cattle.agent"] == "true" || oracleAgentImage.MatchString(c.image)
	if namespace, ok := c.labels["io.kubernetes.pod.namespace"]; ok {
		pod, container := c.labels["io.kubernetes.pod.name"], c.labels["io.kubernetes.container.name"]
		if namespace == "cattle-system" && container == "agent" && strings.HasPrefix(pod, "cattle-node-agent-") {
			return RoleNodeAgent
		}
		if namespace == "cattle-system" && container == "cluster-register" && strings.HasPrefix(pod, "cattle-cluster-agent-") {
			return RoleClusterAgent
		}
		if agentImage {
			return RoleOther
		}
		return RoleNone
	}
	for _, name := range c.names {
		if strings.HasPrefix(name, "/k8s_agent_cattle-node-agent-") {
			return RoleNodeAgent
		}
		if strings.HasPrefix(name, "/k8s_cluster-register_cattle-cluster-agent-") {
			return RoleClusterAgent
		}
	}
	if slices.ContainsFunc(c.names, func(name string) bool { return strings.HasPrefix(name, "/k8s_") }) {
		if agentImage {
			return RoleOther
		}
		return RoleNone
	}
	if c.labels["io.rancher.rke.container.name"] == "share-mnt" || c.labels["io.cattle.process.name"] == "share-mnt" || slices.Contains(c.names, "/share-mnt") {
		return RoleShareMnt
	}
	isRunSh := path.Base(c.path) == "run.sh"
	flags, server, token := c.flags()
	if !agentImage && !(oracleImageID.MatchString(c.image) && isRunSh && server != "" && token != "") {
		return RoleNone
	}
	has := func(names ...string) bool {
		return slices.ContainsFunc(names, func(name string) bool { return slices.Contains(flags, name) })
	}
	switch {
	case path.Base(c.path) == "share-mnt":
		return RoleShareMntHelper
	case !isRunSh:
		return RoleOther
	case has("-o", "--only-write-certs"):
		return RoleCertWriter
	case has("-e", "--etcd", "-w", "--worker", "-p", "--controlplane", "-a", "--all-roles"), has("-r", "--no-register") && has("-n", "--node-name"):
		return RoleRegistration
	default:
		return RoleOther
	}
}

// flags that run.sh reads of its arguments, and the values of the last --server and --token: docs/rancher.md, section 2.
func (c truth) flags() (flags []string, server, token string) {
	without := strings.Fields("-d --debug -a --all-roles -e --etcd -w --worker -p --controlplane -r --no-register -o --only-write-certs")
	with := strings.Fields("-s --server -t --token -c --ca-checksum -n --node-name --address -i --internal-address -l --label --taints")
	for i := 0; i < len(c.args); i++ {
		arg := c.args[i]
		switch {
		case slices.Contains(without, arg):
			flags = append(flags, arg)
		case slices.Contains(with, arg):
			flags = append(flags, arg)
			i++
			value := ""
			if i < len(c.args) {
				value = c.args[i]
			}
			switch arg {
			case "-s", "--server":
				server = value
			case "-t", "--token":
				token = value
			}
		default:
			return flags, server, token
		}
	}
	return flags, server, token
}

func (c truth) server() string {
	_, value, _ := c.flags()
	match := oracleURL.FindStringSubmatch(strings.ToLower(value))
	if match == nil {
		return Unknown
	}
	scheme, host, digits := match[1], match[3], match[5]
	if digits == "" {
		return scheme + "://" + host
	}
	port, err := strconv.Atoi(digits)
	if err != nil || port > 65535 {
		return Unknown
	}
	if scheme == "https" && port == 443 || scheme == "http" && port == 80 {
		return scheme + "://" + host
	}
	return scheme + "://" + host + ":" + strconv.Itoa(port)
}

func (c truth) stateOf() State {
	if slices.Contains(strings.Fields("created running paused restarting removing exited dead"), c.state) {
		return State(c.state)
	}
	return StateUnknown
}

func (c truth) live() bool {
	return slices.Contains(strings.Fields("running restarting paused"), c.state)
}

func (c truth) unmanaged() bool {
	_, inPod := c.labels["io.kubernetes.pod.namespace"]
	return c.labels["io.cattle.agent"] == "true" && !inPod && (len(c.names) == 0 || !strings.Contains(c.names[0], "share-mnt"))
}

func (c truth) leaks() bool {
	return path.Base(c.path) == "run.sh" && len(c.args) > 2 && c.args[0] == "--" && c.args[1] == "share-root.sh" && oracleWriteCerts.MatchString(c.args[2])
}

func (c truth) exitCode() string {
	if match := oracleExit.FindStringSubmatch(c.status); match != nil && (c.state == "exited" || c.state == "restarting") {
		return match[2]
	}
	return ""
}

// facts are the numbers that a list must give.
type facts struct {
	byState   map[Role]map[State]int // what is 0 is left out
	unmanaged int
	present   bool
	newest    string // ID of the newest share-mnt
	exitCode  string
	leaks     bool
	running   []string // IDs of running node-agents, the oldest first
	servers   []ServerGroup
	labels    map[string]string // of each live cert-writer's server, by ID
}

// oracle works them out.
func oracle(list []truth, limit int) facts {
	f := facts{byState: map[Role]map[State]int{}, labels: map[string]string{}}
	var once []truth
	for _, c := range list {
		if c.role() != RoleNone && !slices.ContainsFunc(once, func(o truth) bool { return o.id == c.id }) {
			once = append(once, c)
		}
	}
	slices.SortFunc(once, func(a, b truth) int {
		if a.created != b.created {
			return int(a.created - b.created)
		}
		return strings.Compare(a.id, b.id)
	})
	for _, c := range once {
		if f.byState[c.role()] == nil {
			f.byState[c.role()] = map[State]int{}
		}
		f.byState[c.role()][c.stateOf()]++
		if c.unmanaged() {
			f.unmanaged++
		}
		if c.role() == RoleShareMnt {
			f.present = f.present || c.state != "removing" && c.state != "dead"
			f.newest, f.exitCode, f.leaks = c.id, c.exitCode(), c.leaks()
		}
		if c.role() == RoleNodeAgent && c.state == "running" {
			f.running = append(f.running, c.id)
		}
	}
	var named []string // server URLs in the order of their oldest live cert-writer
	for _, c := range once {
		if c.role() == RoleCertWriter && c.live() && c.server() != Unknown && !slices.Contains(named, c.server()) {
			named = append(named, c.server())
		}
	}
	named = named[:min(limit, len(named))]
	for _, c := range once {
		if c.role() != RoleCertWriter || !c.live() {
			continue
		}
		label := c.server()
		if label != Unknown && !slices.Contains(named, label) {
			label = OtherServers
		}
		f.labels[c.id] = label
		i := slices.IndexFunc(f.servers, func(g ServerGroup) bool { return g.Server == label })
		if i < 0 {
			i = len(f.servers)
			f.servers = append(f.servers, ServerGroup{Server: label, Oldest: c.created, Newest: c.created})
		}
		f.servers[i].Count++
		f.servers[i].Oldest, f.servers[i].Newest = min(f.servers[i].Oldest, c.created), max(f.servers[i].Newest, c.created)
	}
	return f
}
