package fleet

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Panel is a panel of a shipped dashboard.
type Panel struct {
	Title         string
	Dashboard     string
	Interval      string // the smallest step, "" for that of the scrapes
	MaxDataPoints int64
	GridPos       struct{ W int64 }
	Targets       []struct {
		Expr  string
		Range bool
	}
}

// Panels are those of the dashboards in a directory.
func Panels(tb testing.TB, dir string) []Panel {
	tb.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil || len(files) == 0 {
		tb.Fatalf("no dashboards in %s: %v", dir, err)
	}
	var all []Panel
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			tb.Fatal(err)
		}
		var dashboard struct {
			Title  string
			Panels []Panel
		}
		if err := json.Unmarshal(text, &dashboard); err != nil {
			tb.Fatalf("%s: %v", file, err)
		}
		for _, p := range dashboard.Panels {
			p.Dashboard = dashboard.Title
			all = append(all, p)
		}
	}
	return all
}

// Ask sends the queries of a panel to a Prometheus as Grafana does for all nodes, or on the page of one node for that one, and
// returns how long they took one after the other. The time range ends now.
func (p Panel) Ask(tb testing.TB, address, instance string, back, interval time.Duration) time.Duration {
	tb.Helper()
	points := 60 * p.GridPos.W // about as many as a panel has pixels
	if p.MaxDataPoints > 0 {
		points = p.MaxDataPoints
	}
	step := max(interval, (back / time.Duration(points)).Truncate(time.Second))
	if smallest, err := time.ParseDuration(p.Interval); err == nil {
		step = max(step, smallest)
	}
	fill := strings.NewReplacer(
		"$__rate_interval", seconds(max(step+interval, 4*interval)), "$__interval", seconds(step), "$__range", seconds(back),
		"$job", ".+", "$cluster", ".*", `instance="$instance"`, `instance="`+instance+`"`, "$instance", ".+")
	end := time.Now().Unix()
	start := time.Now()
	for _, target := range p.Targets {
		endpoint, form := "query", url.Values{"query": {fill.Replace(target.Expr)}, "time": {fmt.Sprint(end)}}
		if target.Range {
			form.Set("start", fmt.Sprint(end-int64(back.Seconds())))
			form.Set("end", fmt.Sprint(end))
			form.Set("step", fmt.Sprint(step.Seconds()))
			endpoint = "query_range"
		}
		resp, err := http.PostForm("http://"+address+"/api/v1/"+endpoint, form)
		if err != nil {
			tb.Fatal(err)
		}
		answer, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || resp.StatusCode != http.StatusOK {
			tb.Fatalf("%s, %s: %s %s %v", p.Dashboard, p.Title, resp.Status, answer, err)
		}
	}
	return time.Since(start)
}

func seconds(d time.Duration) string { return fmt.Sprintf("%ds", int(d.Seconds())) }
