package enginetest

import (
	"slices"
	"time"
)

// Create adds a container that was not started yet, whatever the state it is given in, and says so by an event.
func (e *Engine) Create(c Container) {
	e.mu.Lock()
	defer e.mu.Unlock()
	c.State, c.Status, c.ExitCode = "created", "", 0
	c.StartedAt, c.FinishedAt = time.Time{}, time.Time{}
	if c.Created.IsZero() {
		c.Created = time.Now()
	}
	e.put(c)
	e.emit("create", c)
}

// StartContainer starts a container, with its event; false if there is none of this ID.
func (e *Engine) StartContainer(id string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	c, ok := e.containers[id]
	if !ok {
		return false
	}
	c.State, c.Status, c.ExitCode, c.StartedAt = "running", "", 0, time.Now()
	e.containers[id] = c
	e.emit("start", c)
	return true
}

// Die ends a container, with its event, and leaves it exited; false if there is none of this ID.
func (e *Engine) Die(id string, exitCode int) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	c, ok := e.containers[id]
	if ok {
		e.die(c, exitCode)
	}
	return ok
}

// Destroy removes a container by force, with the events of that; false if there is none of this ID.
func (e *Engine) Destroy(id string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	c, ok := e.containers[id]
	if !ok {
		return false
	}
	if c.State == "running" || c.State == "paused" {
		e.emit("kill", c)
		c = e.die(c, 137)
	}
	e.destroy(c)
	return true
}

// Prune removes all containers that do not run, as docker container prune does, with a destroy event for each and the
// prune event, which engines send from API 1.41 on. It returns the IDs.
func (e *Engine) Prune() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	var ids []string
	for id, c := range e.containers {
		if slices.Contains([]string{"created", "exited", "dead"}, c.State) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	for _, id := range ids {
		e.destroy(e.containers[id])
	}
	if e.maxAPI == "" || compareAPI(e.maxAPI, "1.41") >= 0 {
		e.emitPrune()
	}
	return ids
}

// die is called with the lock held.
func (e *Engine) die(c Container, exitCode int) Container {
	c.State, c.Status, c.ExitCode, c.FinishedAt = "exited", "", exitCode, time.Now()
	e.containers[c.ID] = c
	e.emit("die", c)
	return c
}

// destroy is called with the lock held.
func (e *Engine) destroy(c Container) {
	delete(e.containers, c.ID)
	e.emit("destroy", c)
}
