// Package realengine runs a Docker Engine for tests: a dockerd and a containerd of its own, as root, with everything they
// write in one temporary directory. The user's engine is never touched; pruning is safe here.
//
// Debian's docker.io (20.10) has all that it needs, and no image is ever pulled. [New] is the way in for a test.
package realengine

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/docker/docker/client"
)

//go:embed reap.sh
var reapScript string

// The times that the daemons get. They are far more than they need.
const (
	startTimeout = time.Minute
	stopTimeout  = time.Minute // dockerd gives containers 15 s
)

// Engine is a private Docker Engine.
type Engine struct {
	dir        string
	program    string   // that is dockerd
	home       string   // directory of that program's configuration, data and state
	args       []string // for dockerd, besides those that keep it private
	docker     *client.Client
	containerd *process
	dockerd    *process // nil while it is stopped
	reaper     *exec.Cmd
	reap       io.Closer
}

// Unavailable says why no engine can be run here; nil: one can.
func Unavailable() error {
	if runtime.GOOS != "linux" {
		return errors.New("a Docker Engine of its own runs on Linux only")
	}
	if os.Geteuid() != 0 {
		return errors.New("only root can run a Docker Engine")
	}
	for _, program := range []string{debianDockerd, "containerd", "containerd-shim-runc-v2", "runc"} {
		if _, err := exec.LookPath(program); err != nil {
			return fmt.Errorf("%s is not installed (Debian: apt-get install docker.io)", program)
		}
	}
	return nil
}

// Open starts an engine; the arguments are for dockerd, besides those that keep it private. Close ends it.
func Open(ctx context.Context, dockerdArgs ...string) (*Engine, error) {
	if err := Unavailable(); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "rae")
	if err != nil {
		return nil, err
	}
	e := &Engine{dir: dir, program: debianDockerd, home: dir, args: dockerdArgs}
	if err := e.open(ctx); err != nil {
		return nil, errors.Join(err, errors.New(e.Complaints()), e.Close())
	}
	return e, nil
}

func (e *Engine) open(ctx context.Context) error {
	// The path of a unix socket has at most 107 bytes, and dockerd makes some further down.
	if len(e.dir) > 70 {
		return fmt.Errorf("temporary directory %s: the path is too long for the sockets in it", e.dir)
	}
	if err := e.startReaper(); err != nil {
		return err
	}
	if err := e.writeConfig(); err != nil {
		return err
	}
	if err := e.connect(); err != nil {
		return err
	}
	var err error
	e.containerd, err = startProcess(e.path("containerd.log"), "containerd", "--config="+e.path("containerd.toml"))
	if err != nil {
		return err
	}
	return e.StartDockerd(ctx)
}

// connect makes the client, which settles on an API version at its first request and then stays with it.
func (e *Engine) connect() (err error) {
	e.docker, err = client.NewClientWithOpts(client.WithHost(e.Host()), client.WithAPIVersionNegotiation())
	return err
}

// startReaper starts the script that cleans up, now or when this process dies.
func (e *Engine) startReaper() error {
	e.reaper = exec.Command("sh", "-c", reapScript, "reap", e.dir)
	stdin, err := e.reaper.StdinPipe()
	if err != nil {
		return err
	}
	e.reap = stdin
	return e.reaper.Start()
}

// Close ends the engine with all its containers and removes what it wrote.
func (e *Engine) Close() error {
	if e.docker != nil {
		_ = e.docker.Close()
	}
	if e.reap == nil {
		return os.RemoveAll(e.dir)
	}
	_ = e.reap.Close()
	if err := e.reaper.Wait(); err != nil {
		return fmt.Errorf("clean up behind the Docker Engine in %s: %w", e.dir, err)
	}
	return nil
}

// Host is where the engine answers, as DOCKER_HOST has it.
func (e *Engine) Host() string { return "unix://" + e.Socket() }

// Socket is the path of the engine's socket, alone in its directory.
func (e *Engine) Socket() string { return e.path("run", "docker.sock") }

// Dial is for an http.Transport that asks the engine at a socket, whatever host its requests name.
func Dial(socket string) func(ctx context.Context, network, address string) (net.Conn, error) {
	return func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", socket)
	}
}

// Proxy hands requests on to the engine at a socket, event streams included.
func Proxy(socket string) *httputil.ReverseProxy {
	return &httputil.ReverseProxy{
		Rewrite:       func(r *httputil.ProxyRequest) { r.SetURL(&url.URL{Scheme: "http", Host: "docker"}) },
		Transport:     &http.Transport{DialContext: Dial(socket)},
		FlushInterval: -1, // the event stream
	}
}

// Docker is a client of the engine.
func (e *Engine) Docker() *client.Client { return e.docker }

func (e *Engine) path(elements ...string) string {
	return filepath.Join(append([]string{e.dir}, elements...)...)
}

// Complaints are the last warnings and errors that the daemons logged.
func (e *Engine) Complaints() string {
	var text strings.Builder
	for _, name := range []string{"containerd.log", "dockerd.log"} {
		log, err := os.ReadFile(e.path(name))
		if err != nil {
			continue
		}
		var lines []string
		for line := range strings.Lines(string(log)) {
			if !strings.Contains(line, "level=info") {
				lines = append(lines, line)
			}
		}
		fmt.Fprintf(&text, "%s, the last that is no info:\n%s", name, strings.Join(lines[max(0, len(lines)-20):], ""))
	}
	return text.String()
}
