package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// Mutant is a source file with one thing broken in one place.
type Mutant struct {
	// ID names the file, the function and the change; it stays the same while those do, wherever the lines go.
	ID     string
	File   *File
	change change
	// decl is the *ast.FuncDecl or the *ast.ValueSpec that is changed.
	decl ast.Node
}

// Source is the text of the file with the change.
func (m Mutant) Source() []byte {
	return m.File.apply([]change{m.change})
}

// change replaces the bytes between two offsets.
type change struct {
	kind, what string
	start, end int
	with       string
}

// Mutants breaks a file in every way that changes knows, whether what comes out compiles or not.
func Mutants(f *File) []Mutant {
	var all []Mutant
	seen := map[string]int{}
	for _, decl := range f.AST.Decls {
		ast.PreorderStack(decl, nil, func(n ast.Node, stack []ast.Node) bool {
			if _, ok := n.(*ast.ImportSpec); ok {
				return false
			}
			for _, c := range f.changes(n, stack) {
				decl, name := place(n, stack)
				id := fmt.Sprintf("%s %s: %s", f.Name, name, c.what)
				if seen[id]++; seen[id] > 1 {
					id = fmt.Sprintf("%s, place %d", id, seen[id])
				}
				all = append(all, Mutant{ID: id, File: f, change: c, decl: decl})
			}
			return true
		})
	}
	return all
}

// place is the function, with its receiver, or the variable or constant that a node is in.
func place(n ast.Node, stack []ast.Node) (ast.Node, string) {
	for _, around := range append(stack[:len(stack):len(stack)], n) {
		switch d := around.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				return d, d.Name.Name
			}
			receiver := d.Recv.List[0].Type
			if pointer, ok := receiver.(*ast.StarExpr); ok {
				receiver = pointer.X
			}
			return d, receiver.(*ast.Ident).Name + "." + d.Name.Name
		case *ast.ValueSpec:
			return d, d.Names[0].Name
		}
	}
	return nil, ""
}

// File is a parsed source file.
type File struct {
	Name    string // from the root of the repository
	Path    string // absolute
	Package *Package
	Source  []byte
	AST     *ast.File
	Set     *token.FileSet
}

func (f *File) offset(p token.Pos) int { return f.Set.Position(p).Offset }

func (f *File) text(n ast.Node) string {
	return string(f.Source[f.offset(n.Pos()):f.offset(n.End())])
}

// apply makes changes that do not overlap.
func (f *File) apply(changes []change) []byte {
	source := f.Source
	slices.SortStableFunc(changes, func(a, b change) int { return b.start - a.start })
	for _, c := range changes {
		source = slices.Concat(source[:c.start], []byte(c.with), source[c.end:])
	}
	return source
}

// short is the text of a node on one line, as far as an ID needs it.
func (f *File) short(n ast.Node) string {
	text := []rune(strings.Join(strings.Fields(f.text(n)), " "))
	if len(text) > 60 {
		return string(text[:59]) + "…"
	}
	return string(text)
}

// replace puts a text in the place of a node.
func (f *File) replace(kind string, n ast.Node, with, what string) change {
	return change{kind: kind, what: what, start: f.offset(n.Pos()), end: f.offset(n.End()), with: with}
}
