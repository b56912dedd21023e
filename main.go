// Command rancher_agent_exporter exposes Prometheus metrics about leaked rancher-agent cert-writer containers on the
// nodes of Rancher v2.x (RKE1) clusters (rancher/rancher#15364). It only ever reads from the Docker Engine.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/coreos/go-systemd/v22/activation"
	"github.com/go-kit/log/level"
	"github.com/prometheus/client_golang/prometheus"
	versioncollector "github.com/prometheus/client_golang/prometheus/collectors/version"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/version"
	"github.com/prometheus/exporter-toolkit/web"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/collector"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/engine"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/node"
)

const programName = "rancher_agent_exporter"

// The exit codes. None of them is 2: that is how Go exits when it crashes.
const (
	exitOK        = 0
	exitFailure   = 1  // could not listen or, with --once, could not ask Docker
	exitUsage     = 64 // a flag or its value is wrong; EX_USAGE of sysexits.h
	exitUnwritten = 74 // what was asked for could not be written; EX_IOERR

	exitFound = 1 // with --diagnose: something is wrong with the node
	exitBlind = 3 // with --diagnose: could not look
)

// firstSocket is the first descriptor that systemd passes; sd_listen_fds(3).
const firstSocket = 3

// What bounds a stop, so that the program ends within 5 s: the scrapes that run, and the log.
const (
	shutdownTimeout = 4 * time.Second
	flushTimeout    = 500 * time.Millisecond
)

func main() {
	stampVersion()
	os.Exit(run(context.Background(), os.Args[1:], os.Stdout, os.Stderr))
}

// run is the program: it ends when it is done, when ctx is, or, once it serves, by a signal. What runs once leaves signals
// alone: they end it at once.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	cfg, err := parseFlags(args)
	if err != nil {
		fmt.Fprintf(stderr, "%s: error: %s\n", programName, strings.ReplaceAll(err.Error(), "\n", " "))
		return exitUsage
	}
	if cfg.shown {
		if _, err := io.WriteString(stdout, cfg.text); err != nil {
			fmt.Fprintf(stderr, "%s: error: %s\n", programName, err)
			return exitUnwritten
		}
		return exitOK
	}
	log := newLoggers(stderr, cfg.logLevel, cfg.logFormat)
	if !cfg.once && !cfg.diagnose {
		direct := log
		queue := newLogQueue(stderr, func(lost int64) {
			_ = level.Warn(direct.app).Log("msg", "lines of the log are lost: nobody read it for a while", "lines", lost)
		})
		defer queue.flush(flushTimeout)
		log = newLoggers(queue, cfg.logLevel, cfg.logFormat)
	}

	docker := engine.New(cfg.endpoint)
	roles := node.NewRoles(docker, log.app)
	observer := node.NewObserver(docker, cfg.dockerTimeout, roles, log.app)
	if cfg.once {
		return once(observer.Observe(), cfg.limits, stdout, log)
	}
	if cfg.diagnose {
		return diagnose(ctx, cfg, docker, observer, stdout, log)
	}

	ctx, restore := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer restore()
	signal.Ignore(syscall.SIGPIPE) // of a log whose reader has gone, as when journald restarts
	_ = level.Info(log.app).Log("msg", "starting "+programName, "version", version.Info(), "docker_host", cfg.endpoint)
	registry := newRegistry(observer, cfg.limits)
	ctx, cancel := context.WithCancel(ctx)
	var background sync.WaitGroup
	defer background.Wait()
	defer cancel()
	if cfg.events {
		events := collector.NewEvents()
		registry.MustRegister(events)
		background.Go(func() { docker.Follow(ctx, node.NewFollower(roles, events, log.app)) })
	}
	return serve(ctx, newServer(newHandler(cfg, registry, observer, log), cfg, log), cfg.web, log)
}

// newRegistry is pedantic, so that a metric that breaks its contract fails in a test and not at a user's.
func newRegistry(observer collector.Observer, limits collector.Limits) *prometheus.Registry {
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(collector.New(observer, limits), versioncollector.NewCollector(programName))
	return registry
}

// seen is an observation that has been made.
type seen node.Observation

func (s seen) Observe() node.Observation { return node.Observation(s) }

// once writes the metrics of one observation, for the textfile collector or a quick look.
func once(o node.Observation, limits collector.Limits, stdout io.Writer, log loggers) int {
	families, err := newRegistry(seen(o), limits).Gather()
	for _, family := range families {
		if err == nil {
			_, err = expfmt.MetricFamilyToText(stdout, family)
		}
	}
	if err != nil {
		_ = level.Error(log.app).Log("msg", "cannot write the metrics", "err", err)
		return exitUnwritten
	}
	if o.Err != nil {
		return exitFailure
	}
	return exitOK
}

// listenAndServe is the toolkit's, but for what it does not check: a descriptor that systemd, or whoever set LISTEN_FDS,
// passed and that is no listening socket.
func listenAndServe(server *http.Server, flags *web.FlagConfig, log loggers) error {
	if !*flags.WebSystemdSocket {
		return web.ListenAndServe(server, flags, log.toolkit)
	}
	listeners, err := activation.Listeners()
	if err != nil {
		return err
	}
	if len(listeners) == 0 {
		return errors.New("--web.systemd-socket: systemd passed no socket")
	}
	if i := slices.Index(listeners, nil); i >= 0 {
		return fmt.Errorf("--web.systemd-socket: descriptor %d is no listening socket", firstSocket+i)
	}
	return web.ServeMultiple(listeners, server, flags, log.toolkit)
}

// serve answers requests until ctx ends, then lets those that run finish.
func serve(ctx context.Context, server *http.Server, flags *web.FlagConfig, log loggers) int {
	failed := make(chan error, 1)
	go func() { failed <- listenAndServe(server, flags, log) }()
	select {
	case err := <-failed:
		_ = level.Error(log.app).Log("msg", "cannot serve", "err", err)
		return exitFailure
	case <-ctx.Done():
	}
	_ = level.Info(log.app).Log("msg", "stopping")
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTimeout)
	defer cancel()
	if err := server.Shutdown(ctx); err != nil {
		_ = level.Warn(log.app).Log("msg", "gave up on requests that still run", "err", err)
		_ = server.Close()
	}
	return exitOK
}
