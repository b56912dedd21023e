package faults

import (
	"io"
	"net"
	"sync"
	"testing"
)

// relay is a socket proxy: what comes to its own socket goes to the engine's.
type relay struct {
	listener *net.UnixListener
	engine   string

	mu    sync.Mutex
	conns []net.Conn
}

// listen starts a relay at a path, until it or the test ends.
func listen(t *testing.T, path, engine string) *relay {
	t.Helper()
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	listener.SetUnlinkOnClose(false) // by then another may listen there
	r := &relay{listener: listener, engine: engine}
	t.Cleanup(r.close)
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return // closed
			}
			go r.serve(conn)
		}
	}()
	return r
}

func (r *relay) serve(client net.Conn) {
	defer client.Close()
	engine, err := net.Dial("unix", r.engine)
	if err != nil {
		return
	}
	defer engine.Close()
	r.mu.Lock()
	r.conns = append(r.conns, client, engine)
	r.mu.Unlock()
	go func() {
		_, _ = io.Copy(engine, client)
		engine.Close()
	}()
	_, _ = io.Copy(client, engine)
}

// close ends the relay with all that goes through it.
func (r *relay) close() {
	_ = r.listener.Close()
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, conn := range r.conns {
		_ = conn.Close()
	}
}
