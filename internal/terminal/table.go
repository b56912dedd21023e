package terminal

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/diagnosis"
)

// The columns of the table, and the one that gives way where they are too wide together. After that the last is cut.
const (
	nameColumn   = 1
	serverColumn = 5
	narrowest    = 10
)

// table lists the containers of the agent.
func (p *page) table(r diagnosis.Report) {
	if len(r.Agents) == 0 {
		return
	}
	lines := [][]string{{"ID", "NAME", "ROLE", "STATE", "AGE", "SERVER"}}
	for _, a := range r.Agents {
		lines = append(lines, []string{
			a.ShortID(), diagnosis.Printable(diagnosis.Name(a)), diagnosis.RoleWords(a.Role), diagnosis.State(a), diagnosis.Age(a, r.At), diagnosis.Printable(a.Server),
		})
	}
	widths := make([]int, len(lines[0]))
	for _, line := range lines {
		for i, cell := range line {
			widths[i] = max(widths[i], runes(cell))
		}
	}
	const gap = 2
	excess := -width - gap
	for _, w := range widths {
		excess += w + gap
	}
	for _, i := range []int{nameColumn, serverColumn} {
		if excess > 0 {
			cut := min(excess, max(0, widths[i]-narrowest))
			widths[i] -= cut
			excess -= cut
		}
	}
	for _, line := range lines {
		var text strings.Builder
		for i, cell := range line {
			fmt.Fprintf(&text, "%-*s", widths[i]+gap, clip(cell, widths[i]))
		}
		p.text.WriteString(strings.TrimRight(text.String(), " ") + "\n")
	}
	if r.More > 0 {
		fmt.Fprintf(&p.text, "and %d more\n", r.More)
	}
}

// clip shows that a cell is not whole.
func clip(cell string, width int) string {
	if letters := []rune(cell); len(letters) > width {
		return string(slices.Concat(letters[:width-1], []rune("…")))
	}
	return cell
}
