package rancher

import (
	"strings"
	"testing"
	"time"
)

// The container share-mnt in all its forms and states. Sources: rancher/rancher issues unless another repository is named.
func TestShareMntCases(t *testing.T) {
	const hour = time.Hour
	agent := nodeAgent("cattle-node-agent-jfdlt", 0, "running", "Up 3 hours", 3*hour)
	withoutLabels := func(c Container) Container { c.Labels = nil; return c }
	newStyle := ctr("/share-mnt", image259, listed("run.sh", shareMntArgs["F: 2.5.10-2.11, private CA"]...),
		"exited", "Exited (137) About a minute ago", time.Minute, agentLabels, shareMntLabels)
	running200 := ctr("/share-mnt", "rancher/rancher-agent:v2.0.0", "run.sh -- share-root.sh /var/lib/kubelet /var/lib/rancher",
		"running", "Up 2 minutes", 2*time.Minute, agentLabels, oldLabels)
	runCases(t, []fieldCase{
		{"FC-12 #32727, flags of a cert-writer", []Container{newStyle},
			view{shareMnt: states{StateExited: 1}, present: true, shareMntAge: time.Minute, exitCode: "137"}},
		{"FC-12 #32727, the name alone", []Container{withoutLabels(newStyle)},
			view{shareMnt: states{StateExited: 1}, present: true, shareMntAge: time.Minute, exitCode: "137"}},
		{"FC-13 #33039, script not executable", []Container{shareMntOf(rangeF, "restarting", "Restarting (126) 12 seconds ago", hour)},
			view{shareMnt: states{StateRestarting: 1}, present: true, shareMntAge: hour, exitCode: "126"}},
		{"FC-15 #27309, share-mnt, its failed helper, its cert-writer", []Container{
			shareMntOf(rangeC, "exited", "Exited (0) 5 minutes ago", 5*time.Minute),
			ctr("/keen_x", image233, "/usr/bin/share-mnt --node-name node4 /var/lib/kubelet /var/lib/rancher -- norun",
				"exited", "Exited (1) 5 minutes ago", 5*time.Minute, agentLabels),
			leaked("/zen_noyce", image233, 5*time.Minute),
		}, view{certWriters: states{StateRunning: 1}, servers: map[string]int{"https://r.example": 1}, oldest: 5 * time.Minute, newest: 5 * time.Minute,
			shareMnt: states{StateExited: 1}, present: true, shareMntAge: 5 * time.Minute, exitCode: "0", leaks: true, helper: 1, unmanaged: 2}},
		{"FC-17 #26417, share-mnt of 2.4.0, newer node-agent by digest", []Container{shareMntOf(rangeD, "exited", "Exited (0)", hour), agent},
			view{shareMnt: states{StateExited: 1}, present: true, shareMntAge: hour, exitCode: "0", leaks: true, nodeAgents: states{StateRunning: 1}}},
		{"FC-19 #13521, Rancher 2.0.0 with the old label", []Container{running200,
			ctr("/xenodochial_tesla", "rancher/rancher-agent:v2.0.0", "run.sh --server https://192.0.2.31 --token t --ca-checksum c --etcd --controlplane --worker",
				"running", "Up 2 minutes", 2*time.Minute, agentLabels),
		}, view{shareMnt: states{StateRunning: 1}, present: true, shareMntAge: 2 * time.Minute, registration: 1, unmanaged: 1}},
		{"FC-20 #13314, waits for a kubelet for hours", []Container{shareMntOf(rangeB, "running", "Up 3 hours", 3*hour)},
			view{shareMnt: states{StateRunning: 1}, present: true, shareMntAge: 3 * hour, leaks: true}},
		{"FC-21 quickstart#21, the same beside a registration", []Container{shareMntOf(rangeB, "running", "Up 3 hours", 3*hour),
			ctr("/bold_bell", image208, registration, "running", "Up 3 hours", 3*hour, agentLabels),
		}, view{shareMnt: states{StateRunning: 1}, present: true, shareMntAge: 3 * hour, leaks: true, registration: 1, unmanaged: 1}},
		{"FC-22 itho.cn/k8s/542, nothing left of Rancher", []Container{rkeService("etcd", "running", "Up 3 days")}, view{}},
		{"FC-22 itho.cn/k8s/542, rebuilt by hand", []Container{ctr("/share-mnt", "rancher/rancher-agent:v2.5.12",
			"run.sh --no-register --only-write-certs --node-name cp1 --server https://192.0.2.14:8443 --token t", "exited", "Exited (0) 1 minute ago",
			time.Minute, agentLabels, shareMntLabels)},
			view{shareMnt: states{StateExited: 1}, present: true, shareMntAge: time.Minute, exitCode: "0"}},
		{"FC-24 #25506, node-agents of two pods", []Container{
			nodeAgent("cattle-node-agent-aaaaa", 0, "running", "Up 9 days", 216*hour), nodeAgent("cattle-node-agent-bbbbb", 0, "created", "Created", hour),
		}, view{nodeAgents: states{StateRunning: 1, StateCreated: 1}}},
		{"FC-25 os#2890, half a minute after a reboot", []Container{
			shareMntOf(rangeB, "running", "Up 20 seconds", 200*hour), leaked("/zen_noyce", image208, 20*time.Second)},
			view{certWriters: states{StateRunning: 1}, servers: map[string]int{"https://r.example": 1}, oldest: 20 * time.Second, newest: 20 * time.Second, unmanaged: 1,
				shareMnt: states{StateRunning: 1}, present: true, shareMntAge: 200 * hour, leaks: true}},
		{"FC-25 os#2890, five minutes after", []Container{shareMntOf(rangeB, "exited", "Exited (0) 5 minutes ago", 200*hour), agent},
			view{shareMnt: states{StateExited: 1}, present: true, shareMntAge: 200 * hour, exitCode: "0", leaks: true, nodeAgents: states{StateRunning: 1}}},
		{"FC-27 #18805, restarted and not made again: older than the cert-writer it left", []Container{
			shareMntOf(rangeC, "exited", "Exited (0) 10 seconds ago", 200*hour), leaked("/zen_noyce", image233, 10*time.Second)},
			view{certWriters: states{StateRunning: 1}, servers: map[string]int{"https://r.example": 1}, oldest: 10 * time.Second, newest: 10 * time.Second, unmanaged: 1,
				shareMnt: states{StateExited: 1}, present: true, shareMntAge: 200 * hour, exitCode: "0", leaks: true}},
		{"a twin by label: the node-agent will delete one of them", []Container{
			shareMntOf(rangeB, "exited", "Exited (0) 2 hours ago", 2*hour),
			ctr("/share-mnt-copy", image233, listed("run.sh", shareMntArgs[rangeF]...), "restarting", "Restarting (1) 4 seconds ago", hour, agentLabels, shareMntLabels),
		}, view{shareMnt: states{StateExited: 1, StateRestarting: 1}, present: true, shareMntAge: hour, exitCode: "1"}},
	})
}

// FC-16 · rancher/rancher#22849: share-mnt is replaced between two looks; the newest counts, present is 1 both times.
func TestShareMntReplaced(t *testing.T) {
	for _, age := range []time.Duration{2 * time.Hour, 2 * time.Minute} {
		c := shareMntOf("B: 2.0.6-2.3.2, RancherOS", "exited", "Exited (0)", age)
		expect(t, []Container{c}, view{shareMnt: states{StateExited: 1}, present: true, shareMntAge: age, exitCode: "0", leaks: true})
	}
	old := shareMntOf(rangeB, "removing", "Removal In Progress", 2*time.Hour)
	fresh := shareMntOf(rangeF, "created", "Created", time.Second)
	expect(t, []Container{fresh, old}, view{shareMnt: states{StateRemoving: 1, StateCreated: 1}, present: true, shareMntAge: time.Second})
}

// Every range of versions in every state (docs/rancher.md, section 4): always one share-mnt, never a cert-writer,
// and a leak from 2.0.6 to 2.5.9 alone, whether the command comes from a list or from an inspect.
func TestShareMntOfEveryVersion(t *testing.T) {
	for version, args := range shareMntArgs {
		commands := map[string]CommandLine{
			"listed":    ListedCommand(listed("run.sh", args...)),
			"inspected": InspectedCommand("run.sh", args),
		}
		for how, command := range commands {
			for _, state := range States() {
				c := shareMntOf(version, string(state), "", time.Hour)
				c.Command = command
				t.Run(version+" "+how+" "+string(state), func(t *testing.T) {
					expect(t, []Container{c}, view{
						shareMnt: states{state: 1}, present: state != StateRemoving && state != StateDead,
						shareMntAge: time.Hour, leaks: strings.ContainsAny(version[:1], "BCDE"),
					})
				})
			}
		}
	}
}

// What else a share-mnt may have for a command, and whether a start of it leaves a cert-writer.
func TestStartsCertWriter(t *testing.T) {
	for command, want := range map[string]bool{
		"":                                     false,
		"run.sh":                               false,
		"run.sh --":                            false,
		"run.sh -- share-root.sh":              false,
		"run.sh -- share-root.sh ":             false,
		"run.sh -- share-root.sh 'docker run'": false,
		"run.sh -- share-root.sh 'docker run --only-write-certs'":                                      true,
		"run.sh -- share-root.sh 'docker run  image -r -o'":                                            true,
		"run.sh -- share-root.sh 'docker run image --etcd'":                                            false,
		"run.sh -- share-root.sh 'docker rm --only-write-certs'":                                       false,
		"run.sh -- share-root.sh 'echo docker run --only-write-certs'":                                 false,
		"run.sh -- share-root.sh 'docker run\timage\n--only-write-certs'":                              true,
		"run.sh -- share-root.sh 'docker run image --only-write-certs-not'":                            false,
		"run.sh -- share-root.sh /var/lib/kubelet --only-write-certs":                                  false,
		"/usr/bin/run.sh -- /usr/bin/share-root.sh 'docker run i --only-write-certs'":                  true,
		"run.sh x share-root.sh 'docker run i --only-write-certs'":                                     false,
		"run.sh -- share-root.sh 'podman run i --only-write-certs'":                                    false,
		`run.sh -- share-root.sh 'docker run i "--only-write-certs"'`:                                  true,
		"run.sh --debug -- share-root.sh 'docker run i --only-write-certs'":                            false,
		"run.sh -- other.sh 'docker run i --only-write-certs'":                                         false,
		"share-root.sh 'docker run i --only-write-certs'":                                              false,
		"run.sh -- share-root.sh 'docker run -e 'A=b c' i --only-write-certs' /var/lib/kubelet":        true,
		"run.sh -- share-root.sh docker run i --only-write-certs /var/lib/kubelet":                     true, // a list without quotes
		"run.sh -- share-root.sh 'docker run i --server 'https://r.example' --only-write-certs' /v /w": true,
	} {
		if got := startsCertWriter(splitCommand(command)); got != want {
			t.Errorf("%q: got %t", command, got)
		}
	}
	stray := ctr("/keen_bell", image233, listed("run.sh", shareMntArgs[rangeB]...), "running", "Up", time.Hour, agentLabels)
	if a := snapshotOf(stray).Agents[0]; a.Role != RoleOther || a.Leaks {
		t.Errorf("the command without the identity: %+v", a)
	}
}

// Who is share-mnt: either process label, or the exact name, whatever the image and the command, but nothing in a pod: the
// labels of a container are also those of its image, which a tenant makes.
func TestShareMntIdentity(t *testing.T) {
	one := view{shareMnt: states{StateExited: 1}, present: true, shareMntAge: time.Hour}
	exited := func(name string, labels ...map[string]string) Container {
		return ctr(name, image233, certWriter, "exited", "", time.Hour, labels...)
	}
	alias := exited("/web/share", agentLabels)
	alias.Names = []string{"/web/share", "/share-mnt"}
	renamed, foreign := one, one
	renamed.unmanaged = 1 // the clean-up goes by the first name alone
	runCases(t, []fieldCase{
		{"label and name", []Container{exited("/share-mnt", agentLabels, shareMntLabels)}, one},
		{"old label and name", []Container{exited("/share-mnt", agentLabels, oldLabels)}, one},
		{"the name alone", []Container{exited("/share-mnt")}, one},
		{"the name without its slash", []Container{exited("share-mnt")}, one},
		{"the name in second place", []Container{alias}, renamed},
		{"label and another name", []Container{exited("/keen_bell", agentLabels, shareMntLabels)}, renamed},
		{"old label and another name", []Container{exited("/keen_bell", agentLabels, oldLabels)}, renamed},
		{"label, foreign image", []Container{ctr("/x", "busybox", "true", "exited", "", time.Hour, shareMntLabels)}, foreign},
		{"a tenant's image says so", []Container{ctr("/k8s_app_web_default_uid_0", "shop:v1", "sleep 9", "running", "Up", time.Minute,
			shareMntLabels, oldLabels, podLabels("default", "web", "app"))}, view{}},
		{"a tenant's image says so, no pod labels", []Container{ctr("/k8s_app_web_default_uid_0", "shop:v1", "sleep 9", "running", "Up", time.Minute, shareMntLabels)}, view{}},
		{"a tenant's pod beside the real one", []Container{exited("/share-mnt", agentLabels, shareMntLabels),
			ctr("/k8s_app_web_default_uid_0", "shop:v1", "sleep 9", "running", "Up", time.Minute, shareMntLabels, podLabels("default", "web", "app"))}, one},
		{"a pod of the agent image", []Container{exited("/share-mnt", agentLabels, shareMntLabels, podLabels("default", "web", "app"))}, view{other: 1}},
		{"old-share-mnt by label", []Container{exited("/old-share-mnt", agentLabels, shareMntLabels)}, one},
		{"old-share-mnt is none by name, but the clean-up spares it", []Container{exited("/old-share-mnt", agentLabels)}, view{certWriters: states{StateExited: 1}}},
		{"nor is share-mnt-2", []Container{exited("/share-mnt-2", agentLabels)}, view{certWriters: states{StateExited: 1}}},
		{"nor /x/share-mnt, a link's alias", []Container{exited("/x/share-mnt", agentLabels)}, view{certWriters: states{StateExited: 1}}},
		{"nor Share-Mnt", []Container{exited("/Share-Mnt", agentLabels)}, view{certWriters: states{StateExited: 1}, unmanaged: 1}},
		{"another process label", []Container{exited("/x", agentLabels, map[string]string{"io.rancher.rke.container.name": "kubelet"})},
			view{certWriters: states{StateExited: 1}, unmanaged: 1}},
	})
}
