package realengine

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/docker/docker/api/types/container"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/testkit"
)

// Node is an engine in the hands of one test: whatever goes wrong with it fails the test.
type Node struct {
	*Engine
	tb testing.TB
}

// New starts an engine for a test and ends it with the test. If the test fails, what the daemons complained of is in its log.
// Where no engine can run, the test is skipped, but in CI (CI=true) it fails.
func New(tb testing.TB, dockerdArgs ...string) *Node {
	tb.Helper()
	if err := Unavailable(); err != nil {
		testkit.Need(tb, fmt.Errorf("no real Docker Engine here: %w", err))
	}
	engine, err := Open(tb.Context(), dockerdArgs...)
	if err != nil {
		tb.Fatalf("start a private Docker Engine: %v", err)
	}
	tb.Cleanup(func() {
		if tb.Failed() {
			tb.Log(engine.Complaints())
		}
		if err := engine.Close(); err != nil {
			tb.Error(err)
		}
	})
	return &Node{Engine: engine, tb: tb}
}

// For is the same engine in the hands of a subtest.
func (n *Node) For(tb testing.TB) *Node { return &Node{Engine: n.Engine, tb: tb} }

// must fails the test if what it was doing went wrong.
func (n *Node) must(doing string, err error) {
	n.tb.Helper()
	if err != nil {
		n.tb.Fatalf("%s: %v", doing, err)
	}
}

// ctx ends with the test.
func (n *Node) ctx() context.Context { return n.tb.Context() }

// Stop stops dockerd with its containers.
func (n *Node) Stop() {
	n.tb.Helper()
	n.must("stop dockerd", n.StopDockerd())
}

// Kill kills dockerd; its containers run on.
func (n *Node) Kill() {
	n.tb.Helper()
	n.must("kill dockerd", n.KillDockerd())
}

// Start starts dockerd again and returns when it answers.
func (n *Node) Start() {
	n.tb.Helper()
	n.must("start dockerd", n.StartDockerd(n.ctx()))
}

// Pause stops dockerd where it stands, until Resume.
func (n *Node) Pause() {
	n.tb.Helper()
	n.must("pause dockerd", n.PauseDockerd())
}

// Resume lets a paused dockerd go on.
func (n *Node) Resume() {
	n.tb.Helper()
	n.must("resume dockerd", n.ResumeDockerd())
}

// Use makes another program dockerd from the next Start on, see [Engine.UseDockerd].
func (n *Node) Use(program, config string) {
	n.tb.Helper()
	n.must("use "+program, n.UseDockerd(program, config))
}

// Eventually waits until the list of all containers is as the test wants it, and returns it. The function says what is
// still missing.
func (n *Node) Eventually(within time.Duration, missing func([]container.Summary) string) []container.Summary {
	n.tb.Helper()
	deadline := time.Now().Add(within)
	for {
		list := n.List()
		what := missing(list)
		if what == "" {
			return list
		}
		if time.Now().After(deadline) {
			n.tb.Fatalf("after %v: %s\n%s", within, what, describe(list))
		}
		time.Sleep(100 * time.Millisecond)
	}
}
