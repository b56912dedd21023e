// Package enginetest is a fake Docker Engine API, as much of it as a reader of containers and events asks for: ping, list,
// inspect and events, on a unix socket or over TCP. What it holds and how it misbehaves is scripted, and it records what
// it was asked. It needs nothing of package testing, so that the demo can use it as the tests do.
package enginetest

import (
	"crypto/tls"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"sync"
	"time"
)

// Engine is a fake Docker Engine. Its methods may be called at any time from any goroutine.
type Engine struct {
	network string // unix or tcp
	address string // socket path or host:port
	tls     *tls.Config

	mu         sync.Mutex
	listener   net.Listener // nil while the engine is down
	server     *http.Server
	minAPI     string // "" for an engine that does not tell its version
	maxAPI     string
	containers map[string]Container // by ID
	requests   []Request
	intercept  Interceptor
	ahead      time.Duration // its clock, of ours

	remembered []event // the newest last
	lastNano   int64   // of the newest event
	streams    map[*stream]bool
}

// Start starts an engine on a unix socket, which must not exist yet.
func Start(socket string) (*Engine, error) { return start("unix", socket, nil) }

// StartTCP starts an engine on a free port of 127.0.0.1, behind TLS unless cfg is nil.
func StartTCP(cfg *tls.Config) (*Engine, error) { return start("tcp", "127.0.0.1:0", cfg) }

func start(network, address string, cfg *tls.Config) (*Engine, error) {
	e := &Engine{
		network:    network,
		address:    address,
		tls:        cfg,
		containers: make(map[string]Container),
		streams:    make(map[*stream]bool),
	}
	e.SetAPI("1.12", "1.41") // Docker 20.10
	if err := e.Restart(); err != nil {
		return nil, err
	}
	return e, nil
}

// Host is where the engine listens, in the form of DOCKER_HOST: unix:///path or tcp://127.0.0.1:port.
func (e *Engine) Host() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.network + "://" + e.address
}

// Stop takes the engine down: connections break, and nothing listens any more, a unix socket being removed. Containers
// stay as they are.
func (e *Engine) Stop() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.stop()
}

// Restart takes the engine down if it is up, and up again on the same path, which then is another inode, or the same
// port. As a real one does, it forgets the events of the past.
func (e *Engine) Restart() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.stop()
	listener, err := net.Listen(e.network, e.address)
	if err != nil {
		return fmt.Errorf("start fake engine: %w", err)
	}
	e.address = listener.Addr().String()
	if e.tls != nil {
		listener = tls.NewListener(listener, e.tls)
	}
	server := &http.Server{
		Handler:  http.HandlerFunc(e.serve),
		ErrorLog: log.New(io.Discard, "", 0), // of failed TLS handshakes and broken connections, which are wanted here
	}
	e.listener, e.server, e.remembered = listener, server, nil
	go func() { _ = server.Serve(listener) }() // always ends with an error: that stop closed the server
	return nil
}

// SetClock sets the engine's clock to so much ahead of ours, or behind: by it the engine stamps events, compares the times in
// requests and dates its replies. What it remembers keeps its stamps.
func (e *Engine) SetClock(ahead time.Duration) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.ahead, e.lastNano = ahead, 0
}

// now is called with the lock held.
func (e *Engine) now() time.Time { return time.Now().Add(e.ahead) }

// Close takes the engine down for good.
func (e *Engine) Close() { e.Stop() }

// stop is called with the lock held.
func (e *Engine) stop() {
	if e.server == nil {
		return
	}
	// The listener is closed here and not left to the server: one that had not begun to serve would close it late, and
	// with it remove the socket of the next start.
	_ = e.listener.Close()
	_ = e.server.Close()
	e.listener, e.server = nil, nil
	e.cutStreams()
}
