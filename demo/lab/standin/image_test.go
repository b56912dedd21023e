package standin

import (
	"archive/tar"
	"errors"
	"io"
	"strings"
	"testing"
)

func TestRootfs(t *testing.T) {
	archive, err := rootfs([]byte("program"))
	if err != nil {
		t.Fatal(err)
	}
	links := map[string]string{}
	for reader := tar.NewReader(archive); ; {
		header, err := reader.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if header.Mode != 0o755 {
			t.Errorf("%s: mode %o, want 755", header.Name, header.Mode)
		}
		links[header.Name] = header.Linkname
	}
	if len(links) != 2 || links["pause"] != "usr/bin/run.sh" {
		t.Errorf("got %v", links)
	}
}

func TestImportedID(t *testing.T) {
	for reply, want := range map[string]string{
		`{"status":"sha256:abc"}`:                                   "sha256:abc",
		`{"status":"Importing"}` + "\n" + `{"status":"sha256:abc"}`: "sha256:abc",
		`{"error":"no space left"}`:                                 "",
		`{"status":"sha256:abc"}` + `{"error":"no space left"}`:     "",
		``:       "",
		`<html>`: "",
	} {
		got, err := importedID(strings.NewReader(reply))
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%s: got %q, %v, want %q", reply, got, err, want)
		}
	}
}
