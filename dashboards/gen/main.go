// Command gen writes the dashboards of rancher_agent_exporter as JSON.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	dir := flag.String("dir", "..", "the folder to write to")
	grafanaCom := flag.String("grafana.com", "", "a folder to write the form for an upload to grafana.com to, and nothing else")
	flag.Parse()
	if *grafanaCom != "" {
		if err := writeForGrafanaCom(*grafanaCom); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	if err := write(*dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func write(dir string) error {
	for name, d := range pages() {
		b, err := written(d)
		if err != nil {
			return fmt.Errorf("writing %s: %w", name, err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o644); err != nil {
			return err
		}
	}
	return writeGrafana7(filepath.Join(dir, "grafana-7"))
}
