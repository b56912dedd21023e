package engine

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"

	"github.com/docker/docker/client"

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
	if err := requestList(ctx, c, ex, yield); err != nil {
		e.drop(c)
		return newError(op, ctx, ex)
	}
	return nil
}

// requestList asks over the Docker client's connection and API version, but reads the reply one container at a time. The client's
// ContainerList holds the whole reply twice and every container with all it has, which for 5,000 takes twice the memory,
// and for a reply that is too big hundreds of megabytes.
func requestList(ctx context.Context, c *client.Client, ex *exchange, yield func(rancher.Container) bool) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "/v"+c.ClientVersion()+"/containers/json?all=1", nil)
	if err != nil {
		return err
	}
	resp, err := c.HTTPClient().Do(request)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if !ex.ok() {
		return errors.New(resp.Status)
	}
	return decodeList(resp.Body, yield)
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

var errNoList = errors.New("not a list of containers")

// decodeList tells a list from what merely decodes as one: null, entries that are no containers, a list without its end. A
// list taken for empty would be a false all-clear.
func decodeList(body io.Reader, yield func(rancher.Container) bool) error {
	decoder := json.NewDecoder(body)
	if err := expect(decoder, '['); err != nil {
		return err
	}
	for decoder.More() {
		var s summary
		if err := decoder.Decode(&s); err != nil {
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
	if err := expect(decoder, ']'); err != nil {
		return err
	}
	if _, err := decoder.Token(); err != io.EOF {
		return errors.Join(err, errNoList)
	}
	return nil
}

func expect(decoder *json.Decoder, delimiter json.Delim) error {
	token, err := decoder.Token()
	if err != nil {
		return err
	}
	if token != delimiter {
		return errNoList
	}
	return nil
}
