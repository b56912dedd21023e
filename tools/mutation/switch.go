package main

import (
	"fmt"
	"go/ast"
	"go/types"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// One program holds nearly all mutants of a package: beside each function stand its mutants, and the function calls the one
// whose number is in the environment variable MUTANT. That takes one build instead of a thousand.

// isSwitched says whether the program with the switch holds a mutant.
func (m Mutant) isSwitched() bool {
	switch d := m.decl.(type) {
	case *ast.FuncDecl:
		return d.Type.TypeParams == nil && d.Name.Name != "main" && d.Name.Name != "init"
	case *ast.ValueSpec:
		_, variable := m.File.Package.defined[d.Names[0]].(*types.Var)
		return (variable || m.File.Package.variables[d]) && len(d.Names) == 1
	}
	return false
}

// switched are the files of a package, by absolute path, with all mutants that can be switched on, by their numbers.
func switched(p *Package, mutants map[int]Mutant) map[string][]byte {
	files := map[string][]byte{}
	for _, f := range p.Files {
		changes, more := f.asVariables(), strings.Builder{}
		for _, decl := range declarations(f.AST) {
			of := map[int]Mutant{}
			for number, m := range mutants {
				if m.decl == decl && m.isSwitched() {
					of[number] = m
				}
			}
			if len(of) == 0 {
				continue
			}
			switch d := decl.(type) {
			case *ast.FuncDecl:
				changes = append(changes, f.replace("", d.Name, d.Name.Name+"_original", ""))
				more.WriteString(f.dispatch(d, of))
			case *ast.ValueSpec:
				changes = append(changes, f.replace("", d.Values[0], f.choose(d, of), ""))
			}
		}
		files[f.Path] = append(f.apply(changes), more.String()...)
	}
	files[filepath.Join(filepath.Dir(p.Files[0].Path), "mutant_switch.go")] =
		fmt.Appendf(nil, "package %s\n\nimport \"os\"\n\nvar mutantNumber = os.Getenv(%q)\n", p.Files[0].AST.Name.Name, "MUTANT")
	return files
}

// declarations are the functions, variables and constants of a file.
func declarations(file *ast.File) []ast.Node {
	var all []ast.Node
	for _, decl := range file.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			all = append(all, d)
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				all = append(all, spec)
			}
		}
	}
	return all
}

// within is the text of a node with a change in it.
func (f *File) within(n ast.Node, c change) string {
	return string(f.Source[f.offset(n.Pos()):c.start]) + c.with + string(f.Source[c.end:f.offset(n.End())])
}

// dispatch is a function that calls one of its mutants or the original, and the mutants.
func (f *File) dispatch(d *ast.FuncDecl, of map[int]Mutant) string {
	var text, mutants strings.Builder
	receiver, call := "", ""
	if d.Recv != nil {
		receiver, call = "(self "+f.text(d.Recv.List[0].Type)+") ", "self."
	}
	var params, args []string
	for _, field := range d.Type.Params.List {
		for range max(1, len(field.Names)) {
			name := fmt.Sprintf("arg%d", len(args))
			params = append(params, name+" "+f.text(field.Type))
			if _, variadic := field.Type.(*ast.Ellipsis); variadic {
				name += "..."
			}
			args = append(args, name)
		}
	}
	results, give := "", "%s; return"
	if d.Type.Results != nil {
		results, give = f.text(d.Type.Results), "return %s"
	}
	name := func(suffix any) string { return fmt.Sprintf("%s_%v", d.Name.Name, suffix) }
	one := func(suffix any) string {
		return fmt.Sprintf(give, call+name(suffix)+"("+strings.Join(args, ", ")+")")
	}
	fmt.Fprintf(&text, "\nfunc %s%s(%s) %s {\n\tswitch mutantNumber {\n", receiver, d.Name.Name, strings.Join(params, ", "), results)
	for _, number := range slices.Sorted(maps.Keys(of)) {
		fmt.Fprintf(&text, "\tcase \"%d\":\n\t\t%s\n", number, one(number))
		change := of[number].change
		change.with = name(number) + string(f.Source[f.offset(d.Name.End()):change.start]) + change.with
		change.start = f.offset(d.Name.Pos())
		fmt.Fprintf(&mutants, "\n%s\n", f.within(d, change))
	}
	fmt.Fprintf(&text, "\tdefault:\n\t\t%s\n\t}\n}\n%s", one("original"), mutants.String())
	return text.String()
}

// choose is the value of a variable, or one of its mutants.
func (f *File) choose(d *ast.ValueSpec, of map[int]Mutant) string {
	var text strings.Builder
	fmt.Fprintf(&text, "func() %s {\n\tswitch mutantNumber {\n", f.kind(d.Names[0]))
	for _, number := range slices.Sorted(maps.Keys(of)) {
		fmt.Fprintf(&text, "\tcase \"%d\":\n\t\treturn %s\n", number, f.within(d.Values[0], of[number].change))
	}
	fmt.Fprintf(&text, "\tdefault:\n\t\treturn %s\n\t}\n}()", f.text(d.Values[0]))
	return text.String()
}
