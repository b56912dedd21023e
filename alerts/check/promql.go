package check

import (
	"fmt"
	"regexp"
	"strings"
)

// Kind says what a word of a PromQL expression is.
type Kind int

const (
	Punct        Kind = iota // ( ) [ ] { } ,
	Metric                   // a series name
	Function                 // a function or an aggregation
	Keyword                  // and, or, unless, by, without, on ...
	ListLabel                // a label in by (...), without (...), on (...)
	MatcherName              // the label of a matcher
	MatcherOp                // = != =~ !~
	MatcherValue             // the quoted value of a matcher
	Operator                 // comparison or arithmetic
	Number
	Duration
)

// Word is a word of an expression with its place in the text.
type Word struct {
	Kind       Kind
	Text       string
	Start, End int
}

var (
	wordRE = regexp.MustCompile("^(?:\"(?:[^\"\\\\]|\\\\.)*\"|'(?:[^'\\\\]|\\\\.)*'|`[^`]*`|[a-zA-Z_:][a-zA-Z0-9_:]*|[0-9]+(?:ms|[smhdwy])|[0-9]+(?:\\.[0-9]+)?|=~|!~|==|!=|>=|<=|[-+*/%^<>=(){}\\[\\],])")

	keywords  = set("and or unless by without on ignoring group_left group_right bool offset")
	labelList = set("by without on ignoring group_left group_right")
)

// Words splits an expression. It knows the PromQL that the rules use and fails on the rest, such as the @ modifier, which Prometheus has only
// from 2.33 on.
func Words(expr string) ([]Word, error) {
	var words []Word
	braces, inList, lastKeyword := 0, false, ""
	for i := 0; i < len(expr); {
		if strings.ContainsRune(" \t\n", rune(expr[i])) {
			i++
			continue
		}
		text := wordRE.FindString(expr[i:])
		if text == "" {
			return nil, fmt.Errorf("%q is nothing this reader knows", expr[i:])
		}
		w := Word{Text: text, Start: i, End: i + len(text)}
		i = w.End
		first := text[0]
		switch {
		case text == "{":
			braces++
		case text == "}":
			braces--
		case text == "(":
			inList = labelList[lastKeyword]
		case text == ")":
			inList = false
		case strings.ContainsRune("[],", rune(first)):
		case braces > 0 && strings.ContainsRune("\"'`", rune(first)):
			w.Kind = MatcherValue
		case braces > 0 && strings.ContainsRune("=!", rune(first)):
			w.Kind = MatcherOp
		case strings.ContainsRune("\"'`", rune(first)): // an argument, as label_replace has them
		case braces > 0:
			w.Kind = MatcherName
		case inList:
			w.Kind = ListLabel
		case keywords[text]:
			w.Kind = Keyword
		case first >= '0' && first <= '9' && strings.ContainsAny(text, "smhdwy"):
			w.Kind = Duration
		case first >= '0' && first <= '9':
			w.Kind = Number
		case strings.ContainsRune("-+*/%^<>=!", rune(first)):
			w.Kind = Operator
		case isFunction(expr[i:]):
			w.Kind = Function
		default:
			w.Kind = Metric
		}
		lastKeyword = ""
		if w.Kind == Keyword {
			lastKeyword = text
		}
		words = append(words, w)
	}
	return words, nil
}

var functionTail = regexp.MustCompile(`^\s*(?:\(|(?:by|without)\s*\()`)

// isFunction looks at what follows a name: "(", or the by or without of an aggregation.
func isFunction(tail string) bool { return functionTail.MatchString(tail) }

// Of returns the different words of a kind.
func Of(words []Word, kind Kind) map[string]bool {
	found := map[string]bool{}
	for _, w := range words {
		if w.Kind == kind {
			found[w.Text] = true
		}
	}
	return found
}

func set(words string) map[string]bool {
	s := map[string]bool{}
	for _, w := range strings.Fields(words) {
		s[w] = true
	}
	return s
}
