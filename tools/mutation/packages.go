package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Package is a Go package whose files are broken.
type Package struct {
	Dir      string // from the root of the repository
	Path     string // import path
	Files    []*File
	tests    []*File // those in the package itself: they must compile too
	imported types.Importer
	defined  map[*ast.Ident]types.Object
	types    map[ast.Expr]types.TypeAndValue
	// variables are the constants that can be variables.
	variables map[*ast.ValueSpec]bool
}

// load parses the packages in some directories of a module. What they import comes from the compiler's cache.
func load(root string, dirs []string) ([]*Package, error) {
	args := []string{"list", "-deps", "-test", "-export", "-json=ImportPath,Dir,GoFiles,TestGoFiles,Export,ForTest"}
	for _, dir := range dirs {
		args = append(args, "./"+dir)
	}
	cmd := exec.Command("go", args...)
	cmd.Dir, cmd.Stderr = root, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	type listed struct {
		ImportPath, Dir, Export, ForTest string
		GoFiles, TestGoFiles             []string
	}
	exports, found := map[string]string{}, map[string]listed{}
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		var l listed
		if err := decoder.Decode(&l); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		if l.ForTest == "" && !strings.HasSuffix(l.ImportPath, ".test") {
			exports[l.ImportPath] = l.Export
			found[l.Dir] = l
		}
	}
	set := token.NewFileSet()
	compiled := importer.ForCompiler(set, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	var all []*Package
	for _, dir := range dirs {
		l := found[filepath.Join(root, dir)]
		p := &Package{Dir: dir, Path: l.ImportPath, imported: compiled}
		for _, name := range append(l.GoFiles, l.TestGoFiles...) {
			source, err := os.ReadFile(filepath.Join(l.Dir, name))
			if err != nil {
				return nil, err
			}
			f, err := parse(set, filepath.Join(dir, name), source)
			if err != nil {
				return nil, err
			}
			f.Path, f.Package = filepath.Join(l.Dir, name), p
			if strings.HasSuffix(name, "_test.go") {
				p.tests = append(p.tests, f)
			} else {
				p.Files = append(p.Files, f)
			}
		}
		if err := p.check(); err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	return all, nil
}

func parse(set *token.FileSet, name string, source []byte) (*File, error) {
	tree, err := parser.ParseFile(set, name, source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	return &File{Name: name, Source: source, AST: tree, Set: set}, nil
}

// check finds out the types of what the package defines.
func (p *Package) check() error {
	var files []*ast.File
	for _, f := range p.Files {
		files = append(files, f.AST)
	}
	p.defined, p.types = map[*ast.Ident]types.Object{}, map[ast.Expr]types.TypeAndValue{}
	config := types.Config{Importer: p.imported}
	_, err := config.Check(p.Path, p.Files[0].Set, files, &types.Info{Defs: p.defined, Types: p.types})
	if err == nil {
		p.loosen()
	}
	return err
}

// compilesAs says whether the package is still valid Go with another text of this file. It asks the type checker, which is
// faster than the compiler.
func (f *File) compilesAs(source []byte) bool {
	other, err := parse(f.Set, f.Name, source)
	if err != nil {
		return false
	}
	files := []*ast.File{other.AST}
	for _, more := range slices.Concat(f.Package.Files, f.Package.tests) {
		if more != f {
			files = append(files, more.AST)
		}
	}
	config := types.Config{Importer: f.Package.imported}
	_, err = config.Check(f.Package.Path, f.Set, files, nil)
	return err == nil
}

// valid leaves the mutants that compile.
func valid(all []Mutant) []Mutant {
	return slices.DeleteFunc(slices.Clone(all), func(m Mutant) bool { return !m.File.compilesAs(m.Source()) })
}
