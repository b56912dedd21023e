package soak

import (
	"encoding/json"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// row is a container as `docker ps` prints it.
type row struct {
	ID        string
	Names     string
	Image     string
	State     string
	Status    string
	CreatedAt string
}

// created is in Unix seconds.
func (r row) created(tb testing.TB) float64 {
	tb.Helper()
	at, err := time.Parse("2006-01-02 15:04:05 -0700 MST", r.CreatedAt)
	if err != nil {
		tb.Fatal(err)
	}
	return float64(at.Unix())
}

func (r row) live() bool {
	return r.State == "running" || r.State == "restarting" || r.State == "paused"
}

var inParentheses = regexp.MustCompile(`^(?:Exited|Restarting) \((\d+)\)`)

// exitCode is that of an exited or restarting container.
func (r row) exitCode() (float64, bool) {
	found := inParentheses.FindStringSubmatch(r.Status)
	if found == nil {
		return 0, false
	}
	code, err := strconv.Atoi(found[1])
	return float64(code), err == nil
}

// dockerPS is what a person at the node sees.
func dockerPS(tb testing.TB, host string) []row {
	tb.Helper()
	var rows []row
	for line := range strings.Lines(docker(tb, host, "ps", "-a", "--no-trunc", "--format", "{{json .}}")) {
		var r row
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			tb.Fatal(err)
		}
		rows = append(rows, r)
	}
	return rows
}

// startedAt is when a container was last started, which docker ps does not tell.
func startedAt(tb testing.TB, host, id string) float64 {
	tb.Helper()
	text := strings.TrimSpace(docker(tb, host, "inspect", "--format", "{{.State.StartedAt}}", id))
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		tb.Fatal(err)
	}
	return float64(at.UnixMicro()) / 1e6
}

func docker(tb testing.TB, host string, args ...string) string {
	tb.Helper()
	cmd := exec.Command("docker", args...)
	cmd.Env = append(os.Environ(), "DOCKER_HOST="+host, "TZ=UTC")
	output, err := cmd.Output()
	if err != nil {
		tb.Fatalf("docker %s: %v", args[0], err)
	}
	return string(output)
}
