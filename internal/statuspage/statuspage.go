// Package statuspage shows the diagnosis of a node as a web page: no script, nothing from anywhere else, and everything
// that comes from outside escaped. It looks anew at each reload.
package statuspage

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html/template"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/diagnosis"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/rancher"
)

// Config is what the page shows besides the diagnosis.
type Config struct {
	Program string
	Version string
	Links   []Link
}

// Link leads to another page of the program.
type Link struct{ Path, Text, What string }

var (
	//go:embed page.html
	pageText string
	//go:embed page.css
	style string
)

// view is what page.html shows.
type view struct {
	Config
	diagnosis.Report
	Style template.CSS
}

// New returns the page; it shows what report returns at each request.
func New(cfg Config, report func() diagnosis.Report) http.Handler {
	page := template.Must(template.New("page").Funcs(template.FuncMap{
		"stamp": diagnosis.Stamp,
		"name":  diagnosis.Name,
		"role":  diagnosis.RoleWords,
		"state": diagnosis.State,
		"age":   func(a *rancher.Agent, now time.Time) string { return diagnosis.Age(a, now) },
	}).Parse(pageText))
	policy := contentSecurityPolicy()
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		var text bytes.Buffer
		if err := page.Execute(&text, view{cfg, report(), template.CSS(style)}); err != nil {
			http.Error(w, "the page cannot be made", http.StatusInternalServerError)
			return
		}
		header := w.Header()
		header.Set("Content-Type", "text/html; charset=utf-8")
		header.Set("Content-Security-Policy", policy)
		header.Set("X-Content-Type-Options", "nosniff")
		header.Set("Referrer-Policy", "no-referrer")
		header.Set("Cache-Control", "no-store")
		_, _ = io.WriteString(w, printable(text.String())) // fails where the reader is gone
	})
}

// printable is a page in which nothing stands that a reader does not see as it is, see [diagnosis.Printable]; but for its lines.
func printable(page string) string {
	lines := strings.Split(page, "\n")
	for i, line := range lines {
		lines[i] = diagnosis.Printable(line)
	}
	return strings.Join(lines, "\n")
}

// contentSecurityPolicy lets a browser use the one style sheet in the page and nothing else at all.
func contentSecurityPolicy() string {
	hash := sha256.Sum256([]byte(style))
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(hash[:]) +
		"'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
}
