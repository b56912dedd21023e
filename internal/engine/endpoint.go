package engine

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/docker/docker/client"
	"github.com/docker/go-connections/tlsconfig"
)

// TLSFiles are PEM files for a Docker Engine behind TLS. They are read again for each new connection after an error, so
// that renewed ones are found.
type TLSFiles struct {
	CA   string // to verify the engine; the system's roots if empty
	Cert string // client certificate, together with Key
	Key  string
}

// Endpoint is where a Docker Engine listens.
type Endpoint struct {
	host    string // unix:///path or tcp://host:port
	network string // unix or tcp
	address string // path or host:port
	tls     *TLSFiles
}

// ParseEndpoint checks a Docker host in the form of DOCKER_HOST, unix:///path or tcp://host:port, and the TLS files; nil
// for a connection without TLS.
func ParseEndpoint(host string, files *TLSFiles) (Endpoint, error) {
	u, err := url.Parse(host)
	if err != nil || u.Opaque != "" {
		return Endpoint{}, errors.New("not a URL of the form unix:///path or tcp://host:port")
	}
	if u.User != nil || u.RawQuery != "" || u.Fragment != "" || u.Scheme != "unix" && strings.Contains(u.Path, "@") {
		return Endpoint{}, errors.New("user info, query and fragment have no place in a Docker host")
	}
	e := Endpoint{host: host, network: u.Scheme, tls: files}
	switch u.Scheme {
	case "unix":
		_, e.address, _ = strings.Cut(host, "://") // as given, a path may have a % in it
		if u.Host != "" || !strings.HasPrefix(e.address, "/") {
			return Endpoint{}, fmt.Errorf("%q: a unix socket needs an absolute path: unix:///path", host)
		}
		if files != nil {
			return Endpoint{}, fmt.Errorf("%q: TLS needs a tcp:// host", host)
		}
		if len(e.address) > longestSocketPath {
			return Endpoint{}, fmt.Errorf("%q: the path of a unix socket has at most %d bytes", host, longestSocketPath)
		}
	case "tcp":
		e.address = u.Host
		name, port, err := net.SplitHostPort(u.Host)
		if err != nil || name == "" || port == "" || strings.Trim(u.Path, "/") != "" {
			return Endpoint{}, fmt.Errorf("%q: want tcp://host:port", host)
		}
		if _, err := strconv.ParseUint(port, 10, 16); err != nil {
			return Endpoint{}, fmt.Errorf("%q: no such port", host)
		}
	default:
		return Endpoint{}, fmt.Errorf("%q: want unix:///path or tcp://host:port", host)
	}
	if _, err := e.transport(); err != nil {
		return Endpoint{}, err
	}
	return e, nil
}

// longestSocketPath is what fits into sun_path of unix(7) with its final NUL.
const longestSocketPath = 107

// httpHost is what requests name as their host, and what the certificate of an engine behind TLS must be for.
func (e Endpoint) httpHost() string {
	if e.network == "unix" {
		return client.DummyHost
	}
	return e.address
}

func (e Endpoint) scheme() string {
	if e.tls != nil {
		return "https"
	}
	return "http"
}

// TCP reports whether the engine listens on a TCP port, by whatever case its scheme was given in.
func (e Endpoint) TCP() bool { return e.network == "tcp" }

// String is the Docker host as given.
func (e Endpoint) String() string { return e.host }

// transport dials anew for each request, so that a socket that dockerd replaced is found again.
func (e Endpoint) transport() (*http.Transport, error) {
	dialer := &net.Dialer{Timeout: 10 * time.Second}
	t := &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return dialer.DialContext(ctx, e.network, e.address)
		},
		DisableKeepAlives:      true,
		DisableCompression:     true,
		MaxResponseHeaderBytes: 1 << 20,
	}
	if e.tls != nil {
		config, err := e.tls.config()
		if err != nil {
			return nil, err
		}
		t.TLSClientConfig = config
	}
	return t, nil
}

// tlsFilesError says which TLS file cannot be used and why; tlsconfig hides the cause.
type tlsFilesError struct{ error }

func (f TLSFiles) config() (*tls.Config, error) {
	if (f.Cert == "") != (f.Key == "") {
		return nil, tlsFilesError{errors.New("a client certificate and its key go together")}
	}
	config, err := tlsconfig.Client(tlsconfig.Options{
		CAFile:             f.CA,
		CertFile:           f.Cert,
		KeyFile:            f.Key,
		ExclusiveRootPools: f.CA != "",
	})
	if err != nil {
		return nil, tlsFilesError{err}
	}
	return config, nil
}
