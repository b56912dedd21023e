package realengine

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/demo/lab/agent"
)

const ownerThatDies = "REALENGINE_OWNER_THAT_DIES"

// However the owner of an engine ends, with dockerd running, killed or paused, nothing of the engine is left.
func TestNothingIsLeft(t *testing.T) {
	if how := os.Getenv(ownerThatDies); how != "" {
		n := New(t)
		n.ImportLab()
		n.Run(agent.DefaultSettings().Cluster.CertWriter())
		fmt.Println(n.dir)
		switch how {
		case "dockerd first":
			n.Kill()
		case "with dockerd paused":
			n.Pause()
		}
		self, err := os.FindProcess(os.Getpid())
		n.must("find this process", err)
		n.must("die", self.Kill())
		select {}
	}
	if err := Unavailable(); err != nil {
		New(t) // skips, or fails in CI
	}
	for _, how := range []string{"owner", "dockerd first", "with dockerd paused"} {
		t.Run(how, func(t *testing.T) {
			owner := exec.Command(os.Args[0], "-test.run=^TestNothingIsLeft$")
			owner.Env = append(os.Environ(), ownerThatDies+"="+how)
			output, err := owner.CombinedOutput()
			dir := strings.TrimSpace(string(output))
			if err == nil || !filepath.IsAbs(dir) {
				t.Fatalf("the owner ended with %v and said %q, want a signal and a directory", err, output)
			}
			deadline := time.Now().Add(time.Minute)
			for _, err := os.Stat(dir); !os.IsNotExist(err); _, err = os.Stat(dir) {
				if time.Now().After(deadline) {
					t.Fatalf("%s is still there", dir)
				}
				time.Sleep(100 * time.Millisecond)
			}
			mounts, err := os.ReadFile("/proc/self/mountinfo")
			if err != nil || bytes.Contains(mounts, []byte(dir)) {
				t.Errorf("mounts: %v\n%s", err, mounts)
			}
			for _, command := range commandLines(t) {
				if strings.Contains(command, dir) {
					t.Errorf("still runs: %s", command)
				}
			}
		})
	}
}

// commandLines are those of all processes.
func commandLines(t *testing.T) []string {
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, file := range files {
		line, err := os.ReadFile(file)
		if err != nil {
			continue // it has ended
		}
		lines = append(lines, string(bytes.ReplaceAll(line, []byte{0}, []byte{' '})))
	}
	return lines
}
