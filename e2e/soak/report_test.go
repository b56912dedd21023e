package soak

import (
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/e2e/procstat"
)

// sample takes what the exporter and dockerd hold now.
func (s *soak) sample() sample {
	s.t.Helper()
	now := sampleNow(s.exporter)
	dockerd, err := procstat.Of(s.node.DockerdPID())
	if err != nil {
		s.t.Fatal(err)
	}
	now.dockerd = dockerd
	return now
}

// report is the run in a few lines.
func (s *soak) report(took time.Duration, counters tally, seen []scrapes) string {
	var text strings.Builder
	out := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	line := func(what string, value any) { fmt.Fprintf(out, "%s\t%v\n", what, value) }
	fmt.Fprintln(out)
	line("seed", *seed)
	line("duration", took.Round(time.Second))
	line("operations", s.operated)
	line("containers made", s.number)
	line("events of all roles done", s.done.sum())
	line("events to count", s.done.ofCounted().sum())
	line("events counted", counters.sum())
	line("not counted, in stretches with a restart of dockerd", s.missed.sum())
	line("event streams cut", s.proxy.cuts)
	line("dockerd stopped, killed", fmt.Sprintf("%d, %d", s.stops, s.kills))
	line("quiet points compared", s.compared)
	for _, s := range seen {
		line("scrapes by a Prometheus", fmt.Sprintf("%d; exporter up %d, dockerd up %d, event stream up %d", s.all, s.exporterUp, s.dockerUp, s.eventsUp))
	}
	fmt.Fprintln(out, "\tstart\tquarter\thalf\tend")
	row := func(what string, value func(sample) float64) {
		fmt.Fprint(out, what)
		last := len(s.samples) - 1
		for _, i := range []int{0, last / 4, last / 2, last} {
			fmt.Fprintf(out, "\t%.0f", value(s.samples[i]))
		}
		fmt.Fprintln(out)
	}
	row("goroutines", func(s sample) float64 { return s.goroutines })
	row("descriptors", func(s sample) float64 { return s.files })
	row("resident, MB", func(s sample) float64 { return s.resident / (1 << 20) })
	row("dockerd: descriptors", func(s sample) float64 { return float64(s.dockerd.Files) })
	row("dockerd: resident, MB", func(s sample) float64 { return float64(s.dockerd.Resident) / (1 << 20) })
	_ = out.Flush()
	return text.String()
}
