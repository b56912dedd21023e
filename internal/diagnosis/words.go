package diagnosis

import (
	"cmp"
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/rancher"
)

// Words says how long something lasts, in one unit.
func Words(d time.Duration) string {
	const day = 24 * time.Hour
	switch d = max(d, 0); {
	case d < 2*time.Minute && d != time.Minute:
		return fmt.Sprintf("%d s", d/time.Second)
	case d < 2*time.Hour && d != time.Hour:
		return fmt.Sprintf("%d min", d/time.Minute)
	case d < 2*day:
		return fmt.Sprintf("%d h", d/time.Hour)
	default:
		return fmt.Sprintf("%d days", d/day)
	}
}

// created is when a container was created.
func created(a *rancher.Agent) time.Time { return time.Unix(a.Created, 0) }

// Age is how long ago a container was created.
func Age(a *rancher.Agent, now time.Time) string {
	return Words(now.Sub(created(a)))
}

// Stamp is a time to the minute.
func Stamp(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 UTC") }

// Name is what a container is called: its pod's name, where there is one, says the same in fewer words.
func Name(a *rancher.Agent) string { return cmp.Or(a.Pod, a.Name) }

// State is the state of a container with its exit code, if it has one.
func State(a *rancher.Agent) string {
	if a.ExitCode == nil {
		return string(a.State)
	}
	return fmt.Sprintf("%s (%d)", a.State, *a.ExitCode)
}

// RoleWords is a role as the documentation calls it.
func RoleWords(r rancher.Role) string { return strings.ReplaceAll(string(r), "_", "-") }

// count is "1 container" or "2 containers".
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// describe names a container as a sentence can.
func (l look) describe(a *rancher.Agent) string {
	return fmt.Sprintf("%s (%s), created %s ago (%s)", Name(a), a.ShortID(), Age(a, l.now), Stamp(created(a)))
}

// Printable replaces what a terminal might obey, or a reader not see, instead of reading it: control characters, and those
// that turn the direction of a text or have no width.
func Printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return unicode.ReplacementChar
	}, s)
}
