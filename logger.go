package main

import (
	"io"
	stdlog "log"
	"log/slog"

	"github.com/go-kit/log"
	"github.com/go-kit/log/level"
	sloggokit "github.com/tjhop/slog-gokit"
)

// loggers write to one place: go-kit for the program, slog for exporter-toolkit, the standard library's for net/http.
type loggers struct {
	app     log.Logger
	toolkit *slog.Logger
	http    *stdlog.Logger
}

// newLoggers takes values that the flags have checked.
func newLoggers(w io.Writer, minimum, format string) loggers {
	w = log.NewSyncWriter(w)
	base := log.NewLogfmtLogger(w)
	if format == "json" {
		base = log.NewJSONLogger(w)
	}
	base = level.NewFilter(base, level.Allow(level.ParseDefault(minimum, level.InfoValue())))
	app := log.With(base, "time", log.DefaultTimestampUTC, "caller", log.DefaultCaller)
	return loggers{
		app: app,
		// on the bare logger: slog-gokit adds time and caller of its own; the filter above decides on levels
		toolkit: slog.New(sloggokit.NewGoKitHandler(base, slog.LevelDebug)),
		http:    stdlog.New(&webLog{logger: level.Warn(app)}, "", 0),
	}
}
