package check

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Before is the file as a promtool older than 2.25 can run it, of the version 2.minor. What it leaves out is not tested there, so that nothing passes
// for nothing: it holds no expression that sees no alert whatever the rules do.
func (f TestFile) Before(minor int) TestFile {
	old := f
	old.Tests = nil
	for _, s := range f.Tests {
		if minor < 25 {
			s.Name = ""
		}
		if minor < 22 { // no expression sees the series ALERTS (prometheus/prometheus#7661)
			s.PromQLExprTest = without(s.PromQLExprTest, func(e ExprTest) bool { return strings.Contains(e.Expr, "ALERTS") })
		}
		if len(s.AlertRuleTest)+len(s.PromQLExprTest) > 0 {
			old.Tests = append(old.Tests, s)
		}
	}
	return old
}

// Every is the file for one scrape and one evaluation in 30 seconds or in 2 minutes instead of one a minute. Samples of a scenario are those of the minute
// they stand at. Left out is what counts evaluations, since their number is another one, and what is written look by look: it is about looks of a minute.
func (f TestFile) Every(interval time.Duration) (TestFile, error) {
	paced := f
	paced.EvaluationInterval = interval.String()
	paced.Tests = nil
	for _, s := range f.Tests {
		if slices.ContainsFunc(s.InputSeries, lookByLook) {
			continue
		}
		s.Interval = interval.String()
		s.InputSeries = append([]InputSeries(nil), s.InputSeries...)
		for i, series := range s.InputSeries {
			samples, err := expand(series.Values)
			if err != nil {
				return TestFile{}, fmt.Errorf("%s: %w", s.Name, err)
			}
			var at []string
			for t := time.Duration(0); t < time.Duration(len(samples))*time.Minute; t += interval {
				at = append(at, samples[int(t/time.Minute)])
			}
			s.InputSeries[i].Values = strings.Join(at, " ")
		}
		s.PromQLExprTest = without(s.PromQLExprTest, func(e ExprTest) bool {
			return strings.Contains(e.Expr, "count_over_time") && len(e.ExpSamples) > 0
		})
		if len(s.AlertRuleTest)+len(s.PromQLExprTest) > 0 {
			paced.Tests = append(paced.Tests, s)
		}
	}
	return paced, nil
}

// lookByLook reports whether the samples of a series are written one by one.
func lookByLook(s InputSeries) bool {
	return len(strings.Fields(s.Values))-strings.Count(s.Values, "x") > 20
}

// expand writes out promtool's shorthand for series: `1x3` is four times 1, `0+60x2` is 0 60 120, `_x3` is three times no sample.
func expand(values string) ([]string, error) {
	var samples []string
	for word := range strings.FieldsSeq(values) {
		start, times, repeated := strings.Cut(word, "x")
		if !repeated {
			samples = append(samples, word)
			continue
		}
		n, err := strconv.Atoi(times)
		if err != nil {
			return nil, fmt.Errorf("%q: %w", word, err)
		}
		if start == "_" {
			for range n {
				samples = append(samples, "_")
			}
			continue
		}
		number, step := start, 0.0
		if plus := strings.LastIndex(start, "+"); plus > 0 {
			number = start[:plus]
			if step, err = strconv.ParseFloat(start[plus+1:], 64); err != nil {
				return nil, fmt.Errorf("%q: %w", word, err)
			}
		}
		value, err := strconv.ParseFloat(number, 64)
		if err != nil {
			return nil, fmt.Errorf("%q: %w", word, err)
		}
		for i := range n + 1 {
			samples = append(samples, strconv.FormatFloat(value+float64(i)*step, 'f', -1, 64))
		}
	}
	return samples, nil
}

func without[T any](all []T, unwanted func(T) bool) []T {
	var kept []T
	for _, one := range all {
		if !unwanted(one) {
			kept = append(kept, one)
		}
	}
	return kept
}
