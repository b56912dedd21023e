package engine

import (
	"context"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/enginetest"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/testkit"
)

func descriptors(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	testkit.Need(t, err)
	return len(entries)
}

// Hours of failing lists and inspects leave neither goroutines nor file descriptors (FC-54, issue 2). Not parallel: others have goroutines and files of their own.
func TestNothingLeaks(t *testing.T) {
	cases := weather("/*/*")
	for name, intercept := range map[string]enginetest.Interceptor{
		"hanging":         enginetest.Hang(),
		"hanging list":    enginetest.Hang(listPath),
		"reset":           raw(listPath, ""),
		"500":             cases["500"].answer,
		"301":             cases["301"].answer,
		"200 HTML":        cases["200 HTML"].answer,
		"null":            cases["null"].answer,
		"length too long": cases["length too long"].answer,
		"403 at the ping": enginetest.Status(403, "Forbidden", "text/plain", listPath),
		"down":            nil,
	} {
		for _, fake := range []*enginetest.Engine{startFake(t), startFakeTCP(t)} {
			putCertWriters(fake, 2)
			fake.Intercept(intercept)
			if name == "down" {
				fake.Stop()
			}
			e := newEngine(t, fake.Host(), nil)
			goroutines, files := runtime.NumGoroutine(), descriptors(t)
			for range 50 {
				patience := time.Hour
				if strings.HasPrefix(name, "hanging") {
					patience = 3 * time.Millisecond
				}
				ctx, cancel := context.WithTimeout(t.Context(), patience)
				_, _ = listWithin(ctx, e)
				_, _ = e.Inspect(ctx, "abc")
				cancel()
			}
			eventually(t, name+": goroutines as before", func() bool { return runtime.NumGoroutine() <= goroutines })
			eventually(t, name+": file descriptors as before", func() bool { return descriptors(t) <= files })
		}
	}
}

// What gave up on a hanging engine is over there too, whose goroutines are this process's (FC-54).
func TestNothingPilesUpInTheEngine(t *testing.T) {
	fake := startFake(t)
	goroutines := runtime.NumGoroutine()
	fake.Intercept(enginetest.Hang(listPath))
	e := newEngine(t, fake.Host(), nil)
	for range 200 {
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Millisecond)
		_, err := listWithin(ctx, e)
		cancel()
		wantReason(t, err, timedOut)
		if now := runtime.NumGoroutine(); now > goroutines+40 {
			t.Fatalf("%d goroutines, %d before", now, goroutines)
		}
	}
}
