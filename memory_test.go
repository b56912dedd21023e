package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/enginetest"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/testkit"
)

// The most that the exporter may ever have resident; the chart limits it to 128 MB.
const mostResident = 100 << 20

// Whatever an engine sends, the exporter stays below its limit of memory: what is too long for it is docker_up 0 and a reason,
// and a list of pods with the longest arguments there are is served.
func TestMemoryStaysBounded(t *testing.T) {
	if _, err := os.Stat("/proc/self/status"); err != nil {
		testkit.Need(t, err)
	}
	exporter := filepath.Join(t.TempDir(), programName) // as it is run: the race detector takes memory of its own
	if output, err := exec.CommandContext(t.Context(), "go", "build", "-o", exporter, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	container := func(id int, arguments string) string {
		return fmt.Sprintf(`{"Id":"%064d","Names":["/c%d"],"Image":"rancher/rancher-agent:v2.3.3","Labels":{"io.cattle.agent":"true"},"State":"running","Command":"%s"}`, id, id, arguments)
	}
	stream := func(entries int, entry func(n int) string) func(w io.Writer) {
		return func(w io.Writer) {
			_, err := io.WriteString(w, "["+entry(0))
			for n := 1; n < entries && err == nil; n++ {
				_, err = io.WriteString(w, ","+entry(n))
			}
			_, _ = io.WriteString(w, "]")
		}
	}
	megabyte := strings.Repeat("x", 1<<20)
	long, longest := strings.Repeat("x", 1300<<10), strings.Repeat("x", 7<<20)
	endless := func(opening string) func(io.Writer) {
		return func(w io.Writer) {
			_, err := io.WriteString(w, opening)
			for err == nil {
				_, err = io.WriteString(w, megabyte)
			}
		}
	}
	const down, up = "rancher_agent_docker_up 0", "rancher_agent_docker_up 1"
	for name, tc := range map[string]struct {
		endpoint string
		body     func(io.Writer)
		want     string
		reason   string
	}{
		"a container without an end": {"/containers/json", endless(`[{"Id":"`), down, "one entry larger than 8 MB"},
		"55 pods of 1.3 MB":          {"/containers/json", stream(55, func(n int) string { return container(n, long) }), up, ""},
		"9 containers of 7 MB":       {"/containers/json", stream(9, func(n int) string { return container(n, longest) }), up, ""},
		"60,000 containers":          {"/containers/json", stream(60_000, func(n int) string { return container(n, "run.sh") }), down, "more than 50000 containers"},
		"inspects without an end":    {"/containers/*/json", endless(`{"Id":"`), up, ""},
		"an event without an end":    {"/events", endless(`{"Type":"container","Action":"`), up, ""},
	} {
		t.Run(name, func(t *testing.T) {
			fake := testkit.Engine(t)
			leakingNode(fake, 6)
			for n := range 8 { // as many as are inspected at the same time
				fake.Put(enginetest.NodeAgent(fmt.Sprint("cattle-node-agent-", n), 0, time.Now()))
			}
			address := testkit.FreeAddress(t)
			command, log := exec.CommandContext(t.Context(), exporter, "--docker.host="+fake.Host(), "--docker.timeout=10m", "--web.listen-address="+address), new(testkit.Buffer)
			command.Stderr = log
			fake.Intercept(func(w http.ResponseWriter, r *http.Request) bool {
				if ok, _ := path.Match(tc.endpoint, enginetest.Endpoint(r)); !ok {
					return false
				}
				tc.body(w)
				return true
			})
			if err := command.Start(); err != nil {
				t.Fatal(err)
			}
			eventually(t, "the exporter serves", func() bool { return answers("http://" + address + "/-/healthy") })
			for range 2 {
				_, body := get(t, "http://"+address+"/metrics")
				contains(t, body, tc.want)
			}
			if !strings.Contains(log.String(), tc.reason) {
				t.Errorf("the log does not say %q:\n%s", tc.reason, log)
			}
			resident := peakResident(t, command.Process.Pid)
			t.Logf("at most %d MB resident", resident>>20)
			if resident > mostResident {
				t.Errorf("%d MB resident", resident>>20)
			}
		})
	}
}

var peak = regexp.MustCompile(`(?m)^VmHWM:\s+([0-9]+) kB$`)

func peakResident(t *testing.T, pid int) int {
	t.Helper()
	status := readFile(t, fmt.Sprintf("/proc/%d/status", pid))
	kilobytes, err := strconv.Atoi(peak.FindStringSubmatch(status)[1])
	if err != nil {
		t.Fatal(err)
	}
	return kilobytes << 10
}
