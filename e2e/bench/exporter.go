package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/demo/lab/gobuild"
)

// exporter is the built program, running.
type exporter struct {
	process *exec.Cmd
	dir     string
	url     string
}

func startExporter(ctx context.Context, host string) (*exporter, error) {
	program, err := gobuild.Here(ctx, "")
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return nil, err
	}
	binary := filepath.Join(dir, "rancher_agent_exporter")
	if err := os.WriteFile(binary, program, 0o755); err != nil {
		return nil, err
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	address := free.Addr().String()
	free.Close()
	x := &exporter{process: exec.Command(binary, "--docker.host="+host, "--web.listen-address="+address, "--log.level=warn"), dir: dir, url: "http://" + address + "/metrics"}
	x.process.Stderr = os.Stderr
	if err := x.process.Start(); err != nil {
		return nil, err
	}
	for range 100 { // 10 s
		if err = x.scrape(ctx); err == nil {
			return x, nil
		}
		time.Sleep(100 * time.Millisecond)
	}
	return nil, fmt.Errorf("the exporter does not answer: %w", err)
}

func (x *exporter) scrape(ctx context.Context) error { return get(ctx, http.DefaultClient, x.url) }

// memory is the resident memory in MB, now and at its peak, from /proc.
func (x *exporter) memory() (now, peak int, err error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", x.process.Process.Pid))
	if err != nil {
		return 0, 0, err
	}
	for line := range strings.Lines(string(status)) {
		var kB int
		switch name, rest, _ := strings.Cut(line, ":"); name {
		case "VmRSS":
			_, err = fmt.Sscanf(rest, "%d kB", &kB)
			now = kB / 1024
		case "VmHWM":
			_, err = fmt.Sscanf(rest, "%d kB", &kB)
			peak = kB / 1024
		}
		if err != nil {
			return 0, 0, err
		}
	}
	return now, peak, nil
}

func (x *exporter) stop() error {
	defer os.RemoveAll(x.dir)
	if err := x.process.Process.Signal(os.Interrupt); err != nil {
		return err
	}
	return x.process.Wait()
}
