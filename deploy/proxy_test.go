package deploy

import (
	"bytes"
	"context"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/engine"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/enginetest"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/rancher"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/testkit"
)

// The socket proxy lets through what the exporter asks and nothing else.
func TestSocketProxy(t *testing.T) {
	testkit.NeedPrograms(t, "haproxy")
	fake := testkit.Engine(t)
	writer := enginetest.CertWriter(0, "https://r.example", time.Now())
	fake.Put(writer)

	own, err := user.LookupGroupId(strconv.Itoa(os.Getgid()))
	if err != nil {
		t.Fatal(err)
	}
	socket := testkit.SocketPath(t)
	config := copyTo(t, t.TempDir(), "socket-proxy/haproxy.cfg", "/var/run/docker.sock", strings.TrimPrefix(fake.Host(), "unix://"),
		"/run/rancher-agent-exporter/docker.sock", socket, "group rancher-agent-exporter", "group "+own.Name)
	log := new(bytes.Buffer)
	proxy := exec.Command("haproxy", "-db", "-f", config)
	proxy.Stdout, proxy.Stderr = log, log
	if err := proxy.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = proxy.Process.Kill()
		_ = proxy.Wait()
		if t.Failed() {
			t.Logf("haproxy: %s", log)
		}
	}()

	endpoint, err := engine.ParseEndpoint("unix://"+socket, nil)
	if err != nil {
		t.Fatal(err)
	}
	docker := engine.New(endpoint)
	var list []rancher.Container
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		list = nil
		if err = docker.List(t.Context(), func(c rancher.Container) bool {
			list = append(list, c)
			return true
		}); err == nil {
			break
		}
	}
	if err != nil || len(list) != 1 {
		t.Fatalf("listed %d containers, %v; want one", len(list), err)
	}
	if info, err := os.Stat(socket); err != nil || info.Mode().Perm() != 0o660 {
		t.Errorf("the proxy's socket is open to others: %v, %v", info, err)
	}
	if c, err := docker.Inspect(t.Context(), writer.ID); err != nil || c.Started.IsZero() {
		t.Errorf("inspected %v, %v", c, err)
	}
	ctx, stop := context.WithCancel(t.Context())
	events := make(subscriber, 100)
	go docker.Follow(ctx, events)
	for event := range events { // until the stream is connected and an event has come
		if event == "connected" {
			fake.Emit("start", writer)
		} else if event == "start" {
			break
		}
	}
	stop()

	fake.ResetRequests()
	client := http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", socket)
	}}}
	for _, request := range []struct{ method, path string }{
		{"POST", "/containers/" + writer.ID + "/stop"}, {"DELETE", "/containers/" + writer.ID}, {"POST", "/v1.41/containers/create"},
		{"GET", "/info"}, {"GET", "/images/json"}, {"GET", "/containers/" + writer.ID + "/logs"}, {"GET", "/containers/json?size=1"},
		{"GET", "/containers/json"}, {"GET", "/v1.41/containers/json?all=1&size=1"}, {"GET", "/containers/json?siz%65=1"},
		{"GET", "/v1.41/containers/json?all=1&siz%65=1"}, {"GET", "/containers/json?all=1;size=1"}, {"GET", "/containers/" + writer.ID + "/json?siz%65=1"},
		{"PUT", "/containers/json"}, {"GET", "/v1.41/containers/../images/json"}, {"GET", "/containers/%2e%2e/images/json"},
	} {
		r, err := http.NewRequest(request.method, "http://docker"+request.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusForbidden {
			t.Errorf("%s %s: %d, want 403", request.method, request.path, resp.StatusCode)
		}
	}
	if got := fake.Requests(); len(got) > 0 {
		t.Errorf("the engine was asked %v", got)
	}
}

// subscriber takes down what happens on an event stream.
type subscriber chan string

func (s subscriber) Connected()                               { s <- "connected" }
func (s subscriber) Disconnected(error)                       {}
func (s subscriber) Event(_ context.Context, e rancher.Event) { s <- e.Action }
