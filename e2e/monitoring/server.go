package monitoring

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"
)

// Need skips a test for want of a program, which in CI is a failure.
func Need(tb testing.TB, programs ...string) {
	tb.Helper()
	for _, program := range programs {
		if _, err := exec.LookPath(program); err != nil {
			if os.Getenv("CI") == "true" {
				tb.Fatalf("%s is missing", program)
			}
			tb.Skipf("%s is missing, and this test runs it", program)
		}
	}
}

// write puts a file into a directory of the test and returns its path.
func write(tb testing.TB, dir, name, text string) string {
	tb.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		tb.Fatal(err)
	}
	return path
}

// freeAddress is an address nobody listens on just now.
func freeAddress(tb testing.TB) string {
	tb.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}

// start runs a server until the test ends, and returns once it is ready.
func start(tb testing.TB, address, program string, args ...string) {
	tb.Helper()
	log := new(output)
	process := exec.Command(program, args...)
	process.Stdout, process.Stderr = log, log
	if err := process.Start(); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		_ = process.Process.Signal(syscall.SIGTERM)
		overdue := time.AfterFunc(10*time.Second, func() { _ = process.Process.Kill() })
		defer overdue.Stop()
		_ = process.Wait()
		if tb.Failed() {
			tb.Logf("log of %s:\n%s", program, log)
		}
	})
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		resp, err := http.Get("http://" + address + "/-/ready")
		if err == nil {
			resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				return
			}
			err = fmt.Errorf("status %d", resp.StatusCode)
		}
		if time.Now().After(deadline) {
			tb.Fatalf("%s is not ready: %v", program, err)
		}
	}
}

// output is written by a process and read by the test.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}
