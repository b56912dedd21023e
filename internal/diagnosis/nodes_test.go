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

// titles are the severities and titles of a report.
func titles(r diagnosis.Report) []string {
	var all []string
	for _, f := range r.Findings {
		all = append(all, f.Severity.String()+": "+f.Title)
	}
	return all
}

func contains(list []string, s string) bool { return slices.Contains(list, s) }

func wantTitles(t *testing.T, name string, r diagnosis.Report, want ...string) {
	t.Helper()
	if got := titles(r); !slices.Equal(got, want) {
		t.Errorf("%s: got\n%s\nwant\n%s", name, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// Nodes on which nothing leaks, and all there is to say of each, the worst first.
func TestNodes(t *testing.T) {
	const day = 24 * time.Hour
	agent, exited := nodeAgent(ago(5*day)), shareMnt(ago(5*day))
	registration := enginetest.Registration(server, ago(3*day))
	stoppedRegistration := ended(registration, "2 days", 1)
	younger := enginetest.Registration(server, ago(59*time.Minute))
	with := func(list []enginetest.Container, more ...enginetest.Container) []enginetest.Container {
		return slices.Concat(list, more)
	}
	twin := enginetest.NodeAgent("cattle-node-agent-jfdlt", 1, ago(day))
	other := enginetest.NodeAgent("cattle-node-agent-x2v9q", 0, ago(time.Minute))
	nothingOfRancher := "info: RKE's containers are here, but nothing of Rancher"
	for name, c := range map[string]struct {
		containers []enginetest.Container
		heard      []node.Heard
		titles     []string
		says       string
		silent     string
	}{
		"healthy":               {with(rke(), agent, exited), nil, []string{"ok: Nothing wrong"}, "The node-agent runs, for 5 days.", "$"},
		"no share-mnt for days": {with(rke(), agent), nil, []string{"info: There is no share-mnt"}, "the node-agent cannot create it", "in a few minutes. If not"},
		"no share-mnt, a node-agent of ten minutes": {with(rke(), nodeAgent(ago(10*time.Minute))), nil, []string{"info: There is no share-mnt"}, "$ docker logs --tail 40 ", "$ docker rm"},
		"no share-mnt, a node-agent of minutes":     {with(rke(), nodeAgent(ago(10*time.Minute-1))), nil, []string{"ok: Nothing wrong"}, "at its next check", "$"},
		"no share-mnt for minutes":                  {with(rke(), agent), []node.Heard{heard("destroy", exited, ago(day)), heard("destroy", exited, ago(time.Minute))}, []string{"ok: Nothing wrong"}, "at its next check", "imported"},
		"share-mnt was there a minute ago":          {[]enginetest.Container{agent}, []node.Heard{heard("destroy", exited, ago(time.Minute))}, []string{"ok: Nothing wrong"}, "at its next check", "imported"},
		"imported":                                  {[]enginetest.Container{agent}, nil, []string{"ok: Nothing wrong"}, "as is right for an imported cluster and for local", "at its next check"},
		"built by the RKE command":                  {rke(), nil, []string{nothingOfRancher}, "A node that Rancher manages has a node-agent", "$"},
		"nothing":                                   {nil, nil, []string{"ok: This is no node of an RKE1 cluster of Rancher"}, "no share-mnt, no node-agent and no cert-writer", "$"},
		"a node-agent alone is a node of Rancher":   {[]enginetest.Container{ended(agent, "2 days", 0)}, nil, []string{"warning: No node-agent runs"}, "RancherNodeAgentMissing", "Docker does not tell"},
		"share-mnt alone too":                       {[]enginetest.Container{exited}, nil, []string{"warning: No node-agent runs"}, "There is no container of a node-agent, but others of Rancher.", "\nRancherNodeAgentMissing\n"},
		"a cert-writer alone too":                   {certWriters(ago(time.Hour)), nil, []string{"warning: No node-agent runs"}, "Docker does not tell", "\nRancherNodeAgentMissing\n"},
		"registering for three days": {[]enginetest.Container{registration}, nil, []string{"info: Registration not finished since " + diagnosis.Stamp(ago(3*day))},
			"$ docker logs --tail 40 " + registration.ID[:12] + " 2>&1 | sed 's/token .*/token X/'\n$ docker ps -a --filter label=io.rancher.rke.container.name\n", "restart of the node-agent"},
		"a registration that ended": {[]enginetest.Container{stoppedRegistration}, nil, []string{"info: Registration not finished since " + diagnosis.Stamp(ago(3*day))}, "exited (1)", "is no node"},
		"registering":               {with(rke(), younger), nil, []string{"info: A registration is under way, for 59 min"}, "the node-agent", "label=io.rancher.rke.container.name\n"},
		"an hour is too long":       {[]enginetest.Container{enginetest.Registration(server, ago(time.Hour))}, nil, []string{"info: Registration not finished since " + diagnosis.Stamp(ago(time.Hour))}, "", "under way"},
		"a registration left over":  {with(rke(), agent, exited, registration), nil, []string{"info: A restart of the node-agent also removes 1 other container", "ok: Nothing wrong"}, "registration, running", "not finished"},
		"two node-agents of a pod": {with(rke(), agent, twin, exited), nil, []string{"info: 2 node-agents run, and one is right", "ok: Nothing wrong"},
			"$ kubectl -n cattle-system delete pod cattle-node-agent-jfdlt\n$ docker stop " + agent.ID[:12] + "\n", twin.ID[:12] + "\n"},
		"two pods": {with(rke(), agent, other, exited), nil, []string{"info: 2 node-agents run, and one is right", "ok: Nothing wrong"},
			"delete pod cattle-node-agent-jfdlt cattle-node-agent-x2v9q\n", "$ docker stop"},
	} {
		o := observe(c.containers...)
		o.Heard = c.heard
		r := diagnosis.Diagnose(o, now)
		wantTitles(t, name, r, c.titles...)
		says(t, r, c.says)
		silent(t, r, c.silent)
		if !r.Looked || r.At != now {
			t.Errorf("%s: looked %t at %v", name, r.Looked, r.At)
		}
	}
}

// A restart is for the node-agent that the kubelet knows, and not for the one it has replaced.
func TestRestartWithTwoNodeAgents(t *testing.T) {
	stale, current := nodeAgent(ago(90*time.Hour)), enginetest.NodeAgent("cattle-node-agent-jfdlt", 1, ago(80*time.Hour))
	r := diagnosis.Diagnose(observe(append(certWriters(ago(3*time.Hour), ago(2*time.Hour)), stale, current, shareMnt(ago(2*time.Hour)))...), now)
	says(t, r, "$ docker restart "+current.ID[:12]+"\n")
	other := enginetest.NodeAgent("cattle-node-agent-x2v9q", 0, ago(70*time.Hour))
	r = diagnosis.Diagnose(observe(append(certWriters(ago(3*time.Hour), ago(2*time.Hour)), other, stale, current, shareMnt(ago(2*time.Hour)))...), now)
	says(t, r, "$ docker restart "+current.ID[:12]+" "+other.ID[:12]+"\n$ kubectl -n cattle-system delete pod cattle-node-agent-jfdlt cattle-node-agent-x2v9q\n")
}

// A young leak is told at once, with the alert that will fire; two cert-writers just after a start of the node-agent are not
// one yet, and three are.
func TestYoungLeak(t *testing.T) {
	young := []time.Time{ago(25 * time.Minute), ago(20 * time.Minute), ago(15 * time.Minute), ago(10 * time.Minute), ago(5 * time.Minute), ago(3 * time.Second)}
	leak := func(agentSince time.Duration, created ...time.Time) diagnosis.Report {
		return diagnosis.Diagnose(observe(append(certWriters(created...), nodeAgent(ago(agentSince)), shareMnt(created[len(created)-1]))...), now)
	}
	r := leak(48*time.Hour, young...)
	says(t, r, "warning: Leak in progress: 6 cert-writers, one more about every 5 min\n", "This is so for 20 min; the alert RancherCertWriterLeak fires once it has lasted 40 min.", "$ docker restart ")
	if names := alerts(r); len(names) > 0 {
		t.Errorf("alerts %v", names)
	}
	says(t, leak(5*time.Minute-1, young[4:]...), "info: Leak in progress: 2 cert-writers\n", "look again in a few minutes")
	says(t, leak(5*time.Minute, young[4:]...), "warning: Leak in progress: 2 cert-writers\n")
	says(t, leak(time.Minute, young[3:]...), "warning: Leak in progress: 3 cert-writers")
	says(t, leak(time.Minute, ago(43*time.Minute), ago(42*time.Minute)), "warning: Leak in progress: 2 cert-writers", "\nRancherCertWriterLeak\n")
	silent(t, leak(time.Minute, ago(43*time.Minute), ago(42*time.Minute-time.Second)), "\nRancherCertWriterLeak\n")
	if f := leak(48*time.Hour, young[5]).Findings[0]; f.Severity != diagnosis.OK {
		t.Errorf("one cert-writer: %v", f)
	}
}

// Is it over? By the period that is seen, and without one after a day and two hours.
func TestLeftOver(t *testing.T) {
	const hour = time.Hour
	for name, c := range map[string]struct {
		ago   []time.Duration
		title string
	}{
		"weekly":                         {[]time.Duration{24 * 7 * 3 * hour, 24 * 7 * 2 * hour, 24 * 7 * hour}, "Leak in progress: 3 cert-writers, one more about every 7 days"},
		"weekly, half a day late":        {[]time.Duration{14*hour + 24*7*3*hour - time.Second, 14*hour + 24*7*2*hour - time.Second, 14*hour + 24*7*hour - time.Second}, "Leak in progress: 3 cert-writers, one more about every 7 days"},
		"weekly, and more than that":     {[]time.Duration{14*hour + 24*7*3*hour, 14*hour + 24*7*2*hour, 14*hour + 24*7*hour}, "Left over from a leak: 3 cert-writers, the newest 7 days old"},
		"two in a week":                  {[]time.Duration{24 * 7 * hour, 26 * hour}, "Left over from a leak: 2 cert-writers, the newest 26 h old"},
		"two in a day":                   {[]time.Duration{24 * 7 * hour, 26*hour - time.Second}, "Leak in progress: 2 cert-writers"},
		"hourly, until a while ago":      {[]time.Duration{9 * hour, 8 * hour, 7 * hour}, "Leak in progress: 3 cert-writers, one about every 1 h until 7 h ago"},
		"each minute, until a while ago": {[]time.Duration{9 * time.Minute, 8 * time.Minute, 7 * time.Minute}, "Leak in progress: 3 cert-writers, one about every 1 min until 7 min ago"},
		"hourly":                         {[]time.Duration{3 * hour, 2 * hour, hour}, "Leak in progress: 3 cert-writers, one more about every 1 h"},
	} {
		var created []time.Time
		for _, d := range c.ago {
			created = append(created, ago(d))
		}
		r := diagnosis.Diagnose(observe(append(certWriters(created...), nodeAgent(ago(9000*hour)), shareMnt(created[len(created)-1]))...), now)
		if r.Findings[0].Title != c.title {
			t.Errorf("%s: %q, want %q", name, r.Findings[0].Title, c.title)
		}
	}
}

// Stopped cert-writers are no leak, but there; the live ones come first in the table.
func TestStopped(t *testing.T) {
	var containers []enginetest.Container
	for i := range 300 {
		containers = append(containers, ended(enginetest.CertWriter(i, server, ago(time.Duration(900-i)*time.Hour)), "2 days", 143))
	}
	node := append(containers, nodeAgent(ago(900*time.Hour)), shareMnt(ago(9*time.Hour)), enginetest.CertWriter(300, server, ago(9*time.Hour)))
	r := diagnosis.Diagnose(observe(node...), now)
	wantTitles(t, "one lives", r, "info: 300 stopped cert-writers left", "ok: Nothing wrong")
	says(t, r, "1 live cert-writer;", "The next start of the node-agent removes 300 of them")
	node[0].Labels = nil
	r = diagnosis.Diagnose(observe(append(node, certWriters301(3)...)...), now)
	says(t, r, "warning: Leak in progress: 4 cert-writers", "info: 300 stopped cert-writers left", "removes 299 of them")
	if r.More != 284 || len(r.Agents) != 22 {
		t.Errorf("%d rows and %d more", len(r.Agents), r.More)
	}
	for i, a := range r.Agents {
		if want := map[bool]rancher.State{true: rancher.StateRunning, false: rancher.StateExited}[i == 0 || 2 <= i && i < 6]; a.State != want {
			t.Errorf("row %d: %s is %s, want %s", i, a.Role, a.State, want)
		}
	}
	alone := ended(enginetest.CertWriter(0, server, ago(time.Hour)), "2 days", 143)
	alone.Labels = nil
	r = diagnosis.Diagnose(observe(nodeAgent(ago(90*time.Hour)), shareMnt(ago(90*time.Hour)), alone), now)
	says(t, r, "info: 1 stopped cert-writer left")
	silent(t, r, "The next start")
}

// certWriters301 are n more cert-writers, each an hour younger.
func certWriters301(n int) []enginetest.Container {
	var list []enginetest.Container
	for i := range n {
		list = append(list, enginetest.CertWriter(301+i, server, ago(time.Duration(8-i)*time.Hour)))
	}
	return list
}

// Nobody's container is removed unseen: each ID that a command removes was shown before, with image and program.
func TestRemovalsAreShownBefore(t *testing.T) {
	var containers []enginetest.Container
	for i := range 6 {
		c := enginetest.CertWriter(i, server, ago(time.Duration(9-i)*time.Hour))
		c.Image, c.Labels = "sha256:"+c.ID, nil // a tag that moved, and no label
		containers = append(containers, c)
	}
	nameless := enginetest.Registration(server, ago(9*time.Hour))
	nameless.Names = nil
	called := enginetest.CertWriter(7, server, ago(9*time.Hour))
	called.Names = []string{"/unknown"}
	r := diagnosis.Diagnose(observe(append(containers, nameless, called, nodeAgent(ago(time.Hour)), shareMnt(ago(90*time.Hour)))...), now)
	removed := 0
	for _, f := range r.Findings {
		for i, c := range f.Commands {
			ids, ok := strings.CutPrefix(c.Line, "docker rm -f ")
			if !ok {
				continue
			}
			for _, id := range strings.Split(ids, " ") {
				if rancher.ShortID(id) != id {
					t.Errorf("%q names %q", c.Line, id)
				}
				removed++
			}
			if want := "docker inspect -f '{{.Id}} {{.Config.Image}} {{.Path}}' " + ids; i == 0 || f.Commands[i-1].Line != want {
				t.Errorf("%q is not after %q", c.Line, want)
			}
			if strings.Contains(ids, called.ID[:12]) {
				t.Errorf("%q removes one that is called unknown", c.Line)
			}
		}
	}
	if removed != 5 {
		t.Errorf("%d removed, want the four oldest and the nameless one\n%s", removed, text(r))
	}
	silent(t, r, "docker top", "logs --tail 40 share-mnt")
}

// What is as old as the start of the node-agent, by a second of Docker's, is not older; what has no ID gets no command.
func TestSurvivors(t *testing.T) {
	started := ago(6 * time.Minute)
	survivors := func(change func(writers []enginetest.Container), created ...time.Time) diagnosis.Report {
		writers := certWriters(created...)
		if change != nil {
			change(writers)
		}
		agent := nodeAgent(ago(90 * time.Hour))
		agent.StartedAt = started
		return diagnosis.Diagnose(observe(append(writers, agent, shareMnt(ago(90*time.Hour)))...), now)
	}
	silent(t, survivors(nil, started.Add(-time.Second)), "did not remove")
	says(t, survivors(nil, started.Add(-2*time.Second)), "info: The node-agent did not remove 1 old cert-writer: restarting it will not help")
	says(t, survivors(nil, started.Add(-2*time.Hour), started.Add(time.Minute), started.Add(2*time.Minute)), "did not remove 1 old cert-writer:")
	says(t, survivors(nil, started.Add(-2*time.Hour), started.Add(-time.Hour)), "did not remove 2 old cert-writers:", "$ docker exec ")
	r := survivors(func(writers []enginetest.Container) { writers[0].ID, writers[0].Labels = "$(reboot)", nil }, started.Add(-time.Hour))
	says(t, r, "did not remove 1 old cert-writer:", "Most likely it does not reach Rancher")
	silent(t, r, "docker rm", "docker inspect", "$ docker logs --tail 40 unknown")
	started = ago(5 * time.Minute)
	silent(t, survivors(nil, started.Add(-time.Hour)), "did not remove")
	agent := nodeAgent(ago(time.Hour))
	agent.ID = "$(reboot)"
	r = diagnosis.Diagnose(observe(append(certWriters(ago(3*time.Hour)), agent, shareMnt(ago(90*time.Hour)))...), now)
	says(t, r, "did not remove 1 old cert-writer:")
	silent(t, r, "$ docker")
}

// Since when no node-agent runs: the list knows of a later end than the events that were heard.
func TestMissingSince(t *testing.T) {
	agent := ended(nodeAgent(ago(90*time.Hour)), "2 seconds", 0)
	o := observe(agent, shareMnt(ago(90*time.Hour)))
	o.Heard = []node.Heard{heard("die", agent, ago(3*time.Hour)), heard("start", agent, ago(2*time.Hour))}
	says(t, diagnosis.Diagnose(o, now), "info: No node-agent runs", "This is so for 2 s;")
	o = observe(shareMnt(ago(90 * time.Hour))) // the container is gone, as after kubectl delete pod
	o.Heard = []node.Heard{heard("die", agent, ago(30*time.Second)), heard("destroy", agent, ago(20*time.Second))}
	says(t, diagnosis.Diagnose(o, now), "info: No node-agent runs", "This is so for 30 s;")
	brief := ended(nodeAgent(ago(5*time.Minute+2*time.Second)), "2 seconds", 0)
	says(t, diagnosis.Diagnose(observe(brief, shareMnt(ago(90*time.Hour))), now), "info: No node-agent runs")
	brief = ended(nodeAgent(ago(5*time.Minute+time.Second)), "2 seconds", 1)
	says(t, diagnosis.Diagnose(observe(brief, shareMnt(ago(90*time.Hour))), now), "warning: No node-agent runs", "Docker does not tell")
	for _, minutes := range []int{39, 40} {
		r := diagnosis.Diagnose(observe(shareMnt(ago(time.Duration(minutes)*time.Minute))), now)
		if got, want := r.Severity(), map[int]diagnosis.Severity{39: diagnosis.Info, 40: diagnosis.Warning}[minutes]; got != want {
			t.Errorf("a node of %d minutes: %v", minutes, got)
		}
		silent(t, r, "\nRancherNodeAgentMissing\n")
	}
}

// A stranger's run.sh, shown by its image ID, is nothing to the diagnosis.
func TestStranger(t *testing.T) {
	stranger := enginetest.CertWriter(0, server, ago(48*time.Hour))
	stranger.Image, stranger.Labels = "sha256:"+stranger.ID, map[string]string{"app": "shop"}
	stranger.Path, stranger.Args = "/opt/app/run.sh", []string{"-o", "/data/out"}
	r := diagnosis.Diagnose(observe(stranger, nodeAgent(ago(time.Hour)), enginetest.ShareMnt("v2.6.3", server, "n1", ago(90*time.Hour))), now)
	wantTitles(t, "stranger", r, "ok: Nothing wrong")
}

// A tenant's pod that claims to be share-mnt hides nothing.
func TestTenantsShareMnt(t *testing.T) {
	tenant := enginetest.Pod(1, ago(time.Minute))
	tenant.Labels["io.rancher.rke.container.name"] = "share-mnt"
	containers := append(certWriters(ago(3*time.Hour), ago(2*time.Hour), ago(time.Hour)), nodeAgent(ago(48*time.Hour)), shareMnt(ago(time.Hour)))
	want := text(diagnosis.Diagnose(observe(containers...), now))
	if got := text(diagnosis.Diagnose(observe(append(containers, tenant)...), now)); got != want {
		t.Errorf("with the tenant:\n%s\nwithout:\n%s", got, want)
	}
}

// Of what a restart removes besides five are named.
func TestAlsoRemoved(t *testing.T) {
	for n, want := range map[int]string{5: "", 6: "And 1 more.", 9: "And 4 more."} {
		containers := []enginetest.Container{nodeAgent(ago(480 * time.Hour)), shareMnt(ago(480 * time.Hour))}
		for i := range n {
			containers = append(containers, enginetest.Registration(server, ago(time.Duration(i)*time.Hour)))
		}
		r := diagnosis.Diagnose(observe(containers...), now)
		says(t, r, fmt.Sprintf("info: A restart of the node-agent also removes %d other containers", n))
		if seen := r.Findings[0].Seen; len(seen) != min(n, 6) || want != "" && seen[5] != want {
			t.Errorf("of %d: %q", n, seen)
		}
	}
}

// A table has a limit for every role.
func TestRowsOfOtherRoles(t *testing.T) {
	containers := []enginetest.Container{nodeAgent(ago(48 * time.Hour)), shareMnt(ago(48 * time.Hour))}
	for i := range 1000 {
		containers = append(containers, enginetest.Registration(server, ago(time.Duration(i)*time.Hour)))
	}
	if r := diagnosis.Diagnose(observe(containers...), now); len(r.Agents) != 22 || r.More != 980 {
		t.Errorf("%d rows and %d more", len(r.Agents), r.More)
	}
}
