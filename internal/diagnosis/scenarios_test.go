package diagnosis_test

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/enginetest"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/node"
)

// scenario is a node over time. Minute 0 is the start of 1970, as promtool has it.
type scenario struct {
	name  string
	at    func(minute int) []enginetest.Container // nil while Docker cannot be asked
	heard func(minute int) []node.Heard           // nil for none
	want  []verdict
}

// verdict is which alerts fire at a minute, after the for of a rule and before it.
type verdict struct {
	minute int
	alerts string // in alphabetical order; in brackets those that one look cannot know of
	first  string // severity and title of what the diagnosis says first, if that is to be held
}

// said are the alerts that the diagnosis names.
func (v verdict) said() string {
	return strings.Join(slices.DeleteFunc(strings.Fields(v.alerts), func(name string) bool { return name[0] == '[' }), " ")
}

func minute(m int) time.Time { return time.Unix(int64(m)*60, 0) }

// yesterday is a day before that, in minutes.
const yesterday = -24 * 60

// pruned is a node whose share-mnt is removed every so many minutes; each time one more cert-writer comes.
func pruned(m, every int, version string) []enginetest.Container {
	runs := m / every
	containers := []enginetest.Container{nodeAgent(minute(10 * yesterday))}
	newest := minute(10 * yesterday)
	if runs > 0 {
		newest = minute(runs * every)
	}
	containers = append(containers, enginetest.ShareMnt(version, server, "n1", newest))
	if version < "v2.5.10" {
		for i := range runs {
			containers = append(containers, enginetest.CertWriter(i, server, minute((i+1)*every).Add(3*time.Second)))
		}
	}
	return containers
}

// prunes are the events of such a node.
func prunes(m, every int, version string) []node.Heard {
	var list []node.Heard
	old := enginetest.ShareMnt(version, server, "n1", minute(10*yesterday))
	for at := every; at <= m; at += every {
		young := enginetest.ShareMnt(version, server, "n1", minute(at))
		list = append(list, recreated(old, young, minute(at).Add(-time.Minute))...)
		old = young
	}
	return list
}

// crashing is a node whose share-mnt crashes once a minute from a minute on.
func crashing(m, from int, version string, leaks bool) []enginetest.Container {
	s := enginetest.ShareMnt(version, server, "n1", minute(10*yesterday))
	containers := []enginetest.Container{nodeAgent(minute(10 * yesterday))}
	if m >= from {
		s.State, s.ExitCode = "restarting", 1
		s.StartedAt, s.RestartCount = minute(m).Add(-30*time.Second), 9+m-from
	}
	for i := from; leaks && i <= m; i++ {
		containers = append(containers, enginetest.CertWriter(i, server, minute(i)))
	}
	return append(containers, s)
}

func scenarios() []scenario {
	quiet := func(containers ...enginetest.Container) []enginetest.Container {
		return append(containers, nodeAgent(minute(10*yesterday)), shareMnt(minute(10*yesterday)))
	}
	return append(causes(), []scenario{
		{name: "nothing wrong, one cert-writer as young as the node-agent",
			at: func(int) []enginetest.Container {
				return quiet(enginetest.CertWriter(0, server, minute(10*yesterday).Add(15*time.Second)))
			},
			want: []verdict{{5, "", ""}, {300, "", ""}}},
		{name: "no node of Rancher",
			at:   func(int) []enginetest.Container { return []enginetest.Container{enginetest.Pod(1, minute(yesterday))} },
			want: []verdict{{300, "", ""}}},
		{name: "pruned every 2 hours, rancher/rancher#15049",
			at:    func(m int) []enginetest.Container { return pruned(m, 120, "v2.3.3") },
			heard: func(m int) []node.Heard { return prunes(m, 120, "v2.3.3") },
			want: []verdict{
				{130, "", "info: Something removed share-mnt 11 min ago"}, {250, "", "warning: Leak in progress: 2 cert-writers"}, {300, "RancherCertWriterLeak", ""}, {365, "RancherCertWriterLeak", ""},
				{410, "RancherCertWriterLeak RancherShareMntRemovedRepeatedly", "warning: Leak in progress: 3 cert-writers, one more about every 2 h"},
				{600, "RancherCertWriterLeak RancherShareMntRemovedRepeatedly", ""},
			}},
		{name: "pruned every 5 minutes, rancher/rancher#17395",
			at:    func(m int) []enginetest.Container { return pruned(m, 5, "v2.1.3") },
			heard: func(m int) []node.Heard { return prunes(m, 5, "v2.1.3") },
			want: []verdict{{12, "", "warning: Leak in progress: 2 cert-writers"}, {24, "", "warning: Leak in progress: 4 cert-writers, one more about every 5 min"}, {40, "RancherShareMntRemovedRepeatedly", ""}, {80, "RancherCertWriterLeak RancherShareMntRemovedRepeatedly", ""},
				{130, "RancherCertWriterLeak RancherCertWriterLeakCritical RancherShareMntRemovedRepeatedly", ""}}},
		{name: "the same, and nobody has heard of it",
			at: func(m int) []enginetest.Container { return pruned(m, 5, "v2.1.3") },
			want: []verdict{{12, "", "warning: Leak in progress: 2 cert-writers"},
				{80, "RancherCertWriterLeak [RancherShareMntRemovedRepeatedly]", "warning: Leak in progress: 16 cert-writers, one more about every 5 min"}}},
		{name: "pruned every hour where nothing leaks",
			at:   func(m int) []enginetest.Container { return pruned(m, 60, "v2.5.10") },
			want: []verdict{{600, "", ""}}},
		{name: "crash loop that leaks, rancher/rancher#34839",
			at: func(m int) []enginetest.Container { return crashing(m, 5, "v2.5.9", true) },
			want: []verdict{{12, "", ""}, {24, "RancherShareMntCrashLooping", ""}, {40, "RancherCertWriterLeakCritical RancherShareMntCrashLooping", ""},
				{60, "RancherCertWriterLeak RancherCertWriterLeakCritical RancherShareMntCrashLooping", ""}}},
		{name: "crash loop that leaks nothing",
			at:   func(m int) []enginetest.Container { return crashing(m, 5, "v2.6.3", false) },
			want: []verdict{{12, "", ""}, {24, "RancherShareMntCrashLooping", ""}, {200, "RancherShareMntCrashLooping", ""}}},
		{name: "share-mnt killed every 2 minutes, as Rancher v2.0.0 to v2.0.5 has it",
			at: func(m int) []enginetest.Container {
				s := enginetest.ShareMnt("v2.0.4", server, "n1", minute(10*yesterday))
				s.StartedAt = minute(m / 2 * 2)
				return []enginetest.Container{nodeAgent(minute(10 * yesterday)), s}
			},
			want: []verdict{{60, "", ""}}},
		{name: "share-mnt stuck, rancher/rancher#13314",
			at: func(m int) []enginetest.Container {
				s := shareMnt(minute(10 * yesterday))
				if m >= 10 {
					s.State, s.StartedAt = "running", minute(10)
				}
				return []enginetest.Container{nodeAgent(minute(10 * yesterday)), s}
			},
			want: []verdict{{12, "", ""}, {30, "", ""}, {44, "RancherShareMntStuck", ""}, {100, "RancherShareMntStuck", ""}}},
		{name: "no node-agent from minute 10 on",
			at: func(m int) []enginetest.Container {
				a := nodeAgent(minute(10 * yesterday))
				if m >= 10 {
					a = ended(a, fmt.Sprintf("%d minutes", m-10), 2)
				}
				return []enginetest.Container{a, shareMnt(minute(10 * yesterday))}
			},
			want: []verdict{{5, "", ""}, {40, "", ""}, {60, "RancherNodeAgentMissing", ""}}},
		{name: "the node-agent starts anew at minute 60 and removes nothing",
			at: func(m int) []enginetest.Container {
				a := nodeAgent(minute(10 * yesterday))
				if m >= 60 {
					a.StartedAt = minute(60)
				}
				return append(certWriters(minute(-600), minute(-500)), a, shareMnt(minute(-500)))
			},
			want: []verdict{{50, "RancherCertWriterLeak", ""}, {70, "RancherCertWriterLeak", ""}, {80, "RancherCertWriterLeak RancherCertWriterSurvivedRestart", ""}}},
		{name: "the node-agent starts anew at minute 60 and removes them",
			at: func(m int) []enginetest.Container {
				a := nodeAgent(minute(10 * yesterday))
				if m < 60 {
					return append(certWriters(minute(-9*60), minute(-300)), a, shareMnt(minute(-300)))
				}
				a.StartedAt = minute(60)
				return []enginetest.Container{a, shareMnt(minute(-300))}
			},
			want: []verdict{{50, "RancherCertWriterLeak", ""}, {70, "", ""}, {100, "", ""}}},
		{name: "left over from before an upgrade",
			at: func(int) []enginetest.Container {
				return append(certWriters(minute(5*yesterday), minute(4*yesterday)),
					nodeAgent(minute(10*yesterday)), enginetest.ShareMnt("v2.6.3", server, "n1", minute(2*yesterday)))
			},
			want: []verdict{{60, "RancherCertWriterLeak", ""}}},
		{name: "two cert-writers for 15 minutes of a roll-out",
			at: func(m int) []enginetest.Container {
				writers := certWriters(minute(10 * yesterday).Add(15 * time.Second))
				if m >= 30 && m < 45 {
					writers = append(writers, enginetest.CertWriter(7, server, minute(30)))
				}
				return quiet(writers...)
			},
			want: []verdict{{40, "", ""}, {60, "", ""}}},
		{name: "another server from minute 10 on",
			at: func(m int) []enginetest.Container {
				writers := certWriters(minute(yesterday))
				if m >= 10 {
					writers = append(writers, enginetest.CertWriter(7, "https://other.example", minute(10)))
				}
				return quiet(writers...)
			},
			want: []verdict{{30, "", ""}, {70, "RancherCertWriterLeak", ""}, {100, "RancherCertWriterLeak RancherCertWriterMultipleServers", ""}}},
		{name: "Docker cannot be asked from minute 10 on",
			at: func(m int) []enginetest.Container {
				if m >= 10 {
					return nil
				}
				return quiet()
			},
			want: []verdict{{5, "", ""}, {18, "", ""}, {40, "RancherAgentExporterDockerUnreachable", ""}}},
	}...)
}
