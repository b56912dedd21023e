package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/enginetest"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/testkit"
)

// secretNode has a token, a password or a checksum in every place a container of the agent image can carry one.
func secretNode(fake *enginetest.Engine) {
	now := time.Now()
	leakingNode(fake, 2)
	server := "https://admin:" + enginetest.Password + "@r.example/" + enginetest.Token + "?token=" + enginetest.Token + "#" + enginetest.Token
	proxy := "HTTPS_PROXY=http://u:" + enginetest.Password + "@proxy:3128"
	fake.Put(
		enginetest.CertWriter(10, server, now),
		enginetest.CertWriter(11, "--token", now),                                                // the value of --server is the next flag
		enginetest.CertWriter(12, "https://admin:1/"+enginetest.Password+"@r.example", now),      // a slash in a password
		enginetest.CertWriter(13, "https://admin:"+enginetest.Password+"/@r.example", now),       // a slash at its end
		enginetest.CertWriter(14, enginetest.Token, now),                                         // no URL at all
		enginetest.CertWriter(15, "ftp://"+enginetest.Token+"@"+enginetest.Password+".xyz", now), // no http
		enginetest.ShareMnt("v2.5.9", server, "n1", now, proxy),                                  // all of it in one quoted element
	)
	odd := enginetest.CertWriter(16, "https://r.example", now)
	odd.Path, odd.Args = "run.sh --token "+enginetest.Token, []string{"it's", "a 'quoted' --password " + enginetest.Password}
	odd.Env = []string{"CATTLE_TOKEN=" + enginetest.Token, proxy}
	odd.Labels = map[string]string{"io.cattle.agent": "true", "note": enginetest.Token, enginetest.Password: "x"}
	odd.Image = "registry.example/rancher/rancher-agent:v2.3.3@" + enginetest.Token
	odd.Status = "Exited (0) " + enginetest.Token
	fake.Put(odd)
}

func checkNoSecrets(t *testing.T, where, text string) {
	t.Helper()
	for _, secret := range []string{enginetest.Token, enginetest.Token[:16], enginetest.Password, enginetest.CAChecksum, "--token", "only-write-certs"} {
		if strings.Contains(text, secret) {
			t.Errorf("%s shows %q:\n%s", where, secret, text)
		}
	}
}

// Neither in fair weather nor in foul does a secret show in the metrics, a page, --once, --diagnose or the log at its most talkative.
func TestSecretsStayInside(t *testing.T) {
	fake := testkit.Engine(t)
	secretNode(fake)
	leak := "panic: run.sh --token " + enginetest.Token + " at http://u:" + enginetest.Password + "@proxy"
	object := []byte(fmt.Sprintf(`[{"Id":"%s","Created":"%s"}]`, enginetest.Token, leak)) // a string where a number belongs
	weather := []struct {
		name    string
		trouble enginetest.Interceptor
	}{
		{"fair", nil},
		{"500", enginetest.Status(500, fmt.Sprintf(`{"message":%q}`, leak), "application/json")},
		{"403 but the list", enginetest.Status(403, leak, "text/plain", "/containers/json")},
		{"html", enginetest.Body("/containers/json", []byte("<html>"+leak))},
		{"wrong type", enginetest.Body("/containers/json", object)},
		{"truncated", fake.Truncate("/containers/json")},
		{"inspect broken", enginetest.Body("/containers/*/json", []byte(leak))},
		{"inspect truncated", fake.Truncate("/containers/*/json")},
		{"events broken", enginetest.Body("/events", []byte(leak))},
		{"hang", enginetest.Hang("/containers/json")},
		{"no HTTP", func(w http.ResponseWriter, r *http.Request) bool {
			conn, _, err := w.(http.Hijacker).Hijack()
			if err == nil {
				_, _ = io.WriteString(conn, leak+"\r\n\r\n")
				conn.Close()
			}
			return err == nil
		}},
		{"redirect", func(w http.ResponseWriter, r *http.Request) bool {
			http.Redirect(w, r, "/"+enginetest.Token, http.StatusMovedPermanently)
			return true
		}},
	}
	p := start(t, fake, "--log.level=debug", "--docker.timeout=300ms", "--web.enable-pprof")
	for _, w := range weather {
		fake.Intercept(w.trouble)
		fake.CutEvents()
		for _, c := range fake.Containers() {
			fake.Emit("create", c)
		}
		fake.EmitPrune()
		for _, path := range []string{"/metrics", "/", "/-/ready", "/-/healthy", "/nonsense", "/debug/pprof/goroutine?debug=2"} {
			_, body := get(t, p.url(t, path))
			checkNoSecrets(t, w.name+" "+path, body)
		}
		for _, mode := range []string{"--once", "--diagnose"} {
			var stdout, stderr bytes.Buffer
			run(t.Context(), []string{mode, "--docker.timeout=300ms", "--log.level=debug", "--docker.host=" + fake.Host()}, &stdout, &stderr)
			checkNoSecrets(t, w.name+" "+mode, stdout.String()+stderr.String())
		}
	}
	fake.Intercept(nil)
	eventually(t, "events are followed", func() bool { return fake.EventStreams() > 0 })
	_, body := get(t, p.url(t, "/metrics"))
	contains(t, body, `rancher_agent_cert_writer_server_containers{server="https://167.172.96.240"} 2`,
		`rancher_agent_cert_writer_server_containers{server="https://r.example"} 1`)
	p.end(t)
	checkNoSecrets(t, "log", p.log.String())
}
