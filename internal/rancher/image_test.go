package rancher

import (
	"testing"
	"time"
)

// Image references as Docker shows them (docs/rancher.md, section 8), with what is exported of them, and the role of a
// cert-writer's command under them with and without Rancher's label.
func TestImages(t *testing.T) {
	const hash = "0a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f9"
	const cw, none = RoleCertWriter, RoleNone
	for _, c := range []struct {
		image      string
		name       string
		unlabelled Role
	}{
		{"rancher/rancher-agent:v2.3.3", "rancher/rancher-agent:v2.3.3", cw},
		{"rancher/rancher-agent", "rancher/rancher-agent", cw},
		{"rancher-agent:v2.3.3", "rancher-agent:v2.3.3", cw},
		{"registry.example/rancher/rancher-agent:v2.5.7", "registry.example/rancher/rancher-agent:v2.5.7", cw},                     // #33060
		{"registry.example:5000/rancher/rancher-agent:v2.5.7", "registry.example:5000/rancher/rancher-agent:v2.5.7", cw},           // #33060
		{"registry.example:5000/proj/rancher/rancher-agent:v2.5.7", "registry.example:5000/proj/rancher/rancher-agent:v2.5.7", cw}, // #33060
		{"registry.example:5000/rancher-agent", "registry.example:5000/rancher-agent", cw},
		{"localhost/rancher-agent:dev", "localhost/rancher-agent:dev", cw},
		{"192.0.2.7:5000/rancher/rancher-agent:v2.5.7", "192.0.2.7:5000/rancher/rancher-agent:v2.5.7", cw},
		{"[2001:db8::7]:5000/rancher/rancher-agent:v2.5.7", "[2001:db8::7]:5000/rancher/rancher-agent:v2.5.7", cw},
		{"Registry.Example/rancher/rancher-agent:v2.5.7", "Registry.Example/rancher/rancher-agent:v2.5.7", cw},
		{"rancher/rancher-agent@sha256:" + hash, "rancher/rancher-agent", cw}, // #26417
		{"rancher/rancher-agent@sha384:" + hash, "rancher/rancher-agent", cw},
		{"rancher/rancher-agent@sha512:" + hash, "rancher/rancher-agent", cw},
		{"rancher/rancher-agent:v2.5.7@sha256:" + hash, "rancher/rancher-agent:v2.5.7", cw},
		{"registry.example:5000/rancher/rancher-agent@sha256:" + hash, "registry.example:5000/rancher/rancher-agent", cw},
		{"rancher/rancher-agent:v2.5-" + hash[:40] + "-head", "rancher/rancher-agent:v2.5-" + hash[:40] + "-head", cw},     // #31454
		{"rancher/rancher-agent:master-" + hash[:40] + "-head", "rancher/rancher-agent:master-" + hash[:40] + "-head", cw}, // #32727
		// Docker shows an ID once the tag moved (#26119, #15047): then the command decides.
		{"sha256:" + hash, Unknown, cw},
		{hash, Unknown, cw},
		{"3571bad91a6b", Unknown, cw},
		// rancher/agent is a beta of 2.0.0 (#12825) or Rancher v1: only the label tells.
		{"rancher/agent:v2.0.0-beta3", "rancher/agent:v2.0.0-beta3", none},
		{"rancher/agent:v1.2.11", "rancher/agent:v1.2.11", none},
		// Other repositories.
		{"rancher/rancher-agent-windows:v2.3.3", "rancher/rancher-agent-windows:v2.3.3", none},
		{"rancher/my-rancher-agent:v2.3.3", "rancher/my-rancher-agent:v2.3.3", none},
		{"rancher-agent/tool:v1", "rancher-agent/tool:v1", none},
		{"tool:rancher-agent", "tool:rancher-agent", none},
		{"rancher-agent.example/tool", "rancher-agent.example/tool", none},
		{"rancher/rancher:v2.3.3", "rancher/rancher:v2.3.3", none},
		// What is no reference stays out of labels.
		{"", Unknown, none},
		{":", Unknown, none},
		{"rancher/rancher-agent:", Unknown, none},
		{"Rancher/Rancher-Agent:v2.3.3", Unknown, none},
		{"user:pw@registry.example/rancher/rancher-agent:v2.5.7", Unknown, none},
		{"user:pw@shared.example/rancher-agent", Unknown, none},
		{"user:pw@registry:5000", Unknown, none}, // looks like a digest
		{"rancher/rancher-agent@", Unknown, none},
		{"rancher/rancher-agent@sha256:", Unknown, none},
		{"rancher/rancher-agent@sha256:registry.example", Unknown, none},
		{"https://user:pw@registry.example/rancher/rancher-agent", Unknown, none},
		{"rancher/rancher-agent:v2 3", Unknown, none},
		{"rancher/rancher-agent:v2\n3", Unknown, none},
		{"rancher/rancher-agent:\xff", Unknown, none},
		{"sha256:", Unknown, none},
		{"deadbeef", "deadbeef", none}, // too short for an ID
	} {
		t.Run(c.image, func(t *testing.T) {
			agent := leaked("/keen_bell", c.image, time.Hour)
			if s := snapshotOf(agent); s.Agents[0].Role != cw || s.Agents[0].Image != c.name {
				t.Errorf("labelled: got %s of %q, want %s of %q", s.Agents[0].Role, s.Agents[0].Image, cw, c.name)
			}
			agent.Labels = nil
			if got := RoleOf(agent); got != c.unlabelled {
				t.Errorf("without label: got %q, want %q", got, c.unlabelled)
			}
			if v := viewOf(snapshotOf(agent)); v.unmanaged != 0 {
				t.Error("without label: the clean-up does not take it")
			}
		})
	}
}

// Without label and repository only run.sh with a server and a token is an agent, as every one is that Rancher starts by a
// command: nobody else's run.sh, whose flags may be spelled like the agent's, and no agent of Rancher v1.
func TestImageIDNeedsServerAndToken(t *testing.T) {
	const server, token = " --server https://r.example", " --token x"
	for command, want := range map[string]Role{
		certWriter:                                     RoleCertWriter,
		"run.sh -t x -s https://r.example -o":          RoleCertWriter,
		"run.sh --server u" + token + withCertWriter:   RoleCertWriter, // whatever the server looks like
		"/opt/app/run.sh -o /data/out":                 RoleNone,
		"run.sh" + withCertWriter:                      RoleNone,
		"run.sh" + withCertWriter + server:             RoleNone,
		"run.sh" + withCertWriter + token:              RoleNone,
		"run.sh" + withCertWriter + server + " -t":     RoleNone, // a value is missing
		"run.sh" + withCertWriter + token + " -s":      RoleNone,
		"run.sh" + withCertWriter + server + " -t  ":   RoleNone, // an empty value
		"run.sh" + withCertWriter + token + " -s  -r":  RoleNone,
		"run.sh" + withCertWriter + server + " x -t x": RoleNone, // nothing is read behind x
		"run.sh" + server + token + " x -o":            RoleOther,
		"run.sh --only-write-certs --server --token x": RoleNone, // server-url unset: --token became the server

		registration: RoleRegistration,
		"run.sh" + server + token + " -r -n m-ab": RoleRegistration,
		"run.sh --worker":                         RoleNone,
		"run.sh -w -p -e":                         RoleNone,
		"run.sh" + server + " --worker":           RoleNone,
		"run.sh" + token + " -r -n m-ab":          RoleNone,
		"run.sh" + server + token:                 RoleOther,
		"run.sh" + server:                         RoleNone,
		"run.sh -d":                               RoleNone,
		"run.sh":                                  RoleNone,
		"/run.sh":                                 RoleNone,
		"/run.sh inspect-host":                    RoleNone, // Rancher v1
		"/run.sh http://192.0.2.7/v1/scripts/x":   RoleNone, // Rancher v1
		"run.sh -- agent clean node":              RoleNone,
		"/usr/bin/share-mnt /var/lib":             RoleNone,
		"/usr/bin/share-mnt" + server + token:     RoleNone,
		"nginx" + server + token + withCertWriter: RoleNone,
		"": RoleNone,
	} {
		if got := RoleOf(ctr("/keen_bell", imageID, command, "running", "Up", time.Hour)); got != want {
			t.Errorf("%q: got %q, want %q", command, got, want)
		}
	}
	for _, command := range []string{"/run.sh inspect-host", "/run.sh run"} { // by name, the agents of Rancher v1
		if got := RoleOf(ctr("/rancher-agent", "rancher/agent:v1.2.11", command, "running", "Up", time.Hour)); got != RoleNone {
			t.Errorf("v1 %q: got %q", command, got)
		}
	}
}

// The label counts with the value true alone: that is what the node-agent's clean-up asks Docker for.
func TestAgentLabel(t *testing.T) {
	for value, want := range map[string]Role{"true": RoleCertWriter, "false": RoleNone, "": RoleNone, "True": RoleNone, "1": RoleNone} {
		c := ctr("/keen_bell", "example/mirror:v1", certWriter, "running", "Up", time.Hour, map[string]string{"io.cattle.agent": value})
		if got := RoleOf(c); got != want {
			t.Errorf("%q: got %q, want %q", value, got, want)
		}
	}
}

func TestShortID(t *testing.T) {
	const whole = "3571bad91a6b0a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293"
	for id, want := range map[string]string{
		whole: "3571bad91a6b", "3571bad91a6b": "3571bad91a6b",
		"": Unknown, "3571bad91a6": Unknown, "3571BAD91A6B": Unknown, "3571bad91a6b~": Unknown, "../../etc/passwd": Unknown, "sha256:" + whole: Unknown,
	} {
		if got := (Agent{ID: id}).ShortID(); got != want {
			t.Errorf("%q: got %q, want %q", id, got, want)
		}
	}
}
