package rancher

import (
	"path"
	"strings"

	"github.com/distribution/reference"
)

// imageName is an image reference as Docker shows it, without its digest; [Unknown] for a bare image ID, which Docker
// shows once the tag has moved, and for what is no reference.
func imageName(ref string) string {
	named, ok := parseImage(ref)
	if !ok {
		return Unknown
	}
	return named.String()
}

// isAgentRepository says whether the last path element of the image's repository is rancher-agent, whatever the registry.
// rancher/agent, the name of the 2.0.0 betas and of Rancher v1, is not enough.
func isAgentRepository(ref string) bool {
	if !strings.Contains(ref, "rancher-agent") { // most containers of a node: spare them the parser
		return false
	}
	named, ok := parseImage(ref)
	return ok && path.Base(named.Name()) == "rancher-agent"
}

func parseImage(ref string) (reference.Named, bool) {
	if isImageID(ref) {
		return nil, false
	}
	name, digest, found := strings.Cut(ref, "@")
	if found && !strings.HasPrefix(digest, "sha") {
		return nil, false
	}
	parsed, err := reference.Parse(name)
	if err != nil {
		return nil, false
	}
	named, ok := parsed.(reference.Named)
	return named, ok
}

// isImageID says whether Docker shows the image by its ID alone: sha256:HEX, or HEX of a short or whole ID.
func isImageID(ref string) bool {
	id, prefixed := strings.CutPrefix(ref, "sha256:")
	return (prefixed || len(id) >= shortIDLength) && isHex(id)
}

// shortIDLength is how many hex digits docker ps shows of an ID.
const shortIDLength = 12

// shortID is a container ID as docker ps shows it; [Unknown] for what is no container ID.
func shortID(id string) string {
	if len(id) < shortIDLength || !isHex(id) {
		return Unknown
	}
	return id[:shortIDLength]
}

func isHex(s string) bool {
	return s != "" && strings.Trim(s, "0123456789abcdef") == ""
}
