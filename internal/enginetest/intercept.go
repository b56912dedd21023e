package enginetest

import (
	"bytes"
	"maps"
	"net/http"
	"path"
	"strconv"
)

// Interceptor answers a request in the engine's place and returns true, or leaves it to the engine. It must end when the
// request's context does.
type Interceptor func(w http.ResponseWriter, r *http.Request) bool

// Intercept lets an interceptor see each request from now on; nil ends that.
func (e *Engine) Intercept(i Interceptor) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.intercept = i
}

// Hang never answers requests for the endpoints, or any request if there are none. An endpoint is a path without version
// and may be a pattern of [path.Match], here and below: "/containers/*/json" is every inspect.
func Hang(endpoints ...string) Interceptor {
	return func(_ http.ResponseWriter, r *http.Request) bool {
		if len(endpoints) > 0 && !matches(r, endpoints) {
			return false
		}
		<-r.Context().Done()
		panic(http.ErrAbortHandler) // else the server would answer 200
	}
}

// Status answers everything but the excepted endpoints with a status code and a body.
func Status(code int, body, contentType string, except ...string) Interceptor {
	return func(w http.ResponseWriter, r *http.Request) bool {
		if matches(r, except) {
			return false
		}
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(code)
		_, _ = w.Write([]byte(body))
		return true
	}
}

// Body answers an endpoint with 200 and a body of whatever is not, or not quite, what an engine sends.
func Body(endpoint string, body []byte) Interceptor {
	return func(w http.ResponseWriter, r *http.Request) bool {
		if !matches(r, []string{endpoint}) {
			return false
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(body)
		return true
	}
}

// Truncate answers an endpoint, of a list or an inspect, with the first half of what the engine has to say, and then breaks
// the connection.
func (e *Engine) Truncate(endpoint string) Interceptor {
	return func(w http.ResponseWriter, r *http.Request) bool {
		if !matches(r, []string{endpoint}) {
			return false
		}
		whole := &recorder{header: make(http.Header), code: http.StatusOK}
		e.answer(whole, r)
		maps.Copy(w.Header(), whole.header)
		w.Header().Set("Content-Length", strconv.Itoa(whole.Len()))
		w.WriteHeader(whole.code)
		_, _ = w.Write(whole.Bytes()[:whole.Len()/2])
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}
}

func matches(r *http.Request, patterns []string) bool {
	for _, pattern := range patterns {
		if ok, _ := path.Match(pattern, Endpoint(r)); ok {
			return true
		}
	}
	return false
}

// recorder keeps a reply instead of sending it.
type recorder struct {
	bytes.Buffer
	header http.Header
	code   int
}

func (r *recorder) Header() http.Header  { return r.header }
func (r *recorder) WriteHeader(code int) { r.code = code }
