package diagnosis_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/diagnosis"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/enginetest"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/node"
)

const oldShareMnt = 6 * yesterday // when the share-mnt of most nodes below was created

// removedOnce is a node whose share-mnt crash-loops from minute 5 on and is removed once at minute 65: the loop goes on.
func removedOnce(m int) []enginetest.Container {
	containers := crashing(m, 5, "v2.5.9", true)
	if m < 65 {
		return containers
	}
	s := &containers[len(containers)-1]
	*s = enginetest.ShareMnt("v2.5.9", server, "n1", minute(65))
	s.State, s.ExitCode, s.StartedAt, s.RestartCount = "restarting", 1, minute(m).Add(-30*time.Second), 9+m-65
	return containers
}

// started is a node whose share-mnt of before was started again at some minutes, each time with one more cert-writer, and
// where an upgrade creates it again at the last of them, if it is to.
func started(m int, upgrade bool, at ...int) []enginetest.Container {
	s := enginetest.ShareMnt("v2.3.3", server, "n1", minute(oldShareMnt))
	containers := []enginetest.Container{nodeAgent(minute(10 * yesterday))}
	for i, t := range at {
		if t > m {
			break
		}
		s.StartedAt = minute(t)
		if upgrade && i == len(at)-1 {
			s = enginetest.ShareMnt("v2.4.0", server, "n1", minute(t))
		}
		containers = append(containers, enginetest.CertWriter(i, server, minute(t).Add(2*time.Second)))
	}
	return append(containers, s)
}

// causes are nodes of which it is easy to say what is not so.
func causes() []scenario {
	weekly := []time.Time{}
	for i := range 6 {
		weekly = append(weekly, minute((-38+7*i)*24*60))
	}
	return []scenario{
		{name: "crash loop, and one removal in the middle of it",
			at: removedOnce,
			heard: func(m int) []node.Heard {
				if m < 65 {
					return nil
				}
				young := enginetest.ShareMnt("v2.5.9", server, "n1", minute(65))
				return []node.Heard{heard("destroy", shareMnt(minute(10*yesterday)), minute(64)), heard("create", young, minute(65))}
			},
			want: []verdict{{80, "RancherCertWriterLeak RancherCertWriterLeakCritical RancherShareMntCrashLooping",
				"critical: Leak in progress: 76 cert-writers, one more about every 1 min"}}},
		{name: "dockerd restarted three times under live-restore, then an upgrade",
			at: func(m int) []enginetest.Container { return started(m, true, 10, 20, 55, 90) },
			want: []verdict{{65, "RancherCertWriterLeak", "warning: Leak in progress: 3 cert-writers"},
				{140, "RancherCertWriterLeak", "warning: Leak in progress: 4 cert-writers"}}},
		{name: "something starts share-mnt every half an hour",
			at:   func(m int) []enginetest.Container { return started(m, false, 10, 40, 70, 100) },
			want: []verdict{{20, "", "ok: Nothing wrong"}, {110, "RancherCertWriterLeak", "warning: Leak in progress: 4 cert-writers, one more about every 30 min"}}},
		{name: "a weekly prune, seen three days after the last",
			at: func(int) []enginetest.Container {
				return append(certWriters(weekly...), nodeAgent(minute(60*yesterday)), shareMnt(weekly[5]))
			},
			want: []verdict{{60, "RancherCertWriterLeak", "warning: Leak in progress: 6 cert-writers, one more about every 7 days"}}},
		{name: "a node of 11 minutes whose cert-writer fails, rancher/rancher#21802",
			at: func(int) []enginetest.Container { return youngNode() },
			want: []verdict{{11, "", "info: A registration is under way, for 11 min"}, {20, "[RancherShareMntStuck]", "info: A registration is under way, for 20 min"},
				{50, "[RancherNodeAgentMissing] RancherShareMntStuck", "warning: No node-agent runs"}}},
		{name: "a restart of the node-agent",
			at: func(m int) []enginetest.Container {
				a := nodeAgent(minute(10 * yesterday))
				if m == 60 {
					a = ended(a, "2 seconds", 0)
				}
				return []enginetest.Container{a, shareMnt(minute(oldShareMnt))}
			},
			want: []verdict{{59, "", "ok: Nothing wrong"}, {60, "", "info: No node-agent runs"}, {61, "", "ok: Nothing wrong"}}},
		{name: "a node-agent that crashes, rancher/rancher#24798",
			at: func(m int) []enginetest.Container {
				a := enginetest.NodeAgent("cattle-node-agent-jfdlt", 57, minute(m-3))
				return []enginetest.Container{ended(a, "2 minutes", 1), shareMnt(minute(oldShareMnt))}
			},
			want: []verdict{{60, "[RancherNodeAgentMissing]", "warning: No node-agent runs"}}},
		{name: "the same, heard by an exporter",
			at: func(m int) []enginetest.Container {
				a := enginetest.NodeAgent("cattle-node-agent-jfdlt", 57, minute(m-3))
				return []enginetest.Container{ended(a, "2 minutes", 1), shareMnt(minute(oldShareMnt))}
			},
			heard: func(m int) []node.Heard {
				var list []node.Heard
				for at := 2; at <= m-2; at += 6 {
					list = append(list, heard("die", nodeAgent(minute(at-1)), minute(at)))
				}
				return list
			},
			want: []verdict{{20, "", "info: No node-agent runs"}, {60, "RancherNodeAgentMissing", "warning: No node-agent runs"}}},
	}
}

// youngNode is a node that was made at minute 0 and has no node-agent yet.
func youngNode() []enginetest.Container {
	writer := enginetest.CertWriter(0, server, minute(0))
	writer.State, writer.ExitCode, writer.Status = "restarting", 1, "Restarting (1) 40 seconds ago"
	s := enginetest.ShareMnt("v2.2.4", server, "n1", minute(0))
	s.State, s.StartedAt = "running", minute(0)
	return append(rke(), enginetest.Registration(server, minute(0)), s, writer)
}

// What is proven is said, and what is not is not, or as likely.
func TestCauses(t *testing.T) {
	at := func(name string, m int) diagnosis.Report {
		for _, s := range causes() {
			if s.name == name {
				return diagnosis.Diagnose(s.observe(m), minute(m))
			}
		}
		t.Fatalf("no scenario %q", name)
		return diagnosis.Report{}
	}
	r := at("crash loop, and one removal in the middle of it", 80)
	says(t, r, "warning: Crash loop", "It has crashed for at least 75 min.", "cgroup v2", "$ docker logs --tail 40 ")
	silent(t, r, "Something remove", "ikely", "Something start")

	r = at("dockerd restarted three times under live-restore, then an upgrade", 65)
	says(t, r, "warning: Something starts share-mnt again and again: 3 times in 54 min\n", "live-restore", "nothing has removed it")
	silent(t, r, "Something remove", "is not known", "Crash loop", "about every")
	r = at("dockerd restarted three times under live-restore, then an upgrade", 140)
	says(t, r, "info: share-mnt was started 4 times; what started it is not known", "An upgrade does that once.", "Likely, the first most of all", "01-01 00:10, 01-01 00:20, 01-01 00:55, 01-01 01:30 UTC")
	silent(t, r, "Likely cause", "about every", "Something remove", "Something start", "Crash loop", "RemovedRepeatedly")
	r = diagnosis.Diagnose(observe(started(700, true, 100, 220, 340, 460)...), minute(500))
	says(t, r, "An upgrade does that once.", "info: Likely cause: a job that removes stopped containers about every 2 h")
	silent(t, r, "Something remove", "Something start", "Crash loop", "RemovedRepeatedly")

	r = at("something starts share-mnt every half an hour", 110)
	says(t, r, "warning: Something starts share-mnt again and again: 4 times in 99 min, about every 30 min", "was created at 1969-12-26 00:00 UTC and last started at 1970-01-01 01:40 UTC",
		"Docker has not restarted it by itself", "docker start $(docker ps -aq)", "$ docker info --format '{{.LiveRestoreEnabled}}'\n", "$ systemctl show docker -p ActiveEnterTimestamp")
	silent(t, r, "Something remove", "ikely cause", "is not known", "Crash loop")

	r = at("a weekly prune, seen three days after the last", 60)
	says(t, r, "info: Likely cause: a job that removes stopped containers about every 7 days", "docker system prune", "$ grep -rnE 'docker.*(prune")
	silent(t, r, "Left over", "Something remove", "Something start")

	r = at("a node of 11 minutes whose cert-writer fails, rancher/rancher#21802", 11)
	says(t, r, "info: Docker keeps restarting 1 cert-writer", "restarting (1): ", "rancher/rancher#21802", "info: No node-agent runs", "This is so for 11 min; the alert RancherNodeAgentMissing fires once")
	silent(t, r, "warning", "A restart of the node-agent also")
}

// How sure one can be of a start from outside: none of these is one.
func TestNotStartedFromOutside(t *testing.T) {
	for name, change := range map[string]func(s *enginetest.Container, agent *enginetest.Container){
		"Docker restarted it once":   func(s, _ *enginetest.Container) { s.RestartCount = 1 },
		"Docker restarted it":        func(s, _ *enginetest.Container) { s.RestartCount = 3 },
		"it crashes":                 func(s, _ *enginetest.Container) { s.State, s.ExitCode = "restarting", 1 },
		"no inspect":                 func(s, _ *enginetest.Container) { s.StartedAt = time.Time{} },
		"its first start":            func(s, _ *enginetest.Container) { s.StartedAt = s.Created.Add(2 * time.Minute) },
		"the node started":           func(s, agent *enginetest.Container) { agent.StartedAt = s.StartedAt.Add(time.Minute) },
		"it starts no cert-writer":   func(s, _ *enginetest.Container) { s.Args = []string{"--", "share-root.sh", "/var/lib/kubelet"} },
		"every start was the node's": func(s, agent *enginetest.Container) { agent.StartedAt = s.StartedAt.Add(-time.Minute) },
	} {
		containers := started(260, false, 10, 70, 130, 190, 250)
		change(&containers[len(containers)-1], &containers[0])
		for _, title := range titles(diagnosis.Diagnose(observe(containers...), minute(260))) {
			if strings.Contains(title, "Something start") {
				t.Errorf("%s: %s", name, title)
			}
		}
	}
	r := diagnosis.Diagnose(observe(started(80, false, 10, 70)...), minute(80))
	says(t, r, "info: Something started share-mnt again 10 min ago\n")
	onlyOne := append(started(80, false, 70), enginetest.CertWriter(7, server, minute(oldShareMnt)))
	says(t, diagnosis.Diagnose(observe(onlyOne...), minute(80)), "info: Something started share-mnt again 10 min ago\n", "It was started at 01-01 01:10 UTC.")
	unrelated := started(80, false, 70) // the last start has left no cert-writer that lives
	unrelated[1].Created = minute(oldShareMnt)
	silent(t, diagnosis.Diagnose(observe(append(unrelated, enginetest.CertWriter(7, server, minute(oldShareMnt)))...), minute(80)), "Something started")
	noInspect := started(260, false, 10, 70, 130, 190, 250)
	noInspect[len(noInspect)-1].StartedAt = time.Time{}
	says(t, diagnosis.Diagnose(observe(append(noInspect[:2:2], enginetest.CertWriter(7, server, minute(oldShareMnt)), noInspect[len(noInspect)-1])...), minute(80)),
		"so 1 start of it, and not removals, left the newest")
	says(t, diagnosis.Diagnose(observe(noInspect...), minute(260)), "so 5 starts of it, and not removals, left the newest", "what started it is not known")
}

// The demo, a minute old: a prune each 12 s, told by the events the exporter has heard.
func TestDemo(t *testing.T) {
	old := shareMnt(ago(240 * time.Hour))
	var events []node.Heard
	var created []time.Time
	for i := range 6 {
		at := ago(time.Duration(64-12*i) * time.Second)
		young := shareMnt(at.Add(4 * time.Second))
		events = append(events, heard("destroy", old, at), prune(at), heard("create", young, young.Created))
		created, old = append(created, young.Created), young
	}
	for _, agentSince := range []time.Duration{240 * time.Hour, 70 * time.Second} { // from the second round on it has been restarted
		o := observe(append(certWriters(created...), nodeAgent(ago(agentSince)), old)...)
		o.Heard = events
		r := diagnosis.Diagnose(o, now)
		says(t, r, "warning: Leak in progress: 6 cert-writers, one more about every 12 s", "warning: Something removes share-mnt again and again: ", ", about every 12 s",
			"Docker reported its removal at", "Docker reported a container prune at", "$ docker restart ")
		silent(t, r, "RancherShareMntRemovedRepeatedly\n", "ikely")
	}
}

// One removal that was heard is said, but nothing of again and again; an upgrade's is none.
func TestRemovedOnce(t *testing.T) {
	s := shareMnt(ago(20 * time.Minute))
	o := observe(append(certWriters(ago(9*time.Hour), ago(20*time.Minute)), nodeAgent(ago(48*time.Hour)), s)...)
	o.Heard = []node.Heard{heard("destroy", shareMnt(ago(9*time.Hour)), ago(21*time.Minute)), heard("create", s, ago(20*time.Minute))}
	r := diagnosis.Diagnose(o, now)
	says(t, r, "info: Something removed share-mnt 21 min ago\n", "It was created again at ", "Docker reported its removal at ")
	silent(t, r, "again and again", "container prune at", "ikely")
	agent := nodeAgent(ago(18 * time.Minute))
	o.Snapshot = observe(append(certWriters(ago(9*time.Hour), ago(20*time.Minute)), agent, s)...).Snapshot
	silent(t, diagnosis.Diagnose(o, now), "Something removed")
}

// A job that runs each week is proven by events too, though the alert has long ended.
func TestWeeklyRemovals(t *testing.T) {
	old := shareMnt(ago(9000 * time.Hour))
	var events []node.Heard
	var created []time.Time
	for week := 4; week > 0; week-- {
		young := shareMnt(ago(time.Duration(7*24*week-96) * time.Hour))
		events = append(events, recreated(old, young, young.Created.Add(-time.Minute))...)
		created, old = append(created, young.Created), young
	}
	o := observe(append(certWriters(created...), nodeAgent(ago(9000*time.Hour)), old)...)
	o.Heard = events
	r := diagnosis.Diagnose(o, now)
	says(t, r, "warning: Leak in progress: 4 cert-writers, one more about every 7 days", "warning: Something removes share-mnt again and again: 4 times in 24 days, about every 7 days\n")
	silent(t, r, "RancherShareMntRemovedRepeatedly", "ikely")
}

// One cert-writer is enough for the alert, as after a cure.
func TestRemovedAlertWithOneCertWriter(t *testing.T) {
	old := shareMnt(ago(300 * time.Hour))
	var events []node.Heard
	for _, h := range []int{50, 26, 2} {
		young := shareMnt(ago(time.Duration(h) * time.Hour))
		events = append(events, recreated(old, young, young.Created.Add(-time.Minute))...)
		old = young
	}
	o := observe(append(certWriters(ago(2*time.Hour)), nodeAgent(ago(3*time.Hour)), old)...)
	o.Heard = events
	says(t, diagnosis.Diagnose(o, now), "warning: Something removes share-mnt again and again: 3 times in 2 days, about every 24 h\n", "\nRancherShareMntRemovedRepeatedly\n")
}

// A cure ends the leak and not its cause.
func TestCured(t *testing.T) {
	old := shareMnt(ago(90 * time.Hour))
	var events []node.Heard
	for h := 5; h > 0; h-- {
		young := shareMnt(ago(time.Duration(h) * time.Hour))
		events = append(events, recreated(old, young, young.Created.Add(-time.Minute))...)
		old = young
	}
	o := observe(nodeAgent(ago(30*time.Minute)), old)
	o.Heard = events
	r := diagnosis.Diagnose(o, now)
	wantTitles(t, "cured", r, "warning: Something removes share-mnt again and again: 5 times in 5 h, about every 1 h")
	silent(t, r, "RancherShareMntRemovedRepeatedly")
	later := o
	later.Snapshot = observe(nodeAgent(ago(30*time.Minute)), old).Snapshot
	wantTitles(t, "a day later", diagnosis.Diagnose(later, now.Add(25*time.Hour)), "ok: Nothing wrong")
	fixed := o
	fixed.Snapshot = observe(nodeAgent(ago(30*time.Minute)), enginetest.ShareMnt("v2.6.3", server, "n1", ago(time.Minute))).Snapshot
	wantTitles(t, "where nothing leaks", diagnosis.Diagnose(fixed, now), "ok: Nothing wrong")
	gone := o
	gone.Snapshot = observe(nodeAgent(ago(30 * time.Minute))).Snapshot
	silent(t, diagnosis.Diagnose(gone, now), "Something remove")
	leftOver := o
	leftOver.Snapshot = observe(append(certWriters(ago(6*time.Hour)), nodeAgent(ago(30*time.Hour)), old)...).Snapshot
	silent(t, diagnosis.Diagnose(leftOver, now), "\nRancherShareMntRemovedRepeatedly\n")
}

// Removals count though share-mnt is not created again yet, or its creations were not heard.
func TestRemovedAndNotCreatedYet(t *testing.T) {
	old := shareMnt(ago(90 * time.Hour))
	o := observe(append(certWriters(ago(3*time.Hour), ago(2*time.Hour)), nodeAgent(ago(480*time.Hour)))...)
	o.Heard = []node.Heard{heard("destroy", old, ago(3*time.Hour)), heard("destroy", old, ago(2*time.Hour)), heard("destroy", old, ago(time.Minute))}
	says(t, diagnosis.Diagnose(o, now), "warning: Something removes share-mnt again and again: 3 times in 3 h\n")
	o.Heard = o.Heard[1:]
	says(t, diagnosis.Diagnose(o, now), "info: Something removed share-mnt 1 min ago\n")
}

// How many removals there were before an alert can know of them, and when that alert ended in between.
func TestRemovedAlert(t *testing.T) {
	for name, c := range map[string]struct {
		hours []int // ago
		fires bool
	}{
		"three nights":                {[]int{50, 26, 2}, true},
		"two nights":                  {[]int{26, 2}, false},
		"the third is too long ago":   {[]int{76, 26, 2}, false},
		"none for 26 hours":           {[]int{60, 40, 26}, false},
		"the last just ended a pause": {[]int{70, 60, 50, 0}, false},
		"a pause longer ago":          {[]int{75, 65, 55, 25, 1}, true},
	} {
		var events []node.Heard
		var created []time.Time
		old := shareMnt(ago(300 * time.Hour))
		for _, h := range c.hours {
			at := ago(time.Duration(h) * time.Hour)
			young := shareMnt(at)
			events = append(events, recreated(old, young, at.Add(-time.Minute))...)
			created, old = append(created, at), young
		}
		o := observe(append(certWriters(append([]time.Time{ago(301 * time.Hour)}, created...)...), nodeAgent(ago(900*time.Hour)), old)...)
		o.Heard = events
		r := diagnosis.Diagnose(o, now)
		if got := contains(alerts(r), "RancherShareMntRemovedRepeatedly"); got != c.fires {
			t.Errorf("%s: fires %t\n%s", name, got, text(r))
		}
		if len(c.hours) > 2 && c.hours[len(c.hours)-1] < 26 {
			says(t, r, fmt.Sprintf("warning: Something removes share-mnt again and again: %d times in ", len(c.hours)))
		}
	}
}
