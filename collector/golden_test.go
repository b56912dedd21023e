package collector_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil"

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
