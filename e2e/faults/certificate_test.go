package faults

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/e2e/exporter"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/enginetest"
)

// validFor is how long the certificates of these tests hold: long enough to start an exporter on a busy machine.
const validFor = 8 * time.Second

// The certificate of an engine behind TLS expires, and so does the exporter's own for it. New ones are put in their place,
// under a new CA.
func expiredEngineCertificate(t *testing.T, o *outcome) {
	dir := t.TempDir()
	renew(t, dir, validFor)
	expires := time.Now().Add(validFor)
	fake, err := enginetest.StartTCP(&tls.Config{
		GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) { return enginetest.ServerTLS(dir) },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(fake.Close)
	put(fake, 20)
	file := func(flag, name string) string { return "--docker.tls-" + flag + "=" + filepath.Join(dir, name) }
	x := start(t, fake.Host(), file("ca", "ca.pem"), file("cert", "cert.pem"), file("key", "key.pem"))
	x.healthy(writers(20))

	time.Sleep(time.Until(expires) + time.Second)
	x.blind("certificate has expired or is not valid yet")
	o.sawf("`docker_up` 0, the engine's certificate has expired, `docker_events_up` %v (the stream was open before)", x.Scrape()[eventsUp])
	fresh := enginetest.CertWriter(20, "https://rancher.example", time.Now())
	fake.Create(fresh)
	fake.CutEvents()
	fake.StartContainer(fresh.ID)
	renew(t, dir, time.Hour)
	renewed := time.Now()
	x.rightAgain(o, renewed, writers(21))
	x.Expect(patience, exporter.Metrics{certWriterEvents("create"): 1, certWriterEvents("start"): 1})
	x.loggedOutage()
	o.lost = "nothing: 2 of 2 events counted, one while the certificate had expired, one while the stream was cut too"
	x.unharmed()
}

// The certificate of the exporter's own pages expires and is renewed on disk: who checks it is refused in between, who does
// not still gets right values, and the next connection has the new one.
func expiredWebCertificate(t *testing.T, o *outcome) {
	dir := t.TempDir()
	renew(t, dir, validFor)
	expires := time.Now().Add(validFor)
	config := filepath.Join(dir, "web.yml")
	if err := os.WriteFile(config, []byte("tls_server_config:\n  cert_file: cert.pem\n  key_file: key.pem\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	fake := node(t, 20)
	x := &subject{Exporter: exporter.Start(t, fake.Host(), "--web.config.file="+config), t: t}
	x.Client = secured(&tls.Config{RootCAs: authority(t, dir)})
	x.healthy(writers(20))

	time.Sleep(time.Until(expires) + time.Second)
	const refused = 50
	for range refused {
		_, err := x.Client.Get(x.URL("/metrics"))
		var invalid x509.CertificateInvalidError
		if !errors.As(err, &invalid) || invalid.Reason != x509.Expired {
			t.Fatalf("with an expired certificate: %v", err)
		}
	}
	x.Client = secured(&tls.Config{InsecureSkipVerify: true})
	x.unmoved()
	renew(t, dir, time.Hour)
	renewed := time.Now()
	x.Client = secured(&tls.Config{RootCAs: authority(t, dir)})
	x.rightAgain(o, renewed, nil)
	lines := x.fewLines(mostWebLines)
	for _, line := range lines {
		if !strings.Contains(line, `msg="web server`) {
			t.Errorf("unexpected line in the log: %s", line)
		}
	}
	o.sawf("%d scrapes refused the certificate, one that does not check it was right; %d lines logged", refused, len(lines))
	o.lost = fmt.Sprintf("the %d scrapes that check", refused)
	x.unharmed()
}

// renew puts new certificates, of a new CA, into a directory.
func renew(t *testing.T, dir string, left time.Duration) {
	t.Helper()
	if err := enginetest.SelfSigned(dir, time.Now().Add(left)); err != nil {
		t.Fatal(err)
	}
}

// authority is the CA in a directory.
func authority(t *testing.T, dir string) *x509.CertPool {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "ca.pem"))
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(text)
	return pool
}

// secured is a client that asks over TLS, with a handshake for each request.
func secured(config *tls.Config) *http.Client {
	return &http.Client{Transport: overTLS{&http.Transport{TLSClientConfig: config, DisableKeepAlives: true}}}
}

type overTLS struct{ *http.Transport }

func (o overTLS) RoundTrip(request *http.Request) (*http.Response, error) {
	request = request.Clone(request.Context())
	request.URL.Scheme = "https"
	return o.Transport.RoundTrip(request)
}
