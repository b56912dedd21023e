package fleet

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/common/model"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/e2e/monitoring"
)

const (
	longest = 76 * time.Hour   // what the panels about causes look back at
	usual   = 15 * time.Minute // the longest window of the rules, but for one; what is carried on is found in its newest sample
	piece   = 30 * time.Minute // of a history sent at a time
	gap     = 2 * time.Minute  // at most, between the history and the first scrape
)

var (
	overDays = []string{ // by the panels about causes
		"rancher_agent_share_mnt_created_timestamp_seconds", "rancher_agent_docker_container_prunes_total",
	}
	onPages = []string{ // over the whole time range, for all nodes
		"up", "scrape_duration_seconds", "go_goroutines", "process_cpu_seconds_total", "process_resident_memory_bytes",
		"rancher_agent_docker_up", "rancher_agent_scrape_duration_seconds", "rancher_agent_cert_writer_server_containers",
		"rancher_agent_share_mnt_started_timestamp_seconds", "rancher_agent_share_mnt_exit_code", "rancher_agent_share_mnt_starts_cert_writer",
	}
)

// of is how far back a series goes, and the time from one sample to the next.
func (h History) of(series model.Metric) (back, step time.Duration) {
	name := string(series[model.MetricNameLabel])
	switch {
	case slices.Contains(overDays, name):
		return longest, h.Interval
	case slices.Contains(onPages, name), name == "rancher_agent_share_mnt_containers" && series["state"] == "restarting":
		return max(h.Pages, usual), h.Interval
	case name == "instance:rancher_agent_cert_writer_live_containers:last":
		return time.Hour, h.Interval
	default:
		return usual, h.Interval
	}
}

// History gives a Prometheus the past that the rules and the dashboards look back at, as if it had scraped the fleet all the
// time: all series for a quarter of an hour, and those with longer windows for as long as these are.
type History struct {
	Interval time.Duration // of scrapes
	Pages    time.Duration // what the dashboards look back at
}

// Write sends the history of a fleet to a Prometheus that has scraped nothing yet, and returns the number of its samples.
// The series are those of the first node, under the names of each.
func (h History) Write(tb testing.TB, f *Fleet, first model.Vector, to *monitoring.Prometheus) int {
	tb.Helper()
	w := &writer{tb: tb, url: "http://" + to.Address + "/api/v1/write"}
	first = slices.Concat(first, f.Nodes[0].carried(first))
	names := make([]func(model.Metric) model.Metric, len(f.Nodes))
	for i, n := range f.Nodes {
		names[i] = renamed(f.Nodes[0], n)
	}
	start := time.Now()
	// The last pieces are short: they are what has passed meanwhile. A gap of some scrapes is left, which no window minds and a slow
	// machine might never close.
	for from := start.Add(-longest); time.Since(from) > gap; {
		until := from.Add(min(piece, time.Since(from)))
		for i, n := range f.Nodes {
			for _, s := range first {
				back, step := h.of(s.Metric)
				if samples := n.samples(s, later(from, start.Add(-back)), until, step); len(samples) > 0 {
					w.series(names[i](s.Metric), samples)
				}
			}
		}
		from = until
	}
	w.flush()
	return w.samples
}

// lastCreated is the record of the newest creation of share-mnt. Those before it are carried on under its name with a number.
const lastCreated = "instance:rancher_agent_share_mnt_created_timestamp_seconds:last"

// carried are the records that only a past can have made: the creations of share-mnt before the newest.
func (n *Node) carried(first model.Vector) model.Vector {
	var before model.Vector
	for _, s := range first {
		if s.Metric[model.MetricNameLabel] != lastCreated || len(n.removals) == 0 {
			continue
		}
		for _, number := range []string{"2", "3", "4"} {
			metric := s.Metric.Clone()
			metric[model.MetricNameLabel] += model.LabelValue(number)
			before = append(before, &model.Sample{Metric: metric, Value: s.Value})
		}
	}
	return before
}

// samples are those of a series between two times.
func (n *Node) samples(s *model.Sample, from, until time.Time, step time.Duration) []model.SamplePair {
	value := n.past(s)
	var samples []model.SamplePair
	for at := from.Truncate(step).Add(step); !at.After(until); at = at.Add(step) {
		samples = append(samples, model.SamplePair{Timestamp: model.TimeFromUnixNano(at.UnixNano()), Value: value(at)})
	}
	return samples
}

// past is the value of a series by time. What a removal of share-mnt moves was lower before; all else was as it is.
func (n *Node) past(s *model.Sample) func(time.Time) model.SampleValue {
	name := string(s.Metric[model.MetricNameLabel])
	removals := func(at time.Time) int {
		count, _ := slices.BinarySearchFunc(n.removals, at, time.Time.Compare)
		return count
	}
	switch {
	case len(n.removals) == 0 || s.Value == 0:
	case strings.HasSuffix(name, "prunes_total"), strings.HasSuffix(name, "container_events_total"):
		return func(at time.Time) model.SampleValue { return model.SampleValue(removals(at)) }
	case strings.Contains(name, "share_mnt_created"), strings.Contains(name, "last_container_prune"):
		before := 1
		if number, is := strings.CutPrefix(name, lastCreated); is && number != "" {
			before = int(number[0] - '0')
		}
		return func(at time.Time) model.SampleValue {
			return model.SampleValue(n.removals[max(removals(at)-before, 0)].Unix())
		}
	}
	return func(time.Time) model.SampleValue { return s.Value }
}

// renamed turns the labels of one node's series into those of another.
func renamed(from, to *Node) func(model.Metric) model.Metric {
	names, old := make(map[model.LabelValue]model.LabelValue), from.own()
	for i, value := range to.own() {
		names[model.LabelValue(old[i])] = model.LabelValue(value)
	}
	return func(series model.Metric) model.Metric {
		of := make(model.Metric, len(series))
		for name, value := range series {
			if other, is := names[value]; is && value != "" {
				value = other
			}
			of[name] = value
		}
		return of
	}
}

func sortedNames(labels model.Metric) []model.LabelName { return slices.Sorted(maps.Keys(labels)) }

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
