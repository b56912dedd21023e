package exporter

import (
	"fmt"
	"io"
	"maps"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Metrics are the values of one scrape by series, written as the exposition has them: name{label="value",…}, with the
// labels in alphabetical order.
type Metrics map[string]float64

// Absent, as a value wanted, means that the series is not there.
const Absent = -1

func parse(tb testing.TB, exposition io.Reader) Metrics {
	tb.Helper()
	text, err := io.ReadAll(exposition)
	if err != nil {
		tb.Fatal(err)
	}
	m := Metrics{}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		i := strings.LastIndexByte(line, ' ')
		value, err := strconv.ParseFloat(line[i+1:], 64)
		if err != nil {
			tb.Fatalf("exposition: %q: %v", line, err)
		}
		m[line[:max(i, 0)]] = value
	}
	return m
}

// Of are the series of one name, sorted.
func (m Metrics) Of(name string) []string {
	var series []string
	for _, s := range slices.Sorted(maps.Keys(m)) {
		if s == name || strings.HasPrefix(s, name+"{") {
			series = append(series, s)
		}
	}
	return series
}

// Missing says which of the values wanted are not there.
func (m Metrics) Missing(want Metrics) string {
	var text strings.Builder
	for _, series := range slices.Sorted(maps.Keys(want)) {
		got, ok := m[series]
		switch {
		case want[series] == Absent && ok:
			fmt.Fprintf(&text, "%s is %v, want none\n", series, got)
		case want[series] != Absent && !ok:
			fmt.Fprintf(&text, "%s is absent, want %v\n", series, want[series])
		case want[series] != Absent && got != want[series]:
			fmt.Fprintf(&text, "%s is %v, want %v\n", series, got, want[series])
		}
	}
	return text.String()
}

// Expect scrapes until the values are there, all in one scrape, and returns that scrape.
func (x *Exporter) Expect(within time.Duration, want Metrics) Metrics {
	x.tb.Helper()
	return x.Eventually(within, func(m Metrics) string { return m.Missing(want) })
}

// Eventually scrapes until a scrape is as the test wants it, and returns it. The function says what is still missing.
func (x *Exporter) Eventually(within time.Duration, missing func(Metrics) string) Metrics {
	x.tb.Helper()
	for deadline := time.Now().Add(within); ; time.Sleep(100 * time.Millisecond) {
		m := x.Scrape()
		what := missing(m)
		if what == "" {
			return m
		}
		if time.Now().After(deadline) {
			x.tb.Fatalf("after %v: %s", within, what)
		}
	}
}

// Once runs the exporter with --once and returns what it printed and its exit code.
func Once(tb testing.TB, host string, args ...string) (Metrics, int) {
	tb.Helper()
	var stdout strings.Builder
	cmd := exec.Command(Binary(tb), append([]string{"--once", "--docker.host=" + host}, args...)...)
	cmd.Stdout = &stdout
	if err := cmd.Run(); cmd.ProcessState == nil {
		tb.Fatalf("run the exporter: %v", err)
	}
	return parse(tb, strings.NewReader(stdout.String())), cmd.ProcessState.ExitCode()
}
