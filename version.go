package main

import (
	"runtime/debug"

	"github.com/prometheus/common/version"
)

// stampVersion fills in what `make build` would have stamped with what Go itself stamps into the binary: go run, go build and go
// install know the module's version, and in a checkout of git the revision and its time, but never the branch.
func stampVersion() {
	if info, ok := debug.ReadBuildInfo(); ok && version.Version == "" {
		version.Version, version.BuildDate = versionOf(info)
		version.Branch = "unknown"
	}
}

// versionOf is the version of the main module, "(devel)" where Go knows none, and the time of its revision.
func versionOf(info *debug.BuildInfo) (moduleVersion, date string) {
	for _, setting := range info.Settings {
		if setting.Key == "vcs.time" {
			date = setting.Value
		}
	}
	if info.Main.Version == "" {
		return "(devel)", date
	}
	return info.Main.Version, date
}
