package deploy

import (
	"os"
	"strings"
	"testing"
)

// The licence of every module that is linked is brought along, and its notice where it has one, in the tarballs and in the image.
func TestLicenses(t *testing.T) {
	text := runTool(t, ".", "./licenses")
	modules := strings.Fields(runTool(t, "..", "go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}}@{{.Version}}{{end}}{{end}}", "."))
	if len(modules) < 30 {
		t.Errorf("only %d packages are linked", len(modules))
	}
	for _, module := range append(modules, "Go, its standard library and runtime: ") {
		if !strings.Contains(text, "\n"+module+"/") && !strings.Contains(text, "\n"+module+"LICENSE\n") {
			t.Errorf("no licence of %s", module)
		}
	}
	for _, words := range []string{"/NOTICE\n\nDocker\n", "Copyright 2009 The Go Authors.", "Additional IP Rights Grant (Patents)", "/internal/github.com/golang/gddo/LICENSE\n"} {
		if !strings.Contains(text, words) {
			t.Errorf("no %q", words)
		}
	}
	for file, lines := range map[string][]string{
		"release":       {"deploy/licenses >\"$stage/$name/THIRD_PARTY_LICENSES\"", "SECURITY.md LICENSE "},
		"../Dockerfile": {"\nCOPY LICENSE THIRD_PARTY_LICENSE[S] /\n"},
		"../Makefile":   {"\n\tdeploy/licenses >THIRD_PARTY_LICENSES\n\tdocker build "},
	} {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range lines {
			if !strings.Contains(string(content), line) {
				t.Errorf("%s has no %q", file, line)
			}
		}
	}
}
