package check

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write testdata/delivered")

// alertmanagers are the programs to test with: Debian's and, where variables name them, the oldest that Rancher ships and others. With CI=true the
// oldest has to be there.
func alertmanagers(t *testing.T) []string {
	t.Helper()
	found := append([]string{tool(t, "prometheus-alertmanager")}, named(t, "ALERTMANAGER_0_16")...)
	for _, variable := range []string{"ALERTMANAGER_0_21", "ALERTMANAGER_0_31"} {
		if path := os.Getenv(variable); path != "" {
			found = append(found, path)
		}
	}
	return found
}

// named is the program that a variable names, if it is set. With CI=true it has to be.
func named(t *testing.T, variable string) []string {
	t.Helper()
	path := os.Getenv(variable)
	switch {
	case path != "":
		return []string{path}
	case os.Getenv("CI") == "true":
		t.Fatalf("%s is not set: see make alerts", variable)
	}
	return nil
}

// postedAlert is an alert as Prometheus sends it.
type postedAlert struct {
	Labels      map[string]string `json:"labels"`
	Annotations map[string]string `json:"annotations"`
	EndsAt      *time.Time        `json:"endsAt,omitempty"`
}

// alertmanager is one that runs with the example.
type alertmanager struct {
	*sinks
	address string
}

// startAlertmanager runs an Alertmanager with the example as it is, but for shorter waits and receivers of the test.
func startAlertmanager(t *testing.T, program string) *alertmanager {
	t.Helper()
	a := &alertmanager{sinks: startSinks(t)}
	text, err := os.ReadFile("../" + example)
	if err != nil {
		t.Fatal(err)
	}
	config := regexp.MustCompile(`(group_wait|group_interval): \w+`).ReplaceAllString(string(text), "$1: 1s")
	before, webhook, found := strings.Cut(config, "  # webhook_configs:")
	if !found {
		t.Fatal("the example has no webhook to uncomment")
	}
	config = before + "  webhook_configs:" + strings.ReplaceAll(webhook, "\n  # ", "\n  ")
	for old, want := range map[string]string{
		"smtp.example:587":                         a.smtp + "\n  smtp_require_tls: false",
		"https://hooks.slack.example/services/...": a.web + "/slack",
		"http://receiver.example/":                 a.web + "/webhook",
	} {
		if !strings.Contains(config, old) {
			t.Fatalf("the example has no %s", old)
		}
		config = strings.ReplaceAll(config, old, want)
	}
	dir := t.TempDir()
	template, err := os.ReadFile("../message.tmpl")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"alertmanager.yml": config, "message.tmpl": string(template)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0") // for a port that is free
	if err != nil {
		t.Fatal(err)
	}
	a.address = listener.Addr().String()
	listener.Close()
	var log bytes.Buffer
	process := exec.Command(program, "--config.file=alertmanager.yml", "--storage.path=data", "--web.listen-address="+a.address, "--cluster.listen-address=",
		"--web.external-url=http://alertmanager.example")
	process.Dir, process.Stdout, process.Stderr = dir, &log, &log
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = process.Process.Kill()
		_ = process.Wait()
		if t.Failed() {
			t.Log(log.String())
		}
	})
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		if response, err := http.Get("http://" + a.address + "/api/v2/status"); err == nil {
			response.Body.Close()
			if response.StatusCode == http.StatusOK {
				return a
			}
		}
		if time.Now().After(deadline) {
			t.Fatal("Alertmanager does not answer")
		}
	}
}

func (a *alertmanager) post(list ...postedAlert) {
	a.t.Helper()
	body, err := json.Marshal(list)
	if err != nil {
		a.t.Fatal(err)
	}
	response, err := http.Post("http://"+a.address+"/api/v2/alerts", "application/json", bytes.NewReader(body))
	if err != nil {
		a.t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		a.t.Fatalf("Alertmanager takes no alerts: %s", response.Status)
	}
}

// firstFiring has for each alert the one of the first scenario that fires it, texts included; rather the first that has both a caution and a
// command to be careful with.
func firstFiring(t *testing.T) map[string]postedAlert {
	found := map[string]postedAlert{}
	for _, s := range readScenarios(t) {
		for _, test := range s.AlertRuleTest {
			if len(test.ExpAlerts) == 0 {
				continue
			}
			expected := test.ExpAlerts[0]
			if earlier, has := found[test.AlertName]; has && (careful(earlier.Annotations) || !careful(expected.Annotations)) {
				continue
			}
			labels := maps.Clone(expected.Labels)
			labels["alertname"] = test.AlertName
			maps.Copy(labels, s.ExternalLabels)
			found[test.AlertName] = postedAlert{Labels: labels, Annotations: expected.Annotations}
		}
	}
	return found
}

func careful(annotations map[string]string) bool {
	return annotations["caution"] != "" && annotations["restart_command"] != ""
}

// What is delivered of each alert by e-mail, Slack and a webhook, from the first firing to the end, is in testdata/delivered. `go test -run TestDelivered
// -update` writes it; read it then.
func TestDelivered(t *testing.T) {
	firing := firstFiring(t)
	const last = "RancherCertWriterLeakCritical" // it inhibits another
	for _, program := range alertmanagers(t) {
		t.Run(filepath.Base(program), func(t *testing.T) {
			a := startAlertmanager(t, program)
			names := slices.DeleteFunc(slices.Sorted(maps.Keys(firing)), func(name string) bool { return name == last })
			for _, name := range names {
				a.post(firing[name])
			}
			for _, name := range append(names, last) {
				if name == last {
					a.post(firing[last])
				}
				d := a.wait(": "+name, name, "firing")
				if d.mail.title != d.slack.title || strings.TrimSpace(d.mail.text) != strings.TrimSpace(d.slack.text) {
					t.Errorf("Slack says something else than the e-mail:\n%+v\n%+v", d.slack, d.mail)
				}
				golden(t, name, fmt.Sprintf("E-mail and Slack:\n\n%s\n\n%s\n\nWebhook:\n\n%s", d.mail.title, strings.TrimSpace(d.mail.text), d.webhook))
			}
			past := time.Now()
			resolved := firing[last]
			resolved.EndsAt = &past
			a.post(resolved)
			if d := a.wait("[RESOLVED] critical: "+last, last, "resolved"); !strings.HasPrefix(d.mail.text, "No longer firing: ") || strings.Contains(d.mail.text, "docker") {
				t.Errorf("the end of an alert reads\n%s", d.mail.text)
			}
		})
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", "delivered", name+".txt")
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s\ngot:\n%s\nwant:\n%s", file, got, want)
	}
}

// String has what a program finds in it that gets the webhook.
func (n notification) String() string {
	var text strings.Builder
	for _, alert := range n.Alerts {
		fmt.Fprintf(&text, "status: %s\n", alert.Status)
		for _, name := range slices.Sorted(maps.Keys(alert.Labels)) {
			fmt.Fprintf(&text, "label %s: %s\n", name, alert.Labels[name])
		}
		for _, name := range slices.Sorted(maps.Keys(alert.Annotations)) {
			fmt.Fprintf(&text, "annotation %s: %s\n", name, alert.Annotations[name])
		}
	}
	return text.String()
}
