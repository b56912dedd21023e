package rancher

import (
	"strconv"
	"strings"
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
