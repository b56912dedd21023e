// Package monitoring runs a real Prometheus and a real Alertmanager with the files that the project ships, in a hurry.
package monitoring

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// duration finds every duration in the shipped files: `for` and `interval` of rules, the windows and offsets of their expressions
// and annotations, and the waits of a route.
var duration = regexp.MustCompile(`(\b(?:for|interval|group_wait|group_interval|repeat_interval): |\[|\boffset )([0-9]+)([smhd])`)

// Hurry turns each minute of rules.yml or alertmanager.example.yml into a second, an hour into a minute, and a second
// into one, so that a test sees in a minute what takes an hour in the field. Nothing else changes: the numbers that
// expressions compare with, ages in seconds among them, stay as they are.
func Hurry(file string) string {
	return duration.ReplaceAllStringFunc(file, func(text string) string {
		match := duration.FindStringSubmatch(text)
		n, err := strconv.Atoi(match[2])
		if err != nil {
			return text // longer than any number in a file of ours
		}
		seconds := n * map[string]int{"s": 1, "m": 60, "h": 3600, "d": 86400}[match[3]]
		return fmt.Sprintf("%s%ds", match[1], max(seconds/60, 1))
	})
}

// WithWebhook replaces the receivers of alertmanager.example.yml, its last block, by a webhook.
func WithWebhook(config, url string) string {
	before, _, _ := strings.Cut(config, "  email_configs:\n")
	return before + "  webhook_configs: [{url: '" + url + "', send_resolved: true}]\n"
}
