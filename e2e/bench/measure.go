package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/e2e/procstat"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/e2e/realengine"
)

// result is what one way cost for one number of containers, each time it was asked.
type result struct {
	containers int
	way        string
	took       time.Duration // median
	own        time.Duration // CPU of who asks
	dockerd    time.Duration // CPU of dockerd
	requests   int64
	read       int64 // bytes from dockerd
	shown      int64 // bytes exposed
	memory     procstat.Usage
}

// rounds are enough for the clock of the CPU, which ticks every 10 ms, and no more than it takes.
func rounds(containers int) int { return max(21, 15000/containers) }

// measure asks in every way in turn, so that the machine's other load falls on all alike.
func measure(ctx context.Context, engine *realengine.Engine, containers int) (results []result, err error) {
	ways, closeWays, err := open(engine.Host())
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, closeWays()) }()
	results = make([]result, len(ways))
	took := make([][]time.Duration, len(ways))
	for range rounds(containers) {
		for i, w := range ways {
			before, err := usage(w.pid, engine.DockerdPID())
			if err != nil {
				return nil, err
			}
			start := time.Now()
			if results[i].shown, err = w.ask(ctx); err != nil {
				return nil, fmt.Errorf("%s: %w", w.name, err)
			}
			took[i] = append(took[i], time.Since(start))
			after, err := usage(w.pid, engine.DockerdPID())
			if err != nil {
				return nil, err
			}
			results[i].own += after[0].CPU - before[0].CPU
			results[i].dockerd += after[1].CPU - before[1].CPU
			results[i].memory = after[0]
		}
	}
	for i := range results {
		slices.Sort(took[i])
		r := &results[i]
		r.containers, r.way, r.took = containers, ways[i].name, took[i][len(took[i])/2]
		r.own /= time.Duration(len(took[i]))
		r.dockerd /= time.Duration(len(took[i]))
	}
	return results, countRequests(ctx, engine, results)
}

// usage is what processes have used so far.
func usage(pids ...int) ([]procstat.Usage, error) {
	used := make([]procstat.Usage, len(pids))
	for i, pid := range pids {
		var err error
		if used[i], err = procstat.Of(pid); err != nil {
			return nil, err
		}
	}
	return used, nil
}

// countRequests asks in every way once more, through a proxy that counts.
func countRequests(ctx context.Context, engine *realengine.Engine, results []result) (err error) {
	counter, err := count(engine.Socket())
	if err != nil {
		return err
	}
	defer counter.Close()
	ways, closeWays, err := open("unix://" + counter.socket())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeWays()) }()
	for i, w := range ways {
		for range 2 { // the first time an API version is negotiated
			counter.reset()
			if _, err := w.ask(ctx); err != nil {
				return fmt.Errorf("%s: %w", w.name, err)
			}
		}
		results[i].requests, results[i].read = counter.requests.Load(), counter.bytes.Load()
	}
	return nil
}
