package enginetest

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/docker/docker/api/types/container"
)

func TestHang(t *testing.T) {
	e := startEngine(t)
	e.Put(Container{ID: "c1"}, Container{ID: "c2"})
	c := dial(t, e)
	e.Intercept(Hang("/containers/json", "/containers/c1/json"))
	if _, err := c.ContainerInspect(t.Context(), "c2"); err != nil {
		t.Errorf("inspect of another container: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := c.ContainerList(ctx, container.ListOptions{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("hanging list: %v", err)
	}
	e.Intercept(Hang())
	ctx, cancel = context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := c.Ping(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("hanging ping: %v", err)
	}
	e.Intercept(nil)
	if _, err := c.ContainerInspect(t.Context(), "c1"); err != nil {
		t.Errorf("inspect without interceptor: %v", err)
	}
}

func TestHangEndsWithEngine(t *testing.T) {
	e := startEngine(t)
	entered := make(chan struct{})
	hang := Hang()
	e.Intercept(func(w http.ResponseWriter, r *http.Request) bool {
		close(entered)
		return hang(w, r)
	})
	done := make(chan error)
	go func() {
		_, err := dial(t, e).HTTPClient().Get("http://docker/containers/json")
		done <- err
	}()
	<-entered
	e.Close()
	if err := <-done; err == nil {
		t.Error("answered")
	}
}

func TestStatusInterceptor(t *testing.T) {
	e := startEngine(t)
	e.Intercept(Status(http.StatusForbidden, "<html>no</html>", "text/html", "/containers/json"))
	for path, want := range map[string]int{"/_ping": 403, "/v1.41/containers/c1/json": 403, "/v1.41/containers/json": 200} {
		if resp, body := get(t, e, http.MethodGet, path); resp.StatusCode != want || want == 403 && body != "<html>no</html>" {
			t.Errorf("%s: got %s %s", path, resp.Status, body)
		}
	}
	if got := len(e.Requests()); got != 3 {
		t.Errorf("%d requests recorded", got)
	}
}

func TestBody(t *testing.T) {
	e := startEngine(t)
	e.Put(Container{ID: "c1"})
	e.Intercept(Body("/containers/*/json", []byte("null")))
	if resp, body := get(t, e, http.MethodGet, "/v1.41/containers/c1/json"); resp.StatusCode != http.StatusOK || body != "null" {
		t.Errorf("got %s %s", resp.Status, body)
	}
	if _, body := get(t, e, http.MethodGet, "/v1.41/containers/json?all=1"); !strings.Contains(body, "c1") {
		t.Errorf("the list is an inspect: %s", body)
	}
}

func TestTruncate(t *testing.T) {
	e := startEngine(t)
	e.Put(CertWriter(0, "https://rancher.example", time.Now()))
	e.Intercept(e.Truncate("/containers/json"))
	_, err := dial(t, e).ContainerList(t.Context(), container.ListOptions{All: true})
	if err == nil || !strings.Contains(err.Error(), "unexpected EOF") {
		t.Errorf("got %v", err)
	}
}
