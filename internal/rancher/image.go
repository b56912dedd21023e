package rancher

import (
	"path"
	"strings"

	"github.com/distribution/reference"
)

// image is what a reference says, as Docker shows it.
type image struct {
	name  string // without digest; Unknown for a bare image ID, which Docker shows once the tag has moved
	agent bool   // the last path element of its repository is rancher-agent, whatever the registry
}

const agentRepository = "rancher-agent"

func parseImage(ref string) image {
	unknown := image{name: Unknown}
	if isImageID(ref) {
		return unknown
	}
	name, digest, found := strings.Cut(ref, "@")
	if found && !isDigest(digest) {
		return unknown
	}
	parsed, _ := reference.Parse(name) // nil if it is none
	named, ok := parsed.(reference.Named)
	if !ok {
		return unknown
	}
	return image{name: named.String(), agent: path.Base(named.Name()) == agentRepository}
}

// isDigest is strict: what stands before an @ that begins no digest may be somebody's password.
func isDigest(s string) bool {
	algorithm, hex, _ := strings.Cut(s, ":")
	return (algorithm == "sha256" || algorithm == "sha384" || algorithm == "sha512") && isHex(hex)
}

// isImageID says whether Docker shows the image by its ID alone: sha256:HEX, or HEX of a short or whole ID.
func isImageID(ref string) bool {
	id, prefixed := strings.CutPrefix(ref, "sha256:")
	return (prefixed || len(id) >= shortIDLength) && isHex(id)
}

// shortIDLength is how many hex digits docker ps shows of an ID.
const shortIDLength = 12

// ShortID is a container ID as docker ps shows it; [Unknown] for what is no container ID.
func ShortID(id string) string {
	if len(id) < shortIDLength || !isHex(id) {
		return Unknown
	}
	return id[:shortIDLength]
}

func isHex(s string) bool {
	return s != "" && strings.Trim(s, "0123456789abcdef") == ""
}
