package engine

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/enginetest"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/rancher"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/testkit"
)

const (
	listPath    = "/containers/json"
	inspectPath = "/containers/*/json"
	eventsPath  = "/events"
	pingPath    = "/_ping"
)

func startFake(t testing.TB) *enginetest.Engine {
	t.Helper()
	return testkit.Engine(t)
}

func startFakeTCP(t testing.TB) *enginetest.Engine {
	t.Helper()
	return started(t)(enginetest.StartTCP(nil))
}

func started(t testing.TB) func(*enginetest.Engine, error) *enginetest.Engine {
	return func(fake *enginetest.Engine, err error) *enginetest.Engine {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(fake.Close)
		return fake
	}
}

func newEngine(t testing.TB, host string, files *TLSFiles) *Engine {
	t.Helper()
	endpoint, err := ParseEndpoint(host, files)
	if err != nil {
		t.Fatal(err)
	}
	e := New(endpoint)
	e.inspectTimeout = time.Hour // a busy machine takes its time
	return e
}

// within is a context for one call.
func within(t testing.TB, d time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}

// list lists for as long as it takes.
func list(t testing.TB, e *Engine) ([]rancher.Container, error) {
	t.Helper()
	return listWithin(t.Context(), e)
}

// listWithin is the list as a slice; nil if it failed.
func listWithin(ctx context.Context, e *Engine) ([]rancher.Container, error) {
	containers := []rancher.Container{}
	err := e.List(ctx, func(c rancher.Container) bool {
		containers = append(containers, c)
		return true
	})
	if err != nil {
		return nil, err
	}
	return containers, nil
}

func mustList(t testing.TB, e *Engine) []rancher.Container {
	t.Helper()
	containers, err := list(t, e)
	if err != nil {
		t.Fatal(err)
	}
	return containers
}

// wantReason checks the reason of an error; "" wants no error.
func wantReason(t testing.TB, err error, want string) {
	t.Helper()
	var failure *Error
	switch {
	case err == nil && want == "":
	case !errors.As(err, &failure):
		t.Errorf("got error %v, want reason %q", err, want)
	case failure.Reason != want:
		t.Errorf("got reason %q, want %q", failure.Reason, want)
	}
}

// wantNoSecret checks that an error holds nothing of what a fake wrote.
func wantNoSecret(t testing.TB, err error) {
	t.Helper()
	for _, text := range []string{fmt.Sprint(err), fmt.Sprintf("%+v", err), fmt.Sprintf("%#v", err)} {
		for _, secret := range []string{enginetest.Token, enginetest.CAChecksum, enginetest.Password, "192.0.2.1", "html"} {
			if strings.Contains(text, secret) {
				t.Errorf("%q holds %q", text, secret)
			}
		}
	}
}

// asked is what a fake was asked since the last reset, each as METHOD path?query.
func asked(fake *enginetest.Engine) []string {
	var lines []string
	for _, r := range fake.Requests() {
		line := r.Method + " " + r.Path
		if r.RawQuery != "" {
			line += "?" + r.RawQuery
		}
		lines = append(lines, line)
	}
	return lines
}

// on lets an interceptor see requests for an endpoint only.
func on(endpoint string, answer func(http.ResponseWriter, *http.Request)) enginetest.Interceptor {
	return func(w http.ResponseWriter, r *http.Request) bool {
		if ok, _ := filepath.Match(endpoint, enginetest.Endpoint(r)); !ok {
			return false
		}
		answer(w, r)
		return true
	}
}

// raw answers an endpoint with bytes that need not be HTTP, then closes the connection: with a reset where that is TCP.
func raw(endpoint, reply string) enginetest.Interceptor {
	return on(endpoint, func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			panic(err)
		}
		_, _ = conn.Write([]byte(reply))
		if tcp, ok := conn.(*net.TCPConn); ok && reply == "" {
			_ = tcp.SetLinger(0)
		}
		_ = conn.Close()
	})
}

// eventually waits for what other goroutines do, for as long as a busy machine may take.
func eventually(t testing.TB, what string, condition func() bool) {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Minute); !condition(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain: %s", what)
		}
	}
}

const server = "https://rancher.example"

func putCertWriters(fake *enginetest.Engine, n int) {
	containers := make([]enginetest.Container, n)
	for i := range containers {
		containers[i] = enginetest.CertWriter(i, server, time.Now().Add(-time.Duration(i)*time.Minute))
	}
	fake.Put(containers...)
}
