package check

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// renderers are the amtools that can render a template: all but the oldest, whose Alertmanager TestDelivered asks instead.
func renderers(t *testing.T) []string {
	return append([]string{tool(t, "amtool")}, named(t, "AMTOOL_NEWEST")...)
}

// render renders the title and the text.
func render(t *testing.T, amtool, data string) (title, text string) {
	t.Helper()
	title, text, _ = strings.Cut(run(t, "..", amtool, "template", "render", "--template.glob=message.tmpl", "--template.data="+data,
		"--template.text={{ template \"rancher_agent.title\" . }}\n{{ template \"rancher_agent.text\" . }}"), "\n")
	return title, strings.TrimSuffix(text, "\n")
}

func TestMessage(t *testing.T) {
	for _, amtool := range renderers(t) {
		for _, name := range []string{"leak", "absent", "resolved", "clusters"} {
			title, text := render(t, amtool, "check/testdata/"+name+".json")
			want, err := os.ReadFile("testdata/" + name + ".txt")
			if err != nil {
				t.Fatal(err)
			}
			if got := title + "\n" + text; got != strings.TrimSpace(string(want)) {
				t.Errorf("%s: got:\n%s\nwant:\n%s", name, got, want)
			}
		}
	}
}

// notified is what a template gets.
type notified struct {
	Receiver          string            `json:"receiver"`
	Status            string            `json:"status"`
	Alerts            []notifiedAlert   `json:"alerts"`
	CommonLabels      map[string]string `json:"commonLabels"`
	CommonAnnotations map[string]string `json:"commonAnnotations"`
	ExternalURL       string            `json:"externalURL"`
}

type notifiedAlert struct {
	Status      string            `json:"status"`
	Labels      map[string]string `json:"labels"`
	Annotations map[string]string `json:"annotations"`
}

// A fleet in trouble: the message of 500 nodes is no longer than that of ten, begins with the worst, and fits.
func TestMessageOf500(t *testing.T) {
	leak := firstFiring(t)["RancherCertWriterLeak"]
	n := notified{Receiver: "node-ops", Status: "firing", ExternalURL: "http://alertmanager.example:9093",
		CommonLabels:      map[string]string{"alertname": "RancherCertWriterLeak", "severity": "warning", "cluster": "prod"},
		CommonAnnotations: map[string]string{"runbook_url": leak.Annotations["runbook_url"]}}
	for i := range 500 {
		annotations := maps.Clone(leak.Annotations)
		annotations["rank"] = fmt.Sprintf("%012d", i*7919%500/2) // two of each, out of order
		for _, status := range []string{"firing", "resolved"} {
			n.Alerts = append(n.Alerts, notifiedAlert{status, map[string]string{"node": fmt.Sprintf("ip-10-42-0-%03d.eu-west-1.compute.internal", i), "cluster": "prod"}, annotations})
		}
	}
	for _, amtool := range renderers(t) {
		title, text := render(t, amtool, writeJSON(t, n))
		if want := "[FIRING:500] warning: RancherCertWriterLeak in prod"; title != want {
			t.Errorf("title %q, want %q", title, want)
		}
		var ranks []int
		for line := range strings.Lines(text) {
			var i int
			if _, err := fmt.Sscanf(line, "* ip-10-42-0-%03d.", &i); err == nil {
				ranks = append(ranks, i*7919%500/2)
			}
		}
		if got, want := fmt.Sprint(ranks), "[249 249 248 248 247 247 246 246 245 245]"; got != want {
			t.Errorf("the ranks of the nodes shown are %s, want %s", got, want)
		}
		for _, want := range []string{"\nand 490 more, none of them worse: ", "http://alertmanager.example:9093/#/alerts?receiver=node-ops\n", " and 490 more\nRunbook: https://"} {
			if !strings.Contains(text, want) {
				t.Errorf("no %q in\n%s", want, text)
			}
		}
		t.Logf("%d bytes", len(title)+len(text))
		if len(title)+len(text) > 28<<10 {
			t.Errorf("%d bytes are more than Teams takes; the others cut", len(title)+len(text))
		}
		if _, behind, _ := strings.Cut(text[:1024], "docker restart "); behind == "" {
			t.Errorf("the first 1,024 bytes have no command:\n%s", text[:1024])
		}
	}
}

// The ten longest that may come: each node with a caution and every sentence. Teams takes them.
func TestLongestMessage(t *testing.T) {
	n := notified{Status: "firing"}
	for range 10 {
		annotations := map[string]string{"rank": "000000000042", "kubectl_command": strings.Repeat("k", 200), "restart_command": strings.Repeat("d", 200)}
		for _, name := range []string{"caution", "description"} {
			annotations[name] = strings.Repeat("word ", 200)
		}
		n.Alerts = append(n.Alerts, notifiedAlert{"firing", map[string]string{"node": strings.Repeat("n", 63)}, annotations})
	}
	if title, text := render(t, tool(t, "amtool"), writeJSON(t, n)); len(title)+len(text) > 28<<10 {
		t.Errorf("%d bytes", len(title)+len(text))
	}
}

func writeJSON(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "data.json")
	if err := os.WriteFile(file, text, 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}
