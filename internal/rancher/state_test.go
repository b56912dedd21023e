package rancher

import (
	"strconv"
	"testing"
	"time"
)

// Docker's seven states and whatever else an engine says: Podman has leaked its own words (podman#28359).
func TestStates(t *testing.T) {
	for _, c := range []struct {
		listed string
		state  State
		live   bool
	}{
		{"created", StateCreated, false},
		{"running", StateRunning, true},
		{"paused", StatePaused, true},
		{"restarting", StateRestarting, true},
		{"removing", StateRemoving, false},
		{"exited", StateExited, false},
		{"dead", StateDead, false},
		{"unknown", StateUnknown, false},
		{"stopped", StateUnknown, false},
		{"stopping", StateUnknown, false},
		{"configured", StateUnknown, false},
		{"initialized", StateUnknown, false},
		{"", StateUnknown, false},
		{"Running", StateUnknown, false},
		{" running", StateUnknown, false},
		{"running\n", StateUnknown, false},
		{"\xff", StateUnknown, false},
	} {
		agent := snapshotOf(withStatus(leaked("/keen_bell", image233, time.Hour), c.listed, "Up 3 hours")).Agents[0]
		if agent.State != c.state || agent.State.Live() != c.live {
			t.Errorf("%q: got %s, live %t", c.listed, agent.State, agent.State.Live())
		}
	}
	if got := len(States()); got != 8 {
		t.Errorf("%d states", got)
	}
}

// Every role is counted in all eight states, zeros included, so that no series comes and goes (cadvisor#3584).
func TestByStateIsWhole(t *testing.T) {
	for _, s := range []Snapshot{{}, snapshotOf(leaked("/keen_bell", image233, time.Hour))} {
		for _, role := range []Role{RoleCertWriter, RoleShareMnt, RoleNodeAgent} {
			if got := len(s.ByState(role)); got != len(States()) {
				t.Errorf("%s: %d states", role, got)
			}
		}
	}
}

// Exit codes of every width in both forms of Status (#32727 had 137, #33039 had 126), and none in any other state: a
// Status may lag behind the State.
func TestExitCodes(t *testing.T) {
	const absent = "absent"
	for _, c := range []struct{ state, status, want string }{
		{"exited", "Exited (0) 5 minutes ago", "0"},
		{"exited", "Exited (1) Less than a second ago", "1"},
		{"exited", "Exited (2) About an hour ago", "2"},
		{"exited", "Exited (126) 12 seconds ago", "126"},
		{"exited", "Exited (137) About a minute ago", "137"},
		{"exited", "Exited (255) 2 months ago", "255"},
		{"exited", "Exited (-1) 2 months ago", "-1"},
		{"exited", "Exited (3221225786) 2 months ago", "3221225786"}, // Windows
		{"exited", "Exited (0)", "0"},
		{"restarting", "Restarting (0) 23 seconds ago", "0"},
		{"restarting", "Restarting (1) 40 seconds ago", "1"},
		{"restarting", "Restarting (126) 12 seconds ago", "126"},
		{"restarting", "Exited (1) 1 second ago", "1"},
		{"exited", "", absent},
		{"exited", "Exited", absent},
		{"exited", "Exited ()", absent},
		{"exited", "Exited (", absent},
		{"exited", "Exited (1", absent},
		{"exited", "Exited (x) 1 second ago", absent},
		{"exited", "Exited (1.5) 1 second ago", absent},
		{"exited", "Exited ( 1 ) 1 second ago", absent},
		{"exited", "Exited (99999999999999999999) 1 second ago", absent},
		{"exited", "it Exited (1)", absent},
		{"exited", "1) second ago", absent},
		{"exited", "exited (1)", absent},
		{"restarting", "Up 3 seconds", absent},
		{"running", "Up 3 seconds", absent},
		{"running", "Up 3 seconds (healthy)", absent},
		{"running", "Exited (1) 3 seconds ago", absent},
		{"paused", "Up 3 hours (Paused)", absent},
		{"created", "Created", absent},
		{"removing", "Removal In Progress", absent},
		{"dead", "Dead", absent},
		{"stopped", "Exited (1) 3 seconds ago", absent},
	} {
		t.Run(c.state+" "+c.status, func(t *testing.T) {
			if c.want == "3221225786" && strconv.IntSize < 64 {
				t.Skip("an int of 32 bits")
			}
			agent := snapshotOf(shareMntOf(rangeF, c.state, c.status, time.Hour)).Agents[0]
			got := absent
			if agent.ExitCode != nil {
				got = strconv.Itoa(*agent.ExitCode)
			}
			if got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

// How long ago a container ended is in the list's words alone (docker/go-units).
func TestEndedAgo(t *testing.T) {
	for status, want := range map[string]time.Duration{
		"Exited (0) 2 seconds ago": 2 * time.Second, "Exited (0) 1 second ago": time.Second, "Exited (137) Less than a second ago": 0,
		"Restarting (1) About a minute ago": time.Minute, "Exited (0) 37 minutes ago": 37 * time.Minute, "Exited (0) About an hour ago": time.Hour,
		"Exited (0) 47 hours ago": 47 * time.Hour, "Exited (0) 13 days ago": 13 * 24 * time.Hour, "Exited (0) 2 weeks ago": 14 * 24 * time.Hour,
		"Exited (0) 3 months ago": 90 * 24 * time.Hour, "Exited (0) 2 years ago": 730 * 24 * time.Hour,
		"Exited (0)": 0, "Exited (0) ": 0, "Exited (0) soon": 0, "Exited (0) 5 fortnights ago": 0, "Exited (0) -5 minutes ago": 0,
		"Exited (0) 99999999999999 years ago": 0, "Exited (0) 99999999999999999999 seconds ago": 0,
	} {
		if got := snapshotOf(shareMntOf(rangeF, "exited", status, time.Hour)).Agents[0].Ended; got != want {
			t.Errorf("%q: %v, want %v", status, got, want)
		}
	}
	if got := snapshotOf(shareMntOf(rangeF, "running", "Exited (0) 2 seconds ago", time.Hour)).Agents[0].Ended; got != 0 {
		t.Errorf("a running container ended %v ago", got)
	}
}
