package engine

import (
	"context"
	"net/http"
	"regexp"

	"github.com/docker/docker/client"
)

// connect returns the client in use, or a new one that has settled on an API version. The Docker client settles once and
// only downwards, so it fails for ever after an engine was upgraded in place: every error drops it (see drop).
func (e *Engine) connect(ctx context.Context) (*client.Client, error) {
	e.mu.Lock()
	c := e.client
	e.mu.Unlock()
	if c != nil {
		return c, nil
	}
	c, err := e.dial(ctx)
	if err != nil {
		return nil, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.client = c
	return c, nil
}

// drop forgets a client that met an error, unless it has been replaced meanwhile.
func (e *Engine) drop(c *client.Client) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.client == c {
		e.client = nil
	}
}

// nowhere is the address the Docker client is given. What it hijacks (attach, exec, build sessions) it sends past its
// transport over a connection of its own, which it cannot dial to here.
const nowhere = "nowhere://docker"

// stay follows no redirect. No engine sends one, and what it leads to is not the engine.
func stay(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

var apiVersion = regexp.MustCompile(`^[0-9]+\.[0-9]+$`)

// dial makes a client and lets it settle on an API version by a ping. Where no ping tells the version (a socket proxy that
// allows only the list, Docker 1.11), requests go out without a version, which every engine answers with its own.
func (e *Engine) dial(ctx context.Context) (*client.Client, error) {
	transport, err := e.endpoint.transport()
	if err != nil {
		noteError(ctx, err)
		return nil, err
	}
	guard := e.guard(transport)
	c, err := newClient(guard)
	if err != nil {
		noteError(ctx, err)
		return nil, err
	}
	ping, err := c.Ping(ctx)
	switch {
	case apiVersion.MatchString(ping.APIVersion):
		c.NegotiateAPIVersionPing(ping)
	case err != nil && (client.IsErrConnectionFailed(err) || ctx.Err() != nil):
		return nil, err
	default:
		guard.unversioned = true
	}
	return c, nil
}

func (e *Engine) guard(next http.RoundTripper) *guard {
	return &guard{
		next: next, scheme: e.endpoint.scheme(), host: e.endpoint.httpHost(), clock: &e.clock,
		listLimit: listLimit, replyLimit: replyLimit,
	}
}

// newClient returns a Docker client whose requests all go through a transport.
func newClient(transport http.RoundTripper) (*client.Client, error) {
	return client.NewClientWithOpts(
		client.WithHost(nowhere), // before WithHTTPClient: it wants to configure a transport of net/http
		client.WithHTTPClient(&http.Client{Transport: transport, CheckRedirect: stay}),
	)
}
