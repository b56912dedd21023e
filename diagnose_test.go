package main

import (
	"bytes"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/enginetest"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/testkit"
)

// The exit code says whether something is wrong, the text what; the engine is asked for past events once and never for a
// stream without an end.
func TestDiagnose(t *testing.T) {
	fake := testkit.Engine(t)
	diagnose := func(args ...string) (code int, text, log string) {
		var stdout, stderr bytes.Buffer
		code = run(t.Context(), append([]string{"--diagnose", "--docker.host=" + fake.Host()}, args...), &stdout, &stderr)
		if strings.Contains(stdout.String(), "\x1b") {
			t.Error("colour where there is no terminal")
		}
		return code, stdout.String(), stderr.String()
	}
	if code, text, log := diagnose(); code != exitOK || !strings.Contains(text, "OK: This is no node of an RKE1 cluster") || log != "" {
		t.Errorf("empty node: exit code %d\n%s%s", code, text, log)
	}

	leakingNode(fake, 6)
	pruned := enginetest.ShareMnt("v2.3.3", "https://167.172.96.240", "n1", time.Now())
	fake.Put(pruned)
	fake.Destroy(pruned.ID)
	fake.EmitPrune()
	fake.ResetRequests()
	code, text, log := diagnose()
	if code != exitFound || log != "" {
		t.Errorf("leaking node: exit code %d, stderr %q", code, log)
	}
	for _, words := range []string{
		"\nWARNING: Left over from a leak: 6 cert-writers", "\n    docker restart ", "\n    kubectl -n cattle-system delete pod cattle-node-agent-jfdlt\n",
		"\nINFO: A restart of the node-agent also removes 1 other container\n", "registration", "https://167.172.96.240",
	} {
		if !strings.Contains(text, words) {
			t.Errorf("no %q in\n%s", words, text)
		}
	}
	events := 0
	for _, r := range fake.Requests() {
		if r.Endpoint == "/events" {
			events++
			if !strings.Contains(r.RawQuery, "until=") {
				t.Error("an event stream without an end")
			}
		}
	}
	if events != 1 {
		t.Errorf("%d requests for events, want 1", events)
	}

	fake.ResetRequests()
	if code, _, _ := diagnose("--no-collector.events"); code != exitFound || strings.Contains(asked(fake), "/events") {
		t.Errorf("without events: exit code %d, asked %s", code, asked(fake))
	}
	fake.Intercept(func(w http.ResponseWriter, r *http.Request) bool {
		return enginetest.Endpoint(r) == "/events" && enginetest.Status(http.StatusForbidden, "no", "text/plain")(w, r)
	})
	if code, text, log := diagnose(); code != exitFound || !strings.Contains(text, "Left over") || !strings.Contains(log, "HTTP status 403") {
		t.Errorf("no events allowed: exit code %d, stderr %q", code, log)
	}

	fake.Stop()
	if code, text, _ := diagnose(); code != exitBlind || !strings.Contains(text, "The reason: list containers: no such socket.") {
		t.Errorf("without Docker: exit code %d\n%s", code, text)
	}
}

func asked(fake *enginetest.Engine) string {
	var paths []string
	for _, r := range fake.Requests() {
		paths = append(paths, r.Endpoint)
	}
	return strings.Join(paths, " ")
}

// Colour is for a terminal alone, and a file or a pipe is none.
func TestIsTerminal(t *testing.T) {
	file, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	defer writer.Close()
	if isTerminal(file) || isTerminal(writer) || isTerminal(new(bytes.Buffer)) {
		t.Error("taken for a terminal")
	}
}

// The page says what --diagnose says, asks the engine as one scrape does, and shows the same links whatever the flags.
func TestStatusPage(t *testing.T) {
	fake := testkit.Engine(t)
	leakingNode(fake, 6)
	p := start(t, fake, "--web.enable-pprof", "--web.telemetry-path=/m", "--no-collector.events")
	url := p.url(t, "/")
	fake.ResetRequests()
	resp, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if requests := asked(fake); strings.Count(requests, "/containers/json") != 1 || strings.Contains(requests, "/events") {
		t.Errorf("asked %s", requests)
	}
	if policy := resp.Header.Get("Content-Security-Policy"); !strings.HasPrefix(policy, "default-src 'none'; style-src 'sha256-") {
		t.Errorf("Content-Security-Policy: %s", policy)
	}
	_, body := get(t, url)
	for _, words := range []string{
		`<a href="/m"`, ">Metrics</a>", `<a href="/-/healthy"`, ">Healthy</a>", `<a href="/-/ready"`, ">Ready</a>", `<a href="/debug/pprof/"`,
		"Left over from a leak: 6 cert-writers", "<code>docker restart ",
	} {
		if !strings.Contains(body, words) {
			t.Errorf("no %q in\n%s", words, body)
		}
	}
	resp, err = http.Post(url, "text/plain", strings.NewReader("x"))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("POST: %s", resp.Status)
	}
	fake.Stop()
	if status, body := get(t, url); status != http.StatusOK || !strings.Contains(body, "The reason: list containers: no such socket.") {
		t.Errorf("without Docker: %d\n%s", status, body)
	}
}

// The metrics are at their path alone, and pprof beside them, whatever that path is: / leaves no room for the page and is no
// prefix. All of it is for reading.
func TestPaths(t *testing.T) {
	for _, metrics := range []string{"/", "/metrics"} {
		for _, profiles := range []bool{true, false} {
			fake := testkit.Engine(t)
			args := []string{"--web.telemetry-path=" + metrics}
			if profiles {
				args = append(args, "--web.enable-pprof")
			}
			p := start(t, fake, args...)
			_, body := get(t, p.url(t, metrics))
			contains(t, body, "rancher_agent_docker_up 1")
			for _, path := range []string{"/nonsense", "/metrics/x", "/favicon.ico", "/debug/pprof/nonsense"} {
				if status, _ := get(t, p.url(t, path)); status != http.StatusNotFound {
					t.Errorf("%v: %s: %d, want 404", args, path, status)
				}
			}
			for _, path := range []string{"/debug/pprof/", "/debug/pprof/cmdline", "/debug/pprof/symbol"} {
				wantGet, wantPost := http.StatusNotFound, http.StatusNotFound
				if profiles {
					wantGet, wantPost = http.StatusOK, http.StatusMethodNotAllowed
				}
				if status, _ := get(t, p.url(t, path)); status != wantGet {
					t.Errorf("%v: %s: %d, want %d", args, path, status, wantGet)
				}
				resp, err := http.Post(p.url(t, path), "text/plain", strings.NewReader("x"))
				if err != nil {
					t.Fatal(err)
				}
				resp.Body.Close()
				if resp.StatusCode != wantPost {
					t.Errorf("%v: POST %s: %d, want %d", args, path, resp.StatusCode, wantPost)
				}
			}
		}
	}
}
