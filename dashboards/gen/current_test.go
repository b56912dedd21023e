package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
)

// committed reads the dashboards that are in the repository, by file name.
func committed(t testing.TB) map[string][]byte { return readAll(t, "../*.json") }

// readAll reads the files of a pattern, by file name.
func readAll(t testing.TB, pattern string) map[string][]byte {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]byte{}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		all[filepath.Base(f)] = b
	}
	return all
}

func TestCommittedFilesAreCurrent(t *testing.T) {
	files := committed(t)
	for name, d := range pages() {
		want, err := written(d)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(files[name], want) {
			t.Errorf("%s is not what the code makes: run `go run .` in dashboards/gen", name)
		}
		delete(files, name)
	}
	for name := range files {
		t.Errorf("%s is made by no code", name)
	}
}

// decoded are the committed dashboards as the SDK reads them.
func decoded(t testing.TB) map[string]dashboard.Dashboard {
	t.Helper()
	all := map[string]dashboard.Dashboard{}
	for name, b := range committed(t) {
		var d dashboard.Dashboard
		if err := json.Unmarshal(b, &d); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		all[name] = d
	}
	return all
}

func TestFramework(t *testing.T) {
	uids := map[string]string{}
	for name, b := range committed(t) {
		if !strings.HasPrefix(name, "rancher-agent-exporter-") {
			t.Errorf("%s: in the flat folder of a sidecar the name must tell whose file it is", name)
		}
		var d struct {
			ID            any
			Inputs        any `json:"__inputs"`
			Requires      any `json:"__requires"`
			Elements      any `json:"__elements"`
			UID           string
			SchemaVersion int
			Tags          []string
			Editable      *bool
			Refresh       string
			Time          struct{ From, To string }
			GraphTooltip  int
			Templating    struct {
				List []struct {
					Name string
					Hide int
				}
			}
			Title, Description string
			Panels             []struct {
				ID     int
				Panels []struct{ ID int }
			}
		}
		if err := json.Unmarshal(b, &d); err != nil {
			t.Fatal(err)
		}
		if d.ID != nil || d.Inputs != nil || d.Requires != nil || d.Elements != nil {
			t.Errorf("%s has an id, __inputs, __requires or __elements: it could not be provisioned from a file", name)
		}
		if other := uids[d.UID]; other != "" || len(d.UID) < 8 || len(d.UID) > 40 {
			t.Errorf("%s: uid %q is too short or long, or that of %s", name, d.UID, other)
		}
		uids[d.UID] = name
		if d.SchemaVersion != 39 || !slices.Equal(d.Tags, []string{tag}) || d.Editable == nil || *d.Editable || d.GraphTooltip != 1 {
			t.Errorf("%s: schemaVersion %d, tags %v, editable or graphTooltip are not as agreed", name, d.SchemaVersion, d.Tags)
		}
		if d.Refresh != "1m" || d.Time.From != "now-6h" || d.Time.To != "now" || d.Title == "" || d.Description == "" {
			t.Errorf("%s: refresh %q, time %v, title or description are not as agreed", name, d.Refresh, d.Time)
		}
		var names []string
		for _, v := range d.Templating.List {
			if v.Hide == 0 {
				names = append(names, v.Name)
			}
		}
		if !slices.Equal(names, []string{"datasource", "job", "cluster", "node", "instance"}) {
			t.Errorf("%s: variables %v", name, names)
		}
		ids := map[int]bool{}
		see := func(id int) {
			if id == 0 || ids[id] {
				t.Errorf("%s: panel id %d is 0 or used twice", name, id)
			}
			ids[id] = true
		}
		for _, p := range d.Panels {
			see(p.ID)
			for _, inner := range p.Panels {
				see(inner.ID)
			}
		}
	}
	for _, uid := range []string{"rancher-cert-writer-fleet", "rancher-cert-writer-node", "rancher-agent-exporter"} {
		if uids[uid] == "" {
			t.Errorf("no dashboard has the uid %s, which people have in their bookmarks", uid)
		}
	}
}
