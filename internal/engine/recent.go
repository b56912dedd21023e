package engine

import "github.com/rancher-agent-exporter/rancher_agent_exporter/internal/rancher"

// recentEvents is more than the 256 events an engine keeps: whatever it tells again is among the last so many heard.
const recentEvents = 1024

type eventKey struct {
	id, action string
	nano       int64
}

// recent remembers the last events heard, so that one that is told again after a reconnect does not count twice.
type recent struct {
	keys map[eventKey]bool
	ring []eventKey
	next int
}

func newRecent() *recent {
	return &recent{keys: make(map[eventKey]bool), ring: make([]eventKey, recentEvents)}
}

// add remembers an event and says whether it is new.
func (r *recent) add(e rancher.Event) bool {
	key := eventKey{e.ID, e.Action, e.Time.UnixNano()}
	if r.keys[key] {
		return false
	}
	delete(r.keys, r.ring[r.next])
	r.keys[key] = true
	r.ring[r.next] = key
	r.next = (r.next + 1) % len(r.ring)
	return true
}
