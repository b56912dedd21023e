package diagnosis

import (
	"fmt"
	"time"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/node"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/rancher"
)

// quiet is what there is to say when nothing is wrong.
func (l look) quiet() *Finding {
	if len(l.managed()) == 0 {
		f := &Finding{
			Severity: OK,
			Title:    "This is no node of an RKE1 cluster of Rancher",
			Seen:     []string{"There is no share-mnt, no node-agent and no cert-writer."},
			Why:      "Only RKE1 nodes that Rancher v2.0.6 to v2.5.9 built leak. Imported clusters, RKE2, k3s and the local cluster never do.",
		}
		if l.RKE {
			f.Severity = Info
			f.Title = "RKE's containers are here, but nothing of Rancher"
			f.Why = "So it is on a node that the RKE command built, or that was taken out of Rancher. A node that Rancher manages has a node-agent."
		}
		return f
	}
	f := &Finding{Severity: OK, Title: "Nothing wrong"}
	f.Seen = append(f.Seen, fmt.Sprintf("%s; 0 or 1 is normal up to Rancher v2.5.9.", count(len(l.live), "live cert-writer")))
	switch s := l.shareMnt; {
	case s != nil:
		f.Seen = append(f.Seen, fmt.Sprintf("share-mnt is %s, created %s ago, image %s.", State(s), Age(s, l.now), s.Image))
	case l.RKE || len(l.times(rancher.RoleShareMnt, "destroy")) > 0:
		f.Seen = append(f.Seen, "There is no share-mnt just now; the node-agent creates it at its next check, in a few minutes. If not, look at its log.")
	default:
		f.Seen = append(f.Seen, "There is no share-mnt, as is right for an imported cluster and for local: RKE's containers (kubelet, kube-proxy …) are not here either.")
	}
	f.Seen = append(f.Seen, "The node-agent runs"+l.runningFor()+".")
	return f
}

// unreachable is all there is to say when the containers could not be listed.
func unreachable(o node.Observation, now time.Time) Finding {
	f := Finding{
		Severity: Warning,
		Title:    "Docker cannot be asked, so whether this node leaks is unknown",
		Seen:     []string{"The reason: " + o.Err.Error() + "."},
		Why: "The daemon is down or hangs, the socket is elsewhere (--docker.host), its group is not that of the exporter, or a socket proxy does not " +
			"allow GET /containers/json.",
		Commands: []Command{
			{"Is the daemon up?", "systemctl --no-pager status docker"},
			{"Who may open the socket?", "ls -l /var/run/docker.sock"},
			{"What does the daemon say?", "journalctl --no-pager -u docker -n 50"},
		},
	}
	if !o.LastSuccess.IsZero() {
		f.Seen = append(f.Seen, "It could last be asked at "+Stamp(o.LastSuccess)+".")
		f.lasted(unreachableAlert, o.LastSuccess, now)
	}
	return f
}
