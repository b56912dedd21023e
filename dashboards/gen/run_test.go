package main

import (
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/grafana/grafana-foundation-sdk/go/cog/variants"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/grafana/grafana-foundation-sdk/go/prometheus"
)

// asked is a query as the code has it, or as the SDK decodes it.
func asked(target variants.Dataquery) prometheus.Dataquery {
	if q, is := target.(*prometheus.Dataquery); is {
		return *q
	}
	return target.(prometheus.Dataquery)
}

// run asks every query of a panel and gives the results by the query's letter. A legend stands in the label "legend".
func (s *promServer) run(t testing.TB, d dashboard.Dashboard, p dashboard.Panel, chosen choice, interval int64) map[string][]series {
	t.Helper()
	results := map[string][]series{}
	// About as many points as a panel has pixels.
	points, from := 60*int64(p.GridPos.W), begin
	if p.MaxDataPoints != nil {
		points = int64(*p.MaxDataPoints)
	}
	if p.TimeFrom != nil {
		long, err := time.ParseDuration(*p.TimeFrom)
		if err != nil {
			t.Fatal(err)
		}
		from = theEnd - int64(long.Seconds())
	}
	step := max(interval, (theEnd-from)/points)
	if p.Interval != nil {
		least, err := time.ParseDuration(*p.Interval)
		if err != nil {
			t.Fatal(err)
		}
		step = max(step, int64(least.Seconds()))
	}
	for _, target := range p.Targets {
		q := asked(target)
		form := url.Values{"query": {s.filled(t, d, chosen, step, interval, q.Expr)}}
		kind := "query"
		if q.Range != nil && *q.Range {
			kind = "query_range"
			form.Set("start", fmt.Sprint(from/step*step))
			form.Set("end", fmt.Sprint(theEnd/step*step))
			form.Set("step", fmt.Sprint(step))
		} else {
			// The last scrape of the history.
			form.Set("time", fmt.Sprint(theEnd-1))
		}
		list := s.ask(t, kind, form)
		for _, one := range list {
			one.labels["legend"] = legend(*q.LegendFormat, one.labels)
		}
		results[*q.RefId] = list
	}
	return results
}

var legendField = regexp.MustCompile(`\{\{(\w+)\}\}`)

func legend(format string, labels map[string]string) string {
	return legendField.ReplaceAllStringFunc(format, func(f string) string { return labels[strings.Trim(f, "{}")] })
}

// row is a row of a table, by field: the text of a label, or the number of a query.
type row map[string]any

// merged is what Grafana's transformation merge makes of the queries of a table: rows with the same value in every field that all queries have become one,
// unless another field would then have two values.
func merged(p dashboard.Panel, results map[string][]series) []row {
	var list []row
	shared := map[string]bool{}
	fields := map[string]map[string]bool{}
	for ref, result := range results {
		fields[ref] = map[string]bool{}
		for _, s := range result {
			for label := range s.labels {
				fields[ref][label] = label != "legend"
			}
		}
	}
	for _, of := range fields {
		for label, is := range of {
			every := is
			for _, other := range fields {
				every = every && other[label]
			}
			shared[label] = every
		}
	}
	for _, target := range p.Targets {
		ref := *asked(target).RefId
		for _, s := range results[ref] {
			r := row{"Value": s.last()}
			if len(p.Targets) > 1 {
				r = row{"Value #" + ref: s.last()}
			}
			for label, v := range s.labels {
				if label != "legend" {
					r[label] = v
				}
			}
			list = mergeRow(list, r, shared)
		}
	}
	return list
}

func mergeRow(list []row, r row, shared map[string]bool) []row {
	found := false
	for _, old := range list {
		fits := true
		for field, v := range r {
			have, is := old[field]
			fits = fits && (is && have == v || !is && !shared[field])
		}
		for field := range shared {
			fits = fits && (!shared[field] || old[field] == r[field])
		}
		if fits {
			maps.Copy(old, r)
			found = true
		}
	}
	if found {
		return list
	}
	return append(list, r)
}
