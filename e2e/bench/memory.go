package main

import (
	"fmt"
	"os"
	"strings"
)

// memory is the resident memory of a process in MB, now and at its peak, from /proc.
func memory(pid int) (now, peak int, err error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
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
