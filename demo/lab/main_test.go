package main

import (
	"context"
	"strings"
	"testing"
)

func TestCommandLine(t *testing.T) {
	for name, c := range map[string]struct {
		args []string
		code int
		says string
	}{
		"nothing":            {nil, 2, "Usage"},
		"help":               {[]string{"-h"}, 0, "Usage"},
		"help for up":        {[]string{"up", "-h"}, 0, "-check-interval"},
		"unknown word":       {[]string{"sideways"}, 2, "Usage"},
		"one word too many":  {[]string{"up", "down"}, 2, "Usage"},
		"unknown flag":       {[]string{"up", "-x"}, 2, "Usage"},
		"wrong value":        {[]string{"up", "-check-interval", "soon"}, 2, "invalid value"},
		"not a local engine": {[]string{"up", "-H", "tcp://127.0.0.1:2375"}, 1, "unix socket"},
		"no engine":          {[]string{"down", "-H", "unix:///nowhere/docker.sock"}, 1, "list containers"},
		"socket of odd name": {[]string{"up", "-H", "unix:///nowhere/podman.sock"}, 1, "podman.sock"},
	} {
		t.Run(name, func(t *testing.T) {
			var out strings.Builder
			if code := run(context.Background(), append([]string{"lab"}, c.args...), &out, &out); code != c.code {
				t.Errorf("exit code %d, want %d", code, c.code)
			}
			if !strings.Contains(out.String(), c.says) {
				t.Errorf("says %q, want %q in it", out.String(), c.says)
			}
		})
	}
}

func TestPauseEndsWhenStopped(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	stop()
	if code := run(ctx, []string{"/pause"}, nil, nil); code != 0 {
		t.Errorf("exit code %d, want 0", code)
	}
}
