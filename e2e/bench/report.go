package main

import (
	"fmt"
	"io"
	"time"
)

// report prints what each way cost, beside the bare list of as many containers.
func report(out io.Writer, results []result) {
	fmt.Fprintln(out, "| containers | way | time | ratio | requests | bytes read | CPU of who asks | CPU of dockerd | ratio | bytes exposed | resident | peak |")
	fmt.Fprintln(out, "|---|---|---|---|---|---|---|---|---|---|---|---|")
	var base result
	for _, r := range results {
		if r.way == bare {
			base = r
		}
		exporter := "| | |"
		if r.shown > 0 && r.way != bare {
			exporter = fmt.Sprintf("%d | %.1f MB | %.1f MB |", r.shown, megabytes(r.memory.Resident), megabytes(r.memory.Peak))
		}
		fmt.Fprintf(out, "| %d | %s | %s | %.2f | %d | %d | %s | %s | %.2f | %s\n", r.containers, r.way,
			milliseconds(r.took), ratio(r.took, base.took), r.requests, r.read,
			milliseconds(r.own), milliseconds(r.dockerd), ratio(r.dockerd, base.dockerd), exporter)
	}
	growth(out, results)
}

// growth prints how each way grows from one number of containers to the next.
func growth(out io.Writer, results []result) {
	fmt.Fprintln(out, "\n| containers | way | containers, times | time, times | CPU of dockerd, times | requests, times | bytes exposed, times |")
	fmt.Fprintln(out, "|---|---|---|---|---|---|---|")
	last := make(map[string]result)
	for _, r := range results {
		if l, ok := last[r.way]; ok {
			fmt.Fprintf(out, "| %d to %d | %s | %.1f | %.1f | %.1f | %.1f |", l.containers, r.containers, r.way,
				float64(r.containers)/float64(l.containers), ratio(r.took, l.took), ratio(r.dockerd, l.dockerd), float64(r.requests)/float64(l.requests))
			if r.shown > 0 {
				fmt.Fprintf(out, " %.2f", float64(r.shown)/float64(l.shown))
			}
			fmt.Fprintln(out, " |")
		}
		last[r.way] = r
	}
}

func ratio(a, b time.Duration) float64 { return float64(a) / float64(b) }

func milliseconds(d time.Duration) string { return fmt.Sprintf("%.2f ms", d.Seconds()*1000) }

func megabytes(bytes int64) float64 { return float64(bytes) / (1 << 20) }
