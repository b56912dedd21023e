package faults

import (
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/e2e/exporter"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/testkit"
)

// refusesOld is the configuration of an engine that refuses API versions below 1.44, as Docker 29 did when it came out. The
// older engine knows none above 1.41: whoever is right with both has settled on a version anew. Debian's runc knows no time
// namespaces.
const refusesOld = `{"min-api-version": "1.44", "features": {"time-namespaces": false}}`

// A newer engine takes the older one's place at the same socket, with other containers, and the older one comes back.
func newerEngine(t *testing.T, o *outcome) {
	newer := os.Getenv("MOBY_DOCKERD")
	if newer == "" {
		testkit.Need(t, errors.New("MOBY_DOCKERD is not set: `make faults` builds a newer dockerd"))
	}
	l := begin(t, 3)
	x := start(t, l.Host())
	x.healthy(l.want())
	o.sawf("API %s, then none", l.api())

	old := l.writers
	l.Stop()
	x.blind("no such socket")
	died := x.Scrape()[certWriterEvents("die")]
	l.Use(newer, refusesOld)
	l.Start()
	upgraded := time.Now()
	x.rightAgain(o, upgraded, exporter.Metrics{up: 1, running: 0})
	o.sawf("then %s", l.api())
	l.writers, l.events["die"] = nil, int(died)
	l.ImportLab()
	l.grow(5)
	x.counted(l)
	l.shrink(2)
	l.Create(cluster().ShareMnt("/nowhere"))
	l.prune()
	x.counted(l)
	x.Expect(patience, exporter.Metrics{"rancher_agent_share_mnt_present": 1, `rancher_agent_share_mnt_containers{state="created"}`: 1})

	l.Stop()
	x.blind("no such socket")
	l.Use("dockerd", "{}")
	l.Start()
	downgraded := time.Now()
	x.rightAgain(o, downgraded, nil)
	o.sawf("then %s again", l.api())
	started := x.Scrape()[certWriterEvents("start")]
	l.writers = old
	l.grow(1)
	x.Expect(patience, exporter.Metrics{running: 4, certWriterEvents("start"): started + 1})
	o.lost = fmt.Sprintf("nothing: %v of 3 ends at the stop, 5 creations on the newer engine, %v of 3 starts when the older one came back",
		died, started-float64(l.events["start"]-1))
	x.unharmed()
}

// api is the version that the engine talks at most.
func (l *life) api() string {
	l.t.Helper()
	version, err := l.Docker().ServerVersion(l.t.Context())
	if err != nil {
		l.t.Fatal(err)
	}
	return version.APIVersion
}
