package main

import (
	"bytes"
	"encoding/json"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/enginetest"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/testkit"
)

func TestPages(t *testing.T) {
	fake := testkit.Engine(t)
	leakingNode(fake, 6)
	p := start(t, fake)

	status, body := get(t, p.url(t, "/metrics"))
	if status != http.StatusOK {
		t.Fatalf("/metrics: %d", status)
	}
	contains(t, body, "rancher_agent_docker_up 1", `rancher_agent_cert_writer_containers{state="running"} 6`,
		`rancher_agent_cert_writer_server_containers{server="https://167.172.96.240"} 6`, "rancher_agent_share_mnt_present 1",
		`rancher_agent_other_containers{role="registration"} 1`, "rancher_agent_unmanaged_containers 7")
	for _, name := range []string{"go_goroutines", "process_resident_memory_bytes", "promhttp_metric_handler_requests_total", "rancher_agent_exporter_build_info"} {
		if !strings.Contains(body, "\n"+name) {
			t.Errorf("no %s", name)
		}
	}
	if status, body := get(t, p.url(t, "/")); status != http.StatusOK || !strings.Contains(body, `href="/metrics"`) || strings.Contains(body, "/debug/pprof") {
		t.Errorf("/: %d %s", status, body)
	}
	if status, body := get(t, p.url(t, "/-/healthy")); status != http.StatusOK || body != "healthy\n" {
		t.Errorf("/-/healthy: %d %q", status, body)
	}
	if status, body := get(t, p.url(t, "/-/ready")); status != http.StatusOK || body != "ready\n" {
		t.Errorf("/-/ready: %d %q", status, body)
	}
	for _, path := range []string{"/nonsense", "/debug/pprof/"} {
		if status, _ := get(t, p.url(t, path)); status != http.StatusNotFound {
			t.Errorf("%s: %d, want 404", path, status)
		}
	}
	fake.ResetRequests()
	for _, path := range []string{"/", "/metrics", "/-/healthy", "/-/ready"} {
		resp, err := http.Post(p.url(t, path), "text/plain", strings.NewReader("x"))
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusMethodNotAllowed {
			t.Errorf("POST %s: %d, want 405", path, resp.StatusCode)
		}
	}
	if asked := countRequests(fake, "/containers/json"); asked != 0 {
		t.Errorf("what is refused made %d lists", asked)
	}
}

// A probe says in words why the engine cannot be asked, and that the process runs all the same.
func TestReadyWhileDockerIsDown(t *testing.T) {
	fake := testkit.Engine(t)
	fake.Stop() // FC-66: an engine that is down at start is no reason to exit
	p := start(t, fake)
	status, body := get(t, p.url(t, "/-/ready"))
	if status != http.StatusServiceUnavailable || body != "Docker Engine unavailable: list containers: no such socket\n" {
		t.Errorf("/-/ready: %d %q", status, body)
	}
	if status, _ := get(t, p.url(t, "/-/healthy")); status != http.StatusOK {
		t.Errorf("/-/healthy: %d", status)
	}
	status, body = get(t, p.url(t, "/metrics"))
	if status != http.StatusOK {
		t.Errorf("/metrics: %d", status)
	}
	contains(t, body, "rancher_agent_docker_up 0")

	if err := fake.Restart(); err != nil {
		t.Fatal(err)
	}
	fake.Intercept(enginetest.Status(http.StatusForbidden, "secret of a proxy", "text/plain"))
	if status, body := get(t, p.url(t, "/-/ready")); status != http.StatusServiceUnavailable || body != "Docker Engine unavailable: list containers: HTTP status 403\n" {
		t.Errorf("/-/ready: %d %q", status, body)
	}
	fake.Intercept(nil)
	if status, body := get(t, p.url(t, "/-/ready")); status != http.StatusOK {
		t.Errorf("/-/ready: %d %q", status, body)
	}
	eventually(t, "events are followed again", func() bool {
		_, body := get(t, p.url(t, "/metrics"))
		return strings.Contains(body, "\nrancher_agent_docker_events_up 1\n")
	})
}

func TestFlagsChangeThePages(t *testing.T) {
	fake := testkit.Engine(t)
	leakingNode(fake, 3)
	p := start(t, fake, "--web.telemetry-path=/m", "--web.disable-exporter-metrics", "--web.enable-pprof", "--no-collector.events",
		"--collector.cert-writer.series-limit=0", "--log.format=json", "--log.level=debug")
	var address string
	eventually(t, "the program listens", func() bool {
		for line := range strings.Lines(p.log.String()) {
			var entry struct{ Msg, Address string }
			if err := json.Unmarshal([]byte(line), &entry); err != nil {
				t.Fatalf("not JSON: %q", line)
			}
			if entry.Msg == "Listening on" {
				address = entry.Address
			}
		}
		return address != ""
	})
	_, body := get(t, "http://"+address+"/m")
	for line := range strings.Lines(body) {
		name := strings.TrimPrefix(strings.TrimPrefix(line, "# HELP "), "# TYPE ")
		if !strings.HasPrefix(name, "rancher_agent_") || strings.Contains(name, "event") || strings.Contains(name, "prune") ||
			strings.Contains(name, "cert_writer_created") {
			t.Errorf("unexpected line %q", line)
		}
	}
	if status, _ := get(t, "http://"+address+"/debug/pprof/cmdline"); status != http.StatusOK {
		t.Errorf("/debug/pprof/cmdline: %d", status)
	}
	for _, request := range fake.Requests() {
		if request.Endpoint == "/events" {
			t.Error("events are followed")
		}
	}
}

func TestOnce(t *testing.T) {
	fake := testkit.Engine(t)
	leakingNode(fake, 6)
	var stdout, stderr bytes.Buffer
	args := []string{"--once", "--docker.host=" + fake.Host()}
	if code := run(t.Context(), args, &stdout, &stderr); code != exitOK || stderr.Len() > 0 {
		t.Errorf("exit code %d, stderr %q", code, stderr.String())
	}
	contains(t, stdout.String(), "rancher_agent_docker_up 1", `rancher_agent_cert_writer_containers{state="running"} 6`)
	for _, family := range []string{"go_", "process_", "promhttp_", "rancher_agent_container_events", "rancher_agent_docker_events", "prune"} {
		if strings.Contains(stdout.String(), "# TYPE "+family) {
			t.Errorf("%s… is there", family)
		}
	}

	fake.Stop()
	stdout.Reset()
	if code := run(t.Context(), args, &stdout, &stderr); code != exitFailure || !strings.Contains(stderr.String(), "no such socket") {
		t.Errorf("without Docker: exit code %d, stderr %q", code, stderr.String())
	}
	contains(t, stdout.String(), "rancher_agent_docker_up 0")
}

// SIGTERM ends ctx: no new connections, what runs is finished, exit 0; a scrape that waits for Docker does not hold it up.
func TestGracefulStop(t *testing.T) {
	fake := testkit.Engine(t)
	leakingNode(fake, 6)
	hold := make(chan struct{})
	arrived := make(chan struct{}, 1)
	fake.Intercept(func(w http.ResponseWriter, r *http.Request) bool {
		if enginetest.Endpoint(r) == "/containers/json" {
			arrived <- struct{}{}
			<-hold
		}
		return false
	})
	p := start(t, fake)
	url := p.url(t, "/metrics")
	body := make(chan string, 1)
	go func() {
		defer close(body) // a scrape that fails has none
		_, text := get(t, url)
		body <- text
	}()
	<-arrived
	p.stop()
	eventually(t, "the port is closed", func() bool {
		// Another scrape might come in before the port is closed, and would wait as the first one does.
		conn, err := net.Dial("tcp", strings.TrimSuffix(strings.TrimPrefix(url, "http://"), "/metrics"))
		if err == nil {
			_ = conn.Close()
		}
		return err != nil
	})
	close(hold)
	contains(t, <-body, "rancher_agent_docker_up 1")
	if code := p.end(t); code != exitOK {
		t.Errorf("exit code %d, want 0", code)
	}
}

func TestStopDoesNotWaitForAHangingEngine(t *testing.T) {
	fake := testkit.Engine(t)
	fake.Intercept(enginetest.Hang("/containers/json"))
	p := start(t, fake, "--docker.timeout=1m")
	url := p.url(t, "/metrics")
	go func() { _, _ = http.Get(url) }()
	eventually(t, "the list hangs", func() bool {
		for _, request := range fake.Requests() {
			if request.Endpoint == "/containers/json" {
				return true
			}
		}
		return false
	})
	stopped := time.Now()
	if code := p.end(t); code != exitOK {
		t.Errorf("exit code %d, want 0", code)
	}
	t.Logf("stopped after %v", time.Since(stopped).Round(time.Millisecond))
}
