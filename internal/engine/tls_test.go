package engine

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/enginetest"
)

// certificates makes the files of an engine and its client that expire some time from now.
func certificates(t *testing.T, dir string, left time.Duration) *TLSFiles {
	t.Helper()
	if err := enginetest.SelfSigned(dir, time.Now().Add(left)); err != nil {
		t.Fatal(err)
	}
	return &TLSFiles{CA: filepath.Join(dir, "ca.pem"), Cert: filepath.Join(dir, "cert.pem"), Key: filepath.Join(dir, "key.pem")}
}

func startFakeTLS(t *testing.T, dir string) *enginetest.Engine {
	t.Helper()
	config, err := enginetest.ServerTLS(dir)
	if err != nil {
		t.Fatal(err)
	}
	return started(t)(enginetest.StartTCP(config))
}

func TestTLS(t *testing.T) {
	t.Parallel()
	dir, otherDir, expiredDir := t.TempDir(), t.TempDir(), t.TempDir()
	files, other, expired := certificates(t, dir, time.Hour), certificates(t, otherDir, time.Hour), certificates(t, expiredDir, -time.Hour)
	good, outdated, plain := startFakeTLS(t, dir), startFakeTLS(t, expiredDir), startFakeTCP(t)
	localhost := strings.Replace(good.Host(), "127.0.0.1", "localhost", 1)
	outside := strings.Replace(good.Host(), "127.0.0.1", "0.0.0.0", 1) // leads there too, but the certificate does not say so
	for name, tc := range map[string]struct {
		host   string
		files  *TLSFiles
		reason string
	}{
		"good":                     {good.Host(), files, ""},
		"by name":                  {localhost, files, ""},
		"another host":             {outside, files, "TLS: the engine's certificate is for another host"},
		"expired":                  {outdated.Host(), expired, "TLS: the engine's certificate has expired or is not valid yet"},
		"wrong CA":                 {good.Host(), other, "TLS: the engine's certificate is signed by an unknown authority"},
		"the system's CAs":         {good.Host(), &TLSFiles{Cert: files.Cert, Key: files.Key}, "TLS: the engine's certificate is signed by an unknown authority"},
		"no client certificate":    {good.Host(), &TLSFiles{CA: files.CA}, "TLS: remote error: tls: certificate required"},
		"client of another CA":     {good.Host(), &TLSFiles{CA: files.CA, Cert: other.Cert, Key: other.Key}, "TLS: remote error: tls: unknown certificate authority"},
		"TLS to a plain engine":    {plain.Host(), files, "TLS: first record does not look like a TLS handshake"},
		"plain HTTP to TLS engine": {good.Host(), nil, "HTTP status 400"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEngine(t, tc.host, tc.files)
			for range 10 {
				_, err := list(t, e)
				wantReason(t, err, tc.reason)
			}
			_, err := e.Inspect(t.Context(), "abc")
			if tc.reason != "" {
				wantReason(t, err, tc.reason)
			}
		})
	}
}

// Certificates get renewed under a running exporter, and for a moment the files may be missing.
func TestRenewedCertificates(t *testing.T) {
	t.Parallel()
	dir, next := t.TempDir(), t.TempDir()
	files := certificates(t, dir, time.Hour)
	fake := startFakeTLS(t, dir)
	e := newEngine(t, fake.Host(), files)
	mustList(t, e)

	certificates(t, next, time.Hour)
	e.endpoint.address = strings.TrimPrefix(startFakeTLS(t, next).Host(), "tcp://") // a fake cannot renew its own
	fake.Close()
	_, err := list(t, e) // the client still dials the old one
	wantReason(t, err, "connection refused")
	_, err = list(t, e)
	wantReason(t, err, "TLS: the engine's certificate is signed by an unknown authority")

	if err := os.Remove(files.CA); err != nil {
		t.Fatal(err)
	}
	_, err = list(t, e)
	wantReason(t, err, `TLS files: could not read CA certificate "`+files.CA+`": open `+files.CA+`: no such file or directory`)
	for _, name := range []string{"ca.pem", "cert.pem", "key.pem"} {
		content, err := os.ReadFile(filepath.Join(next, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	mustList(t, e)
}
