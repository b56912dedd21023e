// Package testkit is what the tests of several packages have in common.
package testkit

import (
	"os"
	"os/exec"
	"testing"
)

// Need skips a test for want of something, and says so; in CI (CI=true) that is a failure.
func Need(tb testing.TB, err error) {
	tb.Helper()
	switch {
	case err == nil:
	case os.Getenv("CI") == "true":
		tb.Fatal(err)
	default:
		tb.Skip(err)
	}
}

// NeedPrograms is Need for programs that a test runs.
func NeedPrograms(tb testing.TB, names ...string) {
	tb.Helper()
	for _, name := range names {
		_, err := exec.LookPath(name)
		Need(tb, err)
	}
}
