package rancher

import "strings"

// memory keeps what has been read of one list: thousands of leaked containers share a few images and server URLs, and
// reading those is the slowest part of classifying a container.
type memory struct {
	images  map[string]image
	servers map[string]string
}

func newMemory() memory {
	return memory{images: make(map[string]image), servers: make(map[string]string)}
}

// image is [parseImage], once for each reference.
func (m memory) image(ref string) image {
	i, ok := m.images[ref]
	if !ok {
		i = parseImage(ref)
		m.images[ref] = i
	}
	return i
}

// isAgentRepository goes by the last path element of the repository. rancher/agent, the name of the 2.0.0 betas and of
// Rancher v1, is not enough.
func (m memory) isAgentRepository(ref string) bool {
	return strings.Contains(ref, agentRepository) && m.image(ref).agent // most containers of a node need no parser
}

// server is [serverURL], once for each value.
func (m memory) server(raw string) string {
	server, ok := m.servers[raw]
	if !ok {
		server = serverURL(raw)
		m.servers[raw] = server
	}
	return server
}
