package terminal_test

import (
	"errors"
	"slices"
	"time"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/enginetest"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/node"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/rancher"
)

const (
	server = "https://rancher.example"
	hour   = time.Hour
	day    = 24 * time.Hour
)

var now = time.Date(2020, time.May, 4, 3, 7, 0, 0, time.UTC)

func ago(d time.Duration) time.Time { return now.Add(-d) }

// testNode is a node to diagnose.
type testNode struct {
	containers []enginetest.Container
	heard      []node.Heard
	err        error
}

func (n testNode) observe() node.Observation {
	if n.err != nil {
		return node.Observation{Err: n.err, LastSuccess: ago(2 * hour)}
	}
	var list []rancher.Container
	for _, c := range n.containers {
		list = append(list, c.Listed())
	}
	return node.Observation{Snapshot: rancher.Classify(slices.Values(list)), Heard: n.heard}
}

// writers are n cert-writers, one in each period, the newest so long ago.
func writers(n int, newest, period time.Duration) []enginetest.Container {
	var list []enginetest.Container
	for i := range n {
		list = append(list, enginetest.CertWriter(i, server, ago(newest+time.Duration(n-1-i)*period)))
	}
	return list
}

// heard is an event of the share-mnt or the node-agent, or a prune.
func heard(role rancher.Role, action string, at time.Time) node.Heard {
	return node.Heard{Role: role, Action: action, ID: "3571bad91a6b", At: at}
}

func nodes() map[string]testNode {
	agent := enginetest.NodeAgent("cattle-node-agent-jfdlt", 0, ago(10*day))
	ended := agent
	ended.State, ended.ExitCode, ended.Status = "exited", 2, "Exited (2) About an hour ago"
	restarted := agent
	restarted.StartedAt = ago(20 * time.Minute)
	crashing := enginetest.ShareMnt("v2.5.9", server, "n1", ago(2*hour))
	crashing.State, crashing.ExitCode, crashing.StartedAt, crashing.RestartCount = "restarting", 1, ago(40*time.Second), 118
	stuck := enginetest.ShareMnt("v2.6.3", server, "n1", ago(3*hour))
	stuck.State, stuck.StartedAt = "running", ago(3*hour)
	stoppedWriters := writers(3, 2*day, day)
	for i := range stoppedWriters {
		stoppedWriters[i].State, stoppedWriters[i].ExitCode, stoppedWriters[i].Status = "exited", 143, "Exited (143) 2 days ago"
	}
	failing := enginetest.CertWriter(0, server, ago(10*day))
	failing.State, failing.ExitCode, failing.Status = "restarting", 1, "Restarting (1) 40 seconds ago"
	crashingFixed, crashing126 := enginetest.ShareMnt("v2.6.3", server, "n1", ago(2*hour)), crashing
	crashingFixed.State, crashingFixed.ExitCode, crashingFixed.StartedAt, crashingFixed.RestartCount = "restarting", 1, ago(40*time.Second), 1
	crashing126.ExitCode = 126
	justRestarted := agent
	justRestarted.StartedAt = ago(20 * time.Second)
	nameless := enginetest.Registration(server, ago(3*day))
	nameless.Names = nil
	startedAgain := enginetest.ShareMnt("v2.3.3", server, "n1", ago(60*day))
	startedAgain.StartedAt = ago(10 * time.Minute)
	shareMnt := func(version string, created time.Time) enginetest.Container {
		return enginetest.ShareMnt(version, server, "n1", created)
	}
	with := func(list []enginetest.Container, more ...enginetest.Container) []enginetest.Container {
		return slices.Concat(list, more)
	}
	unlabelled := enginetest.CertWriter(7, server, ago(5*hour))
	unlabelled.Labels = nil
	return map[string]testNode{
		"leak":            {containers: with(writers(6, 10*time.Minute, 2*hour), agent, shareMnt("v2.3.3", ago(10*time.Minute)))},
		"leak-of-minutes": {containers: with(writers(2, 10*time.Minute, 20*hour), agent, shareMnt("v2.3.3", ago(10*time.Minute)))},
		"left-over":       {containers: with(writers(2, 5*day, 3*day), agent, shareMnt("v2.6.3", ago(2*day)))},
		"crash-loop":      {containers: with(writers(118, time.Minute, time.Minute), agent, crashing)},
		"stuck":           {containers: []enginetest.Container{agent, stuck}},
		"removed-every-5-minutes": {
			containers: with(writers(9, 2*time.Minute, 5*time.Minute), agent, shareMnt("v2.3.3", ago(2*time.Minute))),
			heard: []node.Heard{
				heard(rancher.RoleShareMnt, "destroy", ago(13*time.Minute)), heard(rancher.RoleNone, "prune", ago(13*time.Minute)),
				heard(rancher.RoleShareMnt, "create", ago(12*time.Minute)),
				heard(rancher.RoleShareMnt, "destroy", ago(8*time.Minute)), heard(rancher.RoleNone, "prune", ago(8*time.Minute)),
				heard(rancher.RoleShareMnt, "create", ago(7*time.Minute)),
				heard(rancher.RoleShareMnt, "destroy", ago(3*time.Minute)), heard(rancher.RoleNone, "prune", ago(3*time.Minute)),
			},
		},
		"started-every-hour": {containers: with(writers(5, 10*time.Minute, hour), agent, startedAgain)},
		"node-agent-missing": {
			containers: []enginetest.Container{ended, shareMnt("v2.3.3", ago(10*day))},
			heard:      []node.Heard{heard(rancher.RoleNodeAgent, "die", ago(hour))},
		},
		"node-agent-missing-and-a-leak": {containers: with(writers(3, day, day), shareMnt("v2.3.3", ago(day)))},
		"not-the-cleaner":               {containers: with(writers(2, 3*hour, hour), unlabelled, restarted, shareMnt("v2.3.3", ago(3*hour)))},
		"several-servers": {containers: []enginetest.Container{
			enginetest.CertWriter(0, server, ago(9*day)), enginetest.CertWriter(1, "https://old.example:8443", ago(8*day)), agent, shareMnt("v2.3.3", ago(9*day)),
		}},
		"registration-alone":        {containers: []enginetest.Container{enginetest.Registration(server, ago(3*day))}},
		"no-share-mnt":              {containers: []enginetest.Container{agent, enginetest.RKEService("kubelet", ago(10*day))}},
		"two-node-agents":           {containers: []enginetest.Container{agent, enginetest.NodeAgent("cattle-node-agent-jfdlt", 1, ago(day)), shareMnt("v2.3.3", ago(10*day))}},
		"registration":              {containers: []enginetest.Container{agent, shareMnt("v2.3.3", ago(10*day)), enginetest.Registration(server, ago(3*day))}},
		"leak-without-share-mnt":    {containers: with(writers(3, hour, hour), agent)},
		"leak-and-registration":     {containers: with(writers(3, hour, hour), agent, shareMnt("v2.3.3", ago(hour)), enginetest.Registration(server, ago(3*day)))},
		"stopped":                   {containers: with(stoppedWriters, agent, shareMnt("v2.3.3", ago(10*day)))},
		"failing":                   {containers: []enginetest.Container{failing, agent, shareMnt("v2.3.3", ago(10*day))}},
		"crash-loop-without-a-leak": {containers: []enginetest.Container{agent, crashingFixed}},
		"crash-loop-126":            {containers: []enginetest.Container{agent, crashing126}},
		"built-by-rke":              {containers: []enginetest.Container{enginetest.RKEService("kubelet", ago(10*day))}},
		"imported":                  {containers: []enginetest.Container{agent}},
		"registering":               {containers: []enginetest.Container{enginetest.Registration(server, ago(9*time.Minute)), shareMnt("v2.3.3", ago(8*time.Minute))}},
		"removed-once":              {containers: with(writers(2, hour, 9*hour), agent, shareMnt("v2.3.3", ago(hour))), heard: []node.Heard{heard(rancher.RoleShareMnt, "destroy", ago(hour))}},
		"started-once":              {containers: with(writers(2, 10*time.Minute, 9*hour), agent, startedAgain)},
		"just-restarted":            {containers: with(writers(3, hour, hour), justRestarted, shareMnt("v2.3.3", ago(hour)))},
		"nameless":                  {containers: with(writers(2, 3*hour, hour), nameless, restarted, shareMnt("v2.3.3", ago(3*hour)))},
		"no-share-mnt-just-now":     {containers: []enginetest.Container{justRestarted, enginetest.RKEService("kubelet", ago(10*day))}},
		"nothing-wrong":             {containers: []enginetest.Container{enginetest.CertWriter(0, server, ago(10*day)), agent, shareMnt("v2.3.3", ago(10*day))}},
		"no-rke1-node":              {containers: []enginetest.Container{enginetest.Pod(1, ago(day))}},
		"unreachable":               {err: errors.New("list containers: permission denied")},
	}
}
