package testkit

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/enginetest"
)

// Engine is a fake Docker Engine on a unix socket that lives as long as the test.
func Engine(tb testing.TB) *enginetest.Engine {
	tb.Helper()
	fake, err := enginetest.Start(SocketPath(tb))
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(fake.Close)
	return fake
}

// SocketPath is short enough for a unix socket, which a path with the name of a test in it need not be.
func SocketPath(tb testing.TB) string {
	tb.Helper()
	dir, err := os.MkdirTemp("", "rae")
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = os.RemoveAll(dir) })
	return filepath.Join(dir, "docker.sock")
}
