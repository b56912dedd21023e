package statuspage_test

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/diagnosis"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/rancher"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/statuspage"
)

func render(t *testing.T, cfg statuspage.Config, r diagnosis.Report) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	statuspage.New(cfg, func() diagnosis.Report { return r }).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", nil))
	if w.Code != http.StatusOK {
		t.Fatalf("status %d", w.Code)
	}
	return w
}

var tag = regexp.MustCompile(`<[a-zA-Z/!][^>]*>`)

// Whatever stands in any field adds no element, no attribute and no link that runs something.
func TestEscapesEverything(t *testing.T) {
	tags := func(text string) []string {
		seen := make(map[string]bool)
		var all []string
		cfg := statuspage.Config{Program: text, Version: text, Links: []statuspage.Link{{Path: "javascript:" + text, Text: text, What: "w"}}}
		r := diagnosis.Report{
			At: time.Unix(0, 0),
			Findings: []diagnosis.Finding{{Title: text, Seen: []string{text}, Why: text, Alerts: []string{text},
				Commands: []diagnosis.Command{{What: text, Line: text}}}},
			Agents: []*rancher.Agent{{Name: text, Role: rancher.Role(text), State: rancher.State(text), Server: text}},
		}
		for _, found := range tag.FindAllString(render(t, cfg, r).Body.String(), -1) {
			if !strings.HasPrefix(found, "<a href=") && !seen[found] { // a path is escaped as one, so it may differ
				seen[found] = true
				all = append(all, found)
			}
		}
		return all
	}
	plain := strings.Join(tags("plain"), "\n")
	for _, hostile := range []string{
		`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `</style><script>alert(1)</script>`, `{{.Version}}`, `'onload='alert(1)`, `</title><b>`,
	} {
		if got := strings.Join(tags(hostile), "\n"); got != plain {
			t.Errorf("%q makes the elements\n%s\ninstead of\n%s", hostile, got, plain)
		}
	}
	body := render(t, statuspage.Config{Links: []statuspage.Link{{Path: "javascript:alert(1)"}}}, diagnosis.Report{Findings: make([]diagnosis.Finding, 1)}).Body.String()
	if strings.Contains(body, "javascript:") {
		t.Error("a link that runs a script")
	}
}

// The page asks for nothing, and lets a browser ask for nothing.
func TestAsksForNothing(t *testing.T) {
	w := render(t, statuspage.Config{}, diagnosis.Report{Findings: make([]diagnosis.Finding, 1)})
	policy := w.Header().Get("Content-Security-Policy")
	if !regexp.MustCompile(`^default-src 'none'; style-src 'sha256-[A-Za-z0-9+/]{43}='; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$`).MatchString(policy) {
		t.Errorf("policy %q", policy)
	}
	for name, want := range map[string]string{
		"Content-Type": "text/html; charset=utf-8", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cache-Control": "no-store",
	} {
		if got := w.Header().Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	for _, word := range []string{"<script", "src=", "@import", "url(", "http://", "https://", " style="} {
		if strings.Contains(w.Body.String(), word) {
			t.Errorf("there is %q", word)
		}
	}
}
