package check

import (
	"bufio"
	"encoding/json"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net"
	"net/http"
	"net/http/httptest"
	"net/mail"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// message is what a person reads of an e-mail or of a message in Slack.
type message struct{ title, text string }

// notification is what a webhook gets.
type notification struct {
	Status string
	Alerts []struct {
		Status              string
		Labels, Annotations map[string]string
	}
}

// sinks are the other ends of Alertmanager: they keep what is delivered.
type sinks struct {
	t         *testing.T
	smtp, web string // where they listen

	mu       sync.Mutex
	mails    []message
	slacks   []message
	webhooks []notification
}

func startSinks(t *testing.T) *sinks {
	s := &sinks{t: t}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	s.smtp = listener.Addr().String()
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go s.serveSMTP(conn)
		}
	}()
	mux := http.NewServeMux()
	mux.HandleFunc("/slack", func(w http.ResponseWriter, r *http.Request) {
		var posted struct {
			Attachments []struct{ Title, Text string }
		}
		if err := json.NewDecoder(r.Body).Decode(&posted); err != nil || len(posted.Attachments) != 1 {
			t.Errorf("Slack got %d attachments (%v)", len(posted.Attachments), err)
			return
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.slacks = append(s.slacks, message{posted.Attachments[0].Title, posted.Attachments[0].Text})
	})
	mux.HandleFunc("/webhook", func(w http.ResponseWriter, r *http.Request) {
		var n notification
		if err := json.NewDecoder(r.Body).Decode(&n); err != nil {
			t.Errorf("webhook: %v", err)
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.webhooks = append(s.webhooks, n)
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	s.web = server.URL
	return s
}

// serveSMTP speaks as much of SMTP as a client that delivers mail needs.
func (s *sinks) serveSMTP(conn net.Conn) {
	defer conn.Close()
	say := func(line string) { _, _ = io.WriteString(conn, line+"\r\n") }
	say("220 sink")
	lines := bufio.NewReader(conn)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return
		}
		switch verb, _, _ := strings.Cut(strings.ToUpper(strings.TrimSpace(line)), " "); verb {
		case "DATA":
			say("354 go on")
			var data strings.Builder
			for {
				line, err := lines.ReadString('\n')
				if err != nil {
					return
				}
				if line == ".\r\n" {
					break
				}
				data.WriteString(strings.TrimPrefix(line, "."))
			}
			m := s.readMail(data.String())
			s.mu.Lock()
			s.mails = append(s.mails, m)
			s.mu.Unlock()
			say("250 kept")
		case "QUIT":
			say("221 bye")
			return
		default:
			say("250 ok")
		}
	}
}

// readMail reads a mail that has to have one part, plain text.
func (s *sinks) readMail(data string) message {
	m, err := mail.ReadMessage(strings.NewReader(data))
	if err != nil {
		s.t.Errorf("e-mail: %v\n%s", err, data)
		return message{}
	}
	subject, err := new(mime.WordDecoder).DecodeHeader(m.Header.Get("Subject"))
	if err != nil {
		s.t.Errorf("e-mail: %v", err)
	}
	_, params, err := mime.ParseMediaType(m.Header.Get("Content-Type"))
	if err != nil {
		s.t.Errorf("e-mail: %v", err)
		return message{title: subject}
	}
	var texts []string
	for parts := multipart.NewReader(m.Body, params["boundary"]); ; {
		part, err := parts.NextRawPart()
		if err != nil {
			break
		}
		kind, encoding := part.Header.Get("Content-Type"), part.Header.Get("Content-Transfer-Encoding")
		if !strings.HasPrefix(kind, "text/plain") {
			s.t.Errorf("e-mail: a part is %s", kind)
		}
		var body io.Reader = part
		if encoding == "quoted-printable" {
			body = quotedprintable.NewReader(part)
		}
		text, err := io.ReadAll(body)
		if err != nil {
			s.t.Errorf("e-mail: %v", err)
		}
		texts = append(texts, strings.ReplaceAll(string(text), "\r\n", "\n"))
	}
	if len(texts) != 1 {
		s.t.Errorf("e-mail: %d parts, want the text alone", len(texts))
		return message{title: subject}
	}
	return message{subject, texts[0]}
}

// delivered is one message by each of the three ways.
type delivered struct {
	mail, slack message
	webhook     notification
}

// wait waits until a message whose title has the text has come by all three ways.
func (s *sinks) wait(title, alertname, status string) (d delivered) {
	s.t.Helper()
	last := func(list []message) (message, bool) {
		for _, m := range slices.Backward(list) {
			if strings.Contains(m.title, title) {
				return m, true
			}
		}
		return message{}, false
	}
	for deadline := time.Now().Add(2 * time.Minute); ; time.Sleep(50 * time.Millisecond) {
		s.mu.Lock()
		var mailed, slacked, posted bool
		d.mail, mailed = last(s.mails)
		d.slack, slacked = last(s.slacks)
		for _, n := range s.webhooks {
			if n.Status == status && n.Alerts[0].Labels["alertname"] == alertname {
				d.webhook, posted = n, true
			}
		}
		s.mu.Unlock()
		if mailed && slacked && posted {
			return d
		}
		if time.Now().After(deadline) {
			s.t.Fatalf("%s: e-mail %v, Slack %v, webhook %v", title, mailed, slacked, posted)
		}
	}
}
