package faults

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// marker is in whatever a request could have reflected.
const marker = "<script>alert(1)</script>"

// closed is the status of a connection that is closed without a reply.
const closed = 0

// requests are the bytes sent, and the status expected. Those with 307 and 200 are odd, but not malformed.
var requests = map[string]struct {
	bytes  string
	status int
}{
	"garbage":                    {strings.Repeat("\x00\xff\xfe"+marker, 100) + "\r\n\r\n", 400},
	"HTTP/0.9":                   {"GET /metrics\r\n\r\n", 400},
	"HTTP/3.0 in words":          {"GET /metrics HTTP/3.0\r\nHost: x\r\n\r\n", 505}, // RFC 9110, 15.6.6
	"no version":                 {"GET /metrics HTTP/" + marker + "\r\nHost: x\r\n\r\n", 400},
	"HTTP/2 preface":             {"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400},
	"TLS hello":                  {"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + strings.Repeat("\xaa", 512) + "\r\n\r\n", 400},
	"empty line":                 {"\r\n\r\n", 400},
	"no Host":                    {"GET /metrics HTTP/1.1\r\n\r\n", 400},
	"two Hosts":                  {"GET /metrics HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400},
	"Host of markup":             {"GET /metrics HTTP/1.1\r\nHost: " + marker + "\r\n\r\n", 400},
	"header without colon":       {"GET /metrics HTTP/1.1\r\nHost: x\r\n" + marker + "\r\n\r\n", 400},
	"space before colon":         {"GET /metrics HTTP/1.1\r\nHost: x\r\nX : y\r\n\r\n", 400},
	"NUL in header":              {"GET /metrics HTTP/1.1\r\nHost: x\r\nX: a\x00b\r\n\r\n", 400},
	"NUL in path":                {"GET /metrics\x00 HTTP/1.1\r\nHost: x\r\n\r\n", 400},
	"NUL in path, escaped":       {"GET /metrics%00 HTTP/1.1\r\nHost: x\r\n\r\n", 404},
	"bad escape":                 {"GET /%zz HTTP/1.1\r\nHost: x\r\n\r\n", 400},
	"markup in path":             {"GET /" + marker + " HTTP/1.1\r\nHost: x\r\n\r\n", 404},
	"path traversal":             {"GET /../../../../etc/passwd HTTP/1.1\r\nHost: x\r\n\r\n", 307}, // to /etc/passwd, which is 404
	"path traversal with markup": {"GET /../../" + marker + "/x HTTP/1.1\r\nHost: x\r\n\r\n", 307},
	"path traversal, escaped":    {"GET /%2e%2e/%2e%2e/etc/passwd HTTP/1.1\r\nHost: x\r\n\r\n", 404},
	"huge URL":                   {"GET /" + strings.Repeat("a", 1<<20) + " HTTP/1.1\r\nHost: x\r\n\r\n", 431},
	"huge query":                 {"GET /metrics?name[]=" + strings.Repeat("a", 1<<20) + " HTTP/1.1\r\nHost: x\r\n\r\n", 431},
	"huge header":                {"GET /metrics HTTP/1.1\r\nHost: x\r\nX: " + strings.Repeat("a", 1<<20) + "\r\n\r\n", 431},
	"many headers":               {"GET /metrics HTTP/1.1\r\nHost: x\r\n" + strings.Repeat("X: y\r\n", 100_000) + "\r\n", 431},
	"huge body":                  {"POST /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: 67108864\r\n\r\n" + strings.Repeat("a", 64<<20), 405},
	"body that never comes":      {"POST /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 67108864\r\n\r\n", 405},
	"negative length":            {"POST /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n", 400},
	"two lengths":                {"POST /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab", 400},
	"chunks that are none":       {"POST /metrics HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n" + marker + "\r\n", 405},
	"chunk of 2^64 bytes":        {"POST /metrics HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n", 405},
	"length and chunks":          {"POST /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 405},
	"unknown coding":             {"POST /metrics HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: " + marker + "\r\n\r\n", 501}, // RFC 9112, 6.1
	"unknown expectation":        {"GET /metrics HTTP/1.1\r\nHost: x\r\nExpect: " + marker + "\r\n\r\n", 417},
	"POST":                       {"POST /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n", 405},
	"PUT":                        {"PUT /-/ready HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n", 405},
	"DELETE":                     {"DELETE / HTTP/1.1\r\nHost: x\r\n\r\n", 405},
	"TRACE":                      {"TRACE /metrics HTTP/1.1\r\nHost: x\r\nX: " + marker + "\r\n\r\n", 405},
	"CONNECT":                    {"CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n", 405},
	"made-up method":             {"LEAK /metrics HTTP/1.1\r\nHost: x\r\n\r\n", 405},
	"method of markup":           {marker + " /metrics HTTP/1.1\r\nHost: x\r\n\r\n", 400},
	"upgrade":                    {"GET /-/healthy HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n", 200},
	"OPTIONS *":                  {"OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n", 200},
	"half a request":             {"GET /metrics HTTP/1.1\r\nHo", 400},
	"nothing":                    {"", closed},
}

// Whatever is sent to the web port is refused in the words of HTTP, and that is all.
func malformedRequests(t *testing.T, o *outcome) {
	fake := node(t, 20)
	x := start(t, fake.Host())
	x.healthy(writers(20))
	answers := make(map[int]int)
	fake.ResetRequests()
	for _, name := range slices.Sorted(maps.Keys(requests)) {
		request := requests[name]
		status, reply := x.send(request.bytes)
		if status != request.status {
			t.Errorf("%s: status %d, want %d: %.200q", name, status, request.status, reply)
		}
		if strings.Contains(reply, "<script>") {
			t.Errorf("%s: reflected in %q", name, reply)
		}
		x.checkSecrets(name, reply)
		answers[status]++
	}
	ended := time.Now()
	if asked := len(fake.Requests()); asked != 0 {
		t.Errorf("what was refused made %d requests to the engine", asked)
	}
	x.rightAgain(o, ended, nil)
	if lines := x.fewLines(1); lines[0] != "" {
		t.Errorf("logged %s", lines[0])
	}
	o.sawf("%d requests, by status (0: closed without a reply) %v; no line logged, nothing asked of Docker, nothing reflected", len(requests), answers)
	o.lost = "nothing"
	x.unharmed()
}

// send sends bytes as they are and returns the first reply, whole.
func (x *subject) send(bytes string) (status int, reply string) {
	x.t.Helper()
	conn := x.connect()
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(patience))
	go func() {
		_, _ = io.WriteString(conn, bytes) // fails where the exporter has heard enough
		if half, ok := conn.(interface{ CloseWrite() error }); ok {
			_ = half.CloseWrite()
		}
	}()
	var text strings.Builder
	response, err := http.ReadResponse(bufio.NewReader(io.TeeReader(conn, &text)), nil)
	if err != nil {
		return closed, text.String()
	}
	defer response.Body.Close()
	if _, err := io.Copy(io.Discard, response.Body); err != nil {
		return closed, fmt.Sprint(text.String(), err)
	}
	return response.StatusCode, text.String()
}
