// Package exporter runs the real program for tests: built, started, scraped, stopped.
package exporter

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/demo/lab/gobuild"
)

// program is the exporter, built once a process.
var program = sync.OnceValues(func() ([]byte, error) { return gobuild.Here(context.Background(), "") })

// Exporter is one that runs.
type Exporter struct {
	tb  testing.TB
	cmd *exec.Cmd
	log log
	url string
}

// listening is how the exporter tells its port.
var listening = regexp.MustCompile(`msg="Listening on" address=(\S+)`)

// Start starts an exporter for the engine at host, at a port of its own, and returns when it listens. It is stopped with
// the test, which fails if that does not go well; if the test fails, it shows the exporter's log.
func Start(tb testing.TB, host string, args ...string) *Exporter {
	tb.Helper()
	x := &Exporter{tb: tb}
	x.cmd = exec.Command(Binary(tb), append([]string{"--docker.host=" + host, "--web.listen-address=127.0.0.1:0"}, args...)...)
	x.cmd.Stderr = &x.log
	if err := x.cmd.Start(); err != nil {
		tb.Fatalf("start the exporter: %v", err)
	}
	tb.Cleanup(func() {
		x.stop()
		if tb.Failed() {
			tb.Logf("log of the exporter:\n%s", x.Log())
		}
	})
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		if found := listening.FindStringSubmatch(x.Log()); found != nil {
			x.url = "http://" + found[1]
			return x
		}
		if time.Now().After(deadline) {
			tb.Fatalf("the exporter does not listen")
		}
	}
}

// Binary is the path of the exporter, there until the test ends.
func Binary(tb testing.TB) string {
	tb.Helper()
	built, err := program()
	if err != nil {
		tb.Fatal(err)
	}
	path := filepath.Join(tb.TempDir(), "rancher_agent_exporter")
	if err := os.WriteFile(path, built, 0o755); err != nil {
		tb.Fatal(err)
	}
	return path
}

// stop is what a service manager does.
func (x *Exporter) stop() {
	if err := x.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		x.tb.Errorf("stop the exporter: %v", err)
	}
	overdue := time.AfterFunc(10*time.Second, func() { _ = x.cmd.Process.Kill() })
	defer overdue.Stop()
	if err := x.cmd.Wait(); err != nil {
		x.tb.Errorf("the exporter, stopped, ended with %v, want exit code 0", err)
	}
}

// PID is the process's number.
func (x *Exporter) PID() int { return x.cmd.Process.Pid }

// URL is the address of one of its pages.
func (x *Exporter) URL(path string) string { return x.url + path }

// Log is what it has logged so far.
func (x *Exporter) Log() string { return x.log.String() }

// Scrape is one scrape.
func (x *Exporter) Scrape() Metrics {
	x.tb.Helper()
	response, err := http.Get(x.URL("/metrics"))
	if err != nil {
		x.tb.Fatalf("scrape: %v", err)
	}
	body, err := io.ReadAll(response.Body)
	if err := errors.Join(err, response.Body.Close()); err != nil {
		x.tb.Fatalf("scrape: %v", err)
	}
	if response.StatusCode != http.StatusOK {
		x.tb.Fatalf("scrape: %s: %s", response.Status, body)
	}
	return parse(x.tb, bytes.NewReader(body))
}

// log is written by the process and read by the test.
type log struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}
