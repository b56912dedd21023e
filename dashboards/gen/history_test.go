package main

import (
	"bufio"
	"cmp"
	"fmt"
	"hash/fnv"
	"io"
	"slices"
	"sort"
)

// The history that the tests put into Prometheus: nodes to which things happen, scraped every so often.

type happening string

const (
	prune         happening = "prune"          // docker container prune takes share-mnt away; the node-agent makes a new one 40 s later
	crash         happening = "crash"          // share-mnt ends with an error and Docker starts it again
	agentRestart  happening = "agent restart"  // docker restart of the node-agent: same container
	agentReplaced happening = "agent replaced" // the kubelet makes a new node-agent container
	agentGone     happening = "agent gone"
	dockerGone    happening = "docker gone"
	dockerBack    happening = "docker back"
	exporterGone  happening = "exporter gone"
	podReplaced   happening = "pod replaced" // of the exporter
	recreate      happening = "recreate"     // the second half of prune
	cleanup       happening = "cleanup"      // what the node-agent does 15 s after it starts
)

type event struct {
	at   int64
	what happening
}

type certWriter struct {
	created int64
	server  string
}

// simNode is a node at one moment; step takes it to a later one.
type simNode struct {
	cluster, name, image string
	leaks                bool // share-mnt starts a separate cert-writer
	leftovers            int  // unmanaged containers that are no cert-writers
	broken, ended        int  // cert-writers that are restarting, out of the live ones, and such as have exited
	agents               []string
	agentStarted         int64
	writers              []certWriter
	smCreated, smStarted int64
	smState              string
	smExit               int
	events               []event
	pod                  int
	noEvents             bool // --no-collector.events
	up, docker           bool
	counts               map[[2]string]int
	prunes               int
	lastPrune, lastSeen  int64
	lastCount            int
	creations            []int64 // of share-mnt, the first one included
	server               string
}

func (n *simNode) id(of string) string {
	h := fnv.New64a()
	io.WriteString(h, n.cluster+n.name+of)
	return fmt.Sprintf("%016x", h.Sum64())[:12]
}

func (n *simNode) count(role, action string) { n.counts[[2]string{role, action}]++ }

func (n *simNode) startShareMnt(at int64) {
	n.smStarted = at
	n.count("share_mnt", "start")
	n.count("share_mnt", "die")
	if n.leaks {
		n.writers = append(n.writers, certWriter{at, n.server})
		n.count("cert_writer", "create")
		n.count("cert_writer", "start")
	}
}

func (n *simNode) happen(e event) {
	switch e.what {
	case prune:
		n.prunes++
		n.lastPrune, n.smState = e.at, ""
		n.count("share_mnt", "destroy")
		n.plan(event{e.at + 40, recreate})
	case recreate:
		n.creations = append(n.creations, e.at)
		n.smCreated, n.smState, n.smExit = e.at, "exited", 0
		n.count("share_mnt", "create")
		n.startShareMnt(e.at)
	case crash:
		n.smState, n.smExit = "restarting", 1
		n.startShareMnt(e.at)
	case agentRestart, agentReplaced:
		if e.what == agentReplaced {
			n.agents = []string{n.id(fmt.Sprint("agent", e.at))}
			n.count("node_agent", "create")
		}
		n.agentStarted = e.at
		n.count("node_agent", "start")
		n.plan(event{e.at + 15, cleanup})
	case cleanup:
		for range n.writers {
			n.count("cert_writer", "die")
			n.count("cert_writer", "destroy")
		}
		n.writers, n.leftovers = nil, 0
	case agentGone:
		n.agents = nil
	case dockerGone, dockerBack:
		n.docker = e.what == dockerBack
	case exporterGone:
		n.up = false
	case podReplaced:
		n.pod++
		n.counts, n.prunes, n.lastPrune = map[[2]string]int{}, 0, 0
	}
}

func (n *simNode) plan(e event) {
	n.events = append(n.events, e)
	slices.SortStableFunc(n.events, func(a, b event) int { return cmp.Compare(a.at, b.at) })
}

func (n *simNode) step(now int64) {
	for len(n.events) > 0 && n.events[0].at <= now {
		e := n.events[0]
		n.events = n.events[1:]
		n.happen(e)
	}
}

// samples collects series by metric, which the OpenMetrics form wants together.
type samples map[string]map[string][]string

func (s samples) add(metric, labels string, at int64, value float64) {
	if s[metric] == nil {
		s[metric] = map[string][]string{}
	}
	s[metric][labels] = append(s[metric][labels], fmt.Sprintf("%s{%s} %v %d\n", metric, labels, value, at))
}

func (s samples) write(w io.Writer) error {
	b := bufio.NewWriter(w)
	for _, metric := range sortedKeys(s) {
		for _, labels := range sortedKeys(s[metric]) {
			for _, line := range s[metric][labels] {
				b.WriteString(line)
			}
		}
	}
	b.WriteString("# EOF\n")
	return b.Flush()
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}
