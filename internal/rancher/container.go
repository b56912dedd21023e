package rancher

import (
	"fmt"
	"io"
	"time"
)

// Container is what the Docker Engine says of one container, as far as this package needs it.
type Container struct {
	ID      string            // whole, 64 hex digits
	Names   []string          // with their leading slash; may be empty for a container in trouble
	Image   string            // as the list shows it: reference, reference@digest or a bare image ID
	Command CommandLine       // entrypoint and arguments
	Created int64             // Unix seconds, as Docker gives them
	Labels  map[string]string // of the container, the image's included
	State   string            // "running", "exited" …
	Status  string            // "Exited (0) 5 minutes ago" …
	Started time.Time         // last start; known only from an inspect, zero if unknown or never started
	// RestartCount is how often Docker itself has started it again since somebody last started it; known only from an inspect.
	RestartCount int
}

// firstName is the name the node-agent looks at in its clean-up, without the leading slash; "" where there is none.
func (c Container) firstName() string {
	if len(c.Names) == 0 {
		return ""
	}
	return trimSlash(c.Names[0])
}

// CommandLine is the command line of a container. It holds the cluster's token, so it prints and marshals as [redacted]
// whatever the verb, and only this package can look inside. The text hides behind a function and not in a string field,
// because package fmt prints an unexported field without asking its String method.
type CommandLine struct {
	open func() words
}

const redacted = "[redacted]"

// ListedCommand is a command as GET /containers/json shows it: one line, see [splitCommand].
func ListedCommand(line string) CommandLine {
	return CommandLine{open: func() words { return splitCommand(line) }}
}

// InspectedCommand is a command as GET /containers/{id}/json shows it: path and arguments apart.
func InspectedCommand(path string, args []string) CommandLine {
	return CommandLine{open: func() words {
		next := -1
		return func() (string, bool) {
			next++
			switch {
			case next == 0:
				return path, true
			case next <= len(args):
				return args[next-1], true
			default:
				return "", false
			}
		}
	}}
}

// words are the elements of the command, the path first; none for a container without a command.
func (c CommandLine) words() words {
	if c.open == nil {
		return func() (string, bool) { return "", false }
	}
	return c.open()
}

// String hides the command.
func (CommandLine) String() string { return redacted }

// GoString hides the command from %#v.
func (CommandLine) GoString() string { return redacted }

// Format hides the command from every verb.
func (CommandLine) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, redacted) }

// MarshalText hides the command from encoders.
func (CommandLine) MarshalText() ([]byte, error) { return []byte(redacted), nil }

// MarshalJSON hides the command from encoding/json.
func (CommandLine) MarshalJSON() ([]byte, error) { return []byte(`"` + redacted + `"`), nil }
