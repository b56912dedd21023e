package rancher

import "strings"

// words reads the elements of a command one by one, the path first; ok is false behind the last. Whoever reads stops
// where the grammar does, so that a command line of megabytes costs no more than its beginning.
type words func() (word string, ok bool)

// splitCommand takes apart the Command of a container list. Docker joins path and arguments with one blank each and puts
// an argument that contains a blank in single quotes, without escaping quotes inside it (moby container/view.go). So two
// blanks in a row are an empty argument, tabs and newlines are part of one, and an argument that only begins with a quote
// stands as it is. Where the missing escapes leave two readings, the shorter argument is taken. The path is never quoted.
func splitCommand(line string) words {
	return (&splitter{rest: line, more: line != "", path: true, closing: true}).next
}

// splitter stands in a listed command behind the blank that ended the last word.
type splitter struct {
	rest    string
	more    bool // another word follows, if only an empty one
	path    bool // it is the first
	closing bool // a closing quote may lie ahead; once there is none, nobody searches for it again
}

func (s *splitter) next() (word string, ok bool) {
	if s.path {
		s.path = false
		return s.plain()
	}
	return s.argument()
}

// plain is the next word up to a blank, quotes and all.
func (s *splitter) plain() (word string, ok bool) {
	if !s.more {
		return "", false
	}
	word, s.rest, s.more = strings.Cut(s.rest, " ")
	return word, true
}

// argument is the next word, without the quotes Docker put around it.
func (s *splitter) argument() (word string, ok bool) {
	if quoted, ok := strings.CutPrefix(s.rest, "'"); ok {
		if word, ok = s.quoted(quoted); ok {
			return word, true
		}
	}
	return s.plain()
}

// quoted is a word in quotes, line beginning behind the opening one. The closing quote is the first that ends the line or
// has a blank behind it; what it closes must hold a blank, else Docker would not have quoted it.
func (s *splitter) quoted(line string) (word string, ok bool) {
	if !s.closing {
		return "", false
	}
	if word, rest, found := strings.Cut(line, "' "); found {
		if strings.Contains(word, " ") {
			s.rest = rest
			return word, true
		}
		return "", false
	}
	s.closing = false
	if word, ok = strings.CutSuffix(line, "'"); ok && strings.Contains(word, " ") {
		s.more = false
		return word, true
	}
	return "", false
}
