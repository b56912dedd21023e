// Package exporter runs the real program: built, started, scraped, stopped. [Start] is the way in for a test.
package exporter

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sync"
	"syscall"
	"time"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/demo/lab/gobuild"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/testkit"
)

// program is the exporter, built once a process.
var program = sync.OnceValues(func() ([]byte, error) { return gobuild.Here(context.Background(), "") })

// Process is an exporter that runs.
type Process struct {
	dir string
	cmd *exec.Cmd
	log testkit.Buffer
	url string
}

// listening is how the exporter tells its port.
var listening = regexp.MustCompile(`msg="Listening on" address=(\S+)`)

// Open starts an exporter for the engine at host, at a port of its own, and returns when it listens. Close ends it.
func Open(host string, args ...string) (*Process, error) {
	dir, err := os.MkdirTemp("", "exporter")
	if err != nil {
		return nil, err
	}
	p := &Process{dir: dir}
	if err := p.open(append([]string{"--docker.host=" + host, "--web.listen-address=127.0.0.1:0"}, args...)); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return p, nil
}

func (p *Process) open(args []string) error {
	binary, err := writeBinary(p.dir)
	if err != nil {
		return err
	}
	p.cmd = exec.Command(binary, args...)
	p.cmd.Stderr = &p.log
	if err := p.cmd.Start(); err != nil {
		return fmt.Errorf("start the exporter: %w", err)
	}
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if found := listening.FindStringSubmatch(p.Log()); found != nil {
			p.url = "http://" + found[1]
			return nil
		}
	}
	return errors.Join(fmt.Errorf("the exporter does not listen; its log:\n%s", p.Log()), p.end())
}

// Close stops the exporter as a service manager does. An exit code other than 0 is an error.
func (p *Process) Close() error {
	return errors.Join(p.end(), os.RemoveAll(p.dir))
}

func (p *Process) end() error {
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return errors.Join(fmt.Errorf("stop the exporter: %w", err), p.cmd.Wait())
	}
	overdue := time.AfterFunc(10*time.Second, func() { _ = p.cmd.Process.Kill() })
	defer overdue.Stop()
	if err := p.cmd.Wait(); err != nil {
		return fmt.Errorf("the exporter, stopped, ended with %w, want exit code 0", err)
	}
	return nil
}

// PID is the process's number.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// URL is the address of one of its pages.
func (p *Process) URL(path string) string { return p.url + path }

// Log is what it has logged so far.
func (p *Process) Log() string { return p.log.String() }

// writeBinary builds the exporter and puts it into a directory.
func writeBinary(dir string) (string, error) {
	built, err := program()
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "rancher_agent_exporter")
	return path, os.WriteFile(path, built, 0o755)
}
