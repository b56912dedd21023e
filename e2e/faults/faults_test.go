// Package faults breaks one thing after the other around a running exporter: what it says meanwhile, what was lost, and how
// long until all is right again. The exporter is the real program, and wherever the fault is the engine's, so is that.
package faults

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestFaults runs every fault and ends with a table. Two run beside each other: most of them wait.
func TestFaults(t *testing.T) {
	if testing.Short() {
		t.Skip("takes minutes")
	}
	var outcomes []*outcome
	t.Cleanup(func() { // when all have ended
		t.Log("what was lost, and how long until right again:\n| fault | meanwhile | lost | right again after |\n|---|---|---|---|")
		for _, o := range outcomes {
			if o.seen {
				t.Log(o)
			}
		}
	})
	for _, fault := range []struct {
		name string
		test func(*testing.T, *outcome)
	}{
		{"web clients that never end", slowClients}, // waits the longest
		{"SIGSTOP of dockerd", pausedEngine},
		{"kill -9 of dockerd", killedEngine},
		{"socket replaced", replacedSocket},
		{"newer engine in place", newerEngine},
		{"full descriptor table", fullTable},
		{"1000 scrapes at once", crowd},
		{"malformed and oversized requests", malformedRequests},
		{"scrapes given up", givenUpScrapes},
		{"engine's certificate expired", expiredEngineCertificate},
		{"web certificate expired", expiredWebCertificate},
	} {
		o := &outcome{fault: fault.name}
		outcomes = append(outcomes, o)
		t.Run(fault.name, func(t *testing.T) {
			t.Parallel()
			fault.test(t, o)
			o.seen = !t.Failed()
			t.Log(o)
		})
	}
}

// outcome is what a fault did. None of it is asserted: the tests assert that all is right, and here is how it got so.
type outcome struct {
	fault     string
	meanwhile []string // what the exporter showed while the fault lasted
	lost      string
	again     []string // how long until what was right again
	seen      bool     // to the end
}

func (o *outcome) sawf(format string, args ...any) {
	o.meanwhile = append(o.meanwhile, fmt.Sprintf(format, args...))
}

// rightAgain notes how long after the end of the fault something was right.
func (o *outcome) rightAgain(what string, after time.Duration) {
	o.again = append(o.again, fmt.Sprintf("%s %v", what, after.Round(time.Millisecond)))
}

// String is a row of a table in Markdown.
func (o *outcome) String() string {
	return fmt.Sprintf("| %s | %s | %s | %s |", o.fault, strings.Join(o.meanwhile, "; "), o.lost, strings.Join(o.again, ", "))
}
