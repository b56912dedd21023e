package main

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

var (
	builtIn      = regexp.MustCompile(`\$\{?__\w+`)
	knownToSeven = map[string]bool{"$__range": true, "$__range_s": true, "$__interval": true}
	quoted       = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)
	aroundSigns  = regexp.MustCompile(`\s*([,(){}=~!<>*+/-])\s*`)
)

// exprForGrafana7 replaces $__rate_interval, which came with 7.2, by a window of several scrapes at any interval that the stacks of that time use.
func exprForGrafana7(expr string) (string, error) {
	expr = strings.ReplaceAll(expr, "$__rate_interval", "5m")
	for _, name := range builtIn.FindAllString(expr, -1) {
		if !knownToSeven[name] {
			return "", fmt.Errorf("%s is not known to Grafana 7.1 in %.200s", name, expr)
		}
	}
	expr = short(expr)
	if n := lengthInURL(expr); n > longest {
		return "", fmt.Errorf("a query of %d characters in a URL, more than the %d there is room for: %.200s", n, longest, expr)
	}
	return expr, nil
}

// short leaves out the spaces that PromQL does not need.
func short(expr string) string {
	var b strings.Builder
	end := 0
	for _, at := range quoted.FindAllStringIndex(expr, -1) {
		b.WriteString(aroundSigns.ReplaceAllString(expr[end:at[0]], "$1"))
		b.WriteString(expr[at[0]:at[1]])
		end = at[1]
	}
	b.WriteString(aroundSigns.ReplaceAllString(expr[end:], "$1"))
	return b.String()
}

// longest: Grafana 7 asks by GET unless its data source says otherwise, and the nginx in front of Rancher's Grafana takes 8 kB for method, path and query.
const longest = 7500

// lengthInURL is how long an expression is there, with the job that the chart has and All for the rest.
func lengthInURL(expr string) int {
	filled := strings.NewReplacer("$job", "rancher-agent-exporter", "$cluster", ".*", "$node", ".*", "$instance", ".+").Replace(expr)
	n := len(url.QueryEscape(filled)) + 2*strings.Count(filled, " ")
	for _, plain := range "()!*'~" { // which a browser leaves as they are
		n -= 2 * strings.Count(filled, string(plain))
	}
	return n
}

// nothing is the number that stands for none: far below every limit, and worded by a mapping, which NaN cannot be.
const nothing = "-1e99"

// standIns are the queries that have rows wherever the first has, where that is not the second; the tests tell.
var standIns = map[string]int{"Why share-mnt starts again": 3}

// mergeable: the merge of 7.1 leaves all tables as they are when one of them is empty, and only the first would be seen. So a query without a result
// gives the rows of the first one with nothing, or where that would be too long, those of another.
func mergeable(title string, targets []oldTarget, labels []string) error {
	var exprs []string
	for _, t := range targets {
		exprs = append(exprs, t.Expr)
	}
	standIn := 1
	if i, is := standIns[title]; is {
		standIn = i
	}
	bringsLabel := func(expr string) bool {
		return slices.ContainsFunc(labels, func(l string) bool { return strings.Contains(expr, `"`+l+`"`) })
	}
	for i, expr := range exprs {
		if i == 0 {
			continue
		}
		whole := func(base string) string {
			return fmt.Sprintf("%s or (%s)*0+%s unless on()(%s)", expr, base, nothing, expr)
		}
		candidates := []string{whole(exprs[0])}
		switch {
		case i == standIn:
			candidates = append(candidates, expr)
		case bringsLabel(expr):
			candidates = append(candidates, whole(exprs[standIn]))
		default:
			candidates = append(candidates, fmt.Sprintf("%s or (%s)*0+%s", expr, exprs[standIn], nothing))
		}
		fits := slices.IndexFunc(candidates, func(c string) bool { return lengthInURL(c) <= longest })
		if fits < 0 {
			return fmt.Errorf("query %s has no room for a stand-in of its empty result", targets[i].RefID)
		}
		targets[i].Expr = candidates[fits]
	}
	return nil
}

// noNumber puts a word before an ID: 7.1 takes 5266604818e3 for a number.
func noNumber(targets []oldTarget, label string) {
	for i := range targets {
		targets[i].Expr = fmt.Sprintf(`label_replace(%s, %q, "id $1", %q, "(.+)")`, targets[i].Expr, label, label)
	}
}
