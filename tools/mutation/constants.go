package main

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// A constant cannot be switched, but most can be variables: all whose package is still valid Go then.

// loosen finds those constants.
func (p *Package) loosen() {
	p.variables = map[*ast.ValueSpec]bool{}
	for _, f := range p.Files {
		for _, decl := range f.AST.Decls {
			group, ok := decl.(*ast.GenDecl)
			if !ok || group.Tok != token.CONST {
				continue
			}
			for _, spec := range group.Specs {
				s := spec.(*ast.ValueSpec)
				p.variables[s] = len(s.Values) == 1 && len(s.Names) == 1
				if p.variables[s] && !f.compilesAs(f.apply(f.asVariables())) {
					p.variables[s] = false
				}
			}
		}
	}
}

// asVariables are the changes that make a variable of each constant that can be one: every declaration gets a word of its own.
func (f *File) asVariables() []change {
	var all []change
	for _, decl := range f.AST.Decls {
		group, ok := decl.(*ast.GenDecl)
		if !ok || group.Tok != token.CONST || !slices.ContainsFunc(group.Specs, f.isVariable) {
			continue
		}
		end := f.offset(group.TokPos) + len("const")
		if group.Lparen.IsValid() {
			end = f.offset(group.Lparen) + 1
			all = append(all, change{start: f.offset(group.Rparen), end: f.offset(group.Rparen) + 1})
		}
		all = append(all, change{start: f.offset(group.TokPos), end: end})
		for _, spec := range group.Specs {
			word := " const "
			if f.isVariable(spec) {
				word = " var "
			}
			all = append(all, change{start: f.offset(spec.Pos()), end: f.offset(spec.Pos()), with: word})
		}
	}
	return all
}

func (f *File) isVariable(spec ast.Spec) bool {
	s, ok := spec.(*ast.ValueSpec)
	return ok && f.Package.variables[s]
}

// kind is the type of a variable, or the type a constant has as a variable, as the file can write it.
func (f *File) kind(name *ast.Ident) string {
	return types.TypeString(types.Default(f.Package.defined[name].Type()), func(p *types.Package) string {
		if p.Path() == f.Package.Path {
			return ""
		}
		return p.Name()
	})
}
