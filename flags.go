package main

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/alecthomas/kingpin/v2"
	"github.com/prometheus/common/version"
	"github.com/prometheus/exporter-toolkit/web"
	"github.com/prometheus/exporter-toolkit/web/kingpinflag"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/collector"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/engine"
)

// defaultAddress has the number of the bug, rancher/rancher#15364; the ports up to 9999 are all taken.
const defaultAddress = ":15364"

// config is what the command line asks for, every value checked.
type config struct {
	endpoint      engine.Endpoint
	dockerTimeout time.Duration
	events        bool
	limits        collector.Limits
	web           *web.FlagConfig
	telemetryPath string
	maxRequests   int
	ownMetricsOff bool
	pprof         bool
	logLevel      string
	logFormat     string
	once          bool
	diagnose      bool
	shown         bool   // --help, --version or the like was asked for, and nothing else
	text          string // what there is to show then; kingpin has written some of it itself
}

// newApp declares the flags; what they set is in the config after Parse, but for the Docker endpoint.
func newApp(cfg *config, host *string, files *engine.TLSFiles) *kingpin.Application {
	app := kingpin.New(programName, "Prometheus exporter for leaked rancher-agent cert-writer containers (rancher/rancher#15364).")
	app.HelpFlag.Short('h')
	app.Version(version.Print(programName))

	app.Flag("docker.host", "Docker Engine to ask: unix:///path or tcp://host:port.").
		Envar("DOCKER_HOST").Default("unix:///var/run/docker.sock").StringVar(host)
	setting(app, "docker.timeout", "How long a scrape waits for the Docker Engine.", "5s", &cfg.dockerTimeout, positiveDuration)
	app.Flag("docker.tls-ca", "CA certificate (PEM) to verify a tcp:// engine with; default ca.pem in $DOCKER_CERT_PATH.").StringVar(&files.CA)
	app.Flag("docker.tls-cert", "Client certificate (PEM) for a tcp:// engine; default cert.pem in $DOCKER_CERT_PATH.").StringVar(&files.Cert)
	app.Flag("docker.tls-key", "Key (PEM) of the client certificate; default key.pem in $DOCKER_CERT_PATH.").StringVar(&files.Key)

	app.Flag("collector.events", "Count container events.").Default("true").BoolVar(&cfg.events)
	setting(app, "collector.server-limit", "Server URLs with a label value of their own; the rest are \"other\".", "5", &cfg.limits.Servers, count(0))
	setting(app, "collector.cert-writer.series-limit", "Cert-writers with a series of their own, the oldest first; 0 for none.", "20", &cfg.limits.CertWriterSeries, count(0))

	cfg.web = kingpinflag.AddFlags(app, defaultAddress)
	setting(app, "web.telemetry-path", "Path of the metrics.", "/metrics", &cfg.telemetryPath, urlPath)
	setting(app, "web.max-requests", "Scrapes answered at the same time; more get a 503.", "40", &cfg.maxRequests, count(1))
	app.Flag("web.disable-exporter-metrics", "Leave out the metrics about the exporter itself (go_*, process_*, promhttp_*).").
		BoolVar(&cfg.ownMetricsOff)
	app.Flag("web.enable-pprof", "Serve profiles of the exporter under /debug/pprof/.").BoolVar(&cfg.pprof)

	setting(app, "log.level", "Least important messages to log: debug, info, warn or error.", "info", &cfg.logLevel, oneOf("debug", "info", "warn", "error"))
	setting(app, "log.format", "Form of the log: logfmt or json.", "logfmt", &cfg.logFormat, oneOf("logfmt", "json"))
	app.Flag("diagnose", "Say what is wrong with this node and what to do, and exit: 0 if nothing is, 1 if something is, 3 if the Docker Engine could not be asked.").
		BoolVar(&cfg.diagnose)
	app.Flag("once", "Write the metrics to standard output once and exit: 0, or 1 if the Docker Engine could not be asked.").BoolVar(&cfg.once)
	return app
}

// parseFlags reads and checks the command line. Errors are one line.
func parseFlags(args []string) (config, error) {
	var (
		cfg   config
		host  string
		files engine.TLSFiles
		text  strings.Builder // kingpin panics when it cannot write
		shown bool
	)
	app := newApp(&cfg, &host, &files)
	app.UsageWriter(&text)
	app.Terminate(func(int) { shown = true })
	_, err := app.Parse(args)
	if shown {
		return config{shown: true, text: text.String()}, nil
	}
	if err != nil {
		return config{}, fmt.Errorf("%w, try --help", err)
	}
	if cfg.once && cfg.diagnose {
		return config{}, errors.New("--once and --diagnose exclude each other")
	}
	if cfg.endpoint, err = parseEndpoint(host, files); err != nil {
		return config{}, fmt.Errorf("--docker.host, --docker.tls-*: %w", err)
	}
	for _, address := range *cfg.web.WebListenAddresses {
		if err := checkListenAddress(address); err != nil {
			return config{}, fmt.Errorf("--web.listen-address: %w", err)
		}
	}
	if err := web.Validate(*cfg.web.WebConfigFile); err != nil {
		return config{}, fmt.Errorf("--web.config.file: %w", err)
	}
	return cfg, nil
}
