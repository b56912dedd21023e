package monitoring

import "testing"

func TestHurry(t *testing.T) {
	for in, want := range map[string]string{
		"for: 30m":                     "for: 30s",
		"interval: 5m":                 "interval: 5s",
		"group_wait: 10s":              "group_wait: 1s",
		"repeat_interval: 24h":         "repeat_interval: 1440s",
		"x[10m]) > 20":                 "x[10s]) > 20",
		"increase(x{%s}[76h])":         "increase(x{%s}[4560s])",
		"time() - x[5m] > 300":         "time() - x[5s] > 300",
		"or x offset 5m":               "or x offset 5s",
		"look for 30m at the node":     "look for 30m at the node",
		"container_id=~\"[0-9a-f]{12}": "container_id=~\"[0-9a-f]{12}",
	} {
		if got := Hurry(in); got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
}
