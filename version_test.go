package main

import (
	"runtime/debug"
	"testing"
)

func TestVersionOf(t *testing.T) {
	revision := []debug.BuildSetting{{Key: "vcs.revision", Value: "0ee8"}, {Key: "vcs.time", Value: "2026-11-30T21:20:20Z"}}
	for _, tc := range []struct {
		by            string
		info          debug.BuildInfo
		version, date string
	}{
		{"go install …@v1.2.0", debug.BuildInfo{Main: debug.Module{Version: "v1.2.0"}}, "v1.2.0", ""},
		{"go build in a checkout", debug.BuildInfo{Main: debug.Module{Version: "v0.0.0-20261130212020-0ee8"}, Settings: revision},
			"v0.0.0-20261130212020-0ee8", "2026-11-30T21:20:20Z"},
		{"go run", debug.BuildInfo{Main: debug.Module{Version: "(devel)"}}, "(devel)", ""},
		{"go run main.go", debug.BuildInfo{}, "(devel)", ""},
	} {
		if version, date := versionOf(&tc.info); version != tc.version || date != tc.date {
			t.Errorf("%s: %q of %q, want %q of %q", tc.by, version, date, tc.version, tc.date)
		}
	}
}
