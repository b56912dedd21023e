package engine

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"syscall"
)

// Error says why the Docker Engine could not be asked.
type Error struct {
	Op     string // what was being done
	Reason string // in words that hold nothing an engine or a proxy wrote
}

func (e *Error) Error() string { return e.Op + ": " + e.Reason }

func newError(op string, ctx context.Context, ex *exchange) *Error {
	return &Error{Op: op, Reason: reason(ctx, ex)}
}

// errStreamEnded is what an event stream leaves when it just ends, as it does when dockerd stops or a proxy loses patience.
var errStreamEnded = errors.New("event stream ended")

// reason words what happened to the last request of a call.
func reason(ctx context.Context, ex *exchange) string {
	if errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
		return "timeout: no answer in time"
	}
	var (
		dns        *net.DNSError
		dial       *net.OpError
		record     tls.RecordHeaderError
		alert      tls.AlertError
		unverified *tls.CertificateVerificationError
		files      tlsFilesError
	)
	switch err := ex.err; {
	case ex.status >= http.StatusBadRequest:
		return fmt.Sprintf("HTTP status %d", ex.status)
	case err == nil:
		return "malformed reply"
	case errors.Is(err, errReplyTooBig), errors.Is(err, errNotAllowed), errors.Is(err, errStreamEnded):
		return err.Error()
	case errors.As(err, &unverified), errors.As(err, &record), errors.As(err, &alert):
		return "TLS: " + err.Error()
	case errors.As(err, &files):
		return "TLS files: " + err.Error()
	case errors.Is(err, fs.ErrPermission):
		return "permission denied"
	case errors.Is(err, fs.ErrNotExist):
		return "no such socket"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "connection refused"
	case errors.As(err, &dns):
		return "cannot resolve the host name"
	case errors.As(err, &dial) && dial.Op == "dial":
		return "cannot connect: " + dial.Err.Error()
	default:
		return "connection broken"
	}
}
