package enginetest

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/rancher"
)

// Container is a container of the fake engine.
type Container struct {
	ID       string
	Names    []string // with their leading slash
	Image    string   // as the list shows it
	ImageID  string   // made from Image if empty
	Path     string   // what is executed, with Args
	Args     []string
	Env      []string // NAME=value
	Labels   map[string]string
	State    string // created, running, paused, restarting, removing, exited, dead, or what no engine should say
	Status   string // made from State, ExitCode and the times if empty
	ExitCode int
	Created  time.Time

	StartedAt    time.Time // zero if never started
	FinishedAt   time.Time // zero if never ended
	RestartCount int       // how often the engine has started it again by itself
}

// Put adds containers, or replaces those of the same ID, without an event.
func (e *Engine) Put(containers ...Container) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, c := range containers {
		e.put(c)
	}
}

// put is called with the lock held. It copies what the caller might go on to change.
func (e *Engine) put(c Container) {
	c.Names, c.Args, c.Env, c.Labels = slices.Clone(c.Names), slices.Clone(c.Args), slices.Clone(c.Env), maps.Clone(c.Labels)
	e.containers[c.ID] = c
}

// Remove removes containers without an event.
func (e *Engine) Remove(ids ...string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, id := range ids {
		delete(e.containers, id)
	}
}

// Containers returns all containers in the order of a list, the newest first. What their slices and maps hold is not to
// be changed.
func (e *Engine) Containers() []Container {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.SortedFunc(maps.Values(e.containers), func(a, b Container) int {
		return cmp.Or(b.Created.Compare(a.Created), cmp.Compare(a.ID, b.ID))
	})
}

// find finds a container as an engine does: by whole ID, by name, by a beginning that only one ID has.
func (e *Engine) find(ref string) (Container, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if c, ok := e.containers[ref]; ok {
		return c, true
	}
	var found []Container
	for _, c := range e.containers {
		if slices.Contains(c.Names, "/"+strings.TrimPrefix(ref, "/")) {
			return c, true
		}
		if strings.HasPrefix(c.ID, ref) {
			found = append(found, c)
		}
	}
	if len(found) != 1 {
		return Container{}, false
	}
	return found[0], true
}

// name is the first name, with its slash.
func (c Container) name() string {
	if len(c.Names) == 0 {
		return ""
	}
	return c.Names[0]
}

func (c Container) imageID() string {
	return cmp.Or(c.ImageID, "sha256:"+hexID("image", c.Image))
}

// command is the command line as a list shows it: an argument with a blank in quotes, quotes inside it as they are
// (moby container/view.go).
func (c Container) command() string {
	words := []string{c.Path}
	for _, arg := range c.Args {
		if strings.Contains(arg, " ") {
			arg = "'" + arg + "'"
		}
		words = append(words, arg)
	}
	return strings.Join(words, " ")
}

// Listed is the container as the exporter takes it from a list and, for its last start and restarts, from an inspect.
func (c Container) Listed() rancher.Container {
	return rancher.Container{
		ID:           c.ID,
		Names:        c.Names,
		Image:        c.Image,
		Command:      rancher.ListedCommand(c.command()),
		Created:      c.Created.Unix(),
		Labels:       c.Labels,
		State:        c.State,
		Status:       c.status(),
		Started:      c.StartedAt,
		RestartCount: c.RestartCount,
	}
}

// live says what inspect calls Running, which is true while a container restarts.
func (c Container) live() bool {
	return c.State == "running" || c.State == "paused" || c.State == "restarting"
}

// status words the state as a list does.
func (c Container) status() string {
	switch {
	case c.Status != "":
		return c.Status
	case c.State == "running":
		return "Up " + humanAge(c.started())
	case c.State == "paused":
		return "Up " + humanAge(c.started()) + " (Paused)"
	case c.State == "restarting":
		return fmt.Sprintf("Restarting (%d) %s ago", c.ExitCode, humanAge(c.finished()))
	case c.State == "exited":
		return fmt.Sprintf("Exited (%d) %s ago", c.ExitCode, humanAge(c.finished()))
	case c.State == "created":
		return "Created"
	case c.State == "removing":
		return "Removal In Progress"
	case c.State == "dead":
		return "Dead"
	default:
		return ""
	}
}

// started is when the container last started: with its creation, if a script leaves that open.
func (c Container) started() time.Time {
	if c.StartedAt.IsZero() {
		return c.Created
	}
	return c.StartedAt
}

// finished is when the container last ended: at its start, if a script leaves that open.
func (c Container) finished() time.Time {
	if c.FinishedAt.IsZero() {
		return c.started()
	}
	return c.FinishedAt
}
