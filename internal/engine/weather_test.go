package engine

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/enginetest"
)

const (
	timedOut  = "timeout: no answer in time"
	malformed = "malformed reply"
	broken    = "connection broken"
)

// weather is bad replies to one endpoint, each with the reason it gives; all of them are full of secrets.
func weather(endpoint string) map[string]struct {
	answer enginetest.Interceptor
	reason string
} {
	secret := enginetest.Token + " " + enginetest.Password
	page := "<html><body>" + secret + "</body></html>"
	status := func(code int, body, contentType string) enginetest.Interceptor {
		return on(endpoint, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", contentType)
			w.Header().Set("Location", "http://192.0.2.1/?token="+enginetest.Token)
			w.Header().Set("WWW-Authenticate", secret)
			w.WriteHeader(code)
			_, _ = w.Write([]byte(body))
		})
	}
	message := fmt.Sprintf(`{"message":%q}`, secret)
	body := func(s string) enginetest.Interceptor { return enginetest.Body(endpoint, []byte(s)) }
	var zipped bytes.Buffer
	zip := gzip.NewWriter(&zipped)
	_, _ = zip.Write(bytes.Repeat([]byte(" "), 4<<20))
	_ = zip.Close()
	return map[string]struct {
		answer enginetest.Interceptor
		reason string
	}{
		"hanging":         {enginetest.Hang(endpoint), timedOut},
		"400 plain text":  {status(400, "client is newer than server "+secret, "text/plain"), "HTTP status 400"}, // FC-64
		"401 empty":       {status(401, "", "text/plain"), "HTTP status 401"},
		"403":             {status(403, page, "text/html"), "HTTP status 403"},
		"500":             {status(500, message, "application/json"), "HTTP status 500"},
		"500 HTML":        {status(500, page, "text/html"), "HTTP status 500"},
		"500 half JSON":   {status(500, message[:20], "application/json"), "HTTP status 500"},
		"500 of 2 MB":     {status(500, strings.Repeat(secret, 2<<14), "text/plain"), "HTTP status 500"},
		"503":             {status(503, message, "application/json"), "HTTP status 503"},
		"301":             {status(301, page, "text/html"), "HTTP status 301"},
		"302 with a list": {status(302, "[]", "application/json"), "HTTP status 302"},
		"204":             {status(204, "", ""), "HTTP status 204"},
		"206 with a list": {status(206, "[]", "application/json"), "HTTP status 206"},
		"200 HTML":        {status(200, page, "text/html"), malformed},
		"empty body":      {body(""), malformed},
		"null":            {body("null"), malformed},
		"a string":        {body(`"` + secret + `"`), malformed},
		"a number":        {body("17"), malformed},
		"[null]":          {body("[null]"), malformed},
		"[{}]":            {body("[{}]"), malformed},
		"{}":              {body("{}"), malformed},
		"[[]]":            {body("[[]]"), malformed},
		"garbage":         {body("\x00\xff\x1b[31m" + secret), malformed},
		"wrong types":     {body(fmt.Sprintf(`[{"Id":17,"Command":{"x":%q}}]`, secret)), malformed},
		"unfinished":      {body(`[{"Id":"x","Command":"` + secret), malformed},
		"deep nesting":    {body(strings.Repeat("[", 20000)), malformed},
		"gzip bomb": {on(endpoint, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write(zipped.Bytes())
		}), malformed},
		"closed":             {raw(endpoint, ""), broken},
		"not HTTP":           {raw(endpoint, secret+"\r\n\r\n"), broken},
		"malformed status":   {raw(endpoint, "HTTP/1.1 "+secret+"\r\n\r\n"), broken},
		"talkative status":   {raw(endpoint, "HTTP/1.1 500 "+secret+"\r\nContent-Length: 0\r\n\r\n"), "HTTP status 500"},
		"malformed header":   {raw(endpoint, "HTTP/1.1 200 OK\r\n"+secret+"\r\n\r\n[]"), broken},
		"header of 2 MB":     {raw(endpoint, "HTTP/1.1 200 OK\r\nX: "+strings.Repeat("x", 2<<20)+"\r\n\r\n[]"), broken},
		"malformed chunk":    {raw(endpoint, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"+secret+"\r\n[]"), broken},
		"length too long":    {raw(endpoint, "HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n["), broken},
		"nothing but a head": {raw(endpoint, "HTTP/1.1 200 OK\r\n"), broken},
	}
}

// patience is for a reply, which comes unless the reason says that it does not.
func patience(reason string) time.Duration {
	if reason == timedOut {
		return 300 * time.Millisecond
	}
	return time.Hour
}

// Whatever comes in place of a list gives its reason, no container, and nothing of what was written
// (FC-53, FC-64, FC-66, FC-78, FC-83).
func TestListInBadWeather(t *testing.T) {
	t.Parallel()
	for name, tc := range weather(listPath) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, fake := range []*enginetest.Engine{startFake(t), startFakeTCP(t)} {
				putCertWriters(fake, 3)
				e := newEngine(t, fake.Host(), nil)
				mustList(t, e)
				fake.Intercept(tc.answer)
				for range 2 { // with the old client and with a new one
					containers, err := listWithin(within(t, patience(tc.reason)), e)
					wantReason(t, err, tc.reason)
					wantNoSecret(t, err)
					if containers != nil {
						t.Errorf("%d containers", len(containers))
					}
				}
				fake.Intercept(nil)
				mustList(t, e)
			}
		})
	}
}

// One inspect that fails in whatever way fails alone (FC-49, FC-50, FC-55).
func TestInspectInBadWeather(t *testing.T) {
	t.Parallel()
	for name, tc := range weather(inspectPath) {
		if name == "length too long" {
			tc.reason = malformed // as it begins with a list
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fake := startFake(t)
			putCertWriters(fake, 3)
			fake.Intercept(tc.answer)
			e := newEngine(t, fake.Host(), nil)
			_, err := e.Inspect(within(t, patience(tc.reason)), fake.Containers()[0].ID)
			wantReason(t, err, tc.reason)
			wantNoSecret(t, err)
			fake.ResetRequests()
			mustList(t, e)
			if got := len(asked(fake)); got != 1 {
				t.Errorf("%d requests for the list after it", got)
			}
		})
	}
}

// A whole container under another status than 200 is not the engine's answer.
func TestInspectUnderAnotherStatus(t *testing.T) {
	t.Parallel()
	fake := startFake(t)
	fake.Intercept(on(inspectPath, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusFound)
		_, _ = w.Write([]byte(`{"Id":"abc","State":{"Status":"running"},"Config":{}}`))
	}))
	_, err := newEngine(t, fake.Host(), nil).Inspect(t.Context(), "abc")
	wantReason(t, err, "HTTP status 302")
}

// A container that hangs is given a second, whatever time the scrape has (FC-55).
func TestInspectTakesASecond(t *testing.T) {
	t.Parallel()
	fake := startFake(t)
	fake.Intercept(enginetest.Hang(inspectPath))
	e := newEngine(t, fake.Host(), nil)
	e.inspectTimeout = inspectTimeout
	start := time.Now()
	_, err := e.Inspect(t.Context(), "abc")
	wantReason(t, err, timedOut)
	if took := time.Since(start); took < inspectTimeout {
		t.Errorf("took %v", took)
	}
}

// Half a reply of containers with secrets is no list.
func TestTruncated(t *testing.T) {
	t.Parallel()
	for _, fake := range []*enginetest.Engine{startFake(t), startFakeTCP(t)} {
		putCertWriters(fake, 50)
		e := newEngine(t, fake.Host(), nil)
		fake.Intercept(fake.Truncate(listPath))
		_, err := list(t, e)
		wantReason(t, err, broken)
		wantNoSecret(t, err)
		fake.Intercept(fake.Truncate(inspectPath))
		_, err = e.Inspect(t.Context(), fake.Containers()[0].ID)
		wantReason(t, err, broken)
		wantNoSecret(t, err)
	}
}
