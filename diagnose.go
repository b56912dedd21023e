package main

import (
	"context"
	"io"
	"os"
	"time"

	"github.com/go-kit/log/level"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/collector"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/diagnosis"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/engine"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/node"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/terminal"
)

// diagnose tells a person at a terminal what is wrong with the node. It goes by the events that the engine still knows,
// where the status page goes by those the exporter has heard.
func diagnose(ctx context.Context, cfg config, docker *engine.Engine, observer collector.Observer, stdout io.Writer, log loggers) int {
	o := observer.Observe()
	if o.Err == nil && cfg.events {
		ctx, cancel := context.WithTimeout(ctx, cfg.dockerTimeout)
		defer cancel()
		events, err := docker.PastEvents(ctx)
		if err != nil {
			_ = level.Warn(log.app).Log("msg", "diagnosing without the events of the past", "err", err)
		}
		o.Heard = node.Recall(events, o.Snapshot)
	}
	report := diagnosis.Diagnose(o, time.Now())
	if err := terminal.Write(stdout, report, isTerminal(stdout)); err != nil {
		_ = level.Error(log.app).Log("msg", "cannot write the diagnosis", "err", err)
		return exitUnwritten
	}
	switch {
	case !report.Looked:
		return exitBlind
	case report.Severity() >= diagnosis.Warning:
		return exitFound
	default:
		return exitOK
	}
}

func isTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
