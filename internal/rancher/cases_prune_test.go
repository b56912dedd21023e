package rancher

import (
	"fmt"
	"testing"
	"time"
)

// What takes share-mnt away, and the trace it leaves: one more cert-writer each time (docs/rancher.md, section 7).
func TestPruneCases(t *testing.T) {
	const hour, day = time.Hour, 24 * time.Hour
	leaks := func(n int, every, newest time.Duration) []Container {
		return repeat(n, func(i int) Container { return leaked(fmt.Sprintf("/a_%d", i), image208, newest+time.Duration(i)*every) })
	}
	nodeAgentUp := nodeAgent("cattle-node-agent-jfdlt", 0, "running", "Up 40 days", 40*day)
	want := func(n int, oldest, newest, shareMntAge time.Duration) view {
		return view{certWriters: states{StateRunning: n}, servers: map[string]int{"https://r.example": n}, oldest: oldest, newest: newest, unmanaged: n,
			shareMnt: states{StateExited: 1}, present: true, shareMntAge: shareMntAge, exitCode: "0", leaks: true, nodeAgents: states{StateRunning: 1}}
	}
	var cases []fieldCase
	for run := 1; run <= 5; run++ {
		cases = append(cases, fieldCase{fmt.Sprintf("FC-87 docker-gc#181, hourly, run %d", run),
			append(leaks(run, hour, 2*time.Minute), shareMntOf(rangeB, "exited", "Exited (0)", 2*time.Minute), nodeAgentUp),
			want(run, time.Duration(run-1)*hour+2*time.Minute, 2*time.Minute, 2*time.Minute)})
	}
	removed := want(3, 2*day+2*hour, 2*hour, 0)
	removed.shareMnt, removed.present, removed.exitCode, removed.leaks = nil, false, "", false
	cases = append(cases,
		fieldCase{"FC-88 community-catalog#17, between Janitor and the next check", append(leaks(3, day, 2*hour), nodeAgentUp), removed},
		fieldCase{"FC-88 community-catalog#17, after the check",
			append(leaks(4, day, 0), shareMntOf(rangeB, "exited", "Exited (0)", 0), nodeAgentUp), want(4, 3*day, 0, 0)},
		fieldCase{"FC-89 dockerfiles#51, exited for 25 hours and kept",
			append(leaks(7, day, 25*hour), shareMntOf(rangeB, "exited", "Exited (0) 25 hours ago", 25*hour), nodeAgentUp), want(7, 6*day+25*hour, 25*hour, 25*hour)},
		fieldCase{"FC-90 libelektra#3242, pruned at 03:17 for 30 nights",
			append(leaks(30, day, 2*hour), shareMntOf(rangeB, "exited", "Exited (0) 2 hours ago", 2*hour), nodeAgentUp), want(30, 29*day+2*hour, 2*hour, 2*hour)},
		fieldCase{"FC-91 #19891, everything destroyed, registration started again", []Container{
			ctr("/bold_bell", image208, registration, "running", "Up", hour, agentLabels),
			shareMntOf(rangeB, "running", "Up 58 minutes", 58*time.Minute), leaked("/a_b", image208, 58*time.Minute),
		}, view{certWriters: states{StateRunning: 1}, servers: map[string]int{"https://r.example": 1}, oldest: 58 * time.Minute, newest: 58 * time.Minute,
			shareMnt: states{StateRunning: 1}, present: true, shareMntAge: 58 * time.Minute, leaks: true, registration: 1, unmanaged: 2}},
	)
	runCases(t, cases)
}
