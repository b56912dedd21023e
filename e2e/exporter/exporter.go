package exporter

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"testing"
)

// Exporter is an exporter in the hands of one test: whatever goes wrong with it fails the test.
type Exporter struct {
	*Process
	Client *http.Client // for scrapes; its connections are the test's own
	tb     testing.TB
}

// Start starts an exporter for the engine at host. It is stopped with the test, which fails if that does not go well; if
// the test fails, it shows the exporter's log.
func Start(tb testing.TB, host string, args ...string) *Exporter {
	tb.Helper()
	process, err := Open(host, args...)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := process.Close(); err != nil {
			tb.Error(err)
		}
		if tb.Failed() {
			tb.Logf("log of the exporter:\n%s", process.Log())
		}
	})
	transport := new(http.Transport)
	tb.Cleanup(transport.CloseIdleConnections)
	return &Exporter{Process: process, Client: &http.Client{Transport: transport}, tb: tb}
}

// Binary is the path of the exporter, there until the test ends.
func Binary(tb testing.TB) string {
	tb.Helper()
	path, err := writeBinary(tb.TempDir())
	if err != nil {
		tb.Fatal(err)
	}
	return path
}

// Scrape is one scrape.
func (x *Exporter) Scrape() Metrics {
	x.tb.Helper()
	response, err := x.Client.Get(x.URL("/metrics"))
	if err != nil {
		x.tb.Fatalf("scrape: %v", err)
	}
	body, err := io.ReadAll(response.Body)
	if err := errors.Join(err, response.Body.Close()); err != nil {
		x.tb.Fatalf("scrape: %v", err)
	}
	if response.StatusCode != http.StatusOK {
		x.tb.Fatalf("scrape: %s: %s", response.Status, body)
	}
	return parse(x.tb, bytes.NewReader(body))
}
