package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
)

// looker looks at the panels of one dashboard with one choice of variables.
type looker struct {
	t      *testing.T
	server *promServer
	page   dashboard.Dashboard
	chosen choice
}

func (l looker) results(title string) (dashboard.Panel, map[string][]series) {
	l.t.Helper()
	p := panelOf(l.t, l.page, title)
	return p, l.server.run(l.t, l.page, p, l.chosen, 30)
}

func same(t *testing.T, what string, got, want []string) {
	t.Helper()
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("%s shows\n\t%s\nnot\n\t%s", what, strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
	}
}

func (l looker) what(title string) string {
	return fmt.Sprint(*l.page.Title, ", ", title, " for ", l.chosen)
}

// stat wants these values of a panel, each with its legend if it has one; none is the panel's noValue.
func (l looker) stat(title string, want ...string) {
	l.t.Helper()
	p, results := l.results(title)
	var got []string
	for _, list := range results {
		for _, s := range list {
			got = append(got, strings.TrimSpace(figure(s.last(), *p.FieldConfig.Defaults.Unit)+" "+s.labels["legend"]))
		}
	}
	same(l.t, l.what(title), got, want)
}

// figure writes a number as the tests want it: durations in minutes, for scrapes come every 30 s.
func figure(v float64, unit string) string {
	switch {
	case unit == "s" && v >= 60:
		return strconv.FormatFloat(v/60, 'f', 0, 64) + "m"
	case v == float64(int64(v)):
		return strconv.FormatInt(int64(v), 10)
	}
	return strconv.FormatFloat(v, 'f', 3, 64)
}

// table wants these rows of a panel: the columns as they stand, joined; a field without a value is a dash.
func (l looker) table(title string, want ...string) {
	l.t.Helper()
	p, results := l.results(title)
	order := p.Transformations[1].Options.(map[string]any)["indexByName"].(map[string]any)
	names := p.Transformations[1].Options.(map[string]any)["renameByName"].(map[string]any)
	columns := sortedKeys(names)
	slices.SortFunc(columns, func(a, b string) int { return int(order[a].(float64) - order[b].(float64)) })
	var got []string
	for _, r := range merged(p, results) {
		var cells []string
		for _, c := range columns {
			switch v := r[c].(type) {
			case nil:
				cells = append(cells, "-")
			case float64:
				cells = append(cells, figure(v, unitOf(p, names[c].(string))))
			case string:
				cells = append(cells, v)
			}
		}
		got = append(got, strings.Join(cells, " | "))
	}
	same(l.t, l.what(title), got, want)
}

func unitOf(p dashboard.Panel, column string) string {
	for _, o := range p.FieldConfig.Overrides {
		for _, property := range o.Properties {
			if o.Matcher.Options == column && property.Id == "unit" {
				return property.Value.(string)
			}
		}
	}
	return ""
}

// lines wants these series of a graph.
func (l looker) lines(title string, want ...string) {
	l.t.Helper()
	_, results := l.results(title)
	var got []string
	for _, list := range results {
		for _, s := range list {
			got = append(got, s.labels["legend"])
		}
	}
	same(l.t, l.what(title), got, want)
}

// moment is a value some seconds before the end; missing is none.
type moment struct {
	ago   int64
	value float64
}

const missing = -1

// step is the smallest time between two values.
func (s series) step() int64 {
	step := int64(0)
	for i := 1; i < len(s.times); i++ {
		if d := s.times[i] - s.times[i-1]; step == 0 || d < step {
			step = d
		}
	}
	return step
}

// line wants these values of one series of a graph.
func (l looker) line(title, legend string, want ...moment) {
	l.t.Helper()
	_, results := l.results(title)
	for _, list := range results {
		for _, s := range list {
			if s.labels["legend"] != legend {
				continue
			}
			for _, m := range want {
				got := float64(missing)
				for i, at := range s.times {
					// The step of the graph that the moment lies in; most are of 30 to 90 seconds.
					if at <= theEnd-m.ago && at > theEnd-m.ago-max(2*minute, s.step()) {
						got = s.values[i]
					}
				}
				if math.Abs(got-m.value) > 1e-9 {
					l.t.Errorf("%s: %s is %v %d minutes before the end, not %v", l.what(title), legend, got, m.ago/minute, m.value)
				}
			}
			return
		}
	}
	l.t.Errorf("%s has no line %q", l.what(title), legend)
}

// sum wants the values of one series of a graph, each step of it once, to add up to this.
func (l looker) sum(title, legend string, want float64) {
	l.t.Helper()
	_, results := l.results(title)
	sum := 0.0
	for _, list := range results {
		for _, s := range list {
			if s.labels["legend"] == legend {
				for _, v := range s.values {
					sum += v
				}
			}
		}
	}
	if sum != want {
		l.t.Errorf("%s shows %v for %v times %s", l.what(title), sum, want, legend)
	}
}
