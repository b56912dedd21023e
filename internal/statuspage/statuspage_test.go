package statuspage_test

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode"

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

// What turns the direction of a text, has no width or is a control character is replaced, wherever it stands; lines stay.
func TestNothingUnseen(t *testing.T) {
	evil := "a\u202eb\u200bc\u2066d\ufeffe\x1bf\u00a0g\u00adh"
	r := diagnosis.Report{
		At: time.Unix(0, 0),
		Findings: []diagnosis.Finding{{Title: evil, Seen: []string{evil}, Why: evil, Alerts: []string{evil},
			Commands: []diagnosis.Command{{What: evil, Line: evil}}}},
		Agents: []*rancher.Agent{{Name: evil, Role: rancher.Role(evil), State: rancher.State(evil), Server: evil}},
	}
	body := render(t, statuspage.Config{Program: evil, Version: evil}, r).Body.String()
	for _, c := range body {
		if c != '\n' && !unicode.IsPrint(c) {
			t.Fatalf("the page has %U in\n%q", c, body)
		}
	}
	if clean := "a\uFFFDb\uFFFDc\uFFFDd\uFFFDe\uFFFDf\uFFFDg\uFFFDh"; strings.Count(body, clean) < 11 || strings.Count(body, "\n") < 40 {
		t.Errorf("%d times in\n%s", strings.Count(body, clean), body)
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
