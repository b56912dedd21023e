package main

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/testkit"
)

// Lines go through in order; while nobody reads, those beyond the queue are lost and counted, and neither a write nor a stop waits.
func TestLogQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reader, writer := io.Pipe()
		defer writer.Close()
		text := new(testkit.Buffer)
		queue := newLogQueue(writer, func(lost int64) { fmt.Fprintln(writer, "lost", lost) })
		for n := range queuedLines + 8 {
			fmt.Fprintln(queue, n)
			synctest.Wait() // the first is in the pipe
		}
		start := time.Now()
		queue.flush(time.Second)
		if waited := time.Since(start); waited != time.Second {
			t.Errorf("waited %v for a reader", waited)
		}
		go func() { _, _ = io.Copy(text, reader) }()
		synctest.Wait()
		lines := strings.Fields(strings.ReplaceAll(text.String(), "lost ", "lost"))
		if len(lines) != queuedLines+2 || lines[0] != "0" || lines[1] != "lost7" || lines[2] != "1" || lines[queuedLines+1] != fmt.Sprint(queuedLines) {
			t.Errorf("%d lines: %.40q", len(lines), lines)
		}

		fmt.Fprintln(queue, "the last")
		queue.flush(time.Hour)
		if !strings.HasSuffix(text.String(), "\nthe last\n") {
			t.Errorf("the last line is not written: %q", text.String()[max(0, len(text.String())-40):])
		}
	})
}
