package main

import (
	"strings"
	"sync"
	"time"

	"github.com/go-kit/log"
)

// webLogBurst is how many lines a minute the web side may log: enough to see what goes on.
const webLogBurst = 10

// webLog is where net/http and promhttp log. Both write a line for each refused connection and failed handshake, and for
// each metric of a scrape that its client gave up, so whoever connects could fill a disk.
type webLog struct {
	logger log.Logger

	mu    sync.Mutex
	begun time.Time // of the minute
	lines int       // in it
}

// Write takes one message, as package log hands it over.
func (w *webLog) Write(message []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if now := time.Now(); now.Sub(w.begun) >= time.Minute {
		w.begun, w.lines = now, 0
	}
	w.lines++
	switch {
	case w.lines <= webLogBurst:
		_ = w.logger.Log("msg", "web server", "err", strings.TrimSpace(string(message)))
	case w.lines == webLogBurst+1:
		_ = w.logger.Log("msg", "web server: further messages are left out for a minute")
	}
	return len(message), nil
}
