package rancher

import (
	"cmp"
	"iter"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// Agent is a container that has a part in the leak. It holds nothing secret.
type Agent struct {
	ID        string // whole, as Docker gives it; see ShortID
	Name      string // first name without its slash; Unknown where Docker tells none
	Nameless  bool   // Docker tells no name, on which the clean-up of the node-agent may panic
	Image     string // reference without digest; Unknown for a bare image ID
	Pod       string // pod name; "" outside a pod
	Role      Role
	State     State
	Created   int64         // Unix seconds, as Docker gives them: in the future or in year 1, if it says so
	Started   time.Time     // last start; zero if unknown or never started
	Restarts  int           // how often Docker has restarted it by itself; only with Started
	Server    string        // of a cert-writer: scheme://host[:port] or Unknown
	ExitCode  *int          // of an exited or restarting container, if Docker tells it
	Ended     time.Duration // at least so long ago, in the words of the list; only with ExitCode
	Unmanaged bool          // the node-agent will force-remove it 15 s after it next connects
	Leaks     bool          // of a share-mnt: each start leaves one more cert-writer (Rancher 2.0.6 to 2.5.9)
}

// ShortID is the ID as docker ps shows it, 12 hex digits; [Unknown] for what is no container ID.
func (a Agent) ShortID() string { return ShortID(a.ID) }

// Snapshot is what one list of all containers says about the leak on a node.
type Snapshot struct {
	Agents []*Agent // every container whose role is not RoleNone, the oldest first
	RKE    bool     // RKE made containers here: kubelet, kube-proxy …
}

// Classify makes a snapshot of all containers of a node. A container listed twice counts once. It keeps nothing of those
// that have no role, so that the memory it takes does not grow with them.
func Classify(containers iter.Seq[Container]) Snapshot {
	var s Snapshot
	seen, known := make(map[string]bool), newMemory()
	for c := range containers {
		s.RKE = s.RKE || isRKEService(c)
		role, server := classify(c, known)
		if role == RoleNone || c.ID != "" && seen[c.ID] {
			continue
		}
		seen[c.ID] = true
		s.Agents = append(s.Agents, newAgent(c, role, server, known))
	}
	slices.SortFunc(s.Agents, func(a, b *Agent) int {
		return cmp.Or(cmp.Compare(a.Created, b.Created), strings.Compare(a.ID, b.ID))
	})
	return s
}

func newAgent(c Container, role Role, server string, known memory) *Agent {
	a := &Agent{
		ID:        c.ID,
		Name:      cmp.Or(shown(c.firstName()), Unknown),
		Nameless:  len(c.Names) == 0,
		Image:     shown(known.image(c.Image).name),
		Role:      role,
		State:     stateOf(c.State),
		Created:   c.Created,
		Started:   c.Started,
		Restarts:  c.RestartCount,
		Server:    server,
		Unmanaged: isUnmanaged(c),
		Leaks:     role == RoleShareMnt && startsCertWriter(c.Command.words()),
	}
	if role == RoleNodeAgent {
		a.Pod = shown(podName(c))
	}
	if code, ok := exitCode(a.State, c.Status); ok {
		a.ExitCode, a.Ended = &code, endedAgo(c.Status)
	}
	return a
}

// With returns the agents of a role, the oldest first.
func (s Snapshot) With(role Role) []*Agent {
	return s.filter(func(a *Agent) bool { return a.Role == role })
}

// LiveCertWriters returns the cert-writers that are running, restarting or paused, the oldest first.
func (s Snapshot) LiveCertWriters() []*Agent {
	return s.filter(func(a *Agent) bool { return a.Role == RoleCertWriter && a.State.Live() })
}

// RunningNodeAgents returns the node-agents in state running: what the workaround restarts.
func (s Snapshot) RunningNodeAgents() []*Agent {
	return s.filter(func(a *Agent) bool { return a.Role == RoleNodeAgent && a.State == StateRunning })
}

// Unmanaged returns what the node-agent will force-remove 15 s after it next connects, in any state.
func (s Snapshot) Unmanaged() []*Agent {
	return s.filter(func(a *Agent) bool { return a.Unmanaged })
}

// ShareMnt returns the newest share-mnt container; nil if there is none.
func (s Snapshot) ShareMnt() *Agent {
	all := s.With(RoleShareMnt)
	if len(all) == 0 {
		return nil
	}
	return all[len(all)-1]
}

// ShareMntPresent says whether a share-mnt container exists that Docker is not about to drop.
func (s Snapshot) ShareMntPresent() bool {
	return slices.ContainsFunc(s.With(RoleShareMnt), func(a *Agent) bool {
		return a.State != StateRemoving && a.State != StateDead
	})
}

// NeedStart returns the agents whose last start matters but is not in a list: the newest share-mnt and the running
// node-agents.
func (s Snapshot) NeedStart() []*Agent {
	need := s.RunningNodeAgents()
	if shareMnt := s.ShareMnt(); shareMnt != nil {
		need = append(need, shareMnt)
	}
	return need
}

// ByState counts the agents of a role by state, every state included.
func (s Snapshot) ByState(role Role) map[State]int {
	counts := make(map[State]int)
	for _, state := range States() {
		counts[state] = 0
	}
	for _, a := range s.With(role) {
		counts[a.State]++
	}
	return counts
}

func (s Snapshot) filter(keep func(*Agent) bool) []*Agent {
	var kept []*Agent
	for _, a := range s.Agents {
		if keep(a) {
			kept = append(kept, a)
		}
	}
	return kept
}

// longestName is how much of a name is shown, in bytes: Docker takes names and references of any length.
const longestName = 256

// shown is a name as it is shown everywhere: valid UTF-8 and not too long.
func shown(name string) string {
	name = name[:min(len(name), longestName+utf8.UTFMax)] // what is replaced grows
	name = strings.ToValidUTF8(name, "\uFFFD")
	for len(name) > longestName {
		_, last := utf8.DecodeLastRuneInString(name)
		name = name[:len(name)-last]
	}
	return strings.Clone(name) // the rest, of any length, is not kept
}
