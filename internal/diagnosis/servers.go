package diagnosis

import (
	"fmt"
	"time"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/rancher"
)

// servers finds cert-writers that point at different Rancher servers.
func (l look) servers() *Finding {
	f := &Finding{
		Why: "A cert-writer keeps the URL it was created with. One of these is left over from a changed server-url or from a node that was registered " +
			"again; it goes on asking that server, with the cluster's token. If that server is not yours any more, rotate the token.",
	}
	var starts []time.Time // of the servers, in the order of their oldest cert-writers
	for _, g := range rancher.ServersOf(l.live, len(l.live)).Groups {
		if g.Server == rancher.Unknown {
			continue
		}
		starts = append(starts, l.createdAt(g.Oldest))
		f.Seen = append(f.Seen, fmt.Sprintf("%s: %s, the newest %s old.", g.Server, count(g.Count, "cert-writer"),
			Words(l.now.Sub(time.Unix(g.Newest, 0)))))
	}
	if len(starts) < 2 {
		return nil
	}
	f.Title = fmt.Sprintf("Cert-writers point at %d Rancher servers", len(starts))
	f.lasted(serversAlert, starts[1], l.now)
	return f
}
