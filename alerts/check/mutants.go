package check

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Mutant is rules.yml with one thing broken in one rule.
type Mutant struct {
	// ID names the rule and the change; it stays the same while the rule does.
	ID    string
	Rule  string
	Rules RuleFile
}

// Mutants breaks every threshold, window, label and operator of every rule in turn.
func Mutants(rules RuleFile) ([]Mutant, error) {
	var all []Mutant
	for g, group := range rules.Groups {
		for r, rule := range group.Rules {
			seen := map[string]int{}
			add := func(what string, change func(*Rule)) {
				id := rule.Name() + ": " + what
				if seen[id]++; seen[id] > 1 {
					id = fmt.Sprintf("%s, place %d", id, seen[id])
				}
				m := Mutant{ID: id, Rule: rule.Name(), Rules: rules.Clone()}
				change(&m.Rules.Groups[g].Rules[r])
				all = append(all, m)
			}
			words, err := Words(rule.Expr)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", rule.Name(), err)
			}
			for i := range words {
				for _, c := range changes(words, i) {
					expr := rule.Expr[:c.start] + c.with + rule.Expr[c.end:]
					add(c.what, func(m *Rule) { m.Expr = expr })
				}
			}
			if rule.For != "" {
				for _, with := range scaledWindow(rule.For) {
					add(fmt.Sprintf("for %s -> %s", rule.For, with), func(m *Rule) { m.For = with })
				}
			}
		}
	}
	return all, nil
}

type change struct {
	what, with string
	start, end int
}

var swaps = map[string][]string{
	">": {">=", "<"}, "<": {"<=", ">"}, ">=": {">", "<"}, "<=": {"<", ">"}, "==": {"!="}, "!=": {"=="},
	"+": {"-"}, "-": {"+"}, "*": {"+"}, "/": {"*"},
	"and": {"unless", "or"}, "unless": {"and", "or"}, "or": {"and", "unless"},
	"max": {"min", "sum"}, "min": {"max"}, "sum": {"max"}, "count": {"max"},
	"max_over_time": {"min_over_time"}, "min_over_time": {"max_over_time"},
	"avg_over_time": {"min_over_time", "max_over_time"}, "last_over_time": {"min_over_time", "max_over_time"},
	"changes": {"resets"},
}

var matcherSwaps = map[string]string{"=": "!=", "!=": "=", "=~": "!~", "!~": "=~"}

// changes returns the ways to break word i.
func changes(words []Word, i int) []change {
	w := words[i]
	var all []change
	put := func(start, end int, with, what string) {
		all = append(all, change{what: what, with: with, start: start, end: end})
	}
	swap := func(with string) { put(w.Start, w.End, with, fmt.Sprintf("%s -> %s", w.Text, with)) }
	switch w.Kind {
	case Operator, Function:
		for _, with := range swaps[w.Text] {
			swap(with)
		}
	case Keyword:
		for _, with := range swaps[w.Text] {
			// `or` takes no on (...)
			if with == "or" && words[i+1].Text == "on" {
				continue
			}
			swap(with)
		}
	case MatcherOp:
		name := words[i-1].Text
		with := matcherSwaps[w.Text]
		put(w.Start, w.End, with, fmt.Sprintf("%s%s%s -> %s", name, w.Text, words[i+1].Text, with))
	case MatcherName:
		end := words[i+2].End
		if words[i+3].Text == "," {
			end = words[i+3].End
		}
		put(w.Start, end, "", fmt.Sprintf("without the matcher %s%s%s", w.Text, words[i+1].Text, words[i+2].Text))
	case MatcherValue:
		for _, value := range strings.Split(strings.Trim(w.Text, `"`), "|") {
			if with := `"` + dropAlternative(strings.Trim(w.Text, `"`), value) + `"`; with != `""` {
				put(w.Start, w.End, with, fmt.Sprintf("%s -> %s", w.Text, with))
			}
		}
	case ListLabel:
		start, end := w.Start, w.End
		if words[i+1].Text == "," {
			end = words[i+1].End
		} else if words[i-1].Text == "," {
			start = words[i-1].Start
		}
		put(start, end, "", "without the label "+w.Text)
	case Number:
		for _, with := range shiftedNumber(w.Text) {
			swap(with)
		}
	case Duration:
		for _, with := range scaledWindow(w.Text) {
			put(w.Start, w.End, with, fmt.Sprintf("[%s] -> [%s]", w.Text, with))
		}
	}
	return all
}

// dropAlternative takes one alternative out of a|b|c.
func dropAlternative(values, without string) string {
	var kept []string
	for _, v := range strings.Split(values, "|") {
		if v != without {
			kept = append(kept, v)
		}
	}
	return strings.Join(kept, "|")
}

// shiftedNumber returns the neighbours of a count, half and one and a half of a share, half and double of a number of seconds.
func shiftedNumber(text string) []string {
	n, _ := strconv.ParseFloat(text, 64)
	low, high := n-1, n+1
	if n > 100 {
		low, high = n/2, n*2
	} else if n > 0 && n < 1 {
		low, high = n/2, n*1.5
	}
	format := func(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }
	return []string{format(low), format(high)}
}

// scaledWindow returns half and double of a window.
func scaledWindow(text string) []string {
	d, _ := time.ParseDuration(text)
	return []string{fmt.Sprintf("%ds", int(d.Seconds()/2)), fmt.Sprintf("%ds", int(d.Seconds()*2))}
}
