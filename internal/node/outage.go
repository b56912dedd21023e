package node

import (
	"sync"
	"time"

	"github.com/go-kit/log"
	"github.com/go-kit/log/level"
)

// reminder is how often an outage that goes on is logged again.
const reminder = 15 * time.Minute

// outage logs trouble once when it begins, now and then while it lasts, and once when it is over: a failing scrape every
// 15 s must not fill a disk.
type outage struct {
	logger log.Logger
	level  func(log.Logger) log.Logger // of an outage
	what   string

	mu     sync.Mutex
	since  time.Time // zero while all is well
	logged time.Time
}

func (o *outage) begin(err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	now := time.Now()
	switch {
	case o.since.IsZero():
		o.since, o.logged = now, now
		_ = o.level(o.logger).Log("msg", o.what+" unavailable", "err", err)
	case now.Sub(o.logged) >= reminder:
		o.logged = now
		_ = o.level(o.logger).Log("msg", o.what+" still unavailable", "err", err, "since", o.since.UTC().Format(time.RFC3339))
	default:
		_ = level.Debug(o.logger).Log("msg", o.what+" still unavailable", "err", err)
	}
}

func (o *outage) end() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.since.IsZero() {
		return
	}
	_ = level.Info(o.logger).Log("msg", o.what+" available again", "after", time.Since(o.since).Round(time.Second))
	o.since = time.Time{}
}
