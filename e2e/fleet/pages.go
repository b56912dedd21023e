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
	TimeFrom      string // a time range of its own
	MaxDataPoints int64
	GridPos       struct{ W int64 }
	Targets       []struct {
		Expr  string
		Range bool
	}

	Panels []Panel // of a heading that is closed

	leaked string // what its page asks first, for the instances that a graph shows
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
			Title      string
			Panels     []Panel
			Templating struct {
				List []struct{ Name, Definition string }
			}
		}
		if err := json.Unmarshal(text, &dashboard); err != nil {
			tb.Fatalf("%s: %v", file, err)
		}
		for _, p := range flat(dashboard.Panels) {
			p.Dashboard = dashboard.Title
			for _, v := range dashboard.Templating.List {
				if v.Name == "leaked" {
					p.leaked = strings.TrimSuffix(strings.TrimPrefix(v.Definition, "query_result("), ")")
				}
			}
			all = append(all, p)
		}
	}
	return all
}

// flat has the panels under closed headings instead of the headings.
func flat(panels []Panel) []Panel {
	var all []Panel
	for _, p := range panels {
		if len(p.Targets) > 0 {
			all = append(all, p)
		}
		all = append(all, p.Panels...)
	}
	return all
}

// Ask sends the queries of a panel to a Prometheus as Grafana does for all nodes, or on the page of one node for that one, and
// returns how long they took one after the other. The time range ends now.
func (p Panel) Ask(tb testing.TB, address, instance string, back, interval time.Duration) time.Duration {
	tb.Helper()
	if own, err := time.ParseDuration(p.TimeFrom); err == nil {
		back = own
	}
	points := 60 * p.GridPos.W // about as many as a panel has pixels
	if p.MaxDataPoints > 0 {
		points = p.MaxDataPoints
	}
	step := max(interval, (back / time.Duration(points)).Truncate(time.Second))
	if smallest, err := time.ParseDuration(p.Interval); err == nil {
		step = max(step, smallest)
	}
	fill := []string{
		"$__rate_interval", seconds(max(step+interval, 4*interval)), "$__interval", seconds(step),
		"$__range_s", fmt.Sprint(int(back.Seconds())), "$__range", seconds(back),
		"$job", ".+", "$cluster", ".*", "$node", ".*", `instance="$instance"`, `instance="` + instance + `"`, "$instance", ".+",
	}
	end := time.Now().Unix()
	now := func(expr string) []byte {
		return p.post(tb, "http://"+address+"/api/v1/query", url.Values{"query": {strings.NewReplacer(fill...).Replace(expr)}, "time": {fmt.Sprint(end)}})
	}
	start := time.Now()
	for _, target := range p.Targets {
		if strings.Contains(target.Expr, "$leaked") {
			fill = append(fill, "$leaked", instances(tb, now(p.leaked)))
		}
		if !target.Range {
			now(target.Expr)
			continue
		}
		p.post(tb, "http://"+address+"/api/v1/query_range", url.Values{
			"query": {strings.NewReplacer(fill...).Replace(target.Expr)},
			"start": {fmt.Sprint(end - int64(back.Seconds()))}, "end": {fmt.Sprint(end)}, "step": {fmt.Sprint(step.Seconds())},
		})
	}
	return time.Since(start)
}

func (p Panel) post(tb testing.TB, address string, form url.Values) []byte {
	resp, err := http.PostForm(address, form)
	if err != nil {
		tb.Fatal(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		tb.Fatalf("%s, %s: %s %s %v", p.Dashboard, p.Title, resp.Status, answer, err)
	}
	return answer
}

// instances are those of an answer, as a regular expression.
func instances(tb testing.TB, answer []byte) string {
	var reply struct {
		Data struct {
			Result []struct{ Metric struct{ Instance string } }
		}
	}
	if err := json.Unmarshal(answer, &reply); err != nil {
		tb.Fatal(err)
	}
	var list []string
	for _, r := range reply.Data.Result {
		list = append(list, r.Metric.Instance)
	}
	return strings.Join(list, "|")
}

func seconds(d time.Duration) string { return fmt.Sprintf("%ds", int(d.Seconds())) }
