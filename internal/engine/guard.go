package engine

import (
	"context"
	"errors"
	"io"
	"net/http"
	"regexp"
	"strings"
	"time"
)

// What bounds a reply as a whole, all of which are read as a stream. The list of 10,000 containers takes some 12 MB, but one
// of 55 pods with long arguments 72 MB; an event stream that gets this long is resumed where it was cut.
const (
	listLimit  = 512 << 20
	replyLimit = 64 << 20
)

var errNotAllowed = errors.New("request is not read-only")

// requestPath is every path the exporter asks for, with the API version apart.
var requestPath = regexp.MustCompile(`^(?:/v[0-9]+\.[0-9]+)?(/_ping|/events|/containers/json|/containers/[0-9A-Za-z][0-9A-Za-z_.-]*/json)$`)

// guard is the one place that keeps the exporter read-only: below the Docker client, whatever that is asked to do, only
// GET and HEAD of a few paths go out. It limits replies, and it keeps what the client forgets of an error.
type guard struct {
	next        http.RoundTripper
	scheme      string // http or https
	host        string // of the engine, which the client is not told
	unversioned bool   // leave the API version out of the path
	clock       *engineClock
	listLimit   int64 // bytes of a list
	replyLimit  int64 // bytes of any other reply
}

// RoundTrip sends a request that changes nothing, and fails any other before the wire.
func (g *guard) RoundTrip(req *http.Request) (*http.Response, error) {
	ex := exchangeOf(req.Context())
	*ex = exchange{}
	written, _, _ := strings.Cut(req.URL.RequestURI(), "?") // as it would be on the wire
	path := requestPath.FindStringSubmatch(written)
	if path == nil || req.Method != http.MethodGet && req.Method != http.MethodHead {
		ex.err = errNotAllowed
		return nil, errNotAllowed
	}
	req = req.Clone(req.Context())
	req.URL.Scheme, req.URL.Host, req.Host = g.scheme, g.host, g.host
	if g.unversioned {
		req.URL.Path = path[1]
	}
	sent := time.Now()
	resp, err := g.next.RoundTrip(req)
	if err != nil {
		ex.err = err
		return nil, err
	}
	g.clock.set(resp.Header.Get("Date"), sent, time.Now())
	ex.status = resp.StatusCode
	limit := g.replyLimit
	if path[1] == "/containers/json" {
		limit = g.listLimit
	}
	resp.Body = &limitedBody{ReadCloser: resp.Body, limit: limit, ex: ex}
	return resp, nil
}

// limitedBody fails a reply that outgrows the limit while it is read.
type limitedBody struct {
	io.ReadCloser
	read, limit int64
	ex          *exchange
}

func (b *limitedBody) Read(p []byte) (n int, err error) {
	if b.read > b.limit {
		err = tooBigError{"reply", b.limit}
	} else {
		n, err = b.ReadCloser.Read(p)
		b.read += int64(n)
	}
	if err != nil && err != io.EOF {
		b.ex.err = err
	}
	return n, err
}

// exchange is what happened to the last request of a call. The Docker client rewords the errors of its transport and
// drops their causes, so the guard keeps them beside it.
type exchange struct {
	status int   // 0 if there was no reply
	err    error // of the connection or of reading the reply
}

func (ex *exchange) ok() bool       { return ex.status == http.StatusOK }
func (ex *exchange) notFound() bool { return ex.status == http.StatusNotFound }

type exchangeKey struct{}

// withExchange returns a context whose requests leave what happened to them in the exchange.
func withExchange(ctx context.Context) (context.Context, *exchange) {
	ex := new(exchange)
	return context.WithValue(ctx, exchangeKey{}, ex), ex
}

func exchangeOf(ctx context.Context) *exchange {
	if ex, ok := ctx.Value(exchangeKey{}).(*exchange); ok {
		return ex
	}
	return new(exchange)
}

func noteError(ctx context.Context, err error) { exchangeOf(ctx).err = err }
