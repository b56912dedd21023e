package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// tool is a program of Debian's package prometheus. Without it a test is skipped, except where CI=true promises that it is there.
func tool(t testing.TB, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err == nil {
		return path
	}
	if os.Getenv("CI") == "true" {
		t.Fatalf("%s is not installed, and CI=true: apt-get install prometheus", name)
	}
	t.Skipf("%s is not installed: apt-get install prometheus", name)
	return ""
}

type promServer struct {
	base string
	// what the variables offer, by dashboard and what was chosen before
	offered map[string][]string
}

// servers are the Prometheus servers to ask, by name: Debian's, and those that the variable SERVERS lists, which make dashboards sets.
func servers(t testing.TB) map[string]string {
	all := map[string]string{"prometheus": tool(t, "prometheus")}
	for _, path := range strings.Fields(os.Getenv("SERVERS")) {
		all[filepath.Base(filepath.Dir(path))] = path
	}
	if len(all) == 1 && os.Getenv("CI") == "true" {
		t.Fatal("SERVERS names no older Prometheus, and CI=true: make dashboards")
	}
	return all
}

// eachServer looks at the history of the small fleet, under the labels of a site, on each of them.
func eachServer(t *testing.T, site labelled, look func(*testing.T, *promServer)) {
	for name, program := range servers(t) {
		t.Run(name, func(t *testing.T) { look(t, serve(t, program, smallHistory(t, site), 30)) })
	}
}

// serve starts a Prometheus that scrapes nothing and has the blocks of the folder. Backfilled series have no staleness markers, so they are looked back
// at for not much longer than the interval of their scrapes.
func serve(t testing.TB, program, dir string, interval int64) *promServer {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	config := filepath.Join(t.TempDir(), "prometheus.yml")
	if err := os.WriteFile(config, []byte("global: {}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	cmd := exec.Command(program, "--config.file="+config, "--storage.tsdb.path="+dir, "--storage.tsdb.retention.time=30y",
		"--web.listen-address="+address, fmt.Sprintf("--query.lookback-delta=%ds", interval*3/2))
	cmd.Stdout, cmd.Stderr = &log, &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	t.Cleanup(func() {
		cmd.Process.Signal(os.Interrupt)
		select {
		case <-done:
		case <-time.After(20 * time.Second):
			cmd.Process.Kill()
			<-done
		}
	})
	s := &promServer{"http://" + address, map[string][]string{}}
	for range 300 {
		select {
		case err := <-done:
			done <- err
			t.Fatalf("prometheus ended: %v\n%s", err, log.String())
		case <-time.After(100 * time.Millisecond):
		}
		if r, err := http.Get(s.base + "/-/ready"); err == nil {
			r.Body.Close()
			if r.StatusCode == http.StatusOK {
				return s
			}
		}
	}
	t.Fatalf("prometheus was not ready within 30 s")
	return nil
}

// series is one result of a query: its labels, and its values by time.
type series struct {
	labels map[string]string
	times  []int64
	values []float64
}

func (s series) last() float64 { return s.values[len(s.values)-1] }

// ask sends a query of the given kind (query or query_range) and wants success without a warning.
func (s *promServer) ask(t testing.TB, kind string, form url.Values) []series {
	t.Helper()
	r, err := http.PostForm(s.base+"/api/v1/"+kind, form)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	var reply struct {
		Status, Error string
		Warnings      []string
		Data          struct {
			Result []struct {
				Metric map[string]string
				Value  [2]any
				Values [][2]any
			}
		}
	}
	if err := json.Unmarshal(body, &reply); err != nil || reply.Status != "success" || len(reply.Warnings) > 0 {
		t.Fatalf("%s: %s %v %v\n%s", kind, reply.Error, reply.Warnings, err, form.Get("query"))
	}
	var result []series
	for _, r := range reply.Data.Result {
		one := series{labels: r.Metric}
		if r.Values == nil {
			r.Values = [][2]any{r.Value}
		}
		for _, v := range r.Values {
			f, err := strconv.ParseFloat(v[1].(string), 64)
			if err != nil {
				t.Fatal(err)
			}
			one.times, one.values = append(one.times, int64(v[0].(float64))), append(one.values, f)
		}
		result = append(result, one)
	}
	return result
}

// labelValues asks for series, since older servers have no selector for the values of a label.
func (s *promServer) labelValues(t testing.TB, selector, label string) []string {
	t.Helper()
	r, err := http.Get(s.base + "/api/v1/series?" + url.Values{"match[]": {selector}, "start": {fmt.Sprint(begin)}, "end": {fmt.Sprint(theEnd)}}.Encode())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	var reply struct {
		Status string
		Data   []map[string]string
	}
	if err := json.NewDecoder(r.Body).Decode(&reply); err != nil || reply.Status != "success" {
		t.Fatalf("label_values(%s, %s): %s %v", selector, label, reply.Status, err)
	}
	values := map[string]bool{}
	for _, labels := range reply.Data {
		if v := labels[label]; v != "" {
			values[v] = true
		}
	}
	return sortedKeys(values)
}

// cpu is the time in seconds that Prometheus has worked so far: on a busy machine the clock tells less.
func (s *promServer) cpu(t testing.TB) float64 {
	t.Helper()
	r, err := http.Get(s.base + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(body), "\nprocess_cpu_seconds_total ")
	text, _, _ := strings.Cut(after, "\n")
	seconds, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return seconds
}
