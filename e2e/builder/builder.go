// Package builder makes a stand-in for the golang image that the Dockerfile builds in, out of this machine's Go
// toolchain, CA certificates and busybox: no registry is asked.
package builder

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/docker/docker/api/types/image"
	"github.com/docker/docker/client"
)

// certificates is where Go looks for them on Debian, here and in the image.
const certificates = "/etc/ssl/certs/ca-certificates.crt"

// Import imports the builder image under a name.
func Import(ctx context.Context, docker *client.Client, ref string) error {
	busybox, err := exec.LookPath("busybox")
	if err != nil {
		return fmt.Errorf("the builder image needs a static busybox (Debian: apt-get install busybox-static): %w", err)
	}
	reader, writer := io.Pipe()
	go func() { writer.CloseWithError(writeImage(writer, busybox, runtime.GOROOT())) }()
	reply, err := docker.ImageImport(ctx, image.ImportSource{Source: reader, SourceName: "-"}, ref, image.ImportOptions{
		Changes: []string{"ENV PATH=/usr/local/go/bin:/bin", "ENV GOTOOLCHAIN=local", "ENV GOFLAGS=-buildvcs=false"},
	})
	if err != nil {
		return errors.Join(err, reader.Close())
	}
	defer reply.Close()
	_, err = io.Copy(io.Discard, reply)
	return err
}

func writeImage(to io.Writer, busybox, goroot string) error {
	image := tar.NewWriter(to)
	for _, file := range []struct{ from, to string }{
		{busybox, "bin/busybox"}, {certificates, certificates[1:]},
	} {
		if err := addFile(image, file.from, file.to); err != nil {
			return err
		}
	}
	if err := image.WriteHeader(&tar.Header{Typeflag: tar.TypeSymlink, Name: "bin/sh", Linkname: "busybox", Mode: 0o777}); err != nil {
		return err
	}
	if err := image.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: "tmp/", Mode: 0o1777}); err != nil {
		return err
	}
	unused := []string{"test", "doc", "api", "misc"} // of the toolchain, for a build
	err := filepath.WalkDir(goroot, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		within, err := filepath.Rel(goroot, name)
		if err != nil {
			return err
		}
		switch {
		case entry.IsDir() && slices.Contains(unused, within):
			return fs.SkipDir
		case !entry.Type().IsRegular():
			return nil
		}
		return addFile(image, name, path.Join("usr/local/go", within))
	})
	return errors.Join(err, image.Close())
}

func addFile(image *tar.Writer, from, to string) error {
	file, err := os.Open(from)
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	header := &tar.Header{Typeflag: tar.TypeReg, Name: to, Mode: int64(info.Mode().Perm()), Size: info.Size(), ModTime: info.ModTime()}
	if err := image.WriteHeader(header); err != nil {
		return err
	}
	_, err = io.Copy(image, file)
	return err
}
