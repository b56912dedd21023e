package procstat

import (
	"os"
	"runtime"
	"testing"
	"time"
)

// What this process does shows in what it has used.
func TestOf(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("there is no /proc")
	}
	before, err := Of(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	memory := make([]byte, 64<<20)
	for start := time.Now(); time.Since(start) < 100*time.Millisecond; {
		for i := 0; i < len(memory); i += 4096 {
			memory[i]++
		}
	}
	file, err := os.Open("/proc/self/stat")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	after, err := Of(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	if after.CPU <= before.CPU {
		t.Errorf("CPU %v, then %v", before.CPU, after.CPU)
	}
	if after.Resident < before.Resident+60<<20 || after.Peak < after.Resident {
		t.Errorf("resident %d, then %d, peak %d, after taking 64 MB", before.Resident, after.Resident, after.Peak)
	}
	if after.Files <= before.Files {
		t.Errorf("%d files, then %d", before.Files, after.Files)
	}
	runtime.KeepAlive(memory)
	if _, err := Of(-1); err == nil {
		t.Error("a process that there is not has used something")
	}
}
