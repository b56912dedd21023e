// Package terminal writes a diagnosis for a terminal of 80 columns. Colour only repeats what words say.
package terminal

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/diagnosis"
)

const width = 80

// Write writes a report in one piece. Colour is for a terminal alone.
func Write(w io.Writer, r diagnosis.Report, colour bool) error {
	p := page{colour: colour}
	fmt.Fprintf(&p.text, "Seen at %s\n\n", diagnosis.Stamp(r.At))
	for _, f := range r.Findings {
		p.finding(f)
	}
	p.table(r)
	_, err := p.text.WriteTo(w)
	return err
}

// page is a report that is being written. Whatever of it comes from outside goes through diagnosis.Printable.
type page struct {
	text   bytes.Buffer
	colour bool
}

// A finding is its severity and title, what was seen, why, and what to run, of which nothing is broken over lines, since
// it is there to be copied.
func (p *page) finding(f diagnosis.Finding) {
	p.title(f.Severity, strings.ToUpper(f.Severity.String())+": "+f.Title)
	for _, seen := range f.Seen {
		p.paragraph("  - ", "    ", seen)
	}
	if f.Why != "" {
		p.paragraph("  ", "  ", f.Why)
	}
	if len(f.Alerts) > 0 {
		p.paragraph("  Alerts: ", "          ", strings.Join(f.Alerts, ", "))
	}
	for _, c := range f.Commands {
		p.text.WriteByte('\n')
		p.paragraph("  ", "  ", c.What)
		fmt.Fprintf(&p.text, "    %s\n", diagnosis.Printable(c.Line))
	}
	p.text.WriteByte('\n')
}

const reset = "\x1b[0m"

var colours = map[diagnosis.Severity]string{
	diagnosis.OK:       "\x1b[1;32m",
	diagnosis.Info:     "\x1b[1;36m",
	diagnosis.Warning:  "\x1b[1;33m",
	diagnosis.Critical: "\x1b[1;31m",
}

func (p *page) title(s diagnosis.Severity, title string) {
	if p.colour {
		p.text.WriteString(colours[s])
		defer p.text.WriteString(reset)
	}
	p.paragraph("", "  ", title)
}

// paragraph breaks a text between words. A word that is longer than a line has one of its own.
func (p *page) paragraph(first, rest, text string) {
	line := first
	empty := true
	for word := range strings.FieldsSeq(diagnosis.Printable(text)) {
		switch {
		case empty:
		case runes(line)+1+runes(word) > width:
			p.text.WriteString(line + "\n")
			line = rest
		default:
			line += " "
		}
		line += word
		empty = false
	}
	p.text.WriteString(line + "\n")
}

func runes(s string) int { return len([]rune(s)) }
