package monitoring

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/testkit"
)

// write puts a file into a directory of the test and returns its path.
func write(tb testing.TB, dir, name, text string) string {
	tb.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		tb.Fatal(err)
	}
	return path
}

// start runs a server until the test ends, and returns its process number once it is ready.
func start(tb testing.TB, address, program string, args ...string) int {
	tb.Helper()
	log := new(testkit.Buffer)
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
				return process.Process.Pid
			}
			err = fmt.Errorf("status %d", resp.StatusCode)
		}
		if time.Now().After(deadline) {
			tb.Fatalf("%s is not ready: %v", program, err)
		}
	}
}
