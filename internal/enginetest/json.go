package enginetest

import (
	"slices"
	"time"
)

// listed is a container in the reply to GET /containers/json, as Docker 20.10 writes it.
type listed struct {
	ID              string `json:"Id"`
	Names           []string
	Image           string
	ImageID         string
	Command         string
	Created         int64
	Ports           []struct{}
	Labels          map[string]string
	State           string
	Status          string
	HostConfig      networkMode
	NetworkSettings networkSettings
	Mounts          []struct{}
}

type networkMode struct{ NetworkMode string }

type networkSettings struct{ Networks map[string]struct{} }

func (c Container) listed() listed {
	return listed{
		ID:              c.ID,
		Names:           c.Names,
		Image:           c.Image,
		ImageID:         c.imageID(),
		Command:         c.command(),
		Created:         c.Created.Unix(),
		Ports:           []struct{}{},
		Labels:          c.labels(),
		State:           c.State,
		Status:          c.status(),
		HostConfig:      networkMode{"default"},
		NetworkSettings: networkSettings{map[string]struct{}{}},
		Mounts:          []struct{}{},
	}
}

// inspected is the reply to GET /containers/{id}/json.
type inspected struct {
	ID              string `json:"Id"`
	Created         string
	Path            string
	Args            []string
	State           inspectedState
	Image           string
	Name            string
	RestartCount    int
	HostConfig      networkMode
	Mounts          []struct{}
	Config          inspectedConfig
	NetworkSettings networkSettings
}

type inspectedState struct {
	Status     string
	Running    bool
	Paused     bool
	Restarting bool
	Dead       bool
	ExitCode   int
	StartedAt  string
	FinishedAt string
}

type inspectedConfig struct {
	Hostname   string
	Env        []string
	Cmd        []string
	Image      string
	Entrypoint []string
	Labels     map[string]string
}

func (c Container) inspected() inspected {
	args := slices.Concat([]string{}, c.Args) // never null
	return inspected{
		ID:      c.ID,
		Created: inspectedTime(c.Created),
		Path:    c.Path,
		Args:    args,
		State: inspectedState{
			Status:     c.State,
			Running:    c.live(),
			Paused:     c.State == "paused",
			Restarting: c.State == "restarting",
			Dead:       c.State == "dead",
			ExitCode:   c.ExitCode,
			StartedAt:  inspectedTime(c.StartedAt),
			FinishedAt: inspectedTime(c.FinishedAt),
		},
		Image:        c.imageID(),
		Name:         c.name(),
		RestartCount: c.RestartCount,
		HostConfig:   networkMode{"default"},
		Mounts:       []struct{}{},
		Config: inspectedConfig{
			Hostname:   c.ID[:min(12, len(c.ID))],
			Env:        c.Env,
			Cmd:        args,
			Image:      c.Image,
			Entrypoint: []string{c.Path},
			Labels:     c.labels(),
		},
		NetworkSettings: networkSettings{map[string]struct{}{}},
	}
}

// labels is never null, as no engine's is.
func (c Container) labels() map[string]string {
	if c.Labels == nil {
		return map[string]string{}
	}
	return c.Labels
}

func inspectedTime(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }
