package main

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/crypto/bcrypt"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/enginetest"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/testkit"
)

func TestSeveralListeners(t *testing.T) {
	fake := testkit.Engine(t)
	p := start(t, fake, "--web.listen-address=[::1]:0")
	for _, address := range p.addresses(t, 2) {
		if status, _ := get(t, "http://"+address+"/-/healthy"); status != http.StatusOK {
			t.Errorf("%s: %d", address, status)
		}
	}
}

func TestAddressInUse(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	log := new(testkit.Buffer)
	code := run(t.Context(), []string{"--docker.host=" + testkit.Engine(t).Host(), "--web.listen-address=" + taken.Addr().String()}, io.Discard, log)
	if code != exitFailure || !strings.Contains(log.String(), "address already in use") {
		t.Errorf("exit code %d, want %d; log %s", code, exitFailure, log)
	}
}

func TestTLSAndBasicAuth(t *testing.T) {
	dir := t.TempDir()
	if err := enginetest.SelfSigned(dir, time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	hash, err := bcrypt.GenerateFromPassword([]byte("correct horse"), bcrypt.MinCost)
	if err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(dir, "web.yml")
	text := fmt.Sprintf("tls_server_config:\n  cert_file: cert.pem\n  key_file: key.pem\nbasic_auth_users:\n  scraper: %s\n", hash)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	p := start(t, testkit.Engine(t), "--web.config.file="+config)
	address := p.addresses(t, 1)[0]

	ca, err := os.ReadFile(filepath.Join(dir, "ca.pem"))
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(ca)
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}}}
	for password, want := range map[string]int{"correct horse": http.StatusOK, "wrong": http.StatusUnauthorized, "": http.StatusUnauthorized} {
		for _, path := range []string{"/metrics", "/", "/-/ready"} {
			request, err := http.NewRequest(http.MethodGet, "https://"+address+path, nil)
			if err != nil {
				t.Fatal(err)
			}
			if password != "" {
				request.SetBasicAuth("scraper", password)
			}
			resp, err := client.Do(request)
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			if resp.StatusCode != want {
				t.Errorf("%s with password %q: %d, want %d", path, password, resp.StatusCode, want)
			}
		}
	}
	if resp, err := http.Get("http://" + address + "/metrics"); err == nil {
		resp.Body.Close()
		if resp.StatusCode != http.StatusBadRequest {
			t.Errorf("without TLS: %d, want 400", resp.StatusCode)
		}
	}
}

// The program as a process: it serves the socket that systemd passes, and SIGTERM ends it with exit code 0.
func TestSystemdSocketAndSIGTERM(t *testing.T) {
	fake := testkit.Engine(t)
	leakingNode(fake, 2)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	socket, err := listener.(*net.TCPListener).File()
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	log := new(testkit.Buffer)
	// systemd tells the process its own ID, which a shell knows too
	process := exec.Command("/bin/sh", "-c", `LISTEN_PID=$$ LISTEN_FDS=1 exec "$@"`, "sh", self, "--web.systemd-socket", "--docker.host="+fake.Host())
	process.Env = append(os.Environ(), "TEST_RUN_MAIN=1")
	process.ExtraFiles = []*os.File{socket} // descriptor 3, systemd's first
	process.Stderr = log
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = process.Process.Kill() }()
	url := "http://" + listener.Addr().String()
	listener.Close() // the process has its own
	eventually(t, "the socket answers", func() bool {
		resp, err := http.Get(url + "/-/healthy")
		if err != nil {
			return false
		}
		resp.Body.Close()
		return resp.StatusCode == http.StatusOK
	})
	_, body := get(t, url+"/metrics")
	contains(t, body, `rancher_agent_cert_writer_containers{state="running"} 2`)
	if err := process.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := process.Wait(); err != nil {
		t.Errorf("ended with %v, want exit code 0; log:\n%s", err, log)
	}
}
