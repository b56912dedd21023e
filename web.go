package main

import (
	"fmt"
	"net/http"
	"net/http/pprof"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/prometheus/common/version"
	"github.com/prometheus/exporter-toolkit/web"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/collector"
)

const (
	healthyPath = "/-/healthy"
	readyPath   = "/-/ready"
)

// newHandler makes the pages. Metrics need no promhttp.HandlerOpts.CoalesceGather: the observer asks the engine once for
// all who ask at the same moment, and so for the readiness probe too.
func newHandler(cfg config, registry *prometheus.Registry, observer collector.Observer, log loggers) (http.Handler, error) {
	mux := http.NewServeMux()
	mux.Handle(cfg.telemetryPath, metrics(cfg, registry, log))
	mux.HandleFunc(healthyPath, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "healthy") })
	mux.HandleFunc(readyPath, func(w http.ResponseWriter, _ *http.Request) {
		if err := observer.Observe().Err; err != nil {
			http.Error(w, "Docker Engine unavailable: "+err.Error(), http.StatusServiceUnavailable)
			return
		}
		fmt.Fprintln(w, "ready")
	})
	if cfg.pprof {
		mux.HandleFunc("/debug/pprof/", pprof.Index)
		mux.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
		mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
		mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
		mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	}
	if cfg.telemetryPath != "/" {
		landing, err := landingPage(cfg)
		if err != nil {
			return nil, err
		}
		mux.Handle("/", landing)
	}
	return mux, nil
}

func metrics(cfg config, registry *prometheus.Registry, log loggers) http.Handler {
	handler := promhttp.HandlerFor(registry, promhttp.HandlerOpts{
		ErrorLog:            log.http,
		ErrorHandling:       promhttp.ContinueOnError,
		MaxRequestsInFlight: cfg.maxRequests,
		EnableOpenMetrics:   true,
	})
	if cfg.ownMetricsOff {
		return handler
	}
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return promhttp.InstrumentMetricHandler(registry, handler)
}

func landingPage(cfg config) (http.Handler, error) {
	return web.NewLandingPage(web.LandingConfig{
		Name:        programName,
		Description: "Prometheus exporter for leaked rancher-agent cert-writer containers.",
		Version:     version.Info(),
		Links: []web.LandingLinks{
			{Address: cfg.telemetryPath, Text: "Metrics"},
			{Address: healthyPath, Text: "Healthy", Description: "whether the exporter runs"},
			{Address: readyPath, Text: "Ready", Description: "whether the Docker Engine can be asked"},
		},
		Profiling: fmt.Sprint(cfg.pprof),
	})
}

// newServer bounds how long a slow client can hold a connection. The write timeout leaves room for a scrape that waits
// for Docker, and for the 30 s of a default CPU profile.
func newServer(handler http.Handler, cfg config, log loggers) *http.Server {
	return &http.Server{
		Handler:           handler,
		ErrorLog:          log.http,
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       30 * time.Second,
		WriteTimeout:      cfg.dockerTimeout + time.Minute,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
	}
}
