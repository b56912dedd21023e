package main

import (
	"flag"
	"os"
	"os/signal"
	"syscall"
	"testing"
)

var serveFor = flag.Bool("serve", false, "keep a Prometheus with the small fleet's history until an interrupt, to look at the dashboards")

// TestServe is for drawing the dashboards: go test -run TestServe -serve -timeout 0 -v
func TestServe(t *testing.T) {
	if !*serveFor {
		t.Skip("only with -serve")
	}
	s := serve(t, tool(t, "prometheus"), smallHistory(t, withCluster), 30)
	t.Logf("%s holds the six hours before %d (Unix seconds)", s.base, theEnd)
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, os.Interrupt, syscall.SIGTERM)
	<-stop
}
