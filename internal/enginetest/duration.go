package enginetest

import (
	"fmt"
	"time"
)

// humanAge words how long ago a time is, as Docker does.
func humanAge(t time.Time) string { return humanDuration(time.Since(t)) }

func humanDuration(d time.Duration) string {
	const day = 24 * time.Hour
	hours := int(d.Round(time.Hour) / time.Hour)
	switch {
	case d < time.Second:
		return "Less than a second"
	case d < 2*time.Second:
		return "1 second"
	case d < time.Minute:
		return fmt.Sprintf("%d seconds", d/time.Second)
	case d < 2*time.Minute:
		return "About a minute"
	case d < time.Hour:
		return fmt.Sprintf("%d minutes", d/time.Minute)
	case hours == 1:
		return "About an hour"
	case hours < 48:
		return fmt.Sprintf("%d hours", hours)
	case hours < 14*24:
		return fmt.Sprintf("%d days", hours/24)
	case hours < 60*24:
		return fmt.Sprintf("%d weeks", hours/24/7)
	case hours < 2*365*24:
		return fmt.Sprintf("%d months", hours/24/30)
	default:
		return fmt.Sprintf("%d years", d/day/365)
	}
}
