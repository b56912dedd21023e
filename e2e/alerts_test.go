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
		// On an engine that reports prunes (20.10) the root cause says when the last one was.
		if d := inbox.Wait(t, alertPatience, rootCauseAlert, "firing").Annotations["description"]; !strings.Contains(d, "Docker reported a container prune at 20") {
			t.Errorf("%s: description of the root cause %q", inbox.Name, d)
		}
	}

	runShell(t, n.Host(), command)
	x.Expect(patience, exporter.Metrics{running: 0, unmanaged: 0})
	wait(leakAlert, "resolved")

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
	n.Start()
	wait(unreachableAlert, "resolved")
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
