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
)

// Package is a Go package whose files are broken.
type Package struct {
	Dir      string // from the root of the repository
	Path     string // import path
	Files    []*File
	imported types.Importer
	defined  map[*ast.Ident]types.Object
}

// load parses the packages in some directories of a module. What they import comes from the compiler's cache.
func load(root string, dirs []string) ([]*Package, error) {
	args := []string{"list", "-deps", "-export", "-json=ImportPath,Dir,GoFiles,Export"}
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
		ImportPath, Dir, Export string
		GoFiles                 []string
	}
	exports, found := map[string]string{}, map[string]listed{}
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		var l listed
		if err := decoder.Decode(&l); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		exports[l.ImportPath] = l.Export
		found[l.Dir] = l
	}
	set := token.NewFileSet()
	compiled := importer.ForCompiler(set, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	var all []*Package
	for _, dir := range dirs {
		l := found[filepath.Join(root, dir)]
		p := &Package{Dir: dir, Path: l.ImportPath, imported: compiled}
		for _, name := range l.GoFiles {
			source, err := os.ReadFile(filepath.Join(l.Dir, name))
			if err != nil {
				return nil, err
			}
			f, err := parse(set, filepath.Join(dir, name), source)
			if err != nil {
				return nil, err
			}
			f.Path, f.Package = filepath.Join(l.Dir, name), p
			p.Files = append(p.Files, f)
		}
		if err := p.check(); err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	return all, nil
}

func parse(set *token.FileSet, name string, source []byte) (*File, error) {
	tree, err := parser.ParseFile(set, name, source, parser.SkipObjectResolution)
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
	p.defined = map[*ast.Ident]types.Object{}
	config := types.Config{Importer: p.imported}
	_, err := config.Check(p.Path, p.Files[0].Set, files, &types.Info{Defs: p.defined})
	return err
}

// compiles says whether the package of a mutant is still valid Go. It asks the type checker, which is faster than the compiler.
func (m Mutant) compiles() bool {
	broken, err := parse(m.File.Set, m.File.Name, m.Source())
	if err != nil {
		return false
	}
	files := []*ast.File{broken.AST}
	for _, f := range m.File.Package.Files {
		if f != m.File {
			files = append(files, f.AST)
		}
	}
	config := types.Config{Importer: m.File.Package.imported}
	_, err = config.Check(m.File.Package.Path, m.File.Set, files, nil)
	return err == nil
}

// valid leaves the mutants that compile.
func valid(all []Mutant) []Mutant {
	return slices.DeleteFunc(slices.Clone(all), func(m Mutant) bool { return !m.compiles() })
}
