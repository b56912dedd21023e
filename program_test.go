package main

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/enginetest"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/testkit"
)

// TestMain lets tests start the program as a process of its own: the test binary with this variable set.
func TestMain(m *testing.M) {
	if os.Getenv("TEST_RUN_MAIN") != "" {
		main()
	}
	os.Exit(m.Run())
}

// program is a run() under way.
type program struct {
	log  *testkit.Buffer
	stop context.CancelFunc
	done chan struct{}
	code int // once done
}

// start runs the program against a fake engine, on a free port unless args say otherwise, until the test ends.
func start(t *testing.T, fake *enginetest.Engine, args ...string) *program {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	p := &program{log: new(testkit.Buffer), stop: cancel, done: make(chan struct{})}
	args = append([]string{"--docker.host=" + fake.Host(), "--web.listen-address=127.0.0.1:0"}, args...)
	if !slices.ContainsFunc(args, func(arg string) bool { return strings.HasPrefix(arg, "--docker.timeout=") }) {
		args = append(args, "--docker.timeout=5m") // a busy machine takes its time
	}
	go func() {
		defer close(p.done)
		p.code = run(ctx, args, io.Discard, p.log)
	}()
	t.Cleanup(func() {
		if code := p.end(t); code != exitOK {
			t.Errorf("exit code %d, want 0; log:\n%s", code, p.log)
		}
	})
	return p
}

// end stops the program and returns its exit code.
func (p *program) end(t *testing.T) int {
	t.Helper()
	p.stop()
	<-p.done
	return p.code
}

var listening = regexp.MustCompile(`msg="Listening on" address=(\S+)`)

// addresses waits until the program listens on n addresses.
func (p *program) addresses(t *testing.T, n int) []string {
	t.Helper()
	var addresses []string
	eventually(t, "the program listens", func() bool {
		addresses = nil
		for _, match := range listening.FindAllStringSubmatch(p.log.String(), -1) {
			addresses = append(addresses, match[1])
		}
		return len(addresses) == n
	})
	return addresses
}

// url is where the program serves a path.
func (p *program) url(t *testing.T, path string) string {
	t.Helper()
	return "http://" + p.addresses(t, 1)[0] + path
}

// get returns status and body.
func get(t *testing.T, url string) (int, string) {
	t.Helper()
	resp, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(body)
}

// leakingNode puts onto an engine what an RKE1 node of Rancher 2.3.3 shows with n leaked cert-writers.
func leakingNode(fake *enginetest.Engine, n int) {
	created := time.Now().Add(-10 * 24 * time.Hour)
	for i := range n {
		fake.Put(enginetest.CertWriter(i, "https://167.172.96.240", created.Add(time.Duration(i)*2*time.Hour)))
	}
	fake.Put(
		enginetest.ShareMnt("v2.3.3", "https://167.172.96.240", "n1", created.Add(time.Duration(n)*2*time.Hour)),
		enginetest.NodeAgent("cattle-node-agent-jfdlt", 0, created.Add(-time.Minute)),
		enginetest.Sandbox("cattle-node-agent-jfdlt", created),
		enginetest.Registration("https://167.172.96.240", created),
		enginetest.Pod(1, created),
	)
}

func eventually(t *testing.T, what string, condition func() bool) {
	t.Helper()
	deadline := time.Now().Add(5 * time.Minute) // a busy machine takes its time
	for !condition() {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain: %s", what)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// contains checks that text has every one of the lines.
func contains(t *testing.T, text string, lines ...string) {
	t.Helper()
	for _, line := range lines {
		if !strings.Contains("\n"+text, "\n"+line+"\n") {
			t.Errorf("no line %q in\n%s", line, text)
		}
	}
}

// countGoroutines counts the goroutines that are in a function.
func countGoroutines(function string) int {
	stacks := make([]byte, 8<<20)
	return bytes.Count(stacks[:runtime.Stack(stacks, true)], []byte(function+"("))
}
