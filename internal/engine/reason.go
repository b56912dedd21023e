package engine

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"net"
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
	switch {
	case errors.Is(context.Cause(ctx), context.DeadlineExceeded):
		return "timeout: no answer in time"
	case ex.status != 0 && !ex.ok():
		return fmt.Sprintf("HTTP status %d", ex.status)
	}
	var (
		dns        *net.DNSError
		op         *net.OpError
		record     tls.RecordHeaderError
		unverified *tls.CertificateVerificationError
		files      tlsFilesError
		tooBig     tooBigError
	)
	switch err := ex.err; {
	case err == nil:
		return "malformed reply"
	case errors.As(err, &tooBig):
		return tooBig.Error()
	case errors.Is(err, errNotAllowed), errors.Is(err, errTooMany), errors.Is(err, errStreamEnded):
		return err.Error()
	case errors.As(err, &unverified):
		return "TLS: the engine's certificate " + distrust(unverified.Err)
	case errors.As(err, &record):
		return "TLS: " + record.Msg
	case errors.As(err, &op) && op.Op == "remote error": // an alert of the engine
		return "TLS: " + op.Error()
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
	case errors.As(err, &op) && op.Op == "dial":
		return "cannot connect: " + op.Err.Error()
	default:
		return "connection broken"
	}
}

// distrust says why a certificate was refused; package x509 would quote it.
func distrust(err error) string {
	var (
		host      x509.HostnameError
		authority x509.UnknownAuthorityError
		invalid   x509.CertificateInvalidError
	)
	switch {
	case errors.As(err, &host) && namesNoHost(host.Certificate):
		return "names no host in a SAN, and a CN does not count"
	case errors.As(err, &host):
		return "is for another host"
	case errors.As(err, &authority):
		return "is signed by an unknown authority"
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return "has expired or is not valid yet"
	default:
		return "is not valid"
	}
}

func namesNoHost(c *x509.Certificate) bool { return len(c.DNSNames) == 0 && len(c.IPAddresses) == 0 }
