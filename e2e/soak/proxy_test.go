package soak

import (
	"bufio"
	"context"
	"io"
	"math/rand/v2"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/testkit"
)

// proxy stands between the exporter and dockerd. It passes connections on, and cuts or refuses them on demand. The exporter
// makes one connection a request, so the first line tells what a connection is for.
type proxy struct {
	socket string // where the exporter asks
	target string // where dockerd answers

	mu       sync.Mutex
	open     map[net.Conn]bool // true: an event stream
	refusing which
	cuts     int // event streams cut
}

// which connections.
type which int

const (
	none which = iota
	eventStreams
	all
)

func (w which) has(events bool) bool { return w == all || w == eventStreams && events }

// startProxy starts a proxy that lives as long as the test.
func startProxy(tb testing.TB, target string) *proxy {
	tb.Helper()
	p := &proxy{socket: testkit.SocketPath(tb), target: target, open: make(map[net.Conn]bool)}
	listener, err := net.Listen("unix", p.socket)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		_ = listener.Close()
		p.cut(all)
	})
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go p.serve(conn)
		}
	}()
	return p
}

// serve passes one connection on until either side ends it.
func (p *proxy) serve(conn net.Conn) {
	defer func() { _ = conn.Close() }()
	reader := bufio.NewReader(conn)
	request, err := reader.ReadString('\n')
	if err != nil || !p.admit(conn, strings.Contains(request, "/events?")) {
		return
	}
	defer p.forget(conn)
	engine, err := net.Dial("unix", p.target)
	if err != nil {
		return
	}
	go func() {
		_, _ = io.WriteString(engine, request)
		_, _ = io.Copy(engine, reader)
		_ = engine.Close()
	}()
	_, _ = io.Copy(conn, engine)
}

func (p *proxy) admit(conn net.Conn, events bool) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.refusing.has(events) {
		return false
	}
	p.open[conn] = events
	return true
}

func (p *proxy) forget(conn net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.open, conn)
}

// cut ends connections in the midst of whatever they carry.
func (p *proxy) cut(w which) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for conn, events := range p.open {
		if w.has(events) {
			_ = conn.Close()
			delete(p.open, conn)
			if events {
				p.cuts++
			}
		}
	}
}

func (p *proxy) refuse(w which) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refusing = w
}

// How long the proxy refuses at most. While nothing at all gets through the exporter sees no list either, so it must be
// shorter than the life of any container: one that nobody could look at is not counted. While event streams alone are
// refused, the engine must not forget: it keeps its last 256 events of every kind.
const (
	longestSilence   = 2 * time.Second
	longestDeafness  = 5 * time.Second
	longestFirst     = 10 * time.Second // calm at first: less than any stretch of churn
	meanCalm         = 15 * time.Second // calm thereafter
	chanceOfRefusing = 0.5
)

// weather cuts and refuses at random until the function that it returns is called; then all gets through again.
func (p *proxy) weather(random *rand.Rand) (calm func()) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer p.refuse(none)
		calm := time.Duration(random.Int64N(int64(longestFirst)))
		for ; sleep(ctx, calm); calm = time.Duration(random.ExpFloat64() * float64(meanCalm)) {
			w, longest := eventStreams, longestDeafness
			if random.IntN(2) == 0 {
				w, longest = all, longestSilence
			}
			if random.Float64() < chanceOfRefusing {
				p.refuse(w)
			}
			p.cut(w)
			sleep(ctx, time.Duration(random.Int64N(int64(longest))))
			p.refuse(none)
		}
	}()
	return func() {
		cancel()
		<-done
	}
}

// sleep waits for d and says whether ctx let it.
func sleep(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}
