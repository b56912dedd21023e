package engine

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/docker/docker/client"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/enginetest"
)

// dockerClient is the Docker client as List uses it.
func dockerClient(t *testing.T, fake *enginetest.Engine) *client.Client {
	t.Helper()
	c, err := newEngine(t, fake.Host(), nil).connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	fake.ResetRequests()
	return c
}

// Of everything the Docker client can do, called one after another with arguments of all kinds, nothing but reading
// containers and events reaches an engine: not even what it sends past its transport (attach, exec, build sessions).
func TestDockerClientCanOnlyRead(t *testing.T) {
	t.Parallel()
	for _, fake := range []*enginetest.Engine{startFake(t), startFakeTCP(t)} {
		c := dockerClient(t, fake)
		value, called := reflect.ValueOf(c), 0
		for i := range value.NumMethod() {
			ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
			func() {
				defer cancel()
				defer func() { _ = recover() }() // of the client, for an argument it did not expect
				called++
				value.Method(i).Call(arguments(ctx, value.Method(i).Type()))
			}()
		}
		if called < 100 {
			t.Errorf("only %d methods", called)
		}
		for _, r := range fake.Requests() {
			allowed := r.Endpoint == pingPath || r.Endpoint == listPath || r.Endpoint == eventsPath || r.Endpoint == "/containers/abc/json"
			if !allowed || r.Method != http.MethodGet && r.Method != http.MethodHead {
				t.Errorf("an engine was asked %s %s", r.Method, r.Path)
			}
		}
		if !strings.Contains(strings.Join(asked(fake), "\n"), "/containers/abc/json") {
			t.Errorf("not even an inspect arrived: %q", asked(fake))
		}
	}
}

// arguments are such that most methods of the Docker client send their request.
func arguments(ctx context.Context, method reflect.Type) []reflect.Value {
	var in []reflect.Value
	for i := range method.NumIn() {
		switch kind := method.In(i); {
		case method.IsVariadic() && i == method.NumIn()-1:
		case kind == reflect.TypeFor[context.Context]():
			in = append(in, reflect.ValueOf(ctx))
		case kind == reflect.TypeFor[io.Reader]():
			in = append(in, reflect.ValueOf(bytes.NewReader([]byte("x"))))
		case kind.Kind() == reflect.String:
			in = append(in, reflect.ValueOf("abc").Convert(kind))
		case kind == reflect.TypeFor[[]string]():
			in = append(in, reflect.ValueOf([]string{"abc"}))
		default:
			in = append(in, reflect.Zero(kind))
		}
	}
	return in
}

// Tricks with method, path and query, sent by the HTTP client below the Docker client.
func TestPathTricks(t *testing.T) {
	t.Parallel()
	fake := startFake(t)
	c := dockerClient(t, fake).HTTPClient()
	target := func(path string) *url.URL {
		u, err := url.Parse("http://docker" + path)
		if err != nil {
			t.Fatal(err)
		}
		return u
	}
	try := func(method string, u *url.URL) error {
		req := (&http.Request{Method: method, URL: u, Header: make(http.Header)}).WithContext(t.Context())
		resp, err := c.Do(req)
		if err == nil {
			_ = resp.Body.Close()
		}
		return err
	}
	for _, path := range []string{
		"/", "", "/info", "/version", "/images/json", "/v1.41/images/json", "/system/df", "/containers/abc/top", "/containers/abc/logs",
		"/containers/abc/export", "/containers/abc/stats", "/containers/abc/archive", "/containers/abc/attach/ws", "/containers/prune",
		"/containers//json", "/containers/json/", "/containers/./json", "/containers/../json", "/containers/../images/json",
		"/containers/abc/../../images/json", "/containers/abc/json/../../prune", "/containers/%2e%2e/json", "/containers/a%2Fb/json",
		"/containers/a%2Fstart%3F/json", "/containers/abc%3Fx=1/json", "/containers/abc%00/json", "/containers/abc\n/json",
		"/containers/json%0d%0aX:%20y", "/%2e%2e/containers/json", "//containers/json", "/v1.41//containers/json", "/v1/containers/json",
		"/v1.41/v1.41/containers/json", "/v1.41/../containers/json", "/va.b/containers/json", "/_ping/", "/_ping/../info", "/events/x",
		"/x/events", "/EVENTS", "/%65vents", "/containers/%61bc/json", "/containers/-abc/json", "/containers/ä/json", "/containers/a b/json",
	} {
		if strings.ContainsAny(path, "\n ä") {
			if err := try(http.MethodGet, &url.URL{Scheme: "http", Host: "docker", Path: path}); err == nil {
				t.Errorf("GET %q went out", path)
			}
			continue
		}
		if err := try(http.MethodGet, target(path)); err == nil {
			t.Errorf("GET %q went out", path)
		}
	}
	for _, u := range []*url.URL{
		{Scheme: "http", Host: "docker", Path: "/events", Opaque: "/containers/prune"},
		{Scheme: "http", Host: "docker", Path: "/events", Opaque: "//docker/info"},
		{Scheme: "http", Host: "docker", Path: "/containers/a/b/json", RawPath: "/containers/a%2Fb/json"},
	} {
		if err := try(http.MethodGet, u); err == nil {
			t.Errorf("GET %q went out", u.RequestURI())
		}
	}
	for _, method := range []string{"POST", "PUT", "DELETE", "PATCH", "OPTIONS", "CONNECT", "TRACE", "get", "HEAD\r\n", "PROPFIND"} {
		for _, path := range []string{"/containers/json", "/containers/abc/json", "/events", "/_ping", "/containers/abc"} {
			if err := try(method, target(path)); err == nil {
				t.Errorf("%s %s went out", method, path)
			}
		}
	}
	if got := asked(fake); got != nil {
		t.Errorf("an engine was asked %q", got)
	}
	for _, path := range []string{"/_ping", "/containers/json?all=1", "/v1.24/containers/json", "/containers/0a.b_c-D/json"} {
		for _, method := range []string{http.MethodGet, http.MethodHead} {
			fake.ResetRequests()
			if err := try(method, target(path)); err != nil || len(asked(fake)) != 1 || asked(fake)[0] != method+" "+path {
				t.Errorf("%s %s: asked %q, %v", method, path, asked(fake), err)
			}
		}
	}
}

// IDs come from an engine, and what is no ID does not get far.
func TestInspectOfStrangeIDs(t *testing.T) {
	t.Parallel()
	fake := startFake(t)
	e := newEngine(t, fake.Host(), nil)
	mustList(t, e)
	fake.ResetRequests()
	for id, want := range map[string]string{
		"../images": "request is not read-only", "abc/../../info": "request is not read-only", "a?b": "request is not read-only",
		"%2e%2e": "request is not read-only", "a\r\nX: y": "request is not read-only", "": "request is not read-only", " ": "request is not read-only",
	} {
		_, err := e.Inspect(t.Context(), id)
		wantReason(t, err, want)
	}
	if got := asked(fake); got != nil {
		t.Errorf("an engine was asked %q", got)
	}
}

// The engine is asked under the name Docker's own client uses on a socket, and by its address over TCP, which proxies look at.
func TestHostHeader(t *testing.T) {
	t.Parallel()
	unix, tcp := startFake(t), startFakeTCP(t)
	for fake, want := range map[*enginetest.Engine]string{
		unix: "api.moby.localhost", tcp: strings.TrimPrefix(tcp.Host(), "tcp://"),
	} {
		var host string
		fake.Intercept(on(listPath, func(w http.ResponseWriter, r *http.Request) {
			host = r.Host
			_, _ = io.WriteString(w, "[]")
		}))
		mustList(t, newEngine(t, fake.Host(), nil))
		if host != want {
			t.Errorf("host %q, want %q", host, want)
		}
	}
}
