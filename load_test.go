package main

import (
	"bytes"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/enginetest"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/testkit"
)

func countRequests(fake *enginetest.Engine, endpoint string) int {
	n := 0
	for _, request := range fake.Requests() {
		if request.Endpoint == endpoint {
			n++
		}
	}
	return n
}

// scrapeAtOnce scrapes n times at the same moment and returns the count of each status.
func scrapeAtOnce(t *testing.T, url string, n int) map[int]int {
	t.Helper()
	var (
		mu       sync.Mutex
		statuses = make(map[int]int)
		group    sync.WaitGroup
	)
	for range n {
		group.Go(func() {
			status, _ := get(t, url)
			mu.Lock()
			defer mu.Unlock()
			statuses[status]++
		})
	}
	group.Wait()
	return statuses
}

// 50 scrapes at the same moment make one list, one inspect of share-mnt and one of the node-agent.
func TestScrapesAtOnce(t *testing.T) {
	fake := testkit.Engine(t)
	leakingNode(fake, 220)
	p := start(t, fake, "--web.max-requests=50", "--no-collector.events")
	url := p.url(t, "/metrics")
	get(t, url) // negotiates the API version
	fake.ResetRequests()

	var waiting sync.WaitGroup
	waiting.Add(1)
	fake.Intercept(func(w http.ResponseWriter, r *http.Request) bool {
		if enginetest.Endpoint(r) == "/containers/json" {
			waiting.Wait()
		}
		return false
	})
	done := make(chan map[int]int)
	go func() { done <- scrapeAtOnce(t, url, 50) }()
	inFlight := func() bool { return countGoroutines("(*Collector).Collect") == 50 }
	eventually(t, "50 scrapes wait for the list", inFlight)
	waiting.Done()

	if statuses := <-done; statuses[http.StatusOK] != 50 {
		t.Errorf("statuses %v, want 50 times 200", statuses)
	}
	if requests := fake.Requests(); len(requests) != 3 {
		t.Errorf("%d requests, want a list and two inspects: %v", len(requests), requests)
	}
}

// 200 scrapes of an engine that hangs (moby/moby#28767, FC-54): one list outstanding, the answer comes after the timeout,
// what is too much gets a 503, and afterwards nothing is left over.
func TestScrapesOfAHangingEngine(t *testing.T) {
	fake := testkit.Engine(t)
	p := start(t, fake, "--docker.timeout=200ms", "--no-collector.events")
	url := p.url(t, "/metrics")
	get(t, url)
	http.DefaultClient.CloseIdleConnections()
	fake.Intercept(enginetest.Hang("/containers/json"))
	goroutines, files := settled(t), openFiles(t)
	for range 4 {
		fake.ResetRequests()
		statuses := scrapeAtOnce(t, url, 50)
		if statuses[http.StatusOK] == 0 || statuses[http.StatusOK]+statuses[http.StatusServiceUnavailable] != 50 {
			t.Errorf("statuses %v, want only 200 and 503", statuses)
		}
		// a scrape that comes late may start a second one after the first has timed out, never beside it
		if n := countRequests(fake, "/containers/json"); n > 5 {
			t.Errorf("%d lists for 50 scrapes at once", n)
		}
	}
	http.DefaultClient.CloseIdleConnections()
	eventually(t, "goroutines and files are what they were", func() bool {
		return runtime.NumGoroutine() <= goroutines+5 && openFiles(t) <= files+5
	})
}

// settled is the number of goroutines once it stands still.
func settled(t *testing.T) int {
	t.Helper()
	last := 0
	eventually(t, "goroutines settle", func() bool {
		before := last
		last = runtime.NumGoroutine()
		time.Sleep(50 * time.Millisecond)
		return last == before
	})
	return last
}

func openFiles(t *testing.T) int {
	t.Helper()
	files, err := os.ReadDir("/proc/self/fd")
	testkit.Need(t, err)
	return len(files)
}

// silentClients ask for the metrics again and again, and never read.
func silentClients(t *testing.T, address string, n int) {
	t.Helper()
	for range n {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close() })
		if err := conn.(*net.TCPConn).SetReadBuffer(4096); err != nil {
			t.Fatal(err)
		}
		go func() { _, _ = conn.Write(bytes.Repeat([]byte("GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n"), 1000)) }()
	}
}

// Clients that never read keep nobody else from a scrape, however long they are allowed to take.
func TestScrapesBesideSilentClients(t *testing.T) {
	fake := testkit.Engine(t)
	leakingNode(fake, 1000) // for a long reply
	p := start(t, fake, "--web.max-requests=2", "--collector.cert-writer.series-limit=1000", "--docker.timeout=1h", "--no-collector.events")
	url := p.url(t, "/metrics")
	silentClients(t, p.addresses(t, 1)[0], 2)
	lists := 0
	eventually(t, "the buffers between are full", func() bool { // until then the silent clients scrape themselves
		before := lists
		time.Sleep(500 * time.Millisecond)
		lists = countRequests(fake, "/containers/json")
		return lists > 0 && lists == before
	})
	inARow := 0
	eventually(t, "scrapes are answered", func() bool {
		if status, _ := get(t, url); status == http.StatusOK {
			inARow++
		} else {
			inARow = 0
		}
		return inARow == 20
	})
}

// A client that does not read loses its connection.
func TestSilentClientIsCutOff(t *testing.T) {
	closed := make(chan bool)
	server := httptest.NewUnstartedServer(unhurried(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write(make([]byte, 32<<20)) // more than fits between
	}), 200*time.Millisecond))
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateClosed {
			close(closed)
		}
	}
	server.Start()
	defer server.Close()
	silentClients(t, server.Listener.Addr().String(), 1)
	<-closed
}
