package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Every wrong flag is one clear line on standard error that names it, and exit code 64.
func TestWrongFlags(t *testing.T) {
	broken := filepath.Join(t.TempDir(), "web.yml")
	if err := os.WriteFile(broken, []byte("basic_auth_users: [\n tls"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct{ args, want string }{
		{"--nonsense", "unknown long flag '--nonsense'"},
		{"-x", "unknown short flag '-x'"},
		{"stray", "unexpected stray"},
		{"--docker.timeout", "expected argument for flag '--docker.timeout'"},
		{"--docker.timeout=soon", `--docker.timeout "soon": want a positive duration such as 5s`},
		{"--docker.timeout=0s", `--docker.timeout "0s": want a positive duration such as 5s`},
		{"--docker.timeout=-1s", `--docker.timeout "-1s": want a positive duration such as 5s`},
		{"--docker.timeout=1s --docker.timeout=2s", "flag 'docker.timeout' cannot be repeated"},
		{"--docker.host=ssh://host", `"ssh://host": want unix:///path or tcp://host:port`},
		{"--docker.host=unix://docker.sock", `"unix://docker.sock": a unix socket needs an absolute path`},
		{"--docker.host=unix:/", `"unix:/": a unix socket needs an absolute path`},
		{"--docker.host=tcp://host", `"tcp://host": want tcp://host:port`},
		{"--docker.tls-ca=ca.pem", "TLS needs a tcp:// host"},
		{"--docker.host=tcp://host:2376 --docker.tls-ca=/nonexistent.pem", `could not read CA certificate "/nonexistent.pem"`},
		{"--collector.server-limit=-1", `--collector.server-limit "-1": want a whole number of at least 0`},
		{"--collector.cert-writer.series-limit=many", `--collector.cert-writer.series-limit "many": want a whole number of at least 0`},
		{"--web.max-requests=0", `--web.max-requests "0": want a whole number of at least 1`},
		{"--web.telemetry-path=metrics", `--web.telemetry-path "metrics": want a plain path such as /metrics`},
		{"--web.telemetry-path=/{x}", `--web.telemetry-path "/{x}": want a plain path such as /metrics`},
		{"--web.telemetry-path=/-/ready", `--web.telemetry-path "/-/ready": that path is taken`},
		{"--web.listen-address=15364", "--web.listen-address: address 15364: missing port in address"},
		{"--web.listen-address=:99999", "--web.listen-address: address 99999: invalid port"},
		{"--web.listen-address=:0 --web.listen-address=nowhere", "--web.listen-address: address nowhere: missing port in address"},
		{"--web.config.file=/nonexistent.yml", "--web.config.file: open /nonexistent.yml: no such file or directory"},
		{"--web.config.file=" + broken, "--web.config.file: yaml: "},
		{"--log.level=loud", `--log.level "loud": want one of debug, info, warn, error`},
		{"--log.format=xml", `--log.format "xml": want one of logfmt, json`},
		{"--once --diagnose", "--once and --diagnose exclude each other"},
		{"--no-collector.events=yes", "unexpected yes"},
	} {
		var stdout, stderr bytes.Buffer
		code := run(t.Context(), strings.Fields(tc.args), &stdout, &stderr)
		message := stderr.String()
		if code != exitUsage || stdout.Len() > 0 {
			t.Errorf("%s: exit code %d, want %d; stdout %q", tc.args, code, exitUsage, stdout.String())
		}
		if !strings.HasPrefix(message, programName+": error: ") || !strings.Contains(message, tc.want) || strings.Count(message, "\n") != 1 {
			t.Errorf("%s: stderr %q, want one line with %q", tc.args, message, tc.want)
		}
	}
}

// A password in a Docker host is refused and not repeated.
func TestDockerHostPassword(t *testing.T) {
	var stderr bytes.Buffer
	code := run(t.Context(), []string{"--docker.host=tcp://admin:hunter2@host:2375"}, io.Discard, &stderr)
	if code != exitUsage || strings.Contains(stderr.String(), "hunter2") {
		t.Errorf("exit code %d, stderr %q", code, stderr.String())
	}
}

func TestDockerHostFromEnvironment(t *testing.T) {
	t.Setenv("DOCKER_HOST", "tcp://127.0.0.1:2375")
	cfg, err := parseFlags(nil)
	if err != nil || cfg.endpoint.String() != "tcp://127.0.0.1:2375" {
		t.Errorf("endpoint %v, error %v", cfg.endpoint, err)
	}
	cfg, err = parseFlags([]string{"--docker.host=unix:///run/docker.sock"})
	if err != nil || cfg.endpoint.String() != "unix:///run/docker.sock" {
		t.Errorf("endpoint %v, error %v: the flag wins", cfg.endpoint, err)
	}
}

// The environment turns TLS on for a tcp engine, in whatever case its scheme is, and does not trouble a unix socket.
func TestTLSFromEnvironment(t *testing.T) {
	for _, tc := range []struct{ env, host, want string }{
		{"DOCKER_CERT_PATH=/nonexistent", "unix:///run/docker.sock", ""},
		{"DOCKER_CERT_PATH=/nonexistent", "tcp://127.0.0.1:2376", "/nonexistent/ca.pem"},
		{"DOCKER_CERT_PATH=/nonexistent", "TCP://127.0.0.1:2376", "/nonexistent/ca.pem"},
		{"DOCKER_CERT_PATH=", "tcp://127.0.0.1:2376", ""},
		{"DOCKER_TLS_VERIFY=1", "unix:///run/docker.sock", ""},
		{"DOCKER_TLS_VERIFY=1", "tcp://127.0.0.1:2376", "DOCKER_TLS_VERIFY is set, but there are no certificates"},
		{"DOCKER_TLS_VERIFY=1", "Tcp://127.0.0.1:2376", "DOCKER_TLS_VERIFY is set, but there are no certificates"},
		{"DOCKER_TLS_VERIFY=", "tcp://127.0.0.1:2376", ""},
	} {
		t.Run(tc.env+" "+tc.host, func(t *testing.T) {
			name, value, _ := strings.Cut(tc.env, "=")
			t.Setenv(name, value)
			_, err := parseFlags([]string{"--docker.host=" + tc.host})
			if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
				t.Errorf("got %v, want %q", err, tc.want)
			}
		})
	}
}

func TestHelpAndVersion(t *testing.T) {
	for flag, want := range map[string]string{
		"--help": "--docker.host", "-h": "--docker.host", "--version": programName + ", version",
		"--help-long": "", "--help-man": "", "--completion-bash": "", "--completion-script-bash": "", "--completion-script-zsh": "", // kingpin's own
	} {
		var stdout, stderr bytes.Buffer
		if code := run(t.Context(), []string{flag}, &stdout, &stderr); code != exitOK || stderr.Len() > 0 {
			t.Errorf("%s: exit code %d, stderr %q", flag, code, stderr.String())
		}
		if !strings.Contains(stdout.String(), want) {
			t.Errorf("%s: no %q in %q", flag, want, stdout.String())
		}
	}
}
