package main

import (
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/e2e/realengine"
)

// counter is a proxy before an engine that counts what is asked and what is answered. It takes time, so nothing is timed
// through it.
type counter struct {
	dir      string
	server   http.Server
	requests atomic.Int64
	bytes    atomic.Int64
}

func count(socket string) (*counter, error) {
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return nil, err
	}
	c := &counter{dir: dir}
	listener, err := net.Listen("unix", c.socket())
	if err != nil {
		return nil, err
	}
	proxy := realengine.Proxy(socket)
	proxy.ModifyResponse = c.count
	c.server = http.Server{Handler: proxy, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = c.server.Serve(listener) }()
	return c, nil
}

func (c *counter) count(r *http.Response) error {
	c.requests.Add(1)
	r.Body = &countedBody{r.Body, &c.bytes}
	return nil
}

func (c *counter) reset() {
	c.requests.Store(0)
	c.bytes.Store(0)
}

func (c *counter) socket() string { return filepath.Join(c.dir, "docker.sock") }

func (c *counter) Close() {
	_ = c.server.Close()
	_ = os.RemoveAll(c.dir)
}

type countedBody struct {
	io.ReadCloser
	bytes *atomic.Int64
}

func (b *countedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.bytes.Add(int64(n))
	return n, err
}
