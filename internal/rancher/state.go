package rancher

import (
	"strconv"
	"strings"
	"time"
)

// State is the state of a container in Docker's words.
type State string

// The states of the Docker Engine API; StateUnknown is whatever else an engine says (Podman's "stopped", say).
const (
	StateCreated    State = "created"
	StateRunning    State = "running"
	StatePaused     State = "paused"
	StateRestarting State = "restarting"
	StateRemoving   State = "removing"
	StateExited     State = "exited"
	StateDead       State = "dead"
	StateUnknown    State = Unknown
)

// States lists every [State].
func States() []State {
	return []State{StateCreated, StateRunning, StatePaused, StateRestarting, StateRemoving, StateExited, StateDead, StateUnknown}
}

// stateOf reads the State string of a list, never inspect's Running flag, which is true while a container restarts.
func stateOf(s string) State {
	switch state := State(s); state {
	case StateCreated, StateRunning, StatePaused, StateRestarting, StateRemoving, StateExited, StateDead:
		return state
	default:
		return StateUnknown
	}
}

// Live says whether a container in this state takes memory, or will again without anybody's doing: running, restarting
// or paused.
func (s State) Live() bool {
	return s == StateRunning || s == StateRestarting || s == StatePaused
}

// exitCode reads the exit code out of "Exited (137) 2 minutes ago" or "Restarting (1) 40 seconds ago"; false in any other
// state.
func exitCode(state State, status string) (int, bool) {
	if state != StateExited && state != StateRestarting {
		return 0, false
	}
	digits, ok := strings.CutPrefix(status, "Exited (")
	if !ok {
		digits, ok = strings.CutPrefix(status, "Restarting (")
	}
	digits, _, closed := strings.Cut(digits, ")")
	if !ok || !closed {
		return 0, false
	}
	code, err := strconv.Atoi(digits)
	return code, err == nil
}

// units are those in which a list tells how long ago something was (docker/go-units).
var units = map[string]time.Duration{
	"second": time.Second, "minute": time.Minute, "hour": time.Hour,
	"day": 24 * time.Hour, "week": 7 * 24 * time.Hour, "month": 30 * 24 * time.Hour, "year": 365 * 24 * time.Hour,
}

// endedAgo reads how long ago a container ended out of "Exited (0) 2 minutes ago", "Restarting (1) About a minute ago" or
// "Exited (137) Less than a second ago"; 0 where it does not tell.
func endedAgo(status string) time.Duration {
	const longest = 200 // of any unit, none of which a list counts further
	_, ago, _ := strings.Cut(status, ") ")
	words := strings.Fields(strings.TrimPrefix(ago, "About "))
	if len(words) < 2 {
		return 0
	}
	n, err := strconv.Atoi(words[0])
	if err != nil && (words[0] == "a" || words[0] == "an") {
		n = 1
	}
	if n < 0 || n > longest {
		return 0
	}
	return time.Duration(n) * units[strings.TrimSuffix(words[1], "s")]
}
