package engine

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/enginetest"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/testkit"
)

func TestSocketReasons(t *testing.T) {
	t.Parallel()
	dir := filepath.Dir(testkit.SocketPath(t))
	deserted, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(dir, "deserted"), Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	deserted.SetUnlinkOnClose(false)
	_ = deserted.Close()
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("loop", filepath.Join(dir, "loop")); err != nil {
		t.Fatal(err)
	}
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = tcp.Close()
	unix := "unix://" + dir + "/"
	for host, want := range map[string]string{
		unix + "missing":                   "no such socket",
		unix + "no/such/directory":         "no such socket",
		unix + "deserted":                  "connection refused", // FC-66
		unix + "file":                      "connection refused",
		unix:                               "connection refused",
		unix + "file/below":                "cannot connect: connect: not a directory",
		unix + "loop":                      "cannot connect: connect: too many levels of symbolic links",
		"tcp://" + tcp.Addr().String():     "connection refused",
		"tcp://no-such-host.invalid:2375":  "cannot resolve the host name",
		"unix:///proc/self/no-such-socket": "no such socket",
	} {
		e := newEngine(t, host, nil)
		_, err := list(t, e)
		wantReason(t, err, want)
		_, err = e.Inspect(t.Context(), "abc")
		wantReason(t, err, want)
	}
}

const permissionSocket = "ENGINE_TEST_PERMISSION_SOCKET"

// The exporter runs as a user who is not in the group of the socket. Root may write to any, so as root another user tries,
// in a process of its own.
func TestPermissionDenied(t *testing.T) {
	if socket := os.Getenv(permissionSocket); socket != "" {
		_, err := list(t, newEngine(t, "unix://"+socket, nil))
		wantReason(t, err, "permission denied")
		return
	}
	fake := startFake(t)
	socket := strings.TrimPrefix(fake.Host(), "unix://")
	for path, mode := range map[string]os.FileMode{socket: 0o600, filepath.Dir(socket): 0o711} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	if os.Getuid() != 0 {
		if err := os.Chmod(socket, 0); err != nil {
			t.Fatal(err)
		}
		t.Setenv(permissionSocket, socket)
		TestPermissionDenied(t)
		return
	}
	child := exec.Command("/proc/self/exe", "-test.run=^TestPermissionDenied$", "-test.v")
	child.Env = append(os.Environ(), permissionSocket+"="+socket)
	child.Dir = "/"
	child.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	out, err := child.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		testkit.Need(t, fmt.Errorf("cannot run as another user: %w", err))
	}
	if err != nil || !strings.Contains(string(out), "--- PASS: TestPermissionDenied") {
		t.Errorf("as another user: %v\n%s", err, out)
	}
}

// An engine that is down at the start, and each time it comes back on a new socket, is found at the next list
// (FC-66, moby/moby#42920).
func TestEngineComesAndGoes(t *testing.T) {
	t.Parallel()
	for _, fake := range []*enginetest.Engine{startFake(t), startFakeTCP(t)} {
		putCertWriters(fake, 4)
		down := "connection refused"
		if strings.HasPrefix(fake.Host(), "unix") {
			down = "no such socket"
		}
		fake.Stop()
		e := newEngine(t, fake.Host(), nil)
		for round := range 5 {
			if round%2 == 0 { // at the odd rounds nobody notices that it was gone
				_, err := list(t, e)
				wantReason(t, err, down)
			}
			if err := fake.Restart(); err != nil {
				t.Fatal(err)
			}
			if got := mustList(t, e); len(got) != 4 {
				t.Error(fmt.Sprint("round ", round, ": ", len(got), " containers"))
			}
			fake.Stop()
		}
	}
}

// A container's whole story arrives, in a list and in an inspect.
func TestContainers(t *testing.T) {
	t.Parallel()
	for _, fake := range []*enginetest.Engine{startFake(t), startFakeTCP(t)} { // FC-75
		e := newEngine(t, fake.Host(), nil)
		if got := mustList(t, e); got == nil || len(got) != 0 {
			t.Errorf("without containers: %v", got) // FC-84
		}
		putCertWriters(fake, 1)
		want := fake.Containers()[0]
		listed := mustList(t, e)[0]
		inspected, err := e.Inspect(t.Context(), want.ID)
		if err != nil {
			t.Fatal(err)
		}
		if listed.Status == "" || !listed.Started.IsZero() {
			t.Errorf("listed %+v", listed)
		}
		if inspected.Status != "" || !inspected.Started.Equal(want.StartedAt) {
			t.Errorf("inspected %+v", inspected)
		}
		listed.Status, inspected.Started = "", listed.Started
		// The command is hidden, so it compares as equal: internal/rancher reads it.
		if a, b := fmt.Sprintf("%+v", listed), fmt.Sprintf("%+v", inspected); a != b || !strings.Contains(a, "[redacted]") {
			t.Errorf("listed    %s\ninspected %s", a, b)
		}
		if listed.ID != want.ID || listed.Image != want.Image || listed.Created != want.Created.Unix() ||
			listed.State != "running" || listed.Labels["io.cattle.agent"] != "true" {
			t.Errorf("listed %+v", listed)
		}
	}
}

// A container that never started has no start, whatever the engine writes for it (FC-81).
func TestNeverStarted(t *testing.T) {
	t.Parallel()
	fake := startFake(t)
	e := newEngine(t, fake.Host(), nil)
	for _, startedAt := range []string{"0001-01-01T00:00:00Z", "", "yesterday", "0001-01-01T00:00:00.000000001+14:00"} {
		fake.Intercept(enginetest.Body(inspectPath, fmt.Appendf(nil,
			`{"Id":"abc","Created":"2018-08-31T15:02:55.123456789Z","State":{"Status":"created","StartedAt":%q},"Config":{}}`, startedAt)))
		c, err := e.Inspect(t.Context(), "abc")
		if err != nil || !c.Started.IsZero() || c.Created != 1535727775 {
			t.Errorf("%q: started %v, created %d, %v", startedAt, c.Started, c.Created, err)
		}
	}
}

// Half of the containers vanish between list and inspect (FC-49, FC-50).
func TestVanish(t *testing.T) {
	t.Parallel()
	fake := startFake(t)
	putCertWriters(fake, 100)
	e := newEngine(t, fake.Host(), nil)
	containers := mustList(t, e)
	for i, c := range containers {
		if i%2 == 0 {
			fake.Remove(c.ID)
		}
	}
	for i, c := range containers {
		if _, err := e.Inspect(t.Context(), c.ID); i%2 == 0 && !errors.Is(err, ErrNotFound) || i%2 == 1 && err != nil {
			t.Errorf("container %d: %v", i, err)
		}
	}
	fake.ResetRequests()
	if got := mustList(t, e); len(got) != 50 || !slices.Equal(asked(fake), []string{"GET /v1.41/containers/json?all=1"}) {
		t.Errorf("%d containers, asked %q", len(got), asked(fake))
	}
}
