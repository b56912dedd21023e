package enginetest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Request is a request the engine got.
type Request struct {
	Method   string
	Path     string // as sent: /v1.41/containers/json
	Endpoint string // without the version: /containers/json
	RawQuery string
}

// Requests returns all requests since the start or the last ResetRequests, the oldest first, whatever the answer was.
func (e *Engine) Requests() []Request {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.requests)
}

// ResetRequests forgets the requests so far.
func (e *Engine) ResetRequests() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.requests = nil
}

// SetAPI says which API versions the engine offers. A path with any other version is answered 400, one without a version
// is always served. With an empty minimum the engine sends no version header and refuses no old version, as Docker up to 1.12
// did; with an empty maximum it refuses no new one either.
func (e *Engine) SetAPI(minimum, maximum string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.minAPI, e.maxAPI = minimum, maximum
}

func (e *Engine) api() (minimum, maximum string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.minAPI, e.maxAPI
}

// serve records a request, then lets the interceptor or the engine answer it.
func (e *Engine) serve(w http.ResponseWriter, r *http.Request) {
	e.mu.Lock()
	e.requests = append(e.requests, Request{r.Method, r.URL.Path, Endpoint(r), r.URL.RawQuery})
	intercept, now := e.intercept, e.now()
	e.mu.Unlock()
	w.Header().Set("Date", now.UTC().Format(http.TimeFormat))
	if intercept != nil && intercept(w, r) {
		return
	}
	e.answer(w, r)
}

var (
	versionedPath = regexp.MustCompile(`^/v([0-9]+\.[0-9]+)(/.*)$`)
	inspectPath   = regexp.MustCompile(`^/containers/([^/]+)/json$`)
)

// Endpoint is the path of a request without the API version.
func Endpoint(r *http.Request) string {
	_, endpoint := splitPath(r.URL.Path)
	return endpoint
}

func splitPath(path string) (version, endpoint string) {
	if match := versionedPath.FindStringSubmatch(path); match != nil {
		return match[1], match[2]
	}
	return "", path
}

// answer answers as an engine in good health does.
func (e *Engine) answer(w http.ResponseWriter, r *http.Request) {
	minimum, maximum := e.api()
	w.Header().Set("Server", "Docker/20.10.24 (linux)")
	if minimum != "" {
		w.Header().Set("Api-Version", maximum)
		w.Header().Set("Ostype", "linux")
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		fail(w, http.StatusMethodNotAllowed, "this engine is only for reading")
		return
	}
	version, endpoint := splitPath(r.URL.Path)
	switch {
	case version != "" && maximum != "" && compareAPI(version, maximum) > 0:
		fail(w, http.StatusBadRequest, "client version %s is too new. Maximum supported API version is %s", version, maximum)
		return
	case version != "" && minimum != "" && compareAPI(version, minimum) < 0:
		fail(w, http.StatusBadRequest, "client version %s is too old. Minimum supported API version is %s, "+
			"please upgrade your client to a newer version", version, minimum)
		return
	}
	inspect := inspectPath.FindStringSubmatch(endpoint)
	switch {
	case endpoint == "/_ping" && r.Method == http.MethodHead && (minimum == "" || compareAPI(maximum, "1.40") < 0):
		fail(w, http.StatusNotFound, "page not found") // engines before 19.03 know no HEAD
	case endpoint == "/_ping":
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = w.Write([]byte("OK"))
	case endpoint == "/containers/json":
		e.serveList(w, r)
	case endpoint == "/events":
		e.serveEvents(w, r)
	case inspect != nil:
		e.serveInspect(w, inspect[1])
	default:
		fail(w, http.StatusNotFound, "page not found")
	}
}

func (e *Engine) serveList(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	if query.Has("filters") || query.Has("limit") {
		fail(w, http.StatusNotImplemented, "this engine lists without filters or limit")
		return
	}
	all, _ := strconv.ParseBool(query.Get("all"))
	list := []listed{} // never null
	for _, c := range e.Containers() {
		if all || c.live() {
			list = append(list, c.listed())
		}
	}
	reply(w, http.StatusOK, list)
}

func (e *Engine) serveInspect(w http.ResponseWriter, ref string) {
	c, ok := e.find(ref)
	if !ok {
		fail(w, http.StatusNotFound, "No such container: %s", ref)
		return
	}
	reply(w, http.StatusOK, c.inspected())
}

// reply sends JSON as an engine writes it, with <, > and & as they are.
func reply(w http.ResponseWriter, code int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(v) // fails where the client is gone
}

func fail(w http.ResponseWriter, code int, format string, args ...any) {
	reply(w, code, map[string]string{"message": fmt.Sprintf(format, args...)})
}

// compareAPI compares two API versions, 1.9 being less than 1.40.
func compareAPI(a, b string) int { return slices.Compare(apiNumbers(a), apiNumbers(b)) }

func apiNumbers(version string) []int {
	var numbers []int
	for part := range strings.SplitSeq(version, ".") {
		n, _ := strconv.Atoi(part)
		numbers = append(numbers, n)
	}
	return numbers
}
