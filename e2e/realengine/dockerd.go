package realengine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// dockerdArgs keep dockerd within its directory and the host's network as it is: containers of the tests use
// --network host.
func (e *Engine) dockerdArgs() []string {
	return []string{
		"--config-file=" + filepath.Join(e.home, "daemon.json"), // not the one in /etc/docker
		"--data-root=" + filepath.Join(e.home, "data"),
		"--exec-root=" + filepath.Join(e.home, "exec"),
		"--pidfile=" + e.path("dockerd.pid"),
		"--containerd=" + e.path("containerd.sock"),
		"--host=" + e.Host(),
		"--bridge=none", "--iptables=false", "--ip6tables=false",
	}
}

// writeConfig writes what the daemons read. The CRI plugin would listen at a port.
func (e *Engine) writeConfig() error {
	containerd := fmt.Sprintf(`version = 2
root = %q
state = %q
disabled_plugins = ["io.containerd.grpc.v1.cri"]
[grpc]
address = %q
[plugins."io.containerd.internal.v1.opt"]
path = %q
`, e.path("ctd-root"), e.path("ctd-state"), e.path("containerd.sock"), e.path("ctd-opt"))
	return errors.Join(
		os.WriteFile(e.path("containerd.toml"), []byte(containerd), 0o600),
		os.WriteFile(filepath.Join(e.home, "daemon.json"), []byte("{}"), 0o600),
		os.Mkdir(e.path("run"), 0o755),
	)
}

// StartDockerd starts dockerd and waits until it answers.
func (e *Engine) StartDockerd(ctx context.Context) error {
	if e.dockerd != nil {
		return errors.New("dockerd runs already")
	}
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	// A killed dockerd leaves it behind, and by now the number may be another process's.
	if err := os.Remove(e.path("dockerd.pid")); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	dockerd, err := startProcess(e.path("dockerd.log"), e.program, append(e.dockerdArgs(), e.args...)...)
	if err != nil {
		return err
	}
	e.dockerd = dockerd
	for {
		if _, err := e.docker.Ping(ctx); err == nil {
			return nil
		}
		select {
		case <-dockerd.done:
			e.dockerd = nil
			return fmt.Errorf("dockerd ended: %w", dockerd.err)
		case <-ctx.Done():
			return fmt.Errorf("dockerd does not answer: %w", ctx.Err())
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// DockerdPID is the number of the dockerd that runs; 0 while none does.
func (e *Engine) DockerdPID() int {
	if e.dockerd == nil {
		return 0
	}
	return e.dockerd.cmd.Process.Pid
}

// StopDockerd stops dockerd as a service manager does: it stops its containers and ends.
func (e *Engine) StopDockerd() error { return e.endDockerd(syscall.SIGTERM) }

// KillDockerd kills dockerd; its containers run on.
func (e *Engine) KillDockerd() error { return e.endDockerd(syscall.SIGKILL) }

func (e *Engine) endDockerd(signal os.Signal) error {
	if e.dockerd == nil {
		return errors.New("dockerd does not run")
	}
	if err := e.dockerd.end(signal); err != nil {
		return fmt.Errorf("end dockerd: %w", err)
	}
	e.dockerd = nil
	return nil
}

// process is a daemon that logs to a file.
type process struct {
	cmd  *exec.Cmd
	done chan struct{} // closed when it has ended
	err  error         // then: how
}

func startProcess(logFile, program string, args ...string) (*process, error) {
	log, err := os.OpenFile(logFile, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	defer func() { _ = log.Close() }()
	p := &process{cmd: exec.Command(program, args...), done: make(chan struct{})}
	p.cmd.Stdout, p.cmd.Stderr = log, log
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", program, err)
	}
	go func() {
		p.err = p.cmd.Wait()
		close(p.done)
	}()
	return p, nil
}

// end sends the signal and waits for the end.
func (p *process) end(signal os.Signal) error {
	if err := p.cmd.Process.Signal(signal); err != nil {
		return err
	}
	select {
	case <-p.done:
		return nil
	case <-time.After(stopTimeout):
		return fmt.Errorf("still runs %v after %v", stopTimeout, signal)
	}
}
