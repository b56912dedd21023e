package faults

import (
	"net"
	"testing"
	"time"
)

const givenUp = 300

// Scrapers that hang up in the middle of a reply, as one does whose timeout is too short.
func givenUpScrapes(t *testing.T, o *outcome) {
	fake := node(t, 20)
	x := start(t, fake.Host())
	x.healthy(writers(20))
	for i := range givenUp {
		conn := x.connect()
		_ = conn.(*net.TCPConn).SetLinger(0) // a reset, not a farewell
		if _, err := conn.Write([]byte("GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n")); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(i%8) * 500 * time.Microsecond) // some before the reply, some in the middle of it
		_ = conn.Close()
	}
	ended := time.Now()
	x.rightAgain(o, ended, nil)
	o.sawf("%d connections reset around the reply: %d lines logged", givenUp, len(x.fewLines(mostWebLines)))
	o.lost = "nothing"
	x.unharmed()
}
