package main

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/grafana/grafana-foundation-sdk/go/cog/plugins"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
)

func TestMain(m *testing.M) {
	// The SDK needs to know the panels' and the data source's types before it can decode them.
	plugins.RegisterDefaultPlugins()
	var err error
	if scratch, err = os.MkdirTemp("", "dashboards"); err != nil {
		panic(err)
	}
	code := m.Run()
	os.RemoveAll(scratch)
	os.Exit(code)
}

// strictly decodes as the SDK does it strictly. On success that returns a nil slice in an error, which is not nil: only its text tells.
func strictly(b []byte) string {
	var d dashboard.Dashboard
	if err := d.UnmarshalJSONStrict(b); err != nil {
		return err.Error()
	}
	return ""
}

func TestStrictDecoding(t *testing.T) {
	for name, b := range committed(t) {
		if fault := strictly(b); fault != "" {
			t.Errorf("%s: %s", name, fault)
		}
		for what, change := range map[string][2]string{
			"an unknown key of the dashboard": {`"uid":`, `"huid":`},
			"an unknown key of a panel":       {`"gridPos":`, `"gridPosition":`},
			"an unknown key of a query":       {`"legendFormat":`, `"legend_format":`},
			"an unknown key of an option":     {`"reduceOptions":`, `"reduceOption":`},
			"a wrong type":                    {`"schemaVersion": 39`, `"schemaVersion": "39"`},
		} {
			if bytes.Contains(b, []byte(change[0])) && strictly(bytes.Replace(b, []byte(change[0]), []byte(change[1]), 1)) == "" {
				t.Errorf("%s: strict decoding does not see %s", name, what)
			}
		}
	}
}

// sdkConstants are the values of the SDK's enumerations, by package and type, as its sources have them.
func sdkConstants(t testing.TB) map[string]map[string]bool {
	t.Helper()
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/grafana/grafana-foundation-sdk/go").Output()
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(out)), "*", "types_gen.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no sources of the SDK: %v", err)
	}
	all := map[string]map[string]bool{}
	for _, file := range files {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range f.Decls {
			g, is := decl.(*ast.GenDecl)
			if !is || g.Tok != token.CONST {
				continue
			}
			for _, spec := range g.Specs {
				v := spec.(*ast.ValueSpec)
				key := f.Name.Name
				if kind, is := v.Type.(*ast.Ident); is {
					key += "." + kind.Name
				}
				if all[key] == nil {
					all[key] = map[string]bool{}
				}
				if lit, is := v.Values[0].(*ast.BasicLit); is {
					text := lit.Value
					if s, err := strconv.Unquote(text); err == nil {
						text = s
					}
					all[key][text] = true
				}
			}
		}
	}
	return all
}

// walkEnums finds every value of a type that is an enumeration of the SDK.
func walkEnums(v reflect.Value, path string, known map[string]map[string]bool, bad func(path, kind, value string)) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			walkEnums(v.Elem(), path, known, bad)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			walkEnums(v.Field(i), path+"."+v.Type().Field(i).Name, known, bad)
		}
	case reflect.Slice:
		for i := range v.Len() {
			walkEnums(v.Index(i), path+"["+strconv.Itoa(i)+"]", known, bad)
		}
	case reflect.Map:
		for _, k := range v.MapKeys() {
			walkEnums(v.MapIndex(k), path+"."+k.String(), known, bad)
		}
	case reflect.String, reflect.Int64, reflect.Int, reflect.Uint8, reflect.Int8, reflect.Int32:
		kind := v.Type().String()
		text := v.String()
		if v.CanInt() {
			text = strconv.FormatInt(v.Int(), 10)
		}
		if values, is := known[kind]; is && !values[text] {
			bad(path, kind, text)
		}
	}
}

// TestEnums sees what strict decoding misses: a value that the enumeration does not have.
func TestEnums(t *testing.T) {
	known := sdkConstants(t)
	faults := func(d dashboard.Dashboard) (list []string) {
		walkEnums(reflect.ValueOf(d), *d.Uid, known, func(path, kind, value string) { list = append(list, path+": no "+kind+" is "+value) })
		return list
	}
	for name, d := range decoded(t) {
		for _, fault := range faults(d) {
			t.Errorf("%s: %s", name, fault)
		}
	}
	for _, change := range [][2]string{
		{`"colorMode": "value"`, `"colorMode": "vaule"`}, {`"displayMode": "list"`, `"displayMode": "lists"`}, {`"lineInterpolation": "stepAfter"`, `"lineInterpolation": "step"`},
		{`"refresh": 2`, `"refresh": 7`}, {`"format": "table"`, `"format": "tabel"`}, {`"mode": "palette-classic"`, `"mode": "palette"`},
	} {
		var d dashboard.Dashboard
		b := bytes.Replace(committed(t)["rancher-agent-exporter-fleet.json"], []byte(change[0]), []byte(change[1]), 1)
		if err := json.Unmarshal(b, &d); err != nil {
			t.Fatal(err)
		}
		if len(faults(d)) == 0 {
			t.Errorf("this test does not see %s", change[1])
		}
	}
}
