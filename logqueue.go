package main

import (
	"bytes"
	"io"
	"sync/atomic"
	"time"
)

// queuedLines is how many lines of the log may wait for their reader.
const queuedLines = 1024

// logQueue keeps whoever logs from waiting for the log's reader: a full pipe that nobody reads would hang scrapes, and with them
// a stop. What does not fit into the queue is lost, and told as soon as there is room again.
type logQueue struct {
	lines   chan []byte
	flushed chan struct{} // closed once all lines before a nil one are written
	lost    atomic.Int64
}

// newLogQueue returns a queue that writes to w. What has been lost is told by report, which writes to w too.
func newLogQueue(w io.Writer, report func(lost int64)) *logQueue {
	q := &logQueue{lines: make(chan []byte, queuedLines), flushed: make(chan struct{})}
	go func() {
		defer close(q.flushed)
		for line := <-q.lines; line != nil; line = <-q.lines {
			_, _ = w.Write(line)
			if lost := q.lost.Swap(0); lost > 0 {
				report(lost)
			}
		}
	}()
	return q
}

// Write takes one line.
func (q *logQueue) Write(line []byte) (int, error) {
	select {
	case q.lines <- bytes.Clone(line):
	default:
		q.lost.Add(1)
	}
	return len(line), nil
}

// flush waits for the lines so far to be written, but not for long. What comes later is lost.
func (q *logQueue) flush(patience time.Duration) {
	enough := time.After(patience)
	select {
	case q.lines <- nil:
	case <-enough:
		return
	}
	select {
	case <-q.flushed:
	case <-enough:
	}
}
