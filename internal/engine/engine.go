// Package engine is the only code that talks to the Docker Engine. It lists and inspects containers and follows their
// events, through a transport that lets nothing else out, and says in words of its own why it could not: neither a
// container's command line nor anything else an engine or a proxy wrote gets into an error.
package engine

import (
	"context"
	"io/fs"
	"net/url"
	"sync"
	"time"

	"github.com/docker/docker/client"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/rancher"
)

// inspectTimeout bounds one inspect: a single container can hang while the engine answers for all others
// (elastic/beats#12310).
const inspectTimeout = time.Second

// Engine asks one Docker Engine. It may be down at any time, the first included, and be replaced by another version.
type Engine struct {
	endpoint       Endpoint
	clock          engineClock
	inspectTimeout time.Duration

	mu     sync.Mutex
	client *client.Client // nil until the first use and after an error
	silent bool           // it did not answer the last list

	back chan struct{} // holds one if it has answered a list again
}

// New returns an Engine for an endpoint without asking it anything.
func New(endpoint Endpoint) *Engine {
	return &Engine{endpoint: endpoint, inspectTimeout: inspectTimeout, back: make(chan struct{}, 1)}
}

// ErrNotFound is returned for a container that is not there, or not there any more. It is fs.ErrNotExist, for those who need
// not know this package.
var ErrNotFound error = notFoundError{}

type notFoundError struct{}

func (notFoundError) Error() string        { return "no such container" }
func (notFoundError) Is(target error) bool { return target == fs.ErrNotExist }

// detail is the part of an inspected container that is read.
type detail struct {
	ID           string `json:"Id"`
	Name         string
	Path         string
	Args         []string
	Created      string
	RestartCount int
	State        *struct{ Status, StartedAt string }
	Config       *struct {
		Image  string
		Labels map[string]string
	}
}

// Inspect returns one container, its last start included; Status is empty, for only a list has it. It takes a second at
// the most.
func (e *Engine) Inspect(ctx context.Context, id string) (rancher.Container, error) {
	const op = "inspect container"
	ctx, cancel := context.WithTimeout(ctx, e.inspectTimeout)
	defer cancel()
	ctx, ex := withExchange(ctx)
	c, err := e.connect(ctx)
	if err != nil {
		return rancher.Container{}, newError(op, ctx, ex)
	}
	var reply detail
	body, err := get(ctx, c, ex, "/containers/"+url.PathEscape(id)+"/json")
	if err == nil {
		err = newEntries(body, ex, inspectLimit).next(&reply)
		_ = body.Close()
	}
	if ex.notFound() {
		return rancher.Container{}, ErrNotFound
	}
	if err != nil || reply.State == nil || reply.Config == nil {
		return rancher.Container{}, newError(op, ctx, ex)
	}
	return rancher.Container{
		ID:      reply.ID,
		Names:   []string{reply.Name},
		Image:   reply.Config.Image,
		Command: rancher.InspectedCommand(reply.Path, reply.Args),
		Created: parseTime(reply.Created).Unix(),
		Labels:  reply.Config.Labels,
		State:   reply.State.Status,
		Started: parseTime(reply.State.StartedAt),

		RestartCount: reply.RestartCount,
	}, nil
}

// parseTime reads a time as the engine writes it; the zero time where it says 0001-01-01, or nothing readable.
func parseTime(s string) time.Time {
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil || t.Year() <= 1 {
		return time.Time{}
	}
	return t
}
