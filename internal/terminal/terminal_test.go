package terminal_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/diagnosis"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/enginetest"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/rancher"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/terminal"
)

var update = flag.Bool("update", false, "write the golden files anew")

var escapes = regexp.MustCompile("\x1b\\[[0-9;]*m")

// What stands on the terminal for each of the main findings, to the letter.
func TestGolden(t *testing.T) {
	for name, node := range nodes() {
		t.Run(name, func(t *testing.T) {
			report := diagnosis.Diagnose(node.observe(), now)
			text := write(t, report, false)
			golden := filepath.Join("testdata", name+".txt")
			if *update {
				if err := os.WriteFile(golden, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if text != string(want) {
				t.Errorf("differs from %s (see -update):\n%s", golden, text)
			}
			for line := range strings.Lines(text) {
				if len([]rune(strings.TrimSuffix(line, "\n"))) > 80 {
					t.Errorf("longer than 80 columns: %q", line)
				}
			}
			coloured := write(t, report, true)
			if !escapes.MatchString(coloured) || escapes.ReplaceAllString(coloured, "") != text {
				t.Error("in colour it says something else")
			}
			for _, secret := range []string{enginetest.Token, enginetest.Password, enginetest.CAChecksum, "--only-write-certs"} {
				if strings.Contains(coloured, secret) {
					t.Errorf("shows %q", secret)
				}
			}
		})
	}
}

// What a terminal would obey is shown and not obeyed, wherever it stands.
func TestHostileNames(t *testing.T) {
	evil := "evil\x1b]0;owned\a\x1b[2J\r\n\u202e\u009b31m"
	report := diagnosis.Report{
		At:       now,
		Findings: []diagnosis.Finding{{Title: evil, Seen: []string{evil}, Why: evil, Commands: []diagnosis.Command{{What: evil, Line: evil}}}},
		Agents:   []*rancher.Agent{{Name: evil, Server: evil}},
	}
	for _, r := range write(t, report, false) {
		if r != '\n' && (r < ' ' || r == 0x7f || 0x80 <= r && r < 0xa0 || r == '\u202e') {
			t.Errorf("the terminal gets %q", r)
		}
	}
}

// A table that does not fit gives way: first the names, then the servers.
func TestWideTable(t *testing.T) {
	a := &rancher.Agent{ID: strings.Repeat("a", 64), Name: strings.Repeat("n", 90), Role: rancher.RoleClusterAgent,
		State: rancher.StateRestarting, Server: "https://" + strings.Repeat("s", 90), Created: now.Add(-99 * time.Minute).Unix()}
	text := write(t, diagnosis.Report{At: now, Findings: []diagnosis.Finding{{Title: "x"}}, Agents: []*rancher.Agent{a}, More: 7}, false)
	for _, words := range []string{"aaaaaaaaaaaa  nnnnnnnnn…  cluster-agent  restarting  99 min  https://", "…\n", "and 7 more\n"} {
		if !strings.Contains(text, words) {
			t.Errorf("no %q in\n%s", words, text)
		}
	}
	for line := range strings.Lines(text) {
		if len([]rune(line)) > 81 {
			t.Errorf("too long: %q", line)
		}
	}
}

func write(t *testing.T, r diagnosis.Report, colour bool) string {
	t.Helper()
	var text bytes.Buffer
	if err := terminal.Write(&text, r, colour); err != nil {
		t.Fatal(err)
	}
	return text.String()
}
