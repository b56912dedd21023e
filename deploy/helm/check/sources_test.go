package check

import (
	"archive/tar"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	core "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"
)

// runbookURL has the renders whose values say where the runbooks are.
var (
	runbookURL = map[string]string{"pod-monitor": "https://wiki.example/runbooks", "kubernetes-1.24": "https://wiki.example/runbooks"}
	runbook    = regexp.MustCompile(`(runbook_url: )https://\S+/(\w+\.md)`)
)

// The PrometheusRule is alerts/rules.yml and the ConfigMaps are dashboards/*.json, whatever the values.
func TestSameRulesAndDashboards(t *testing.T) {
	helm(t)
	text, err := os.ReadFile(rulesFile)
	if err != nil {
		t.Fatal(err)
	}
	eachRender(t, func(t *testing.T, r render, all objects) {
		loaded := 0
		for _, o := range all {
			switch typed := o.Typed.(type) {
			case *core.ConfigMap:
				for _, path := range dashboardFiles {
					text, err := os.ReadFile(path)
					if err != nil {
						t.Fatal(err)
					}
					if strings.Contains(path, "grafana-7") != (r.name == "monitoring-2.5") {
						continue
					}
					if base := filepath.Base(path); o.Name == strings.TrimSuffix(base, ".json") {
						if len(typed.Data) != 1 || typed.Data[base] != string(text) {
							t.Errorf("ConfigMap %s does not hold the bytes of %s", o.Name, path)
						}
						loaded++
					}
				}
			default:
				if o.Kind != "PrometheusRule" {
					continue
				}
				var rule struct{ Spec any }
				if err := yaml.Unmarshal(o.Text, &rule); err != nil {
					t.Fatal(err)
				}
				text := text
				if base := runbookURL[r.name]; base != "" {
					text = runbook.ReplaceAll(text, []byte("${1}"+base+"/$2"))
				}
				var rules any
				if err := yaml.Unmarshal(text, &rules); err != nil {
					t.Fatal(err)
				}
				if !reflect.DeepEqual(rule.Spec, rules) {
					t.Error("the spec of the PrometheusRule is not alerts/rules.yml")
				}
				loaded++
			}
		}
		want := 1 + 3
		switch {
		case !r.operator():
			want = 0
		case r.name == "monitoring-v1":
			want = 1
		case r.name == "monitoring-2.5":
			want = 1 + 2
		}
		if loaded != want {
			t.Errorf("%d rule files and dashboards, want %d", loaded, want)
		}
	})
}

// The CRDs of Rancher Monitoring before Rancher 2.9 know no keep_firing_for, and drop or refuse it.
func TestNoNewRuleFields(t *testing.T) {
	eachRender(t, func(t *testing.T, r render, all objects) {
		if rule := all.find("PrometheusRule"); rule != nil {
			if found := regexp.MustCompile(`(?m)^ *(- )?(keep_firing_for|query_offset|limit|partial_response_strategy):`).Find(rule.Text); found != nil {
				t.Errorf("%q in the PrometheusRule", found)
			}
		}
	})
}

// No object is refused for its size: 1 MiB for a ConfigMap, 256 KiB for the annotation that `kubectl apply` and Argo CD
// write, which holds the whole object as JSON.
func TestSizes(t *testing.T) {
	eachRender(t, func(t *testing.T, r render, all objects) {
		for _, o := range all {
			object, err := json.Marshal(o.Typed)
			if err != nil {
				t.Fatal(err)
			}
			if len(object) >= 256<<10 {
				t.Errorf("%s %s has %d bytes", o.Kind, o.Name, len(object))
			}
		}
	})
}

// The links point at the files, are all there is in files/, and become files in the package, which renders the same.
func TestPackage(t *testing.T) {
	program := helm(t)
	sources := map[string]bool{}
	for _, source := range append([]string{rulesFile, proxyFile}, dashboardFiles...) {
		absolute, err := filepath.EvalSymlinks(source)
		if err != nil {
			t.Fatal(err)
		}
		if absolute, err = filepath.Abs(absolute); err != nil {
			t.Fatal(err)
		}
		sources[absolute] = true
	}
	err := filepath.WalkDir(filepath.Join(chart, "files"), func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		if entry.Type()&os.ModeSymlink == 0 {
			t.Errorf("%s is a copy and no symbolic link", path)
		}
		target, err := filepath.EvalSymlinks(path)
		if err != nil {
			return err
		}
		if target, err = filepath.Abs(target); err != nil {
			return err
		}
		if !sources[target] {
			t.Errorf("%s leads to %s", path, target)
		}
		delete(sources, target)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for source := range sources {
		t.Errorf("the chart has no link to %s", source)
	}

	dir := t.TempDir()
	if out, stderr, err := run(program, "package", chart, "--destination", dir); err != nil {
		t.Fatalf("%v\n%s%s", err, out, stderr)
	}
	packages, err := filepath.Glob(filepath.Join(dir, "*.tgz"))
	if err != nil || len(packages) != 1 {
		t.Fatal(packages, err)
	}
	for _, r := range renders {
		if string(template(t, packages[0], r)) != string(template(t, chart, r)) {
			t.Errorf("%s: the package renders something else", r.name)
		}
	}
	// Helm keeps chart and manifests together, gzipped and then twice in base64, in a Secret of at most 1 MiB
	info, err := os.Stat(packages[0])
	if err != nil {
		t.Fatal(err)
	}
	if info.Size() > 200<<10 {
		t.Errorf("the package has %d bytes", info.Size())
	}
	for name, mode := range entries(t, packages[0]) {
		if !mode.IsRegular() {
			t.Errorf("%s is %v in the package", name, mode)
		}
	}
}

func entries(t *testing.T, path string) map[string]os.FileMode {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	zipped, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]os.FileMode{}
	for archive := tar.NewReader(zipped); ; {
		header, err := archive.Next()
		if err == io.EOF {
			return found
		}
		if err != nil {
			t.Fatal(err)
		}
		found[header.Name] = header.FileInfo().Mode()
	}
}

func readYAML(t *testing.T, path string) any {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var value any
	if err := yaml.Unmarshal(text, &value); err != nil {
		t.Fatal(err)
	}
	return value
}
