package diagnosis_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/diagnosis"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/enginetest"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/node"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/rancher"
)

var now = minute(100_000)

func ago(d time.Duration) time.Time { return now.Add(-d) }

// text is everything a report says, the worst first.
func text(r diagnosis.Report) string {
	var b strings.Builder
	for _, f := range r.Findings {
		b.WriteString(f.Severity.String() + ": " + f.Title + "\n" + strings.Join(f.Seen, "\n") + "\n" + f.Why + "\n" + strings.Join(f.Alerts, " ") + "\n")
		for _, c := range f.Commands {
			b.WriteString("$ " + c.Line + "\n")
		}
	}
	return b.String()
}

func says(t *testing.T, r diagnosis.Report, words ...string) {
	t.Helper()
	for _, w := range words {
		if got := text(r); !strings.Contains(got, w) {
			t.Errorf("no %q in\n%s", w, got)
		}
	}
}

func silent(t *testing.T, r diagnosis.Report, words ...string) {
	t.Helper()
	for _, w := range words {
		if got := text(r); strings.Contains(got, w) {
			t.Errorf("there is %q in\n%s", w, got)
		}
	}
}

// A node-agent that has just started is about to clean up: restarting it again is no help yet.
func TestJustRestarted(t *testing.T) {
	r := diagnosis.Diagnose(observe(append(certWriters(ago(3*time.Hour), ago(2*time.Hour)), nodeAgent(ago(20*time.Second)), shareMnt(ago(2*time.Hour)))...), now)
	says(t, r, "warning: Leak in progress", "The node-agent started 20 s ago", "look again in a few minutes")
	silent(t, r, "$ docker restart", "did not remove")
}

// A shell gets nothing but IDs that are hexadecimal and names of pods that are plain, whatever a node is named like.
func TestCommandsHoldNoNames(t *testing.T) {
	const evil = "$(reboot)"
	agent := nodeAgent(ago(48 * time.Hour))
	agent.ID, agent.Names = evil, []string{"/k8s_agent_cattle-node-agent-" + evil + "_cattle-system_u_0"}
	agent.Labels["io.kubernetes.pod.name"] = "cattle-node-agent-" + evil
	writers := certWriters(ago(3*time.Hour), ago(2*time.Hour))
	for i := range writers {
		writers[i].Names = []string{"/" + evil}
	}
	r := diagnosis.Diagnose(observe(append(writers, agent, shareMnt(ago(2*time.Hour)))...), now)
	silent(t, r, "$ docker restart", "$ kubectl")
	for _, f := range r.Findings {
		for _, c := range f.Commands {
			if strings.Contains(c.Line, evil) {
				t.Errorf("command %q", c.Line)
			}
		}
	}
}

// Creations in the future tell of a clock that was set back, and must not make a leak look as young as to be harmless.
func TestClockSetBack(t *testing.T) {
	var created []time.Time
	for i := range 25 {
		created = append(created, now.Add(time.Duration(i+1)*time.Hour))
	}
	r := diagnosis.Diagnose(observe(append(certWriters(created...), nodeAgent(ago(48*time.Hour)))...), now)
	says(t, r, "critical: Leak in progress: 25 cert-writers", "the alert RancherCertWriterLeakCritical fires once it has lasted 7 min")
}

// The times of removals come from events, after a restart of the node-agent has removed the cert-writers.
func TestRemovalsFromEvents(t *testing.T) {
	old := shareMnt(ago(time.Hour))
	var events []node.Heard
	for i := range 4 {
		young := shareMnt(ago(time.Duration(5*(4-i)-1) * time.Minute))
		events = append(events, recreated(old, young, young.Created.Add(-time.Minute))...)
		old = young
	}
	o := observe(append(certWriters(ago(4*time.Minute)), nodeAgent(ago(48*time.Hour)), old)...)
	silent(t, diagnosis.Diagnose(o, now), "again and again")
	o.Heard = events
	r := diagnosis.Diagnose(o, now)
	says(t, r, "Something removes share-mnt again and again: 4 times in 19 min, about every 5 min", "Docker reported its removal at", "Docker reported a container prune at")
}

// No period is made up where there is none, and only the last times are listed.
func TestIrregular(t *testing.T) {
	var events []node.Heard
	old := shareMnt(ago(90 * time.Hour))
	for _, h := range []int{30, 29, 9, 8, 7, 3, 2} {
		young := shareMnt(ago(time.Duration(h) * time.Hour))
		events = append(events, recreated(old, young, young.Created.Add(-time.Minute))...)
		old = young
	}
	o := observe(append(certWriters(ago(2*time.Hour)), nodeAgent(ago(480*time.Hour)), old)...)
	o.Heard = events
	r := diagnosis.Diagnose(o, now)
	says(t, r, "Something removes share-mnt again and again: 7 times in 30 h\n", " UTC (and 1 time before).")
	silent(t, r, "about every")
}

// The period of a leak: three in four gaps are about alike, by two minutes and a tenth, or by half of what is shorter.
func TestPeriod(t *testing.T) {
	for want, gaps := range map[string][]time.Duration{ // the last is to now
		", one more about every 12 s":  {10 * time.Second, 12 * time.Second, 14 * time.Second, time.Second},
		", one more about every 1 h":   {time.Hour, time.Hour - 8*time.Minute, time.Hour + 8*time.Minute, 9 * time.Hour, time.Hour, time.Minute}, // 4 of 5
		", one more about every 2 h":   {2 * time.Hour, 2 * time.Hour, 2 * time.Hour, 9 * time.Hour, time.Minute},                                // 3 of 4
		", one more about every 3 min": {3 * time.Minute, 3*time.Minute + 10*time.Second, time.Minute},
		", one more about every 119 s": {119 * time.Second, 119 * time.Second, time.Second},
		"":                             {time.Hour, time.Minute}, // one gap is none
		" ":                            {20 * time.Second, 60 * time.Second, 20 * time.Second, 60 * time.Second, time.Second},
		"  ":                           {time.Hour, 2 * time.Hour, time.Hour, time.Minute}, // 2 of 3
		"   ":                          {time.Hour, time.Hour, 66*time.Minute + 121*time.Second, time.Minute},
		"    ":                         {0, 0, 0, time.Second}, // all at once
	} {
		at := now
		var created []time.Time
		for _, gap := range slices.Backward(gaps) {
			at = at.Add(-gap)
			created = append(created, at)
		}
		r := diagnosis.Diagnose(observe(append(certWriters(created...), nodeAgent(ago(9000*time.Hour)), shareMnt(ago(9000*time.Hour)))...), now)
		if got, want := r.Findings[0].Title, fmt.Sprintf("Leak in progress: %d cert-writers", len(created))+strings.TrimRight(want, " "); got != want {
			t.Errorf("%v: %q, want %q", gaps, got, want)
		}
	}
}

// share-mnt is there only to run for a moment: seen in that moment, or between two crashes, it is not stuck.
func TestShareMntRunning(t *testing.T) {
	s := shareMnt(ago(10 * 24 * time.Hour))
	s.State, s.StartedAt = "running", ago(20*time.Second)
	silent(t, diagnosis.Diagnose(observe(nodeAgent(ago(48*time.Hour)), s), now), "Stuck", "Crash loop")
	s.RestartCount = 60
	r := diagnosis.Diagnose(observe(nodeAgent(ago(48*time.Hour)), s), now)
	says(t, r, "warning: Crash loop", "Docker has restarted it 60 times")
	silent(t, r, "Stuck")
	s.State, s.StartedAt, s.RestartCount, s.ExitCode = "restarting", time.Time{}, 0, 126 // a proxy that allows no inspect
	r = diagnosis.Diagnose(observe(nodeAgent(ago(48*time.Hour)), s), now)
	says(t, r, "warning: Crash loop", "is restarting (126)", "Nothing leaks", "Since when this is so, Docker does not tell; the alert RancherShareMntCrashLooping fires once it has lasted 15 min.")
	silent(t, r, "\nRancherShareMntCrashLooping\n")
}

// How long a crash loop has lasted at least: the restarts of Docker wait 100 ms, each time twice as long, up to a minute.
func TestCrashingSince(t *testing.T) {
	s := enginetest.ShareMnt("v2.6.3", server, "n1", ago(10*24*time.Hour))
	s.State, s.ExitCode, s.StartedAt = "restarting", 1, ago(time.Second)
	for restarts, want := range map[int]string{1: "0 s", 4: "1 s", 10: "102 s", 11: "2 min", 13: "4 min", 30: "21 min"} {
		s.RestartCount = restarts
		r := diagnosis.Diagnose(observe(nodeAgent(ago(48*time.Hour)), s), now)
		says(t, r, "It has crashed for at least "+want+".", fmt.Sprintf("Docker has restarted it %d time", restarts))
		if got := contains(alerts(r), "RancherShareMntCrashLooping"); got != (restarts == 30) {
			t.Errorf("%d restarts: fires %t", restarts, got)
		}
	}
	s.RestartCount = 13 // and starts that were heard go further back, up to the first pause
	o := observe(nodeAgent(ago(48*time.Hour)), s)
	for _, m := range []int{27, 21, 16, 11, 6, 1} {
		o.Heard = append(o.Heard, heard("start", s, ago(time.Duration(m)*time.Minute)))
	}
	says(t, diagnosis.Diagnose(o, now), "warning: Crash loop", "at least 21 min.", "\nRancherShareMntCrashLooping\n")
	o.Heard[5].At = ago(5*time.Minute + time.Second) // a run that is over
	says(t, diagnosis.Diagnose(o, now), "info: Crash loop", "at least 4 min.")

	s.State, s.RestartCount, s.StartedAt = "running", 4, ago(5*time.Minute-1)
	says(t, diagnosis.Diagnose(observe(nodeAgent(ago(48*time.Hour)), s), now), "Crash loop")
	for _, change := range []func(){func() { s.StartedAt = ago(5 * time.Minute) }, func() { s.StartedAt, s.RestartCount = ago(time.Minute), 3 }} {
		change()
		silent(t, diagnosis.Diagnose(observe(nodeAgent(ago(48*time.Hour)), s), now), "Crash loop")
	}
	young := enginetest.ShareMnt("v2.6.3", server, "n1", ago(10*time.Minute))
	young.State, young.ExitCode, young.StartedAt = "restarting", 1, time.Time{}
	says(t, diagnosis.Diagnose(observe(nodeAgent(ago(48*time.Hour)), young), now), "info: Crash loop", "It has crashed for at least 10 min.")
}

// A container without a name is what the clean-up of the node-agent may panic on.
func TestNameless(t *testing.T) {
	nameless := enginetest.Registration(server, ago(9*time.Hour))
	nameless.Names, nameless.State = nil, "dead"
	r := diagnosis.Diagnose(observe(append(certWriters(ago(3*time.Hour), ago(2*time.Hour)), nameless, nodeAgent(ago(time.Hour)), shareMnt(ago(2*time.Hour)))...), now)
	says(t, r, "warning: The node-agent did not remove 2 old cert-writers", "without a name", "$ docker rm -f "+nameless.ID[:12])
}

func TestRowsAreLimited(t *testing.T) {
	var created []time.Time
	for i := range 220 {
		created = append(created, ago(time.Duration(i)*time.Hour))
	}
	r := diagnosis.Diagnose(observe(append(certWriters(created...), nodeAgent(ago(48*time.Hour)))...), now)
	if len(r.Agents) != 21 || r.More != 200 || r.Agents[0].Role != rancher.RoleNodeAgent {
		t.Errorf("%d rows and %d more", len(r.Agents), r.More)
	}
}

func TestWords(t *testing.T) {
	for want, d := range map[string]time.Duration{
		"0 s": -time.Hour, "59 s": 59 * time.Second, "1 min": time.Minute, "90 s": 90 * time.Second, "2 min": 2*time.Minute + 59*time.Second,
		"1 h": time.Hour, "61 min": 61 * time.Minute, "47 h": 48*time.Hour - 1, "10 days": 10*24*time.Hour + 23*time.Hour,
	} {
		if got := diagnosis.Words(d); got != want {
			t.Errorf("%v: %q, want %q", d, got, want)
		}
	}
}
