package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var input = regexp.MustCompile(`\$\{((?:DS|VAR)_[A-Z_]+)\}`)

// TestForGrafanaCom imports each page as Grafana does, and wants what is in the repository.
func TestForGrafanaCom(t *testing.T) {
	dir := t.TempDir()
	if err := writeForGrafanaCom(dir); err != nil {
		t.Fatal(err)
	}
	for name, d := range decoded(t) {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		var asks struct {
			Inputs   []struct{ Name, Type, PluginID, Label, Value string } `json:"__inputs"`
			Requires []struct{ Type, ID, Name, Version string }            `json:"__requires"`
			Elements map[string]any                                        `json:"__elements"`
			ID       any
		}
		if err := json.Unmarshal(b, &asks); err != nil {
			t.Fatal(err)
		}
		if asks.Elements == nil || asks.ID != nil || len(asks.Requires) < 3 || asks.Requires[0].ID != "grafana" || asks.Requires[0].Version != "9.4.0" || asks.Requires[1].Type != "datasource" {
			t.Errorf("%s requires %v", name, asks.Requires)
		}
		var panels []string
		for _, r := range asks.Requires {
			if r.Type == "panel" {
				panels = append(panels, r.ID)
			}
			if r.Name == "" {
				t.Errorf("%s requires %s without its name", name, r.ID)
			}
		}
		for _, p := range panelsOf(d) {
			if !slices.Contains(panels, p.Type) {
				t.Errorf("%s does not require the panel %s", name, p.Type)
			}
		}
		// What a person chooses at the import.
		given := map[string]string{}
		for _, in := range asks.Inputs {
			given[in.Name] = in.Value
			if in.Type == "datasource" && in.PluginID == "prometheus" {
				given[in.Name] = "default"
			}
		}
		used := map[string]bool{}
		imported := input.ReplaceAllStringFunc(string(b), func(m string) string {
			key := input.FindStringSubmatch(m)[1]
			used[key] = true
			return given[key]
		})
		same(t, name+" asks for what it uses, and", sortedKeys(used), sortedKeys(given))
		var got, want map[string]any
		if err := json.NewDecoder(strings.NewReader(imported)).Decode(&got); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(committed(t)[name], &want); err != nil {
			t.Fatal(err)
		}
		for _, key := range []string{"__inputs", "__requires", "__elements", "id"} {
			delete(got, key)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s is another page after the import", name)
		}
	}
}
