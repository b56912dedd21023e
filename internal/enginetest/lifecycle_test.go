package enginetest

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// actions are the actions of all events so far.
func actions(e *Engine) []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	var got []string
	for _, ev := range e.remembered {
		got = append(got, ev.Action)
	}
	return got
}

func TestLife(t *testing.T) {
	e := startEngine(t)
	c := CertWriter(1, "https://rancher.example", time.Now().Add(-time.Hour))
	status := func() string {
		t.Helper()
		all := e.Containers()
		if len(all) != 1 || !all[0].Created.Equal(c.Created) {
			t.Fatalf("containers %v", all)
		}
		return all[0].status()
	}
	e.Create(c)
	if got := status(); got != "Created" {
		t.Errorf("created: %q", got)
	}
	e.StartContainer(c.ID)
	if got := status(); got != "Up Less than a second" {
		t.Errorf("started: %q", got)
	}
	e.Die(c.ID, 7)
	if got := status(); got != "Exited (7) Less than a second ago" {
		t.Errorf("died: %q", got)
	}
	e.StartContainer(c.ID)
	e.Destroy(c.ID)
	if got := e.Containers(); len(got) != 0 {
		t.Errorf("destroyed: %v", got)
	}
	if got, want := actions(e), []string{"create", "start", "die", "start", "kill", "die", "destroy"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if e.StartContainer(c.ID) || e.Die(c.ID, 0) || e.Destroy(c.ID) || len(actions(e)) != 7 {
		t.Error("something happens to a container that is not there")
	}
}

func TestPrune(t *testing.T) {
	for maximum, want := range map[string][]string{
		"1.41": {"destroy", "destroy", "destroy", "prune"},
		"1.40": {"destroy", "destroy", "destroy"},
	} {
		e := startEngine(t)
		e.SetAPI("1.12", maximum)
		for _, state := range []string{"created", "running", "paused", "restarting", "exited", "dead", "removing"} {
			e.Put(Container{ID: state, State: state})
		}
		if got := e.Prune(); !slices.Equal(got, []string{"created", "dead", "exited"}) {
			t.Errorf("API %s: pruned %v", maximum, got)
		}
		if got := actions(e); !slices.Equal(got, want) || len(e.Containers()) != 4 {
			t.Errorf("API %s: got %v, want %v", maximum, got, want)
		}
	}
}

func TestPutCopies(t *testing.T) {
	e := startEngine(t)
	c := CertWriter(1, "https://rancher.example", time.Now())
	e.Put(c)
	c.Args[0], c.Labels["io.cattle.agent"] = "changed", "changed"
	if _, body := get(t, e, http.MethodGet, "/containers/json"); strings.Contains(body, "changed") {
		t.Error("the engine's container changes with the caller's")
	}
}

func TestStatus(t *testing.T) {
	now := time.Now()
	for want, c := range map[string]Container{
		"Up 5 minutes":                  {State: "running", StartedAt: now.Add(-5 * time.Minute)},
		"Up 3 days":                     {State: "running", Created: now.Add(-72 * time.Hour)},
		"Up About an hour (Paused)":     {State: "paused", StartedAt: now.Add(-70 * time.Minute)},
		"Restarting (1) 4 seconds ago":  {State: "restarting", ExitCode: 1, StartedAt: now.Add(-4 * time.Second)},
		"Exited (0) 2 minutes ago":      {State: "exited", StartedAt: now.Add(-time.Hour), FinishedAt: now.Add(-2 * time.Minute)},
		"Exited (137) About a minute …": {State: "exited", Status: "Exited (137) About a minute …"},
		"Removal In Progress":           {State: "removing"},
		"Dead":                          {State: "dead"},
		"Created":                       {State: "created"},
		"":                              {State: "stopped"},
	} {
		if got := c.status(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestHumanDuration(t *testing.T) {
	const day = 24 * time.Hour
	for d, want := range map[time.Duration]string{
		-time.Hour:       "Less than a second",
		time.Second:      "1 second",
		59 * time.Second: "59 seconds",
		61 * time.Second: "About a minute",
		59 * time.Minute: "59 minutes",
		89 * time.Minute: "About an hour",
		91 * time.Minute: "2 hours",
		47 * time.Hour:   "47 hours",
		13 * day:         "13 days",
		15 * day:         "2 weeks",
		70 * day:         "2 months",
		800 * day:        "2 years",
	} {
		if got := humanDuration(d); got != want {
			t.Errorf("%s: got %q, want %q", d, got, want)
		}
	}
}
