package realengine

import (
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"time"
)

// oldVersion is the API of Docker 1.12, the oldest that the exporter promises to understand.
const oldVersion = "1.24"

// OldAPI is the host of a proxy before the engine that offers API 1.24 and no newer, until the test ends. The engine's
// answers of that version are its own.
func (n *Node) OldAPI() string {
	n.tb.Helper()
	socket := filepath.Join(n.dir, "old.sock")
	listener, err := net.Listen("unix", socket)
	n.must("listen for the proxy", err)
	proxy := Proxy(n.Socket())
	proxy.ModifyResponse = func(r *http.Response) error {
		r.Header.Set("Api-Version", oldVersion)
		return nil
	}
	server := &http.Server{Handler: refuseNewer(proxy), ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = server.Serve(listener) }()
	n.tb.Cleanup(func() { _ = server.Close() })
	return "unix://" + socket
}

// refuseNewer answers as an old engine does to a client that speaks a newer API. Without a version an engine answers with
// its own newest, so such a request gets the old one's answer.
func refuseNewer(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		version, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
		switch {
		case version == "v"+oldVersion, r.URL.Path == "/_ping":
		case strings.HasPrefix(version, "v1."):
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusBadRequest)
			_, _ = fmt.Fprintf(w, `{"message":"client is newer than server (client API version: %s, server API version: %s)"}`, version[1:], oldVersion)
			return
		default:
			r.URL.Path = "/v" + oldVersion + r.URL.Path
		}
		next.ServeHTTP(w, r)
	})
}
