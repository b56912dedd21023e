// Package gobuild builds programs of this module for use in a container or a test. It has to be called from somewhere
// inside the module, or inside one that replaces it by its directory.
package gobuild

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// Linux builds the program in a directory of this module ("" is its root) for Linux and an architecture as Go names it:
// static, so that it runs in an image that has nothing else.
func Linux(ctx context.Context, dir, arch string) ([]byte, error) {
	return build(ctx, dir, "GOOS=linux", "GOARCH="+arch)
}

// Here builds it for this machine.
func Here(ctx context.Context, dir string) ([]byte, error) {
	return build(ctx, dir, "GOOS="+runtime.GOOS, "GOARCH="+runtime.GOARCH)
}

func build(ctx context.Context, dir string, env ...string) ([]byte, error) {
	root, err := moduleRoot(ctx)
	if err != nil {
		return nil, err
	}
	if err := readDirectories(root); err != nil {
		return nil, err
	}
	temp, err := os.MkdirTemp("", "gobuild")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(temp) }()
	binary := filepath.Join(temp, "program")
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", binary, ".")
	cmd.Dir = filepath.Join(root, dir)
	cmd.Env = append(append(os.Environ(), "CGO_ENABLED=0"), env...)
	if output, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("go build ./%s: %w\n%s", dir, err, output)
	}
	return os.ReadFile(binary)
}

const module = "github.com/rancher-agent-exporter/rancher_agent_exporter"

func moduleRoot(ctx context.Context) (string, error) {
	dir, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", module).Output()
	if err != nil {
		return "", fmt.Errorf("find the module: go list -m: %w", err)
	}
	return strings.TrimSpace(string(dir)), nil
}

// readDirectories reads the directories below root. "go test" takes a pass from its cache while the files and directories
// are unchanged that the test itself looked at, and the sources of a program are looked at by another process.
func readDirectories(root string) error {
	return filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() && path != root && strings.HasPrefix(entry.Name(), ".") {
			return fs.SkipDir
		}
		return err
	})
}
