package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Each field case that the repository names is described in docs/field-cases.md.
func TestFieldCasesAreDescribed(t *testing.T) {
	index, err := os.ReadFile("docs/field-cases.md")
	if err != nil {
		t.Fatal(err)
	}
	number := regexp.MustCompile(`FC-[0-9]+`)
	described := make(map[string]bool)
	for _, line := range strings.Split(string(index), "\n") {
		if id := number.FindString(line); strings.HasPrefix(line, "| "+id+" |") {
			described[id] = true
		}
	}
	err = filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, ".md") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, id := range number.FindAllString(string(text), -1) {
			if !described[id] {
				t.Errorf("%s: %s is not in docs/field-cases.md", path, id)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
