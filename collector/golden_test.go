package collector_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/collector"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/enginetest"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestGolden serves each recorded or written list in testdata and compares the whole exposition.
func TestGolden(t *testing.T) {
	lists, err := filepath.Glob("testdata/*.json")
	if err != nil || len(lists) == 0 {
		t.Fatalf("no lists in testdata (%v)", err)
	}
	for _, path := range lists {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".json"), func(t *testing.T) {
			list, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			n := newTestNode(t, defaultLimits)
			n.Intercept(enginetest.Body("/containers/json", list))
			// what differs from run to run
			got := n.exposition(t, "rancher_agent_scrape_duration_seconds", "rancher_agent_docker_last_success_timestamp_seconds")
			golden := strings.TrimSuffix(path, ".json") + ".prom"
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("exposition differs from %s (see -update):\n%s", golden, got)
			}
			problems, err := testutil.GatherAndLint(n.registry)
			if err != nil || len(problems) > 0 {
				t.Errorf("lint: %v, %v", problems, err)
			}
		})
	}
}

// The golden files show the help of the other metrics; those with a time of the run in them and those of events they leave out.
func TestHelpBesideTheGoldenFiles(t *testing.T) {
	n := newTestNode(t, defaultLimits)
	events := collector.NewEvents()
	events.ContainerPrune(now)
	n.registry.MustRegister(events)
	n.Put(enginetest.ShareMnt("v2.3.2", "https://r.example", "n1", now), enginetest.NodeAgent("cattle-node-agent-jfdlt", 0, now))
	text := n.exposition(t)
	for name, help := range map[string]string{
		"scrape_duration_seconds":                       "Time this scrape spent asking the Docker Engine.",
		"docker_last_success_timestamp_seconds":         "When the containers were last listed, in Unix seconds.",
		"share_mnt_started_timestamp_seconds":           "Last start of the newest share-mnt container, in Unix seconds.",
		"node_agent_started_timestamp_seconds":          "Last start of each running node-agent container, in Unix seconds.",
		"docker_events_up":                              "Whether the event stream of the Docker Engine is connected.",
		"container_events_total":                        "Container events seen since the exporter started, by role of the container.",
		"docker_container_prunes_total":                 "Container prunes seen since the exporter started; engines before 20.10 report none.",
		"docker_last_container_prune_timestamp_seconds": "When the newest container prune happened, in Unix seconds.",
	} {
		if line := "# HELP rancher_agent_" + name + " " + help + "\n"; !strings.Contains(text, line) {
			t.Errorf("no line %s", line)
		}
	}
}
