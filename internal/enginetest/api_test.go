package enginetest

import (
	"encoding/json"
	"io"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/client"
)

func startEngine(t *testing.T) *Engine {
	t.Helper()
	e, err := Start(filepath.Join(t.TempDir(), "docker.sock"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	return e
}

func dial(t *testing.T, e *Engine) *client.Client {
	t.Helper()
	c, err := client.NewClientWithOpts(client.WithHost(e.Host()), client.WithAPIVersionNegotiation())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// get asks without the Docker client: for the raw reply, and for what that client would not ask.
func get(t *testing.T, e *Engine, method, path string) (*http.Response, string) {
	t.Helper()
	c := dial(t, e).HTTPClient()
	req, err := http.NewRequestWithContext(t.Context(), method, "http://docker"+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := c.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(body)
}

func TestListAndInspect(t *testing.T) {
	e := startEngine(t)
	now := time.Now()
	writer := CertWriter(0, "https://rancher.example", now.Add(-5*time.Minute))
	shareMnt := ShareMnt("v2.3.3", "https://rancher.example", "n1", now.Add(-time.Hour))
	e.Put(shareMnt, writer)
	c := dial(t, e)

	running, err := c.ContainerList(t.Context(), container.ListOptions{})
	if err != nil || len(running) != 1 || running[0].ID != writer.ID {
		t.Fatalf("running containers: %v, %v", running, err)
	}
	all, err := c.ContainerList(t.Context(), container.ListOptions{All: true})
	if err != nil || len(all) != 2 {
		t.Fatalf("all containers: %v, %v", all, err)
	}
	got := all[0] // the newest
	if got.ID != writer.ID || got.Created != writer.Created.Unix() || got.State != "running" || got.Status != "Up 5 minutes" ||
		got.Names[0] != writer.Names[0] || got.Image != "rancher/rancher-agent:v2.3.3" || got.Labels["io.cattle.agent"] != "true" {
		t.Errorf("listed: %+v", got)
	}
	if want := "run.sh --server https://rancher.example --token " + Token; !strings.HasPrefix(got.Command, want) {
		t.Errorf("command %q, want %q…", got.Command, want)
	}

	for _, ref := range []string{shareMnt.ID, shareMnt.ID[:12], "share-mnt", "/share-mnt"} {
		got, err := c.ContainerInspect(t.Context(), ref)
		if err != nil {
			t.Fatalf("inspect %s: %v", ref, err)
		}
		if got.ID != shareMnt.ID || got.Name != "/share-mnt" || got.Path != "run.sh" || !slices.Equal(got.Args, shareMnt.Args) ||
			got.State.Status != "exited" || got.State.Running || got.Created != inspectedTime(shareMnt.Created) ||
			got.State.StartedAt != inspectedTime(shareMnt.StartedAt) || got.Config.Image != shareMnt.Image ||
			!slices.Equal(got.Config.Cmd, shareMnt.Args) || got.Config.Labels["io.rancher.rke.container.name"] != "share-mnt" {
			t.Errorf("inspected %s: %+v", ref, got)
		}
	}
	e.Remove(shareMnt.ID)
	if _, err := c.ContainerInspect(t.Context(), shareMnt.ID); err == nil || !strings.Contains(err.Error(), "No such container") {
		t.Errorf("inspect of a removed container: %v", err)
	}
}

func TestInspectRestarting(t *testing.T) {
	e := startEngine(t)
	e.Put(Container{ID: "c1", State: "restarting", ExitCode: 1})
	got, err := dial(t, e).ContainerInspect(t.Context(), "c1")
	if err != nil {
		t.Fatal(err)
	}
	if s := got.State; !s.Running || !s.Restarting || s.StartedAt != "0001-01-01T00:00:00Z" {
		t.Errorf("state %+v: Running is true while a container restarts", s)
	}
}

func TestEmptyListIsNoNull(t *testing.T) {
	if _, body := get(t, startEngine(t), http.MethodGet, "/containers/json?all=1"); body != "[]\n" {
		t.Errorf("got %q", body)
	}
}

func TestListedQuotingAndEscapes(t *testing.T) {
	e := startEngine(t)
	e.Put(Container{ID: "c1", Path: "run.sh", Args: []string{"--", "it's <a> word & more", "", "x"}})
	_, body := get(t, e, http.MethodGet, "/containers/json?all=1")
	if want := `"Command":"run.sh -- 'it's <a> word & more'  x"`; !strings.Contains(body, want) {
		t.Errorf("no %s in %s", want, body)
	}
}

func TestAPIVersions(t *testing.T) {
	for _, tc := range []struct {
		minimum, maximum, path string
		code                   int
		message, header        string
	}{
		{"1.12", "1.41", "/v1.41/containers/json", 200, "", "1.41"},
		{"1.12", "1.40", "/v1.41/containers/json", 400, "client version 1.41 is too new. Maximum supported API version is 1.40", "1.40"},
		{"1.44", "1.52", "/v1.24/containers/json", 400, "client version 1.24 is too old. Minimum supported API version is 1.44, please upgrade your client to a newer version", "1.52"},
		{"1.44", "1.52", "/containers/json", 200, "", "1.52"},
		{"", "1.23", "/v1.24/containers/json", 400, "client version 1.24 is too new. Maximum supported API version is 1.23", ""},
		{"", "1.23", "/v1.9/containers/json", 200, "", ""},
		{"", "", "/v1.99/containers/json", 200, "", ""},
		{"1.12", "1.41", "/v1.41/images/json", 404, "page not found", "1.41"},
	} {
		e := startEngine(t)
		e.SetAPI(tc.minimum, tc.maximum)
		resp, body := get(t, e, http.MethodGet, tc.path)
		var reply struct{ Message string }
		_ = json.Unmarshal([]byte(body), &reply) // a list has no message
		if resp.StatusCode != tc.code || reply.Message != tc.message || resp.Header.Get("Api-Version") != tc.header {
			t.Errorf("%v: got %d %q, header %q", tc, resp.StatusCode, reply.Message, resp.Header.Get("Api-Version"))
		}
	}
}

func TestNegotiation(t *testing.T) {
	for maximum, want := range map[string]string{"1.24": "1.24", "1.39": "1.39", "1.41": "1.41", "1.52": "1.51"} {
		e := startEngine(t)
		e.SetAPI("1.12", maximum)
		c := dial(t, e)
		if _, err := c.ContainerList(t.Context(), container.ListOptions{}); err != nil || c.ClientVersion() != want {
			t.Errorf("engine with %s: client settled on %s, %v", maximum, c.ClientVersion(), err)
		}
	}
}

func TestRequestsAreRecorded(t *testing.T) {
	e := startEngine(t)
	e.Put(Container{ID: "c1"})
	get(t, e, http.MethodHead, "/_ping")
	get(t, e, http.MethodGet, "/v1.41/containers/json?all=1")
	if resp, _ := get(t, e, http.MethodDelete, "/v1.41/containers/c1"); resp.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("DELETE answered %s", resp.Status)
	}
	want := []Request{
		{"HEAD", "/_ping", "/_ping", ""},
		{"GET", "/v1.41/containers/json", "/containers/json", "all=1"},
		{"DELETE", "/v1.41/containers/c1", "/containers/c1", ""},
	}
	if got := e.Requests(); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if e.ResetRequests(); len(e.Requests()) != 0 || len(e.Containers()) != 1 {
		t.Errorf("after reset: %v, %v", e.Requests(), e.Containers())
	}
}
