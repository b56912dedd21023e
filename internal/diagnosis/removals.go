package diagnosis

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/rancher"
)

// removals finds that something keeps removing share-mnt, where each removal leaks.
func (l look) removals() *Finding {
	if l.shareMnt == nil || !l.shareMnt.Leaks || len(l.live) == 0 {
		return nil
	}
	if newest := l.live[len(l.live)-1]; l.now.Sub(time.Unix(newest.Created, 0)) >= leakEnds {
		return nil
	}
	times := l.recreations()
	if len(times) <= normalRecreations {
		return nil
	}
	f := &Finding{
		Title: fmt.Sprintf("Something removes share-mnt again and again: %d times in %s", len(times), Words(l.now.Sub(times[0]))),
		Seen:  []string{"It was created again at " + list(times) + "."},
		Why: "A stopped share-mnt looks like rubbish to whatever removes stopped containers (docker system prune, docker container prune, docker rm, " +
			"docker-gc). The node-agent creates it again within minutes, and each new one leaves one more cert-writer (rancher/rancher#15364). " +
			"Stop that job, or make it spare containers of Rancher.",
		Commands: []Command{
			{"Look for the job in cron.", "grep -rnE 'docker.*(prune| rm )|docker-gc' /etc/cron* /var/spool/cron"},
			{"Look for a timer.", "systemctl --no-pager list-timers --all"},
			{"Look for a container that tidies up.", "docker ps -a | grep -Ei 'docker-gc|docker-cleanup|janitor|prune'"},
			{"A prune that spares Rancher's containers, to replace one that does not.", "docker system prune -f --filter 'label!=io.rancher.rke.container.name'"},
		},
	}
	if every, ok := period(times); ok {
		f.Title += ", about every " + Words(every)
		f.Seen = append(f.Seen, fmt.Sprintf("Look for a timer or a cron job that runs about every %s.", Words(every)))
	}
	if destroyed := l.eventTimes(rancher.RoleShareMnt, "destroy"); len(destroyed) > 0 {
		f.Seen = append(f.Seen, "Docker reported its removal at "+list(destroyed)+".")
	}
	if pruned := l.eventTimes(rancher.RoleNone, rancher.EventPrune); len(pruned) > 0 {
		f.Seen = append(f.Seen, "Docker reported a container prune at "+list(pruned)+".")
	}
	f.lasted(removedAlert, times[normalRecreations], l.now)
	return f
}

// recreations are the creations of share-mnt that are known, within the window of the alert and the oldest first: of the
// one that is there, of those that events tell of, and of those that have left a cert-writer. A cert-writer younger than
// the share-mnt that is there comes from a restart of that one, and a share-mnt as young as the node-agent from the
// building of the node or an upgrade. What a restart of the node-agent removed is not known.
func (l look) recreations() []time.Time {
	times := l.eventTimes(rancher.RoleShareMnt, "create")
	for _, t := range append(creations(l.live), time.Unix(l.shareMnt.Created, 0)) {
		if t.Unix() <= l.shareMnt.Created {
			times = append(times, t)
		}
	}
	slices.SortFunc(times, time.Time.Compare)
	times = slices.DeleteFunc(times, func(t time.Time) bool { return l.now.Sub(t) > removalsWindow || t.Sub(l.lastStart).Abs() < cleanUpTime })
	// a share-mnt, the event of its creation and its cert-writer are seconds apart
	return slices.CompactFunc(times, func(a, b time.Time) bool { return a.Sub(b).Abs() < 30*time.Second })
}

// period is how far times are apart, if three in four are about equally far: the node-agent makes up for a removal at its
// next check, which is two minutes later at most.
func period(times []time.Time) (time.Duration, bool) {
	if len(times) <= normalRecreations {
		return 0, false
	}
	var gaps []time.Duration
	for i := range times[1:] {
		gaps = append(gaps, times[i+1].Sub(times[i]))
	}
	slices.Sort(gaps)
	median := gaps[len(gaps)/2]
	var sum time.Duration
	alike := 0
	for _, gap := range gaps {
		if (gap - median).Abs() <= min(2*time.Minute, median/2)+median/10 {
			sum += gap
			alike++
		}
	}
	if 4*alike < 3*len(gaps) {
		return 0, false
	}
	mean := sum / time.Duration(alike)
	if mean >= 2*time.Minute {
		return mean.Round(time.Minute), true
	}
	return mean.Round(time.Second), mean >= time.Second
}

// list writes the last of some times down.
func list(times []time.Time) string {
	const shown = 6
	var words []string
	for _, t := range times[max(0, len(times)-shown):] {
		words = append(words, t.UTC().Format("01-02 15:04"))
	}
	text := strings.Join(words, ", ") + " UTC"
	if len(times) > shown {
		return fmt.Sprintf("%s (and %s before)", text, count(len(times)-shown, "time"))
	}
	return text
}
