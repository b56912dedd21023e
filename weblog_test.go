package main

import (
	"bytes"
	"fmt"
	stdlog "log"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-kit/log"
)

// Hundreds of clients that give up make a few lines, and a minute later there is room for the next ones.
func TestWebLogIsNoFlood(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lines := new(bytes.Buffer)
		web := stdlog.New(&webLog{logger: log.NewLogfmtLogger(lines)}, "", 0)
		for range 2 {
			for i := range 500 {
				web.Println("error encoding and sending metric family: write tcp 127.0.0.1:15364: broken pipe", i)
			}
			time.Sleep(time.Minute)
		}
		if n := strings.Count(lines.String(), "\n"); n != 2*(webLogBurst+1) {
			t.Errorf("%d lines, want %d in each of two minutes:\n%s", n, webLogBurst+1, lines)
		}
		last := fmt.Sprintf("msg=\"web server\" err=\"error encoding and sending metric family: write tcp 127.0.0.1:15364: broken pipe %d\"\n", webLogBurst-1)
		if n := strings.Count(lines.String(), last); n != 2 {
			t.Errorf("%d times %s in\n%s", n, last, lines)
		}
	})
}
