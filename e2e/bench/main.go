// Command bench measures the exporter against a real Docker Engine of its own and against its neighbours, exporters that
// inspect every container, and prints ratios of one run. It asserts nothing: machines differ, and so do their other users.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/e2e/realengine"
)

// sizes are how many containers the engine has, one after the other.
var sizes = []int{50, 300, 1000, 3000, 5000}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, out io.Writer) (err error) {
	if err := realengine.Unavailable(); err != nil {
		return fmt.Errorf("no real Docker Engine here: %w", err)
	}
	engine, err := realengine.Open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, engine.Close()) }()
	n, err := leak(ctx, engine)
	if err != nil {
		return err
	}
	var results []result
	for _, size := range sizes {
		if err := n.grow(ctx, size); err != nil {
			return err
		}
		fmt.Fprintf(os.Stderr, "bench: %d containers\n", size)
		measured, err := measure(ctx, engine, size)
		if err != nil {
			return err
		}
		results = append(results, measured...)
	}
	report(out, results)
	return nil
}
