// Package runbooks tests that what the pages in alerts/runbooks tell an operator to type does what they say.
package runbooks

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const pagesDir = "../../alerts/runbooks"

// page is a runbook: its name, its text, and its blocks of code.
type page struct {
	name   string
	text   string
	blocks []block
}

// block is a block of code in a page.
type block struct {
	language string
	text     string
}

var fence = regexp.MustCompile("(?ms)^( *)```([a-z]+)\n(.*?)^ *```$")

func readPages(t *testing.T) []page {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(pagesDir, "*.md"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no pages in %s (%v)", pagesDir, err)
	}
	var pages []page
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		p := page{name: strings.TrimSuffix(filepath.Base(file), ".md"), text: string(text)}
		for _, match := range fence.FindAllStringSubmatch(p.text, -1) {
			indent, language, code := match[1], match[2], match[3]
			p.blocks = append(p.blocks, block{language, strings.TrimPrefix(strings.ReplaceAll("\n"+code, "\n"+indent, "\n"), "\n")})
		}
		pages = append(pages, p)
	}
	return pages
}

// in returns the blocks of a page in that language.
func (p page) in(language string) []block {
	return slices.DeleteFunc(slices.Clone(p.blocks), func(b block) bool { return b.language != language })
}

// find returns the one shell block of a page that has the text.
func find(t *testing.T, name, text string) string {
	t.Helper()
	var found []string
	for _, p := range readPages(t) {
		for _, b := range p.in("sh") {
			if p.name == name && strings.Contains(b.text, text) {
				found = append(found, b.text)
			}
		}
	}
	if len(found) != 1 {
		t.Fatalf("%d blocks of %s have %q, want 1", len(found), name, text)
	}
	return found[0]
}

// bash runs a script as an operator does, with stand-ins before the programs on the path, and returns what it wrote.
func bash(script string, env ...string) (stdout, stderr string, err error) {
	var out, errs strings.Builder
	shell := exec.Command("bash", "-c", script)
	shell.Env = append(os.Environ(), env...)
	shell.Stdout, shell.Stderr = &out, &errs
	err = shell.Run()
	return out.String(), errs.String(), err
}

// standIns writes programs that only tell how they were called, besides what their script says, and returns a path on
// which they are the first to be found.
func standIns(t *testing.T, scripts map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, script := range scripts {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return "PATH=" + dir + ":" + os.Getenv("PATH")
}
