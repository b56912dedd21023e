package rancher

import "strings"

// splitCommand takes apart the Command of a container list. Docker joins path and arguments with one blank each and puts
// an argument that contains a blank in single quotes, without escaping quotes inside it (moby container/view.go). So two
// blanks in a row are an empty argument, tabs and newlines are part of one, and an argument that only begins with a quote
// stands as it is. Where the missing escapes leave two readings, the shorter argument is taken.
func splitCommand(line string) []string {
	if line == "" {
		return nil
	}
	var words []string
	for {
		word, rest, more := cutWord(line)
		words = append(words, word)
		if !more {
			return words
		}
		line = rest
	}
}

// cutWord cuts the first argument off a listed command; more says that a blank, and so another argument, followed it.
func cutWord(line string) (word, rest string, more bool) {
	if strings.HasPrefix(line, "'") {
		if quoted, rest, more, ok := cutQuoted(line[1:]); ok {
			return quoted, rest, more
		}
	}
	return strings.Cut(line, " ")
}

// cutQuoted cuts an argument in quotes, line beginning behind the opening one. The closing quote is the first that ends
// the line or has a blank behind it; what it closes must hold a blank, else Docker would not have quoted it.
func cutQuoted(line string) (word, rest string, more, ok bool) {
	end := strings.Index(line, "' ")
	if end >= 0 {
		word, rest, more = line[:end], line[end+2:], true
	} else {
		word, ok = strings.CutSuffix(line, "'")
		if !ok {
			return "", "", false, false
		}
	}
	return word, rest, more, strings.Contains(word, " ")
}
