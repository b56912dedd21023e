package faults

import (
	"net/http"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/e2e/exporter"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/enginetest"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/testkit"
)

// Idle connections fill the exporter's table of file descriptors. The scraper has its connection already, so it learns that
// the engine cannot be asked; the event stream lives.
func fullTable(t *testing.T, o *outcome) {
	testkit.NeedPrograms(t, "prlimit")
	fake := node(t, 20)
	x := start(t, fake.Host())
	x.healthy(writers(20))

	limit := strconv.Itoa(x.before.Files + 16)
	output, err := exec.Command("prlimit", "--pid="+strconv.Itoa(x.PID()), "--nofile="+limit+":"+limit).CombinedOutput()
	if err != nil {
		t.Fatalf("prlimit: %v: %s", err, output)
	}
	const idle = 60
	var closers []func() error
	for range idle {
		closers = append(closers, x.connect().Close)
	}
	x.blind("too many open files")
	fresh := enginetest.CertWriter(20, "https://rancher.example", time.Now())
	fake.Create(fresh)
	fake.StartContainer(fresh.ID)
	time.Sleep(4 * time.Second) // net/http tries to accept once a second
	if m := x.Scrape(); m[up] != 0 {
		t.Errorf("%v idle connections left a descriptor in %s", idle, limit)
	}
	for _, close := range closers {
		_ = close()
	}
	released := time.Now()
	x.rightAgain(o, released, writers(21))
	if status, _, err := x.oneShot("/-/healthy"); err != nil || status != http.StatusOK {
		t.Errorf("a new connection: %d, %v", status, err)
	}
	o.rightAgain("a new connection", time.Since(released))
	x.Expect(patience, exporter.Metrics{certWriterEvents("create"): 1, certWriterEvents("start"): 1})
	lines := x.fewLines(mostWebLines + 2)
	o.sawf("limit %s, %d idle connections: `docker_up` 0, too many open files; %d lines logged", limit, idle, len(lines))
	if down := strings.Count(strings.Join(lines, "\n"), `msg="Docker Engine unavailable"`); down != 1 {
		t.Errorf("logged %d times that Docker went, want once", down)
	}
	o.lost = "nothing: 2 of 2 events counted"
	x.unharmed()
}
