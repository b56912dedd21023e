package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"strconv"
)

// swaps are the neighbours of an operator. The first one of a comparison is the nearest.
var swaps = map[token.Token][]token.Token{
	token.EQL: {token.NEQ}, token.NEQ: {token.EQL},
	token.LSS: {token.LEQ, token.GEQ}, token.LEQ: {token.LSS, token.GTR},
	token.GTR: {token.GEQ, token.LEQ}, token.GEQ: {token.GTR, token.LSS},
	token.ADD: {token.SUB}, token.SUB: {token.ADD}, token.MUL: {token.QUO}, token.QUO: {token.MUL}, token.REM: {token.QUO},
	token.LAND: {token.LOR}, token.LOR: {token.LAND},
}

var negated = map[token.Token]token.Token{
	token.EQL: token.NEQ, token.NEQ: token.EQL, token.LSS: token.GEQ, token.GEQ: token.LSS, token.GTR: token.LEQ, token.LEQ: token.GTR,
}

// condition makes a condition true or false whatever happens; it is still there, so that what it uses stays used.
func (f *File) condition(cond ast.Expr) []change {
	return []change{
		f.replace("condition", cond, "true || ("+f.text(cond)+")", f.short(cond)+" -> always"),
		f.replace("condition", cond, "false && ("+f.text(cond)+")", f.short(cond)+" -> never"),
	}
}

// isCondition says whether an expression is the whole condition of a statement: always and never negate it already.
func isCondition(n ast.Expr, stack []ast.Node) bool {
	switch parent := stack[len(stack)-1].(type) {
	case *ast.IfStmt:
		return parent.Cond == n
	case *ast.ForStmt:
		return parent.Cond == n
	case *ast.CaseClause:
		return isTagless(stack[:len(stack)-1])
	}
	return false
}

func (f *File) binary(n *ast.BinaryExpr, stack []ast.Node) []change {
	var all []change
	x, y := f.text(n.X), f.text(n.Y)
	for _, op := range swaps[n.Op] {
		if negated[n.Op] == op && isCondition(n, stack) {
			continue
		}
		with := fmt.Sprintf("((%s) %s (%s))", x, op, y)
		all = append(all, f.replace("operator", n, with, fmt.Sprintf("%s: %s -> %s", f.short(n), n.Op, op)))
	}
	if n.Op == token.LAND || n.Op == token.LOR {
		all = append(all,
			f.replace("operand", n, "("+y+")", fmt.Sprintf("%s without %s", f.short(n), f.short(n.X))),
			f.replace("operand", n, "("+x+")", fmt.Sprintf("%s without %s", f.short(n), f.short(n.Y))))
	}
	return all
}

func (f *File) not(n *ast.UnaryExpr, stack []ast.Node) []change {
	if n.Op != token.NOT || isCondition(n, stack) {
		return nil
	}
	return []change{f.replace("operator", n, f.text(n.X), f.short(n)+" without !")}
}

// literal shifts a number by one, doubles a fraction, and makes a string longer and shorter.
func (f *File) literal(n *ast.BasicLit, stack []ast.Node) []change {
	if field, ok := stack[len(stack)-1].(*ast.Field); ok && field.Tag == n {
		return nil
	}
	var with []string
	switch n.Kind {
	case token.INT:
		if value, err := strconv.ParseInt(n.Value, 0, 64); err == nil {
			with = []string{strconv.FormatInt(value+1, 10), strconv.FormatInt(value-1, 10)}
		}
	case token.FLOAT:
		with = []string{n.Value + "*2"}
	case token.CHAR:
		with = []string{"'~'"}
	case token.STRING:
		value, err := strconv.Unquote(n.Value)
		if err != nil {
			return nil
		}
		with = []string{strconv.Quote(value + "~")}
		if runes := []rune(value); len(runes) > 0 {
			with = append(with, strconv.Quote(string(runes[:len(runes)-1])))
		}
	}
	var all []change
	for i, w := range with {
		what := fmt.Sprintf("%s -> %s", f.short(n), w)
		if n.Kind == token.STRING {
			what = fmt.Sprintf("%s %s", f.short(n), [...]string{"longer", "shorter"}[i])
		}
		all = append(all, f.replace("literal", n, w, what))
	}
	return all
}

func (f *File) boolean(n *ast.Ident) []change {
	other := map[string]string{"true": "false", "false": "true"}[n.Name]
	if other == "" {
		return nil
	}
	return []change{f.replace("literal", n, other, n.Name+" -> "+other)}
}

// arguments swaps each two that stand side by side.
func (f *File) arguments(n *ast.CallExpr) []change {
	var all []change
	for i := range n.Args[:max(0, len(n.Args)-1)] {
		x, y := n.Args[i], n.Args[i+1]
		if f.text(x) == f.text(y) {
			continue
		}
		between := string(f.Source[f.offset(x.End()):f.offset(y.Pos())])
		all = append(all, change{
			kind: "argument", what: fmt.Sprintf("%s(…): %s, %s swapped", f.short(n.Fun), f.short(x), f.short(y)),
			start: f.offset(x.Pos()), end: f.offset(y.End()), with: f.text(y) + between + f.text(x),
		})
	}
	return all
}

// elements takes each element out of a composite literal.
func (f *File) elements(n *ast.CompositeLit) []change {
	var all []change
	for i, e := range n.Elts {
		all = append(all, f.drop("element", n.Elts, i, n.Rbrace, fmt.Sprintf("%s without %s", f.typeOf(n), f.short(e))))
	}
	return all
}

func (f *File) typeOf(n *ast.CompositeLit) string {
	if n.Type == nil {
		return "{…}"
	}
	return f.short(n.Type) + "{…}"
}

// drop takes an expression and the comma beside it out of a list that ends at a token.
func (f *File) drop(kind string, list []ast.Expr, i int, closing token.Pos, what string) change {
	start, end := f.offset(list[i].Pos()), f.offset(closing)
	if i+1 < len(list) {
		end = f.offset(list[i+1].Pos())
	} else if i > 0 {
		start = f.offset(list[i-1].End())
	}
	return change{kind: kind, what: what, start: start, end: end}
}
