package main

import (
	"encoding/json"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func read(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestReadme wants what the README shows and names: the pictures, every dashboard with its uid, the ConfigMap's form.
func TestReadme(t *testing.T) {
	readme := read(t, "README.md")
	for name, d := range decoded(t) {
		if !strings.Contains(readme, "| `"+name+"` | `"+*d.Uid+"` |") {
			t.Errorf("README.md has no row for %s", name)
		}
	}
	for _, want := range []string{"namespace: cattle-dashboards", `grafana_dashboard: "1"`, "Grafana 9.4 to 12", "type: file", "fleet.png", "node.png"} {
		if !strings.Contains(readme, want) {
			t.Errorf("README.md does not say %q", want)
		}
	}
	for _, m := range regexp.MustCompile(`!\[[^\]]+\]\(([^)]+)\)`).FindAllStringSubmatch(readme, -1) {
		f, err := os.Open(filepath.Join("..", m[1]))
		if err != nil {
			t.Errorf("README.md shows %v", err)
			continue
		}
		defer f.Close()
		picture, err := png.DecodeConfig(f)
		if info, _ := f.Stat(); err != nil || info.Size() >= 200<<10 || picture.Width != 1532 {
			t.Errorf("%s: %d bytes, %d pixels wide, %v", m[1], info.Size(), picture.Width, err)
		}
	}
}

// TestKustomization wants the ConfigMap that the sidecar looks for, with the files as they are.
func TestKustomization(t *testing.T) {
	kubectl, err := exec.LookPath("kubectl")
	if err != nil {
		t.Skip("kubectl is not installed")
	}
	made, err := exec.Command(kubectl, "kustomize", "..").Output()
	if err != nil {
		t.Fatal(err)
	}
	// Changes nothing but the form: the label is there already.
	local := exec.Command(kubectl, "label", "--local", "-f", "-", "-o", "json", "grafana_dashboard=1")
	local.Stdin = strings.NewReader(string(made))
	out, err := local.Output()
	if err != nil {
		t.Fatal(err)
	}
	var m struct {
		Kind     string
		Metadata struct {
			Namespace string
			Labels    map[string]string
		}
		Data map[string]string
	}
	if err := json.Unmarshal(out, &m); err != nil {
		t.Fatal(err)
	}
	if m.Kind != "ConfigMap" || m.Metadata.Namespace != "cattle-dashboards" || !strings.Contains(string(made), `grafana_dashboard: "1"`) {
		t.Errorf("%s in %s with %v", m.Kind, m.Metadata.Namespace, m.Metadata.Labels)
	}
	files := committed(t)
	if len(m.Data) != len(files) {
		t.Errorf("%d files in the ConfigMap, not %d", len(m.Data), len(files))
	}
	for name, content := range files {
		if m.Data[name] != string(content) {
			t.Errorf("%s is not in the ConfigMap as it is", name)
		}
	}
}
