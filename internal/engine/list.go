package engine

import (
	"context"
	"errors"
	"io"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/rancher"
)

// List yields all containers, in whatever state, by one GET /containers/json?all=1 without size, which is what makes that
// call expensive (moby/moby#33036). What it has yielded counts only if it returns no error.
func (e *Engine) List(ctx context.Context, yield func(rancher.Container) bool) error {
	err := e.list(ctx, yield)
	e.heard(err == nil)
	return err
}

// heard notes whether the engine answered a list. One that does again is worth a try for its events at once: it keeps only
// the last of them.
func (e *Engine) heard(answer bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if answer && e.silent {
		select {
		case e.back <- struct{}{}:
		default: // it is known
		}
	}
	e.silent = !answer
}

func (e *Engine) list(ctx context.Context, yield func(rancher.Container) bool) error {
	const op = "list containers"
	ctx, ex := withExchange(ctx)
	c, err := e.connect(ctx)
	if err != nil {
		return newError(op, ctx, ex)
	}
	body, err := get(ctx, c, ex, "/containers/json?all=1")
	if err == nil {
		err = decodeList(newEntries(body, ex, entryLimit), yield)
		_ = body.Close()
	}
	if err != nil {
		e.drop(c)
		return newError(op, ctx, ex)
	}
	return nil
}

// summary is the part of a list's entry that is read.
type summary struct {
	ID      string `json:"Id"`
	Names   []string
	Image   string
	Command string
	Created int64
	Labels  map[string]string
	State   string
	Status  string
}

// mostContainers bounds what a list can leave in memory, of which each container of the agent takes its part. A node is down
// long before it has so many.
const mostContainers = 50_000

var (
	errNoList  = errors.New("not a list of containers")
	errTooMany = errors.New("more than 50000 containers")
)

// decodeList tells a list from what merely decodes as one: null, entries that are no containers, a list without its end. A
// list taken for empty would be a false all-clear.
func decodeList(list *entries, yield func(rancher.Container) bool) error {
	if err := list.expect('['); err != nil {
		return err
	}
	for n := 0; list.more(); n++ {
		if n == mostContainers {
			list.body.ex.err = errTooMany
			return errTooMany
		}
		var s summary
		if err := list.next(&s); err != nil {
			return err
		}
		if s.ID == "" {
			return errNoList
		}
		if !yield(rancher.Container{
			ID:      s.ID,
			Names:   s.Names,
			Image:   s.Image,
			Command: rancher.ListedCommand(s.Command),
			Created: s.Created,
			Labels:  s.Labels,
			State:   s.State,
			Status:  s.Status,
		}) {
			return nil
		}
	}
	if err := list.expect(']'); err != nil {
		return err
	}
	if _, err := list.decoder.ReadToken(); err != io.EOF {
		return errors.Join(err, errNoList)
	}
	return nil
}
