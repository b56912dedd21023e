package enginetest

import (
	"crypto/tls"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/docker/docker/api/types/events"
	"github.com/docker/docker/client"
)

func TestStopAndRestart(t *testing.T) {
	e := startEngine(t)
	socket := strings.TrimPrefix(e.Host(), "unix://")
	before, err := os.Stat(socket)
	if err != nil {
		t.Fatal(err)
	}
	e.Put(Container{ID: "c1"})
	e.Stop()
	if _, err := os.Stat(socket); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("socket of a stopped engine: %v", err)
	}
	if _, err := dial(t, e).Ping(t.Context()); !client.IsErrConnectionFailed(err) {
		t.Errorf("ping of a stopped engine: %v", err)
	}
	for range 50 {
		if err := e.Restart(); err != nil {
			t.Fatal(err)
		}
	}
	after, err := os.Stat(socket)
	if err != nil || os.SameFile(before, after) && before.ModTime().Equal(after.ModTime()) {
		t.Errorf("socket after a restart: %v, %v", after, err)
	}
	if _, err := dial(t, e).ContainerInspect(t.Context(), "c1"); err != nil {
		t.Errorf("container after a restart: %v", err)
	}
}

func TestRestartTCPOnSamePort(t *testing.T) {
	e, err := StartTCP(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	host := e.Host()
	if err := e.Restart(); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(host, "tcp://127.0.0.1:") || e.Host() != host {
		t.Errorf("host %s, then %s", host, e.Host())
	}
	if _, err := dial(t, e).Ping(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestStartFails(t *testing.T) {
	if _, err := Start(filepath.Join(t.TempDir(), "missing", "docker.sock")); err == nil {
		t.Error("no error without a directory for the socket")
	}
}

func TestTLS(t *testing.T) {
	for name, tc := range map[string]struct {
		expires time.Time
		want    string
	}{
		"valid":   {time.Now().Add(time.Hour), ""},
		"expired": {time.Now().Add(-time.Hour), "certificate has expired"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			e := startTLS(t, dir, tc.expires)
			c, err := client.NewClientWithOpts(client.WithHost(e.Host()), client.WithAPIVersionNegotiation(),
				client.WithTLSClientConfig(filepath.Join(dir, "ca.pem"), filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")))
			if err != nil {
				t.Fatal(err)
			}
			_, err = c.Ping(t.Context())
			if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
				t.Errorf("ping: %v", err)
			}
		})
	}
}

func TestTLSDemandsClientCertificate(t *testing.T) {
	e := startTLS(t, t.TempDir(), time.Now().Add(time.Hour))
	c := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	resp, err := c.Get(strings.Replace(e.Host(), "tcp", "https", 1) + "/_ping")
	if err == nil {
		_ = resp.Body.Close()
		t.Error("answered without a client certificate")
	}
}

func startTLS(t *testing.T, dir string, expires time.Time) *Engine {
	t.Helper()
	if err := SelfSigned(dir, expires); err != nil {
		t.Fatal(err)
	}
	cfg, err := ServerTLS(dir)
	if err != nil {
		t.Fatal(err)
	}
	e, err := StartTCP(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	return e
}

func TestCloseLeavesNothing(t *testing.T) {
	before := runtime.NumGoroutine()
	e, err := Start(filepath.Join(t.TempDir(), "docker.sock"))
	if err != nil {
		t.Fatal(err)
	}
	e.Intercept(Hang("/_ping"))
	c, err := client.NewClientWithOpts(client.WithHost(e.Host()))
	if err != nil {
		t.Fatal(err)
	}
	_, errs := c.Events(t.Context(), events.ListOptions{})
	pinged := make(chan error)
	go func() {
		_, err := c.Ping(t.Context())
		pinged <- err
	}()
	for len(e.Requests()) < 2 {
		time.Sleep(time.Millisecond)
	}
	e.Close()
	e.Close() // does no harm
	if <-errs == nil || <-pinged == nil {
		t.Error("answered by a closed engine")
	}
	_ = c.Close()
	for deadline := time.Now().Add(10 * time.Second); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d goroutines, %d before", runtime.NumGoroutine(), before)
		}
	}
}
