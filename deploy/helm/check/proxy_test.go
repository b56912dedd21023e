package check

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	core "k8s.io/api/core/v1"
)

// HAProxy itself, with the configuration and the command of the rendered pod: it passes on what the exporter asks and nothing else, on a socket
// that is its group's alone.
func TestSocketProxy(t *testing.T) {
	if _, err := exec.LookPath("haproxy"); err != nil {
		missing(t, "haproxy is missing")
	}
	all := decode(t, template(t, chart, renderOf(t, "socket-proxy")))
	var config string
	for _, o := range all {
		if data, ok := o.Typed.(*core.ConfigMap); ok && data.Data["haproxy.cfg"] != "" {
			config = data.Data["haproxy.cfg"]
		}
	}
	container := all.daemonSet(t).Spec.Template.Spec.Containers[1]
	// what the container has under these paths
	dir := t.TempDir()
	for _, mount := range container.VolumeMounts {
		if err := os.MkdirAll(filepath.Join(dir, mount.MountPath), 0o755); err != nil {
			t.Fatal(err)
		}
		config = strings.ReplaceAll(config, "unix@"+mount.MountPath, "unix@"+dir+mount.MountPath)
	}
	if err := os.WriteFile(filepath.Join(dir, "etc/haproxy/haproxy.cfg"), []byte(config), 0o644); err != nil {
		t.Fatal(err)
	}
	docker, err := net.Listen("unix", filepath.Join(dir, "host/run/docker.sock"))
	if err != nil {
		t.Fatal(err)
	}
	engine := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, "docker: "+r.URL.Path) })}
	go func() { _ = engine.Serve(docker) }()
	defer engine.Close()

	var log bytes.Buffer
	command := append([]string(nil), container.Command...)
	command[len(command)-1] = dir + command[len(command)-1]
	proxy := exec.Command(command[0], command[1:]...)
	proxy.Stdout, proxy.Stderr = &log, &log
	if err := proxy.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = proxy.Process.Kill()
		_ = proxy.Wait()
		if t.Failed() {
			t.Logf("haproxy: %s", &log)
		}
	}()

	socket := filepath.Join(dir, "proxy/docker.sock")
	client := &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", socket)
	}}}
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if _, err := client.Get("http://docker/_ping"); err == nil {
			break
		}
	}
	for _, test := range []struct {
		method, path string
		want         int
	}{
		{http.MethodGet, "/containers/json?all=1", http.StatusOK},
		{http.MethodGet, "/v1.41/events?since=1", http.StatusOK},
		{http.MethodGet, "/containers/0123456789ab/json", http.StatusOK},
		{http.MethodGet, "/containers/json?all=1&size=1", http.StatusForbidden},
		{http.MethodGet, "/containers/0123456789ab/logs?stdout=1", http.StatusForbidden},
		{http.MethodPost, "/containers/create", http.StatusForbidden},
	} {
		request, err := http.NewRequest(test.method, "http://docker"+test.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		response, err := client.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != test.want {
			t.Errorf("%s %s: %s", test.method, test.path, response.Status)
		}
	}
	info, err := os.Stat(socket)
	if err != nil || info.Mode().Perm() != 0o660 {
		t.Errorf("%v, %v", info, err)
	}
}
