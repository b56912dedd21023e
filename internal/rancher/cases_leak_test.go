package rancher

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

// The leak as people met it. Sources: rancher/rancher issues, numbered in the names of the cases.
func TestLeakCases(t *testing.T) {
	const day = 24 * time.Hour
	quietNode := []Container{
		shareMntOf(rangeB, "exited", "Exited (0) 2 days ago", 2*day),
		nodeAgent("cattle-node-agent-jfdlt", 0, "running", "Up 10 days", 10*day),
		sandbox("cattle-node-agent-jfdlt"),
	}
	quiet := func(v view) view { // what those three say, with what the cert-writers add
		v.shareMnt, v.present, v.shareMntAge, v.exitCode, v.leaks = states{StateExited: 1}, true, 2*day, "0", true
		v.nodeAgents = states{StateRunning: 1}
		return v
	}
	at := func(name, image string, hours int) Container {
		return leaked(name, image, time.Duration(hours)*time.Hour)
	}
	runCases(t, []fieldCase{
		{"FC-02 #15049, one every two hours", []Container{
			at("/vibrant_wilson", "rancher/rancher-agent:v2.0.6", 10), at("/determined_torvalds", "rancher/rancher-agent:v2.0.6", 12),
			at("/dazzling_stallman", "rancher/rancher-agent:v2.0.6", 14), at("/modest_keller", "rancher/rancher-agent:v2.0.6", 16),
			at("/dazzling_kalam", "rancher/rancher-agent:v2.0.6", 18), at("/xenodochial_goodall", "rancher/rancher-agent:v2.0.6", 20),
		}, view{certWriters: states{StateRunning: 6}, servers: map[string]int{"https://r.example": 6},
			oldest: 20 * time.Hour, newest: 10 * time.Hour, unmanaged: 6}},
		{"FC-04 #14735, several an hour", repeat(12, func(i int) Container {
			return leaked(fmt.Sprintf("/gallant_%d", i), "rancher/rancher-agent:v2.1.1", 17*time.Hour+time.Duration(i)*20*time.Minute)
		}), view{certWriters: states{StateRunning: 12}, servers: map[string]int{"https://r.example": 12},
			oldest: 20*time.Hour + 40*time.Minute, newest: 17 * time.Hour, unmanaged: 12}},
		{"FC-05 #17395, 220 among the pods of a node", slices.Concat(quietNode,
			repeat(220, func(i int) Container {
				return leaked(fmt.Sprintf("/agitated_%d", i), "rancher/rancher-agent:v2.1.3", time.Duration(i+1)*time.Minute)
			}),
			repeat(40, func(i int) Container {
				pod := fmt.Sprintf("web-%d", i)
				return ctr("/k8s_app_"+pod+"_shop_uid_0", "nginx:1.17", "nginx -g 'daemon off;'", "running", "Up 1 hour", time.Hour,
					podLabels("shop", pod, "app"))
			}),
		), quiet(view{certWriters: states{StateRunning: 220}, servers: map[string]int{"https://r.example": 220},
			oldest: 220 * time.Minute, newest: time.Minute, unmanaged: 220})},
		{"FC-07 #34777, agents older than the server, share-mnt in a crash loop", slices.Concat(
			repeat(30, func(i int) Container {
				return withCommand(leaked(fmt.Sprintf("/keen_%d", i), "rancher/rancher-agent:v2.5.6", time.Duration(i+1)*time.Minute), certWriter+" --node-name n1")
			}),
			[]Container{
				shareMntOf(rangeE, "restarting", "Restarting (1) 40 seconds ago", day),
				nodeAgent("cattle-node-agent-x2v9q", 1, "running", "Up 2 days", 2*day),
			},
		), view{certWriters: states{StateRunning: 30}, servers: map[string]int{"https://r.example": 30},
			oldest: 30 * time.Minute, newest: time.Minute, unmanaged: 30, nodeAgents: states{StateRunning: 1},
			shareMnt: states{StateRestarting: 1}, present: true, shareMntAge: day, exitCode: "1", leaks: true}},
		{"FC-08 #33655, control-plane node, two versions of the agent", slices.Concat(quietNode,
			repeat(480, func(i int) Container {
				return leaked(fmt.Sprintf("/eager_%d", i), []string{"rancher/rancher-agent:v2.5.8", image259}[i%2], time.Duration(i+1)*time.Minute)
			}),
		), quiet(view{certWriters: states{StateRunning: 480}, servers: map[string]int{"https://r.example": 480},
			oldest: 8 * time.Hour, newest: time.Minute, unmanaged: 480})},
		{"FC-10 #26399 and FC-11 #26401, exactly one after an upgrade", []Container{
			leaked("/friendly_perlman", "rancher/rancher-agent:v2.4.0", 3600*time.Second),
			nodeAgent("cattle-node-agent-jfdlt", 0, "running", "Up About an hour", 3605*time.Second),
			sandbox("cattle-node-agent-jfdlt"), rkeService("kubelet", "running", "Up 2 minutes"),
		}, view{certWriters: states{StateRunning: 1}, servers: map[string]int{"https://r.example": 1},
			oldest: time.Hour, newest: time.Hour, nodeAgents: states{StateRunning: 1}, unmanaged: 1}},
		{"FC-26 #14376, the registration's bind edited by hand: binds are not looked at", []Container{
			at("/zen_noyce", image208, 1),
		}, view{certWriters: states{StateRunning: 1}, servers: map[string]int{"https://r.example": 1},
			oldest: time.Hour, newest: time.Hour, unmanaged: 1}},
		{"FC-52 moby#30095, a ghost that Docker calls running", []Container{at("/zen_noyce", image208, 72)},
			view{certWriters: states{StateRunning: 1}, servers: map[string]int{"https://r.example": 1},
				oldest: 72 * time.Hour, newest: 72 * time.Hour, unmanaged: 1}},
	})
}

// FC-01 · rancher/rancher#15364: share-mnt is deleted and made again five times, and each time one cert-writer stays; then
// the node-agent restarts and removes them all. FC-40 · #17617: a node-agent that reconnects hides the leak again and again.
func TestGaugesGoDownAsWellAsUp(t *testing.T) {
	snapshot := func(certWriters int, nodeAgentAge time.Duration) []Container {
		return append(repeat(certWriters, func(i int) Container {
			return leaked(fmt.Sprintf("/adj_name%d", i+1), image208, time.Duration(certWriters-i)*2*time.Hour)
		}), shareMntOf(rangeB, "exited", "Exited (0) 2 minutes ago", 2*time.Minute),
			nodeAgent("cattle-node-agent-jfdlt", 0, "running", "Up", nodeAgentAge))
	}
	for name, steps := range map[string][]int{"FC-01": {0, 1, 2, 3, 4, 5, 0}, "FC-40": {1, 0, 1, 0, 0}} {
		for step, k := range steps {
			want := view{
				shareMnt: states{StateExited: 1}, present: true, shareMntAge: 2 * time.Minute, exitCode: "0", leaks: true,
				nodeAgents: states{StateRunning: 1}, unmanaged: k,
			}
			if k > 0 {
				want.certWriters, want.servers = states{StateRunning: k}, map[string]int{"https://r.example": k}
				want.oldest, want.newest = time.Duration(k)*2*time.Hour, 2*time.Hour
			}
			t.Run(fmt.Sprintf("%s step %d", name, step), func(t *testing.T) { expect(t, snapshot(k, 240*time.Hour), want) })
		}
	}
}

// FC-06 · rancher/rancher#34839: share-mnt on a cgroup v2 host restarts about once a minute and leaves a cert-writer each
// time. It is present in every sample and never a cert-writer itself.
func TestOneMoreEveryMinute(t *testing.T) {
	for minute := range 10 {
		list := append(repeat(minute, func(i int) Container {
			return withCommand(leaked(fmt.Sprintf("/busy_%d", i), image259, time.Duration(minute-i)*time.Minute), certWriter+" --node-name n1")
		}), shareMntOf(rangeE, "restarting", "Restarting (1) 40 seconds ago", time.Hour))
		got := viewOf(snapshotOf(list...))
		if got.certWriters[StateRunning] != minute || got.shareMnt[StateRestarting] != 1 || !got.present || got.exitCode != "1" || !got.leaks {
			t.Errorf("minute %d: %+v", minute, got)
		}
	}
}

// The two forms of a cert-writer (docs/rancher.md, section 3), each with and without a private CA and in every state.
func TestCertWriterForms(t *testing.T) {
	forms := map[string]string{
		"2.0.6-2.3.11":             certWriter,
		"2.0.6-2.3.11, private CA": "run.sh --server https://r.example --token " + token + " --ca-checksum " + checksum + withCertWriter,
		"2.4.0-2.5.9":              certWriter + " --node-name n1",
		"2.4.0-2.5.9, private CA":  "run.sh --server https://r.example --token " + token + " --ca-checksum " + checksum + withCertWriter + " --node-name n1",
	}
	for name, command := range forms {
		for _, state := range States() {
			t.Run(name+" "+string(state), func(t *testing.T) {
				want := view{certWriters: states{state: 1}, unmanaged: 1}
				if state.Live() {
					want.servers, want.oldest, want.newest = map[string]int{"https://r.example": 1}, time.Hour, time.Hour
				}
				c := ctr("/thirsty_minsky", image233, command, string(state), "", time.Hour, agentLabels)
				expect(t, []Container{c}, want)
			})
		}
	}
}
