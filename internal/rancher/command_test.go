package rancher

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

// all reads a command to its end.
func all(command words) []string {
	var read []string
	for word, ok := command(); ok; word, ok = command() {
		read = append(read, word)
	}
	return read
}

// What Docker's list shows of a command, taken apart again: every list of arguments without quotes comes back as it was
// (docs/rancher.md, section 4; moby container/view.go).
func TestSplitCommandRoundTrip(t *testing.T) {
	alphabet := []string{"a", "-", "=", " ", "  ", "\t", "\n", `"`, `\`, "ä", "--only-write-certs", "\xff", ""}
	random := rand.New(rand.NewPCG(15364, 1)) // the same arguments each time
	for range 20_000 {
		args := make([]string, random.IntN(6))
		for i := range args {
			for range random.IntN(5) {
				args[i] += alphabet[random.IntN(len(alphabet))]
			}
		}
		want := append([]string{"run.sh"}, args...)
		if got := all(splitCommand(listed("run.sh", args...))); !slices.Equal(got, want) {
			t.Fatalf("%q\ngot  %q\nwant %q", listed("run.sh", args...), got, want)
		}
	}
}

func TestSplitCommand(t *testing.T) {
	for line, want := range map[string][]string{
		"":              {},
		" ":             {"", ""},
		"a":             {"a"},
		"a ":            {"a", ""},
		"a  b":          {"a", "", "b"},
		"a\tb\nc":       {"a\tb\nc"},
		"a 'b c'":       {"a", "b c"},
		"a 'b c' d":     {"a", "b c", "d"},
		"a ' ' d":       {"a", " ", "d"},
		"a '  '":        {"a", "  "},
		"a 'b ' ' c' d": {"a", "b ", " c", "d"},
		"a 'b\tc d'":    {"a", "b\tc d"},
		"a 'b c'  ":     {"a", "b c", "", ""},
		`a "b c"`:       {"a", `"b`, `c"`}, // Docker knows no double quotes
		`a b\ c`:        {"a", `b\`, "c"},
		// Quotes inside an argument. Docker escapes none, so some lines have two readings.
		"a 'b":                {"a", "'b"},
		"a 'b c":              {"a", "'b", "c"},
		"a 'b'":               {"a", "'b'"},
		"a 'b' c":             {"a", "'b'", "c"},
		"a ''":                {"a", "''"},
		"a '' b":              {"a", "''", "b"},
		"a '' 'b c' d":        {"a", "''", "b c", "d"},
		"a b' c'":             {"a", "b'", "c'"},
		"a it's fine":         {"a", "it's", "fine"},
		"a 'it's fine' b":     {"a", "it's fine", "b"},
		"a 'b 'c' d' e":       {"a", "b 'c", "d'", "e"}, // the shorter of two
		"a 'b c'd e' f":       {"a", "b c'd e", "f"},
		"a 'b c' 'd e' 'f g'": {"a", "b c", "d e", "f g"},
		// The path is not quoted, whatever it holds.
		"'a b' c":     {"'a", "b'", "c"},
		"my run.sh c": {"my", "run.sh", "c"},
	} {
		if got := all(splitCommand(line)); !slices.Equal(got, want) {
			t.Errorf("%q\ngot  %q\nwant %q", line, got, want)
		}
	}
}

// Reading ends for good, and behind the last word there is nothing.
func TestCommandEnds(t *testing.T) {
	for _, c := range []CommandLine{
		ListedCommand(""), ListedCommand("a"), ListedCommand("a 'b c'"), ListedCommand("a "), InspectedCommand("a", []string{"b"}), {},
	} {
		command := c.words()
		n := len(all(command))
		for range 3 {
			if word, ok := command(); ok || word != "" {
				t.Errorf("a word %q behind the last of %d", word, n)
			}
		}
	}
}

// A command of megabytes, all quotes or all blanks, costs what its length does, and no more than its beginning where the
// grammar ends early. Time in the square of the length would not end before go test gives up.
func TestLongCommands(t *testing.T) {
	const million = 1_000_000
	for _, args := range []string{
		strings.Repeat("'a ", million), strings.Repeat("' ", million), strings.Repeat("'", million), strings.Repeat(" ", million),
		strings.Repeat("a ", million), "'" + strings.Repeat("a' 'b ", million), strings.Repeat("--etcd ", million),
	} {
		if n := len(all(splitCommand("run.sh " + args))); n < 2 {
			t.Errorf("%.20q…: %d words", args, n)
		}
		for _, c := range []Container{leaked("/keen_bell", image233, time.Hour), shareMntOf(rangeB, "running", "Up", time.Hour)} {
			for _, head := range []string{"run.sh ", "run.sh -- share-root.sh 'docker run "} {
				snapshotOf(withCommand(c, head+args))
			}
		}
	}
	parse := func(line string) float64 {
		c := withCommand(leaked("/keen_bell", image233, time.Hour), line)
		return testing.AllocsPerRun(10, func() { RoleOf(c) })
	}
	if short, long := parse("run.sh x"), parse("run.sh "+strings.Repeat(" ", million)); long > short {
		t.Errorf("%v allocations for a long command, %v for a short one", long, short)
	}
}

func ExampleListedCommand() {
	command := ListedCommand("run.sh --server https://r.example --token made-up --only-write-certs")
	fmt.Println(command)
	fmt.Println(RoleOf(Container{Command: command, Labels: map[string]string{"io.cattle.agent": "true"}}))
	// Output:
	// [redacted]
	// cert_writer
}
