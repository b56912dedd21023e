package realengine

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// debianDockerd is what an engine starts with.
const debianDockerd = "dockerd"

// PauseDockerd stops dockerd where it stands, as a host without memory or a debugger does: its socket takes connections
// and nobody answers. Its containers run on.
func (e *Engine) PauseDockerd() error { return e.signalDockerd(syscall.SIGSTOP) }

// ResumeDockerd lets a paused dockerd go on.
func (e *Engine) ResumeDockerd() error { return e.signalDockerd(syscall.SIGCONT) }

func (e *Engine) signalDockerd(signal os.Signal) error {
	if e.dockerd == nil {
		return errors.New("dockerd does not run")
	}
	return e.dockerd.cmd.Process.Signal(signal)
}

// UseDockerd makes another program dockerd from the next start on: at the same socket and with the same containerd, but
// with data, and so with containers and images, of its own. The configuration is its daemon.json. "dockerd" with "{}" is the
// one that the engine started with, and it finds its data again.
func (e *Engine) UseDockerd(program, config string) error {
	if e.dockerd != nil {
		return errors.New("dockerd still runs")
	}
	e.program, e.home = program, e.dir
	if program != debianDockerd {
		e.home = e.path("other")
	}
	if err := os.MkdirAll(e.home, 0o711); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(e.home, "daemon.json"), []byte(config), 0o600); err != nil {
		return err
	}
	if err := e.docker.Close(); err != nil {
		return fmt.Errorf("close the client: %w", err)
	}
	return e.connect()
}
