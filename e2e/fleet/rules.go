package fleet

import (
	"fmt"
	"regexp"
	"testing"
	"time"

	"github.com/prometheus/common/model"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/e2e/monitoring"
)

var forLine = regexp.MustCompile(`(?m)^ +for: .*\n`)

// AtOnce are rules whose alerts fire at the first evaluation that finds something. Windows stay as they are, and so does what an
// evaluation costs: the annotations of a pending alert are made each time as those of a firing one.
func AtOnce(rules string) string { return forLine.ReplaceAllString(rules, "") }

// Learn are the series of the first node as a Prometheus has them after some scrapes and evaluations of a second each: what a
// History continues into the past.
func Learn(t *testing.T, f *Fleet, rules string) model.Vector {
	t.Helper()
	one := &Fleet{Nodes: f.Nodes[:1], address: f.address}
	var series model.Vector
	t.Run("learn", func(t *testing.T) { // a test of its own, which ends its Prometheus
		p := monitoring.StartPrometheus(t, one.Config(rules, time.Second))
		for deadline := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Second) {
			known := len(series)
			series = p.Vector(fmt.Sprintf("{instance=%q}", f.Nodes[0].Instance))
			if known > 0 && len(series) == known {
				return
			}
			if time.Now().After(deadline) {
				t.Fatal("the series of a node are never the same for 5 s")
			}
		}
	})
	return series
}
