package engine

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/enginetest"
)

// What no fake can bring about on every machine.
func TestReason(t *testing.T) {
	t.Parallel()
	dial := func(err error) error {
		return &net.OpError{Op: "dial", Net: "unix", Addr: &net.UnixAddr{Name: enginetest.Password}, Err: err}
	}
	call := func(errno syscall.Errno) error { return dial(os.NewSyscallError("connect", errno)) }
	unverified := func(err error) error { return &tls.CertificateVerificationError{Err: err} }
	foreign := &x509.Certificate{DNSNames: []string{enginetest.Token}}
	foreign.Subject.CommonName = enginetest.Token
	old := &x509.Certificate{Subject: foreign.Subject} // as the older guides to a Docker behind TLS make it
	for _, tc := range []struct {
		err  error
		want string
	}{
		{nil, malformed},
		{call(syscall.EACCES), "permission denied"},
		{call(syscall.EPERM), "permission denied"},
		{call(syscall.ENOENT), "no such socket"},
		{call(syscall.ECONNREFUSED), "connection refused"},
		{call(syscall.EHOSTUNREACH), "cannot connect: connect: no route to host"},
		{call(syscall.ENETUNREACH), "cannot connect: connect: network is unreachable"},
		{call(syscall.EAGAIN), "cannot connect: connect: resource temporarily unavailable"},
		{dial(syscall.EMFILE), "cannot connect: too many open files"},
		{dial(&net.DNSError{Name: enginetest.Password, Server: enginetest.Token}), "cannot resolve the host name"},
		{&net.OpError{Op: "read", Err: os.NewSyscallError("read", syscall.ECONNRESET)}, broken},
		{&net.OpError{Op: "write", Err: os.NewSyscallError("write", syscall.EPIPE)}, broken},
		{io.EOF, broken},
		{errors.New("malformed HTTP response " + enginetest.Token), broken},
		{unverified(x509.HostnameError{Certificate: foreign, Host: "docker"}), "TLS: the engine's certificate is for another host"},
		{unverified(x509.HostnameError{Certificate: old, Host: "docker"}), "TLS: the engine's certificate names no host in a SAN, and a CN does not count"},
		{unverified(x509.UnknownAuthorityError{Cert: foreign}), "TLS: the engine's certificate is signed by an unknown authority"},
		{unverified(x509.CertificateInvalidError{Cert: foreign, Reason: x509.Expired}), "TLS: the engine's certificate has expired or is not valid yet"},
		{unverified(x509.CertificateInvalidError{Cert: foreign, Reason: x509.CANotAuthorizedForThisName, Detail: enginetest.Token}), "TLS: the engine's certificate is not valid"},
		{tls.RecordHeaderError{Msg: "no TLS", RecordHeader: [5]byte([]byte(enginetest.Token))}, "TLS: no TLS"},
		{&net.OpError{Op: "remote error", Err: tls.AlertError(42)}, "TLS: remote error: tls: bad certificate"},
	} {
		for _, err := range []error{tc.err, &url.Error{Op: "Get", URL: enginetest.Token, Err: tc.err}, fmt.Errorf("%s: %w", enginetest.Password, tc.err)} {
			if tc.err == nil {
				err = nil
			}
			failure := newError("list containers", t.Context(), &exchange{err: err})
			wantReason(t, failure, tc.want)
			wantNoSecret(t, failure)
			if want := "list containers: " + tc.want; failure.Error() != want {
				t.Errorf("error %q, want %q", failure, want)
			}
		}
	}
}

// Out of time is out of time, whatever came of it below; an end of the whole program is not.
func TestReasonTimeout(t *testing.T) {
	t.Parallel()
	late, cancel := context.WithDeadline(t.Context(), time.Unix(0, 0))
	defer cancel()
	ended, end := context.WithCancel(t.Context())
	end()
	for _, ex := range []exchange{{}, {err: io.EOF}, {status: 200}, {status: 403, err: context.DeadlineExceeded}} {
		if got := reason(late, &ex); got != timedOut {
			t.Errorf("%+v: %q", ex, got)
		}
		if got := reason(ended, &ex); got == timedOut {
			t.Errorf("%+v: %q", ex, got)
		}
	}
}
