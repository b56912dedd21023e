// Package procstat tells what a process has used so far, from /proc: for the measurements of programs that are not ours,
// dockerd and Prometheus among them, as for the exporter.
package procstat

import (
	"fmt"
	"time"

	"github.com/prometheus/procfs"
)

// Usage is what a process has used up to one moment.
type Usage struct {
	CPU      time.Duration // of all its threads, in user and kernel mode, in steps of 10 ms
	Resident int64         // bytes of memory now
	Peak     int64         // bytes of memory at most
	Files    int           // open file descriptors
}

// Of reads what a process has used.
func Of(pid int) (Usage, error) {
	process, err := procfs.NewProc(pid)
	if err != nil {
		return Usage{}, fmt.Errorf("process %d: %w", pid, err)
	}
	stat, err := process.Stat()
	if err != nil {
		return Usage{}, fmt.Errorf("process %d: %w", pid, err)
	}
	status, err := process.NewStatus()
	if err != nil {
		return Usage{}, fmt.Errorf("process %d: %w", pid, err)
	}
	files, err := process.FileDescriptorsLen()
	if err != nil {
		return Usage{}, fmt.Errorf("process %d: %w", pid, err)
	}
	return Usage{
		CPU:      time.Duration(stat.CPUTime() * float64(time.Second)),
		Resident: int64(status.VmRSS),
		Peak:     int64(status.VmHWM),
		Files:    files,
	}, nil
}
