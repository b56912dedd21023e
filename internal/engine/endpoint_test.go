package engine

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestParseEndpoint(t *testing.T) {
	t.Parallel()
	const (
		form    = "not a URL of the form unix:///path or tcp://host:port"
		nothing = "user info, query and fragment have no place in a Docker host"
	)
	longest := "unix:///" + strings.Repeat("x", longestSocketPath-1)
	for host, want := range map[string]string{
		"unix:///var/run/docker.sock": "", "unix:////var/run/docker.sock": "", "unix:///run/user@1000/docker.sock": "",
		"unix:///with%20escape": "", "unix:///with blank": "", longest: "",
		"tcp://127.0.0.1:2375": "", "tcp://docker.example:2376/": "", "tcp://[::1]:2375": "", "TCP://docker:2375": "",

		longest + "x":            `"` + longest + `x": the path of a unix socket has at most 107 bytes`,
		"unix://":                `"unix://": a unix socket needs an absolute path: unix:///path`,
		"unix://docker.sock":     `"unix://docker.sock": a unix socket needs an absolute path: unix:///path`,
		"unix://run/docker.sock": `"unix://run/docker.sock": a unix socket needs an absolute path: unix:///path`,
		"tcp://":                 `"tcp://": want tcp://host:port`,
		"tcp://host":             `"tcp://host": want tcp://host:port`,
		"tcp://host:":            `"tcp://host:": want tcp://host:port`,
		"tcp://:2375":            `"tcp://:2375": want tcp://host:port`,
		"tcp://::1:2375":         `"tcp://::1:2375": want tcp://host:port`,
		"tcp://host:2375/v1.41":  `"tcp://host:2375/v1.41": want tcp://host:port`,
		"tcp://host:65536":       `"tcp://host:65536": no such port`,
		"":                       `"": want unix:///path or tcp://host:port`,
		"/var/run/docker.sock":   `"/var/run/docker.sock": want unix:///path or tcp://host:port`,
		"http://host:2375":       `"http://host:2375": want unix:///path or tcp://host:port`,
		"https://host":           `"https://host": want unix:///path or tcp://host:port`,
		"ssh://host":             `"ssh://host": want unix:///path or tcp://host:port`,
		"npipe:////./pipe/x":     `"npipe:////./pipe/x": want unix:///path or tcp://host:port`,
		"fd://":                  `"fd://": want unix:///path or tcp://host:port`,

		"localhost:2375": form, "127.0.0.1:2375": form, "tcp:host:2375": form, "unix:var/run/docker.sock": form, "tcp://host:port": form,
		"tcp://ho st:2375": form, "unix:///new\nline": form, "tcp://[::1:2375": form, "unix:///%zz": form, "://": form,
		"tcp://host:2375\n": form, "tcp://\x00:2375": form,

		"tcp://user:secret@host:2375": nothing, "tcp://secret@host:2375": nothing, "ssh://secret@host": nothing,
		"tcp:///user:secret@host:2375": nothing, "tcp://host:2375/user:secret@x": nothing, "unix://secret@/run/docker.sock": nothing,
		"tcp://host:2375?token=secret": nothing, "tcp://host:2375#secret": nothing, "unix:///run/docker.sock?secret": nothing,
		"//user:secret@host:2375": nothing, "/user:secret@host": nothing,
		"tcp:user:secret@host:2375": form, "user:secret@host:2375": form, "tcp:secret@host:2375": form, "tcp://user:secret@host:port": form,
		"tcp://user:sec%ret@host:2375": form,
	} {
		e, err := ParseEndpoint(host, nil)
		switch {
		case err == nil && want == "":
			if e.String() != host {
				t.Errorf("%q prints as %q", host, e)
			}
		case err == nil || err.Error() != want:
			t.Errorf("%q: %v, want %q", host, err, want)
		case strings.Contains(err.Error(), "secret"):
			t.Errorf("%q: shows a secret: %v", host, err)
		}
	}
}

// TLS files that cannot be used are told before anything listens.
func TestParseEndpointTLS(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	files := *certificates(t, dir, time.Hour)
	other := *certificates(t, t.TempDir(), time.Hour)
	missing, empty := filepath.Join(dir, "missing"), filepath.Join(dir, "empty")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		files TLSFiles
		want  string
	}{
		{files, ""},
		{TLSFiles{}, ""},
		{TLSFiles{CA: files.CA}, ""},
		{TLSFiles{Cert: files.Cert, Key: files.Key}, ""},
		{TLSFiles{CA: missing}, `could not read CA certificate "` + missing + `": open ` + missing + `: no such file or directory`},
		{TLSFiles{CA: empty}, `failed to append certificates from PEM file: "` + empty + `"`},
		{TLSFiles{CA: files.Key}, `failed to append certificates from PEM file: "` + files.Key + `"`},
		{TLSFiles{Cert: files.Cert}, "a client certificate and its key go together"},
		{TLSFiles{CA: files.CA, Key: files.Key}, "a client certificate and its key go together"},
		{TLSFiles{Cert: missing, Key: files.Key}, "could not load X509 key pair: open " + missing + ": no such file or directory"},
		{TLSFiles{Cert: files.Cert, Key: empty}, "could not load X509 key pair: no valid private key found"},
		{TLSFiles{Cert: files.Cert, Key: other.Key}, "could not load X509 key pair: tls: private key does not match public key"},
	} {
		_, err := ParseEndpoint("tcp://127.0.0.1:2376", &tc.files)
		if got := errorText(err); got != tc.want {
			t.Errorf("%+v: got %q, want %q", tc.files, got, tc.want)
		}
	}
	_, err := ParseEndpoint("unix:///run/docker.sock", &files)
	if got := errorText(err); got != `"unix:///run/docker.sock": TLS needs a tcp:// host` {
		t.Error(got)
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
