package monitoring

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/prometheus/common/model"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/testkit"
)

// Prometheus is a Prometheus server in the hands of one test.
type Prometheus struct {
	PID     int
	Address string
	tb      testing.TB
}

// StartPrometheus runs a Prometheus with an empty database until the test ends.
func StartPrometheus(tb testing.TB, config string, args ...string) *Prometheus {
	tb.Helper()
	testkit.NeedPrograms(tb, "prometheus")
	dir := tb.TempDir()
	p := &Prometheus{Address: testkit.FreeAddress(tb), tb: tb}
	p.PID = start(tb, p.Address, "prometheus", append([]string{
		"--config.file=" + write(tb, dir, "prometheus.yml", config),
		"--storage.tsdb.path=" + filepath.Join(dir, "tsdb"),
		"--web.listen-address=" + p.Address,
	}, args...)...)
	return p
}

// Vector is the value of an expression that gives a vector, now.
func (p *Prometheus) Vector(expr string) model.Vector {
	p.tb.Helper()
	var vector model.Vector
	p.get("query", url.Values{"query": {expr}}, &vector)
	return vector
}

// Range are the values of an expression over a time.
func (p *Prometheus) Range(expr string, start, end time.Time, step time.Duration) model.Matrix {
	p.tb.Helper()
	unix := func(t time.Time) string { return strconv.FormatFloat(float64(t.UnixMilli())/1000, 'f', 3, 64) }
	var matrix model.Matrix
	p.get("query_range", url.Values{"query": {expr}, "start": {unix(start)}, "end": {unix(end)}, "step": {fmt.Sprint(step.Seconds())}}, &matrix)
	return matrix
}

// get reads the result of a query. One that Prometheus does not answer fails the test.
func (p *Prometheus) get(endpoint string, values url.Values, result any) {
	p.tb.Helper()
	resp, err := http.Get("http://" + p.Address + "/api/v1/" + endpoint + "?" + values.Encode())
	if err != nil {
		p.tb.Fatalf("%s: %v", endpoint, err)
	}
	defer resp.Body.Close()
	answer := struct {
		Error string
		Data  struct{ Result any }
	}{}
	answer.Data.Result = result
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil || resp.StatusCode != http.StatusOK {
		p.tb.Fatalf("%s %s: %s, error %q, %v", endpoint, values.Get("query"), resp.Status, answer.Error, err)
	}
}
