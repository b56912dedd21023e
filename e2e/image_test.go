package e2e

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/e2e/builder"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/e2e/realengine"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/testkit"
)

const (
	builderImage  = "example/golang:stand-in"
	exporterImage = "example/rancher_agent_exporter:test"
)

// The image that the Dockerfile makes, started as the README says: not as root, read-only, without capabilities.
func TestImage(t *testing.T) {
	t.Parallel() // it mostly waits
	testkit.NeedPrograms(t, "docker", "busybox")
	n := realengine.New(t)
	n.ImportLab()
	n.Run(seed.CertWriter())
	if err := builder.Import(t.Context(), n.Docker(), builderImage); err != nil {
		t.Fatal(err)
	}
	docker(t, n, "build", "--network", "host", "--build-arg", "BUILDER="+builderImage, "--build-arg", "VERSION=v1.2.3",
		"--build-arg", "REVISION=abc", "--build-arg", "LDFLAGS=-X github.com/prometheus/common/version.Version=v1.2.3",
		"-t", exporterImage, "..")
	if got := docker(t, n, "image", "inspect", "-f", `{{.Config.User}} {{json .Config.Entrypoint}} {{index .Config.Labels "org.opencontainers.image.version"}}`, exporterImage); got != `65532:65532 ["/rancher_agent_exporter"] v1.2.3` {
		t.Errorf("user, entrypoint and version label are %q", got)
	}
	if got := docker(t, n, "run", "--rm", "--network", "none", exporterImage, "--version"); !strings.Contains(got, "version v1.2.3") {
		t.Errorf("--version says %q", got)
	}

	var socket syscall.Stat_t
	if err := syscall.Stat(n.Socket(), &socket); err != nil {
		t.Fatal(err)
	}
	address := testkit.FreeAddress(t)
	run := func(more ...string) string {
		args := append([]string{"run", "-d", "--read-only", "--cap-drop", "ALL", "--security-opt", "no-new-privileges",
			"--network", "host", "-v", filepath.Dir(n.Socket()) + ":/host/run:ro"}, more...)
		return docker(t, n, append(args, exporterImage, "--docker.host=unix:///host/run/docker.sock", "--web.listen-address="+address)...)
	}
	id := run("--group-add", fmt.Sprint(socket.Gid))
	expectPage(t, "http://"+address+"/metrics", "rancher_agent_docker_up 1\n", running+" 1\n")
	expectPage(t, "http://"+address+"/-/ready", "ready\n")
	docker(t, n, "rm", "-f", id)

	// Without the socket's group it says what is wrong. (The engine's socket belongs to root's group where there is none.)
	run("--group-add", "12345")
	expectPage(t, "http://"+address+"/-/ready", "permission denied\n")
}

// docker runs Debian's client, which has BuildKit built in, on the engine of the test.
func docker(t *testing.T, n *realengine.Node, args ...string) string {
	t.Helper()
	program := "/usr/bin/docker"
	if _, err := os.Stat(program); err != nil {
		program = "docker"
	}
	command := exec.Command(program, args...)
	command.Env = append(os.Environ(), "DOCKER_HOST="+n.Host(), "DOCKER_BUILDKIT=1")
	output, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("docker %s: %v\n%s", strings.Join(args, " "), err, output)
	}
	return strings.TrimSpace(string(output))
}

// expectPage waits until a page has all the texts.
func expectPage(t *testing.T, url string, texts ...string) {
	t.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(100 * time.Millisecond) {
		page, missing := "", texts[0]
		if resp, err := http.Get(url); err == nil {
			body, _ := io.ReadAll(resp.Body)
			resp.Body.Close()
			page, missing = string(body), ""
			for _, text := range texts {
				if !strings.Contains(page, text) {
					missing = text
				}
			}
		}
		if missing == "" {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s has no %q:\n%s", url, missing, page)
		}
	}
}
