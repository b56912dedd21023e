package main

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kingpin/v2"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/engine"
)

// setting declares a flag whose value parse checks. Its errors name the flag, which kingpin's do not.
func setting[T any](app *kingpin.Application, name, help, byDefault string, target *T, parse func(string) (T, error)) {
	app.Flag(name, help).Default(byDefault).SetValue(&checked[T]{name, target, parse})
}

// checked is a kingpin.Value.
type checked[T any] struct {
	flag   string
	target *T
	parse  func(string) (T, error)
}

// Set implements kingpin.Value.
func (c *checked[T]) Set(text string) (err error) {
	if *c.target, err = c.parse(text); err != nil {
		return fmt.Errorf("--%s %q: %w", c.flag, text, err)
	}
	return nil
}

// String implements kingpin.Value.
func (c *checked[T]) String() string { return fmt.Sprint(*c.target) }

func positiveDuration(text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		return 0, errors.New("want a positive duration such as 5s")
	}
	return d, nil
}

// count parses a whole number of at least least.
func count(least int) func(string) (int, error) {
	return func(text string) (int, error) {
		n, err := strconv.Atoi(text)
		if err != nil || n < least {
			return 0, fmt.Errorf("want a whole number of at least %d", least)
		}
		return n, nil
	}
}

// oneOf parses one of some words.
func oneOf(words ...string) func(string) (string, error) {
	return func(text string) (string, error) {
		if !slices.Contains(words, text) {
			return "", errors.New("want one of " + strings.Join(words, ", "))
		}
		return text, nil
	}
}

// urlPath parses the path of the metrics. Braces and blanks mean something to http.ServeMux, and the rest is taken.
func urlPath(text string) (string, error) {
	switch {
	case !strings.HasPrefix(text, "/") || strings.ContainsAny(text, " \t{}?#") || filepath.Clean(text) != text:
		return "", errors.New("want a plain path such as /metrics")
	case text == healthyPath || text == readyPath || text == "/debug" || strings.HasPrefix(text, "/debug/"):
		return "", errors.New("that path is taken")
	}
	return text, nil
}

// checkListenAddress finds what net.Listen would refuse, before the first of several addresses listens.
func checkListenAddress(address string) error {
	if strings.HasPrefix(address, "vsock://") {
		return nil
	}
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		return err
	}
	if _, err := net.LookupPort("tcp", port); err != nil {
		return err
	}
	return nil
}

// parseEndpoint is the engine at host, behind TLS if there are files given by flags or, for a tcp:// engine, in
// DOCKER_CERT_PATH. Docker's own client takes DOCKER_TLS_VERIFY for a wish for TLS, so here it does not go unheard.
func parseEndpoint(host string, flags engine.TLSFiles) (engine.Endpoint, error) {
	if flags != (engine.TLSFiles{}) {
		return engine.ParseEndpoint(host, &flags)
	}
	endpoint, err := engine.ParseEndpoint(host, nil)
	if err != nil || !endpoint.TCP() {
		return endpoint, err
	}
	if dir := os.Getenv("DOCKER_CERT_PATH"); dir != "" {
		return engine.ParseEndpoint(host, &engine.TLSFiles{
			CA:   filepath.Join(dir, "ca.pem"),
			Cert: filepath.Join(dir, "cert.pem"),
			Key:  filepath.Join(dir, "key.pem"),
		})
	}
	if os.Getenv("DOCKER_TLS_VERIFY") != "" {
		return engine.Endpoint{}, errors.New("DOCKER_TLS_VERIFY is set, but there are no certificates: set DOCKER_CERT_PATH or --docker.tls-ca, --docker.tls-cert and --docker.tls-key")
	}
	return endpoint, nil
}
