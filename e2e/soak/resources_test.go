package soak

import (
	"slices"
	"testing"
	"time"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/e2e/exporter"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/e2e/procstat"
)

// sample is what the exporter and dockerd hold at a quiet point.
type sample struct {
	goroutines, files float64
	resident          float64 // bytes

	dockerd procstat.Usage
}

// How much more than at the first quiet point is no leak. Two Prometheus servers may be in the midst of a scrape.
const (
	moreGoroutines = 6
	moreFiles      = 4
)

// sampleNow takes the least of a few scrapes: another scrape at the same moment is no growth.
func sampleNow(x *exporter.Exporter) sample {
	least := sample{goroutines: 1e9, files: 1e9, resident: 1e18}
	for range 5 {
		m := x.Scrape()
		least.goroutines = min(least.goroutines, m["go_goroutines"])
		least.files = min(least.files, m["process_open_fds"])
		least.resident = min(least.resident, m["process_resident_memory_bytes"])
		time.Sleep(70 * time.Millisecond)
	}
	return least
}

// checkFlat wants that nothing grows from quiet point to quiet point.
func checkFlat(t *testing.T, samples []sample) {
	t.Helper()
	first := samples[0]
	for i, s := range samples {
		if s.goroutines > first.goroutines+moreGoroutines {
			t.Errorf("%v goroutines at quiet point %d, %v at the first", s.goroutines, i, first.goroutines)
		}
		if s.files > first.files+moreFiles {
			t.Errorf("%v descriptors at quiet point %d, %v at the first", s.files, i, first.files)
		}
	}
	// A Go program takes its memory in the first minutes.
	warm := samples[len(samples)/10:]
	quarter := max(len(warm)/4, 1)
	early, late := medianResident(warm[:quarter]), medianResident(warm[len(warm)-quarter:])
	if late > early*1.25+8<<20 {
		t.Errorf("%.1f MB resident in the last quarter, %.1f in the first", late/(1<<20), early/(1<<20))
	}
}

func medianResident(samples []sample) float64 {
	var values []float64
	for _, s := range samples {
		values = append(values, s.resident)
	}
	slices.Sort(values)
	return values[len(values)/2]
}
