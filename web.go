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

	"github.com/rancher-agent-exporter/rancher_agent_exporter/collector"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/diagnosis"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/statuspage"
)

const (
	healthyPath = "/-/healthy"
	readyPath   = "/-/ready"
	pprofPath   = "/debug/pprof/"
)

// newHandler makes the pages. They are for reading: whatever is no GET or HEAD is refused before the engine is asked.
// Metrics need no promhttp.HandlerOpts.CoalesceGather: the observer asks the engine once for all who ask at the same
// moment, and so for the readiness probe too.
func newHandler(cfg config, registry *prometheus.Registry, observer collector.Observer, log loggers) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET "+exactly(cfg.telemetryPath), metrics(cfg, registry, log))
	mux.HandleFunc("GET "+healthyPath, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "healthy") })
	mux.HandleFunc("GET "+readyPath, func(w http.ResponseWriter, _ *http.Request) {
		if err := observer.Observe().Err; err != nil {
			http.Error(w, "Docker Engine unavailable: "+err.Error(), http.StatusServiceUnavailable)
			return
		}
		fmt.Fprintln(w, "ready")
	})
	if cfg.pprof {
		mux.HandleFunc("GET "+pprofPath, pprof.Index)
		mux.HandleFunc("GET "+pprofPath+"cmdline", pprof.Cmdline)
		mux.HandleFunc("GET "+pprofPath+"profile", pprof.Profile)
		mux.HandleFunc("GET "+pprofPath+"symbol", pprof.Symbol)
		mux.HandleFunc("GET "+pprofPath+"trace", pprof.Trace)
	}
	if cfg.telemetryPath != "/" {
		mux.Handle("GET "+exactly("/"), statuspage.New(pageConfig(cfg), func() diagnosis.Report {
			return diagnosis.Diagnose(observer.Observe(), time.Now())
		}))
	}
	return mux
}

// exactly is a pattern for one path; http.ServeMux takes "/" for every path.
func exactly(path string) string {
	if path == "/" {
		return "/{$}"
	}
	return path
}

func metrics(cfg config, registry *prometheus.Registry, log loggers) http.Handler {
	handler := promhttp.HandlerFor(registry, promhttp.HandlerOpts{
		ErrorLog:            log.http,
		ErrorHandling:       promhttp.ContinueOnError,
		MaxRequestsInFlight: cfg.maxRequests,
		EnableOpenMetrics:   true,
	})
	if !cfg.ownMetricsOff {
		registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
		handler = promhttp.InstrumentMetricHandler(registry, handler)
	}
	return unhurried(handler, cfg.dockerTimeout+readPatience)
}

// readPatience is how long a client may take to read the metrics.
const readPatience = 10 * time.Second

// unhurried gives a scrape's place in --web.max-requests back before its client reads: those who never do would take all of them.
// http.TimeoutHandler holds the reply until the handler is done; the handler itself never takes as long as the timeout. Writing
// the reply has to be over by then, which ends a connection that nobody reads.
func unhurried(handler http.Handler, timeout time.Duration) http.Handler {
	buffered := http.TimeoutHandler(handler, timeout, "the scrape took too long")
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(timeout)) // HTTP/1.1 and HTTP/2 have it
		buffered.ServeHTTP(w, r)
	})
}

func pageConfig(cfg config) statuspage.Config {
	page := statuspage.Config{
		Program: programName,
		Version: version.Info(),
		Links: []statuspage.Link{
			{Path: cfg.telemetryPath, Text: "Metrics", What: "for Prometheus"},
			{Path: healthyPath, Text: "Healthy", What: "whether the exporter runs"},
			{Path: readyPath, Text: "Ready", What: "whether the Docker Engine can be asked"},
		},
	}
	if cfg.pprof {
		page.Links = append(page.Links, statuspage.Link{Path: pprofPath, Text: "Profiles", What: "of the exporter"})
	}
	return page
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
