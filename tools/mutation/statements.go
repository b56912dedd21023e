package main

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"slices"
	"strings"
)

// changes returns the ways to break a node by itself; what is inside it comes later.
func (f *File) changes(n ast.Node, stack []ast.Node) []change {
	switch n := n.(type) {
	case *ast.IfStmt:
		return f.condition(n.Cond)
	case *ast.ForStmt:
		if n.Cond == nil {
			return nil
		}
		return f.condition(n.Cond)
	case *ast.RangeStmt:
		at := f.offset(n.Body.Lbrace) + 1
		return []change{{kind: "statement", what: "range " + f.short(n.X) + " -> not once", start: at, end: at, with: "break;"}}
	case *ast.CaseClause:
		return f.cases(n, stack)
	case *ast.ReturnStmt:
		return f.returns(n, stack)
	case *ast.AssignStmt:
		return f.assignment(n)
	case *ast.IncDecStmt:
		other := map[token.Token]token.Token{token.INC: token.DEC, token.DEC: token.INC}[n.Tok]
		return []change{f.without(n), f.replace("operator", n, f.text(n.X)+other.String(), fmt.Sprintf("%s -> %s", f.short(n), other))}
	case *ast.ExprStmt, *ast.DeferStmt, *ast.SendStmt, *ast.BranchStmt:
		return []change{f.without(n)}
	case *ast.BinaryExpr:
		return f.binary(n, stack)
	case *ast.UnaryExpr:
		return f.not(n, stack)
	case *ast.BasicLit:
		return f.literal(n, stack)
	case *ast.Ident:
		return f.boolean(n)
	case *ast.CallExpr:
		return f.arguments(n)
	case *ast.CompositeLit:
		return f.elements(n)
	}
	return nil
}

func (f *File) without(n ast.Node) change {
	return f.replace("statement", n, "", "without "+f.short(n))
}

// assignment keeps the old value of each variable in turn. The new one is still worked out.
func (f *File) assignment(n *ast.AssignStmt) []change {
	if n.Tok == token.DEFINE {
		return nil
	}
	var all []change
	for _, target := range n.Lhs {
		if f.text(target) == "_" {
			continue
		}
		c := f.replace("statement", target, "_", fmt.Sprintf("without %s of %s", f.short(target), f.short(n)))
		if n.Tok != token.ASSIGN { // += and the like
			c.end, c.with = f.offset(n.TokPos)+len(n.Tok.String()), "_ ="
		}
		all = append(all, c)
	}
	if all == nil { // all targets are blank
		all = append(all, f.without(n))
	}
	return all
}

// returns gives back the zero value for each result in turn. The result is still worked out.
func (f *File) returns(n *ast.ReturnStmt, stack []ast.Node) []change {
	types := f.resultTypes(stack)
	if len(types) == 0 {
		return []change{f.without(n)}
	}
	if len(n.Results) != len(types) {
		if len(n.Results) == 0 {
			return nil
		}
		blanks := strings.TrimSuffix(strings.Repeat("_, ", len(types)), ", ")
		with := fmt.Sprintf("%s = %s; return %s", blanks, f.text(n.Results[0]), strings.Join(types, ", "))
		return []change{f.replace("return", n, with, f.short(n)+" -> zero values")}
	}
	var all []change
	for i, result := range n.Results {
		if f.isZeroOrBool(result) {
			continue
		}
		results := make([]string, len(types))
		for j, r := range n.Results {
			results[j] = f.text(r)
		}
		what := f.short(n)
		if len(types) > 1 {
			what += ": " + f.short(result)
		}
		other := func(value, name string) {
			results[i] = value
			with := fmt.Sprintf("_ = %s; return %s", f.text(result), strings.Join(results, ", "))
			all = append(all, f.replace("return", n, with, what+" -> "+name))
		}
		other(types[i], "zero value")
		if types[i] == "*new(bool)" {
			other("true", "true")
		}
	}
	return all
}

// isZeroOrBool says whether an expression is a constant that its literal, or nothing, breaks.
func (f *File) isZeroOrBool(e ast.Expr) bool {
	known := f.Package.types[e]
	if known.IsNil() || known.Value == nil {
		return known.IsNil()
	}
	switch known.Value.Kind() {
	case constant.Bool:
		return true
	case constant.String:
		return constant.StringVal(known.Value) == ""
	default:
		return constant.Sign(known.Value) == 0
	}
}

// resultTypes are the zero values of what the innermost function returns, in words that hold for every type.
func (f *File) resultTypes(stack []ast.Node) []string {
	for _, around := range slices.Backward(stack) {
		var results *ast.FieldList
		switch function := around.(type) {
		case *ast.FuncLit:
			results = function.Type.Results
		case *ast.FuncDecl:
			results = function.Type.Results
		default:
			continue
		}
		var zeros []string
		if results != nil {
			for _, field := range results.List {
				for range max(1, len(field.Names)) {
					zeros = append(zeros, "*new("+f.text(field.Type)+")")
				}
			}
		}
		return zeros
	}
	return nil
}

// cases takes each value out of a case, or the case if it has no other. In a switch without a tag the values are conditions.
func (f *File) cases(n *ast.CaseClause, stack []ast.Node) []change {
	var all []change
	for i, value := range n.List {
		switch {
		case isTagless(stack):
			all = append(all, f.condition(value)...)
		case len(n.List) == 1:
			all = append(all, f.replace("statement", n, "", "without case "+f.short(value)))
		default:
			all = append(all, f.drop("element", n.List, i, n.Colon, "case without "+f.short(value)))
		}
	}
	return all
}

// isTagless says whether a stack that ends at the body of a switch is that of one without a tag.
func isTagless(stack []ast.Node) bool {
	around, ok := stack[len(stack)-2].(*ast.SwitchStmt)
	return ok && around.Tag == nil
}
