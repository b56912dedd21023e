package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// backfill makes blocks of a history. Each call reads its file once a block, so large histories come in pieces of a block's two hours.
func backfill(t testing.TB, dir string, s samples) {
	t.Helper()
	promtool := tool(t, "promtool")
	file := filepath.Join(t.TempDir(), "history")
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.write(f); err != nil {
		t.Fatal(err)
	}
	f.Close()
	if out, err := exec.Command(promtool, "tsdb", "create-blocks-from", "openmetrics", "-q", file, dir).CombinedOutput(); err != nil {
		t.Fatalf("promtool could not make blocks of the history: %v\n%s", err, out)
	}
}

// smallHistory is the folder of the small fleet, under the labels of a site. Without a label for the cluster, one Prometheus sees one cluster.
func smallHistory(t *testing.T, site labelled) string {
	t.Helper()
	key := site(newNode("cluster", "node", "", false))
	dir := blocks[key]
	if dir == "" {
		dir = filepath.Join(scratch, strconv.Itoa(len(blocks)))
		nodes := slices.DeleteFunc(smallFleet(), func(n *simNode) bool { return !strings.Contains(site(n), "cluster") && n.cluster != "prod" })
		s := history(nodes, site, begin, theEnd, 30)
		for _, n := range nodes {
			switch {
			case n.name == "fast-1":
				firing(s, n, site, "RancherCertWriterLeakCritical", "critical", theEnd-hour)
				firing(s, n, site, "RancherCertWriterLeak", "warning", theEnd-50*minute)
				firing(s, n, site, "RancherShareMntCrashLooping", "warning", theEnd-70*minute)
			case n.name == "servers-1":
				firing(s, n, site, "RancherCertWriterSurvivedRestart", "warning", theEnd-5*hour)
			case n.name == "again-1":
				firing(s, n, site, "RancherCertWriterLeak", "warning", theEnd-49*minute)
				firing(s, n, site, "RancherShareMntRemovedRepeatedly", "warning", theEnd-90*minute)
			case strings.HasPrefix(n.name, "slow"):
				firing(s, n, site, "RancherCertWriterLeak", "warning", theEnd-5*hour)
			}
		}
		for at := theEnd - hour; at < theEnd; at += 30 {
			// Of a node without an exporter, in a job of which nothing is known.
			s.add("ALERTS", `alertname="RancherAgentExporterNodeNotCovered",severity="warning",node="bare-1",alertstate="firing"`, at, 1)
			s.add("ALERTS_FOR_STATE", `alertname="RancherAgentExporterNodeNotCovered",severity="warning",node="bare-1"`, at, float64(theEnd-hour))
		}
		backfill(t, dir, s)
		blocks[key] = dir
	}
	return dir
}

// The blocks of the small fleet are made once for all tests, by the labels of the site; TestMain removes them.
var (
	scratch string
	blocks  = map[string]string{}
)
