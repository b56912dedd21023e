package diagnosis

import (
	"fmt"
	"time"
)

// alert is a rule of alerts/rules.yml as somebody sees it who looks once: it fires as soon as a state has lasted, which
// is its window and its for together.
type alert struct {
	name     string
	severity Severity
	after    time.Duration
}

// How long that is, and what else the rules and the findings have in common, is read from the rules.
//go:generate go -C ../../alerts/check run ./thresholds

// aMoment is what passes until a rule sees a state: a scrape and an evaluation, of a minute at most each.
const aMoment = 2 * time.Minute

// lasted names an alert, and gives a finding its severity, if what it tells of has lasted long enough for the alert to
// fire. Before that it says so. A zero time is one that nobody knows: then the severity counts all the same, since a
// problem nobody is told of is the worst answer, but the alert is not claimed to fire.
func (f *Finding) lasted(a alert, since, now time.Time) {
	switch lasted := now.Sub(since); {
	case since.IsZero():
		f.Severity = max(f.Severity, a.severity)
		f.Seen = append(f.Seen, fmt.Sprintf("Since when this is so, Docker does not tell; the alert %s fires once it has lasted %s.", a.name, Words(a.after)))
	case lasted >= a.after+aMoment:
		f.Alerts = append(f.Alerts, a.name)
		f.Severity = max(f.Severity, a.severity)
	case len(f.Alerts) == 0:
		f.Severity = max(f.Severity, Info)
		f.Seen = append(f.Seen, fmt.Sprintf("This is so for %s; the alert %s fires once it has lasted %s.", Words(lasted), a.name, Words(a.after)))
	}
}

// atMost is since when something may have lasted that began after a time at the earliest: that time while the alert cannot
// fire yet, zero once nobody knows.
func (a alert) atMost(earliest, now time.Time) time.Time {
	if now.Sub(earliest) < a.after+aMoment {
		return earliest
	}
	return time.Time{}
}

// createdAt is a creation as a time that something has lasted since: zero for one in the future, which tells of a clock
// that was set and not of a young container.
func (l look) createdAt(created int64) time.Time {
	t := time.Unix(created, 0)
	if t.Sub(l.now) > time.Minute {
		return time.Time{}
	}
	return t
}
