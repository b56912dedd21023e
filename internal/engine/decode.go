package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/docker/docker/client"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// get asks over the Docker client's connection and API version, and leaves the reply to be read as a stream. The client's own
// methods hold whole replies, and of every container all it has.
func get(ctx context.Context, c *client.Client, ex *exchange, path string) (io.ReadCloser, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "/v"+c.ClientVersion()+path, nil)
	if err != nil {
		return nil, err
	}
	resp, err := c.HTTPClient().Do(request)
	if err != nil {
		return nil, err
	}
	if !ex.ok() {
		_ = resp.Body.Close()
		return nil, errors.New(resp.Status)
	}
	return resp.Body, nil
}

// What bounds the memory for what is held of a reply at a time. A container can have 2 MB of arguments, of which JSON may make
// six times as much. Up to eight are inspected at the same time, share-mnt and node-agents, which are short.
const (
	entryLimit   = 8 << 20 // one container of a list, one event
	inspectLimit = 2 << 20
)

// tooBigError says that a reply has outgrown a limit.
type tooBigError struct {
	what  string
	limit int64
}

func (e tooBigError) Error() string { return fmt.Sprintf("%s larger than %d MB", e.what, e.limit>>20) }

// entries reads a stream of JSON, each entry once and into what is wanted of it.
type entries struct {
	decoder *jsontext.Decoder
	body    *entryReader
}

// tolerant takes what engines may write: broken UTF-8 in an argument, and a name twice, which costs to look for.
var tolerant = json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

func newEntries(body io.Reader, ex *exchange, limit int64) *entries {
	reader := &entryReader{body: body, ex: ex, limit: limit, end: limit}
	return &entries{body: reader, decoder: jsontext.NewDecoder(reader, tolerant)}
}

// more reports whether another entry of a list follows, or something that is none.
func (e *entries) more() bool {
	e.body.end = e.decoder.InputOffset() + e.body.limit
	return e.decoder.PeekKind() != ']'
}

// next reads the next entry.
func (e *entries) next(into any) error {
	e.body.end = e.decoder.InputOffset() + e.body.limit
	return json.UnmarshalDecode(e.decoder, into)
}

// expect reads one token that opens or closes a list.
func (e *entries) expect(kind jsontext.Kind) error {
	token, err := e.decoder.ReadToken()
	if err == nil && token.Kind() != kind {
		return errNoList
	}
	return err
}

// entryReader fails where an entry outgrows the limit. Of what comes behind the entry it reads no more than fits below it.
type entryReader struct {
	body io.Reader
	ex   *exchange
	read int64

	limit int64 // of one entry
	end   int64 // where the present one is too long
}

func (r *entryReader) Read(p []byte) (int, error) {
	left := r.end - r.read
	if left <= 0 {
		r.ex.err = tooBigError{"one entry", r.limit}
		return 0, r.ex.err
	}
	n, err := r.body.Read(p[:min(int64(len(p)), left)])
	r.read += int64(n)
	return n, err
}
