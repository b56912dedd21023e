package faults

import (
	"fmt"
	"net"
	"slices"
	"sync"
	"testing"
	"time"
)

const (
	dribblers = 200 // send a byte of a header a second
	trickles  = 50  // send a byte of a body a second
	deaf      = 5   // ask and ask, and never read
)

// Clients that would hold a connection for ever are ended by the server's time limits: 10 s for a header, 30 s for a
// request, a minute and what a scrape may take for the reply. Meanwhile everyone else is served.
func slowClients(t *testing.T, o *outcome) {
	fake := node(t, 20)
	x := start(t, fake.Host())
	x.healthy(writers(20))

	var others sync.WaitGroup
	stop := make(chan struct{})
	headers, bodies := make([]time.Duration, dribblers), make([]time.Duration, trickles)
	begun := time.Now()
	for i := range headers {
		conn := x.connect()
		others.Go(func() { headers[i] = dribble(conn, "GET /metrics HTTP/1.1\r\nX-Slow: ") })
	}
	for i := range bodies {
		conn := x.connect()
		others.Go(func() {
			bodies[i] = dribble(conn, "POST /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n")
		})
	}
	for range deaf {
		conn := x.connect()
		others.Go(func() { deafen(conn, stop) })
	}

	var slowest time.Duration
	holding := x.usage().Files
	for ended := false; !ended; {
		slowest = max(slowest, x.unmoved())
		ended = x.usage().Files <= x.before.Files+4
		if time.Since(begun) > 2*time.Minute {
			t.Fatalf("%d files are open, %d before", x.usage().Files, x.before.Files)
		}
		time.Sleep(100 * time.Millisecond)
	}
	ended := time.Since(begun)
	close(stop)
	others.Wait()
	o.sawf("%d files open, %d before; every other scrape right, the slowest took %v", holding, x.before.Files, slowest.Round(time.Millisecond))
	o.lost = "nothing"
	for what, ends := range map[string][]time.Duration{"headers": headers, "bodies": bodies} {
		if slices.Min(ends) < time.Second {
			t.Errorf("slow %s: ended after %v", what, slices.Min(ends))
		}
	}
	o.again = append(o.again, fmt.Sprintf("slow headers ended after %v, slow bodies after %v, the last that does not read after %v",
		slices.Max(headers).Round(time.Second), slices.Max(bodies).Round(time.Second), ended.Round(time.Second)))
	x.fewLines(mostWebLines)
	x.unharmed()
}

// dribble sends the beginning of a request, then a byte a second, until the server ends the connection, and returns how
// long that took.
func dribble(conn net.Conn, beginning string) time.Duration {
	begun := time.Now()
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		buffer := make([]byte, 4096)
		for {
			if _, err := conn.Read(buffer); err != nil {
				return
			}
		}
	}()
	_, _ = conn.Write([]byte(beginning))
	for {
		select {
		case <-gone:
			return time.Since(begun)
		case <-time.After(time.Second):
			_, _ = conn.Write([]byte("x"))
		}
	}
}

// deafen asks for page after page and reads no reply, until the server's buffers are full and it waits.
func deafen(conn net.Conn, stop <-chan struct{}) {
	_ = conn.(*net.TCPConn).SetReadBuffer(4096)
	for {
		select {
		case <-stop:
			return
		default:
		}
		_ = conn.SetWriteDeadline(time.Now().Add(time.Second))
		if _, err := conn.Write([]byte("GET / HTTP/1.1\r\nHost: x\r\n\r\n")); err != nil {
			<-stop
			return
		}
	}
}
