package faults

import (
	"net/http"
	"strings"
	"time"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/e2e/procstat"
)

// usage is what the exporter takes of the machine.
type usage struct {
	procstat.Usage
	goroutines int
	started    float64
}

func (x *subject) usage() usage {
	x.t.Helper()
	used, err := procstat.Of(x.PID())
	if err != nil {
		x.t.Fatal(err)
	}
	m := x.Scrape()
	return usage{used, int(m["go_goroutines"]), m["process_start_time_seconds"]}
}

// unharmed holds that the fault left nothing behind: the same process, with no more goroutines, files and memory than
// before, and no secret in its log.
func (x *subject) unharmed() {
	x.t.Helper()
	x.Client.CloseIdleConnections()
	const spare = 4 // connections that are just being opened or closed
	deadline := time.Now().Add(patience)
	for {
		now := x.usage()
		if now.started != x.before.started {
			x.t.Fatal("the exporter has been restarted")
		}
		if now.goroutines <= x.before.goroutines+spare && now.Files <= x.before.Files+spare && now.Resident <= x.before.Resident+16<<20 {
			break
		}
		if time.Now().After(deadline) {
			x.t.Fatalf("left over: before %+v, now %+v", x.before, now)
		}
		time.Sleep(200 * time.Millisecond)
	}
	for _, page := range []string{"/metrics", "/-/ready", "/"} {
		if status, _ := x.get(page); status != http.StatusOK {
			x.t.Errorf("%s: %d", page, status)
		}
	}
	x.checkSecrets("the log", x.Log())
}

// logs are the lines logged since the fault began.
func (x *subject) logs() []string {
	return strings.Split(strings.TrimSuffix(x.Log()[x.logged:], "\n"), "\n")
}

// loggedOutage holds that the engine's absence cost a line when it began and one when it was over, and the event stream's
// no more.
func (x *subject) loggedOutage() {
	x.t.Helper()
	var down, back, stream int
	for _, line := range x.logs() {
		switch {
		case strings.Contains(line, `msg="Docker Engine unavailable"`):
			down++
		case strings.Contains(line, `msg="Docker Engine available again"`):
			back++
		case strings.Contains(line, `msg="event stream `):
			stream++
		case line != "":
			x.t.Errorf("unexpected line in the log: %s", line)
		}
	}
	if down != 1 || back != 1 || stream > 2 {
		x.t.Errorf("logged %d times that Docker went, %d times that it came, want once; %d lines of the event stream, want 2 at most:\n%s",
			down, back, stream, strings.Join(x.logs(), "\n"))
	}
}
