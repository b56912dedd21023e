package faults

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/enginetest"
)

const (
	crowdSize  = 1000
	mostMemory = 128 << 20 // the memory limit of the Helm chart
)

// 1,000 clients at the same moment, each with a connection of its own: the engine has one of them at a time, and who is too
// many is told so.
func crowd(t *testing.T, o *outcome) {
	fake := node(t, 20)
	x := start(t, fake.Host())
	x.healthy(writers(20))

	var asked, now, most atomic.Int64
	fake.Intercept(func(_ http.ResponseWriter, r *http.Request) bool {
		if enginetest.Endpoint(r) == "/containers/json" {
			asked.Add(1)
			for n := now.Add(1); ; {
				if seen := most.Load(); n <= seen || most.CompareAndSwap(seen, n) {
					break
				}
			}
			time.Sleep(20 * time.Millisecond) // long enough for lists beside each other to show
			now.Add(-1)
		}
		return false
	})
	for _, page := range []string{"/metrics", "/-/ready", "/"} {
		asked.Store(0)
		begun := time.Now()
		statuses := x.crowd(page, "rancher_agent_docker_up 1\n")
		if page != "/metrics" && statuses[http.StatusOK] != crowdSize {
			t.Errorf("%s: statuses %v, want only 200", page, statuses)
		}
		if n := statuses[http.StatusOK] + statuses[http.StatusServiceUnavailable]; n != crowdSize || statuses[http.StatusOK] == 0 {
			t.Errorf("%s: statuses %v, want only 200 and 503", page, statuses)
		}
		o.sawf("`%s`: %v in %v, %d lists, %d MB at the peak", page, statuses, time.Since(begun).Round(10*time.Millisecond), asked.Load(), x.usage().Peak>>20)
	}
	ended := time.Now()
	if most.Load() != 1 {
		t.Errorf("%d lists at once, want 1", most.Load())
	}
	x.rightAgain(o, ended, nil)
	peak := x.usage().Peak
	if peak > mostMemory {
		t.Errorf("%d MB of memory at the peak, want at most %d", peak>>20, mostMemory>>20)
	}
	o.sawf("1 list at once; %d MB before", x.before.Resident>>20)
	o.lost = "scrapes over `--web.max-requests` (40), which get a 503"
	if lines := x.fewLines(1); lines[0] != "" {
		t.Errorf("logged %s", lines[0])
	}
	x.unharmed()
}

// crowd gets a page many times at once and returns the count of each status.
func (x *subject) crowd(page, text string) map[int]int {
	var (
		mu       sync.Mutex
		statuses = make(map[int]int)
		clients  sync.WaitGroup
		all      = make(chan struct{})
	)
	for range crowdSize {
		clients.Go(func() {
			<-all
			status, body, err := x.oneShot(page)
			mu.Lock()
			defer mu.Unlock()
			statuses[status]++
			if err != nil {
				x.t.Error(fmt.Errorf("%s: %w", page, err))
			}
			if page == "/metrics" && status == http.StatusOK && !strings.Contains(body, text) {
				x.t.Errorf("%s without %q", page, text)
			}
			x.checkSecrets(page, body)
		})
	}
	close(all)
	clients.Wait()
	return statuses
}
