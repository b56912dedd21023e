package e2e

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/e2e/exporter"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/e2e/realengine"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/engine"
)

// What --diagnose tells on a real engine, and the events of the past that it has it from.
func TestExporterDiagnose(t *testing.T) {
	n := realengine.New(t)
	nodeAgent := startLab(n, labSettings(n))
	n.Eventually(patience, settled(1))
	n.Prune()
	n.Eventually(patience, settled(2))

	endpoint, err := engine.ParseEndpoint(n.Host(), nil)
	if err != nil {
		t.Fatal(err)
	}
	events, err := engine.New(endpoint).PastEvents(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	seen := make(map[string]int)
	for _, e := range events {
		if name := e.Attributes["name"]; name == "share-mnt" || name == "" {
			seen[name+" "+e.Action]++
		}
	}
	for what, want := range map[string]int{"share-mnt create": 2, "share-mnt start": 2, "share-mnt die": 2, "share-mnt destroy": 1, " prune": 1} {
		if seen[what] != want {
			t.Errorf("%d events %q, want %d: %v", seen[what], what, want, seen)
		}
	}

	output, err := exec.Command(exporter.Binary(t), "--diagnose", "--docker.host="+n.Host()).Output()
	if err != nil { // exit code 0: no alert fires yet
		t.Errorf("--diagnose: %v", err)
	}
	for _, text := range []string{"Leak in progress: 2 cert-writers", nodeAgent[:12] + "  cattle-no", seed.Server} {
		if !strings.Contains(string(output), text) {
			t.Errorf("no %q in\n%s", text, output)
		}
	}
	if strings.Contains(string(output), seed.Token) {
		t.Errorf("the token is in\n%s", output)
	}
}
