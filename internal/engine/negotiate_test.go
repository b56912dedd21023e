package engine

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/enginetest"
)

// Engines of all ages are asked in a version they speak, by one request a list once that is settled
// (FC-56, FC-57, FC-60, FC-61, FC-62, FC-63).
func TestAPIVersions(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, minimum, maximum, version string }{
		{"Docker 1.11", "", "1.23", ""},
		{"Docker 1.12", "", "1.24", ""},
		{"oldest header", "1.12", "1.23", "/v1.23"},
		{"API 1.24", "1.12", "1.24", "/v1.24"},
		{"17.03", "1.12", "1.26", "/v1.26"},
		{"18.06", "1.12", "1.38", "/v1.38"},
		{"19.03", "1.12", "1.40", "/v1.40"},
		{"20.10", "1.12", "1.41", "/v1.41"},
		{"28", "1.24", "1.51", "/v1.51"},
		{"29", "1.44", "1.52", "/v1.51"},
		{"no header, no limits", "", "", ""},
		{"far ahead", "1.44", "7.999999999999999999999", "/v1.51"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			fake := startFake(t)
			fake.SetAPI(tc.minimum, tc.maximum)
			c := enginetest.NodeAgent("cattle-node-agent-jfdlt", 0, time.Now())
			fake.Put(c)
			e := newEngine(t, fake.Host(), nil)
			if got := mustList(t, e); len(got) != 1 {
				t.Fatalf("%d containers", len(got))
			}
			fake.ResetRequests()
			for range 3 {
				mustList(t, e)
			}
			if got, err := e.Inspect(t.Context(), c.ID); err != nil || !got.Started.Equal(c.StartedAt) {
				t.Errorf("inspect: started %v, %v", got.Started, err)
			}
			request := "GET " + tc.version + "/containers/json?all=1"
			want := []string{request, request, request, "GET " + tc.version + "/containers/" + c.ID + "/json"}
			if got := asked(fake); !slices.Equal(got, want) {
				t.Errorf("asked %q", got)
			}
		})
	}
}

// What a ping says, or that it says nothing, does not keep anybody from the list (FC-53, FC-63).
func TestPings(t *testing.T) {
	t.Parallel()
	headers := func(code int, version string) enginetest.Interceptor {
		return on(pingPath, func(w http.ResponseWriter, _ *http.Request) {
			if version != "" {
				w.Header().Set("Api-Version", version)
			}
			w.Header().Set("Location", "/login")
			w.WriteHeader(code)
			_, _ = w.Write([]byte("<html>" + enginetest.Password))
		})
	}
	for _, tc := range []struct {
		name      string
		intercept enginetest.Interceptor
		path      string
		reason    string
	}{
		{"403", headers(403, ""), "/containers/json", ""},
		{"404", headers(404, ""), "/containers/json", ""},
		{"500", headers(500, ""), "/containers/json", ""},
		{"500 with version", headers(500, "1.40"), "/v1.40/containers/json", ""},
		{"403 with version", headers(403, "1.39"), "/v1.39/containers/json", ""},
		{"redirect", headers(302, ""), "/containers/json", ""},
		{"a version that is none", headers(200, "1.41/../../secrets"), "/containers/json", ""},
		{"only the list allowed", enginetest.Status(403, "Forbidden", "text/plain", listPath), "/containers/json", ""},
		{"hanging", enginetest.Hang(pingPath), "", "timeout: no answer in time"},
		{"broken", raw(pingPath, ""), "", "connection broken"},
		{"body hanging", on(pingPath, func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodHead {
				w.WriteHeader(http.StatusNotFound)
				return
			}
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		}), "", "timeout: no answer in time"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			fake := startFake(t)
			putCertWriters(fake, 2)
			fake.Intercept(tc.intercept)
			e := newEngine(t, fake.Host(), nil)
			patience := 10 * time.Second
			if tc.reason != "" {
				patience = 300 * time.Millisecond
			}
			containers, err := listWithin(within(t, patience), e)
			wantReason(t, err, tc.reason)
			if tc.reason != "" {
				return
			}
			if requests := fake.Requests(); len(containers) != 2 || requests[len(requests)-1].Path != tc.path {
				t.Errorf("%d containers, asked %q", len(containers), asked(fake))
			}
			// What was refused once is not asked again.
			fake.ResetRequests()
			mustList(t, e)
			if got, want := asked(fake), []string{"GET " + tc.path + "?all=1"}; !slices.Equal(got, want) {
				t.Errorf("then asked %q", got)
			}
		})
	}
}

// An operator's environment is for the docker command.
func TestEnvironmentNotRead(t *testing.T) {
	for name, value := range map[string]string{
		"DOCKER_API_VERSION": "1.12", "DOCKER_HOST": "tcp://192.0.2.1:1", "DOCKER_TLS_VERIFY": "1", "DOCKER_CERT_PATH": "/nowhere",
		"DOCKER_CONTEXT": "other", "DOCKER_CONFIG": "/nowhere", "HTTP_PROXY": "http://192.0.2.1:1", "http_proxy": "http://192.0.2.1:1",
	} {
		t.Setenv(name, value)
	}
	for _, fake := range []*enginetest.Engine{startFake(t), startFakeTCP(t)} {
		mustList(t, newEngine(t, fake.Host(), nil))
		if got := asked(fake); got[len(got)-1] != "GET /v1.41/containers/json?all=1" {
			t.Errorf("asked %q", got)
		}
	}
}

// An engine upgraded in place from 20.10 to 29 costs one list, not all that follow.
func TestUpgradeInPlace(t *testing.T) {
	t.Parallel()
	fake := startFake(t)
	e := newEngine(t, fake.Host(), nil)
	for _, versions := range [][2]string{{"1.12", "1.41"}, {"1.44", "1.52"}, {"", "1.23"}, {"1.12", "1.40"}} {
		fake.SetAPI(versions[0], versions[1])
		if err := fake.Restart(); err != nil {
			t.Fatal(err)
		}
		if _, err := list(t, e); err != nil {
			wantReason(t, err, "HTTP status 400")
			mustList(t, e)
		}
		fake.ResetRequests()
		mustList(t, e)
		if got := len(asked(fake)); got != 1 {
			t.Errorf("%v: %d requests for one list", versions, got)
		}
	}
}

// Three failures in a row, whatever they are, end with the fourth list (FC-74).
func TestListRecovers(t *testing.T) {
	t.Parallel()
	fake := startFake(t)
	putCertWriters(fake, 1)
	e := newEngine(t, fake.Host(), nil)
	mustList(t, e)
	for round := range 2 {
		fake.Intercept(enginetest.Status(500, `{"message":"no"}`, "application/json"))
		for range 3 {
			_, err := list(t, e)
			wantReason(t, err, "HTTP status 500")
		}
		fake.Intercept(nil)
		if got := mustList(t, e); len(got) != 1 {
			t.Error(fmt.Sprint("round ", round, ": ", len(got), " containers"))
		}
	}
}
