package e2e

import (
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/e2e/exporter"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/e2e/monitoring"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/e2e/realengine"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/testkit"
)

const (
	leakAlert        = "RancherCertWriterLeak"
	rootCauseAlert   = "RancherShareMntRemovedRepeatedly"
	crashLoopAlert   = "RancherShareMntCrashLooping"
	unreachableAlert = "RancherAgentExporterDockerUnreachable"

	// What is 40 minutes in the field is 40 s here, and a machine with other work takes its time.
	alertPatience = 4 * time.Minute
)

// From the prune to the all-clear, with nothing but what the project ships between a real engine and an operator: the
// operator here is a test that runs the command it is sent. Every stack looks at the same node at the same time.
func TestFromPruneToAllClear(t *testing.T) {
	t.Parallel() // it mostly waits
	testkit.NeedPrograms(t, "docker")
	n := realengine.New(t)
	nodeAgent := startLab(n, labSettings(n))
	x := startExporter(t, n.Host())
	var inboxes []*monitoring.Inbox
	for _, stack := range monitoring.Stacks(t) {
		inboxes = append(inboxes, monitoring.Start(t, stack, "../alerts", strings.TrimPrefix(x.URL(""), "http://")))
	}
	wait := func(alert, status string) {
		for _, inbox := range inboxes {
			inbox.Wait(t, alertPatience, alert, status)
		}
	}
	leak := func(from, to int) {
		for writers := from; writers < to; writers++ {
			n.Eventually(patience, settled(writers))
			n.Prune()
			// A prune is seen as one by what share-mnt's creation was at scrapes before and after it.
			x.Expect(patience, exporter.Metrics{running: float64(writers + 1), shareMntExited: 1})
			time.Sleep(8 * time.Second) // more than the pace of the slow rules, 5 minutes in the field
		}
	}
	n.Run(seed.Registration())
	leak(1, 8) // more than the three that the root-cause alert wants: a busy machine may miss one

	command := "docker restart " + nodeAgent[:12]
	for _, inbox := range inboxes {
		firing := inbox.Wait(t, alertPatience, leakAlert, "firing")
		// The cluster is an external label, of which the texts know nothing: the alert itself carries it.
		if firing.Labels["node"] != "n1" || firing.Labels["cluster"] != "prod" || firing.Labels["severity"] != "warning" {
			t.Errorf("%s: labels %v", inbox.Name, firing.Labels)
		}
		if got := firing.Annotations["restart_command"]; got != command {
			t.Errorf("%s: restart_command %q, want %q", inbox.Name, got, command)
		}
		if got, want := firing.Annotations["kubectl_command"], "kubectl -n cattle-system delete pod "+pod.Name; got != want {
			t.Errorf("%s: kubectl_command %q, want %q", inbox.Name, got, want)
		}
		if d := firing.Annotations["description"]; !strings.Contains(d, "live on n1") {
			t.Errorf("%s: description %q", inbox.Name, d)
		}
		// What the command removes besides is said apart, so that the message has it above the command.
		if c := firing.Annotations["caution"]; !strings.Contains(c, "1 other container ") {
			t.Errorf("%s: caution %q", inbox.Name, c)
		}
		// On an engine that reports prunes (20.10) the root cause says when the last one was.
		if d := inbox.Wait(t, alertPatience, rootCauseAlert, "firing").Annotations["description"]; !strings.Contains(d, "Docker reported a container prune at 20") {
			t.Errorf("%s: description of the root cause %q", inbox.Name, d)
		}
	}

	runShell(t, n.Host(), command)
	x.Expect(patience, exporter.Metrics{running: 0, unmanaged: 0})
	wait(leakAlert, "resolved")
	stillCaused := func(after string) {
		t.Helper()
		for _, inbox := range inboxes {
			if inbox.Got(rootCauseAlert, "resolved") {
				t.Errorf("%s: after %s the root cause is called ended, though what prunes is still there", inbox.Name, after)
			}
		}
	}
	stillCaused("a restart of the node-agent")

	// Silence is no all-clear: while Docker is down the leak goes on firing, and another alert says why nothing is known.
	leak(0, 3)
	wait(leakAlert, "firing")
	n.Stop()
	wait(unreachableAlert, "firing")
	time.Sleep(30 * time.Second) // half an hour in the field
	for _, inbox := range inboxes {
		if last, _ := inbox.Last(leakAlert); last.Status != "firing" {
			t.Errorf("%s: with Docker down the leak is %s", inbox.Name, last.Status)
		}
	}
	stillCaused("half an hour without Docker")
	n.Start()
	wait(unreachableAlert, "resolved")
	stillCaused("the outage")
}

// During a crash loop the leak says that its cure does not last, and the cure does not end the crash loop's alert.
func TestCrashLoopBesideLeak(t *testing.T) {
	t.Parallel()
	testkit.NeedPrograms(t, "docker")
	n := realengine.New(t)
	settings := labSettings(n)
	settings.ShareMntExitCode = 1
	startLab(n, settings)
	x := startExporter(t, n.Host())
	inbox := monitoring.Start(t, monitoring.Debian, "../alerts", strings.TrimPrefix(x.URL(""), "http://"))

	looping := inbox.Wait(t, alertPatience, crashLoopAlert, "firing")
	runShell(t, n.Host(), looping.Annotations["first_command"])
	leaking := inbox.Wait(t, alertPatience, leakAlert, "firing")
	if d := leaking.Annotations["description"]; !strings.Contains(d, "crash") {
		t.Errorf("description %q", d)
	}
	runShell(t, n.Host(), leaking.Annotations["restart_command"])
	inbox.Wait(t, alertPatience, leakAlert, "resolved")
	if inbox.Got(crashLoopAlert, "resolved") {
		t.Error("the restart of the node-agent is taken for the end of the crash loop")
	}
}

// runShell does what an operator does with a command from an alert.
func runShell(t *testing.T, host, command string) {
	t.Helper()
	shell := exec.Command("sh", "-c", command)
	shell.Env = append(os.Environ(), "DOCKER_HOST="+host)
	if output, err := shell.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", command, err, output)
	}
}
