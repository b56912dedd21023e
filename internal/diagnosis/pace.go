package diagnosis

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// period is how far times are apart, if three in four are about equally far: the node-agent makes up for a removal at its
// next check, which is two minutes later at most.
func period(times []time.Time) (time.Duration, bool) {
	const fewest = 3
	if len(times) < fewest {
		return 0, false
	}
	var gaps []time.Duration
	for i := range times[1:] {
		gaps = append(gaps, times[i+1].Sub(times[i]))
	}
	slices.Sort(gaps)
	median := gaps[len(gaps)/2]
	var sum time.Duration
	alike := 0
	for _, gap := range gaps {
		if (gap - median).Abs() <= min(2*time.Minute, median/2)+median/10 {
			sum += gap
			alike++
		}
	}
	if 4*alike < 3*len(gaps) {
		return 0, false
	}
	mean := sum / time.Duration(alike)
	if mean >= 2*time.Minute {
		return mean.Round(time.Minute), true
	}
	return mean.Round(time.Second), mean >= time.Second
}

// slack is how late something may be that comes in a period: 2 h for a nightly job, as long again for one of minutes.
func slack(every time.Duration) time.Duration {
	return max(every/12, min(every, 10*time.Minute))
}

// runSince is when the run of times began that is still going on, no two of them further apart than a gap; zero where the
// last is further back than that.
func runSince(times []time.Time, gap time.Duration, now time.Time) time.Time {
	slices.SortFunc(times, time.Time.Compare)
	var since time.Time
	for next, i := now, len(times)-1; i >= 0 && next.Sub(times[i]) <= gap; i-- {
		since, next = times[i], times[i]
	}
	return since
}

// list writes the last of some times down.
func list(times []time.Time) string {
	const shown = 6
	var words []string
	for _, t := range times[max(0, len(times)-shown):] {
		words = append(words, t.UTC().Format("01-02 15:04"))
	}
	text := strings.Join(words, ", ") + " UTC"
	if len(times) > shown {
		return fmt.Sprintf("%s (and %s before)", text, count(len(times)-shown, "time"))
	}
	return text
}
