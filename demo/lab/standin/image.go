// Package standin makes the stand-in images of the lab out of its own program: no registry is asked.
package standin

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/docker/docker/api/types/image"
	"github.com/docker/docker/client"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/demo/lab/shape"
)

// Image is a stand-in image: its name, and what a Dockerfile would say below the COPY of the program.
type Image struct {
	Ref     string
	Changes []string
}

// Agent is the stand-in of Rancher's agent image under any name.
func Agent(ref string) Image {
	return Image{Ref: ref, Changes: []string{
		`ENTRYPOINT ["run.sh"]`,
		"LABEL " + shape.AgentLabel + "=true",
		"LABEL " + shape.LabLabel + "=true",
	}}
}

// Pause is the stand-in of the pause image of pods, which has no label of Rancher's.
func Pause() Image {
	return Image{Ref: shape.PauseImage, Changes: []string{`ENTRYPOINT ["/pause"]`, "LABEL " + shape.LabLabel + "=true"}}
}

// Import makes the image out of the program and returns its ID. A tag of that name moves to it.
func (i Image) Import(ctx context.Context, docker *client.Client, program []byte) (string, error) {
	rootfs, err := rootfs(program)
	if err != nil {
		return "", fmt.Errorf("image %s: %w", i.Ref, err)
	}
	reply, err := docker.ImageImport(ctx, image.ImportSource{Source: rootfs, SourceName: "-"}, i.Ref, image.ImportOptions{Changes: i.Changes})
	if err != nil {
		return "", fmt.Errorf("import image %s: %w", i.Ref, err)
	}
	defer func() { _ = reply.Close() }()
	id, err := importedID(reply)
	if err != nil {
		return "", fmt.Errorf("import image %s: %w", i.Ref, err)
	}
	return id, nil
}

// rootfs is a tar of the file system: the program under both its names.
func rootfs(program []byte) (io.Reader, error) {
	var out bytes.Buffer
	archive := tar.NewWriter(&out)
	if err := archive.WriteHeader(&tar.Header{Name: "usr/bin/run.sh", Mode: 0o755, Size: int64(len(program))}); err != nil {
		return nil, err
	}
	if _, err := archive.Write(program); err != nil {
		return nil, err
	}
	if err := archive.WriteHeader(&tar.Header{Name: "pause", Mode: 0o755, Typeflag: tar.TypeLink, Linkname: "usr/bin/run.sh"}); err != nil {
		return nil, err
	}
	return &out, archive.Close()
}

// importedID reads the progress messages of an import to their end; the last status is the ID.
func importedID(messages io.Reader) (string, error) {
	id := ""
	decoder := json.NewDecoder(messages)
	for {
		var message struct {
			Status string `json:"status"`
			Error  string `json:"error"`
		}
		err := decoder.Decode(&message)
		switch {
		case errors.Is(err, io.EOF):
			if id == "" {
				return "", errors.New("the engine told no image ID")
			}
			return id, nil
		case err != nil:
			return "", fmt.Errorf("read the engine's reply: %w", err)
		case message.Error != "":
			return "", errors.New(message.Error)
		}
		id = message.Status
	}
}
