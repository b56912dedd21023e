package monitoring

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"testing"

	"github.com/prometheus/common/model"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/testkit"
)

// Prometheus is a Prometheus server in the hands of one test.
type Prometheus struct {
	PID     int
	Address string
	dir     string
	tb      testing.TB
}

// StartPrometheus runs Debian's Prometheus with an empty database until the test ends.
func StartPrometheus(tb testing.TB, config string, args ...string) *Prometheus {
	tb.Helper()
	return startPrometheus(tb, Debian.Prometheus, config, args...)
}

func startPrometheus(tb testing.TB, program, config string, args ...string) *Prometheus {
	tb.Helper()
	testkit.NeedPrograms(tb, program)
	p := &Prometheus{Address: testkit.FreeAddress(tb), dir: tb.TempDir(), tb: tb}
	p.PID = start(tb, p.Address, program, append([]string{
		"--config.file=" + write(tb, p.dir, "prometheus.yml", config),
		"--storage.tsdb.path=" + filepath.Join(p.dir, "tsdb"),
		"--web.listen-address=" + p.Address, "--web.enable-lifecycle",
	}, args...)...)
	return p
}

// Reload gives the Prometheus another configuration.
func (p *Prometheus) Reload(config string) {
	p.tb.Helper()
	write(p.tb, p.dir, "prometheus.yml", config)
	resp, err := http.Post("http://"+p.Address+"/-/reload", "", nil)
	if err != nil {
		p.tb.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(resp.Body)
		p.tb.Fatalf("reload: %s: %s", resp.Status, text)
	}
}

// Vector is the value of an expression that gives a vector, now.
func (p *Prometheus) Vector(expr string) model.Vector {
	p.tb.Helper()
	var data struct{ Result model.Vector }
	p.get("query", url.Values{"query": {expr}}, &data)
	return data.Result
}

// ActiveAlert is an alert that is pending or firing.
type ActiveAlert struct {
	Labels      map[string]string
	Annotations map[string]string
}

// Alerts are the alerts that are pending or firing.
func (p *Prometheus) Alerts() []ActiveAlert {
	p.tb.Helper()
	var data struct{ Alerts []ActiveAlert }
	p.get("alerts", nil, &data)
	return data.Alerts
}

// Group is a group of rules.
type Group struct {
	Name  string
	Rules []Rule
}

// Rule is a rule, and how its last evaluation went.
type Rule struct {
	Name           string
	EvaluationTime float64 // seconds
	LastError      string
}

// Groups are the groups of rules.
func (p *Prometheus) Groups() []Group {
	p.tb.Helper()
	var data struct{ Groups []Group }
	p.get("rules", nil, &data)
	return data.Groups
}

// get reads the data of an answer. A query that Prometheus does not answer fails the test.
func (p *Prometheus) get(endpoint string, values url.Values, data any) {
	p.tb.Helper()
	resp, err := http.Get("http://" + p.Address + "/api/v1/" + endpoint + "?" + values.Encode())
	if err != nil {
		p.tb.Fatalf("%s: %v", endpoint, err)
	}
	defer resp.Body.Close()
	answer := struct {
		Error string
		Data  any
	}{Data: data}
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil || resp.StatusCode != http.StatusOK {
		p.tb.Fatalf("%s %s: %s, error %q, %v", endpoint, values.Get("query"), resp.Status, answer.Error, err)
	}
}
