package enginetest

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// ShareMnt is share-mnt as a version of Rancher from v2.0.0 to v2.11 creates it, in its healthy end state, a few seconds
// after its creation. What is no version counts as the newest. From v2.5.6 on env, a list of NAME=value, is handed to the
// agents.
func ShareMnt(version, server, node string, created time.Time, env ...string) Container {
	v := parseVersion(version)
	c := agent(hexID("share-mnt", version, created), "share-mnt", version, created, shareMntArgs(v, version, server, node, env)...)
	label := "io.rancher.rke.container.name"
	if v == (rancherVersion{0, 0}) {
		label = "io.cattle.process.name"
	}
	c.Labels[label] = "share-mnt"
	if !v.before(5, 6) {
		c.Env = append(c.Env, env...)
	}
	c.State = "exited"
	if v.before(0, 6) {
		c.ExitCode = 137 // it kills itself
	}
	c.StartedAt = created.Add(300 * time.Millisecond)
	c.FinishedAt = created.Add(4 * time.Second)
	return c
}

// shareMntArgs are the arguments as Rancher's node config server puts them together (pkg/rkenodeconfigserver).
func shareMntArgs(v rancherVersion, version, server, node string, env []string) []string {
	if !v.before(5, 10) { // share-mnt is the writer itself; that the checksum is one word is Rancher's slip
		return []string{
			"--no-register", "--only-write-certs", "--node-name", node, "--server", server, "--token", Token,
			"--ca-checksum " + CAChecksum,
		}
	}
	args := []string{"--", "share-root.sh"}
	if !v.before(0, 6) {
		args = append(args, certWriterCommand(v, version, server, node, env))
	}
	if !v.before(3, 3) && v.before(4, 0) { // outside the command, where it breaks the helper (rancher/rancher#27309)
		args = append(args, "--node-name", node)
	}
	if v.before(5, 0) {
		args = append(args, "/var/lib/kubelet", "/var/lib/rancher")
	}
	return args
}

// certWriterCommand is the command, one argument of share-mnt, that starts a cert-writer.
func certWriterCommand(v rancherVersion, version, server, node string, env []string) string {
	words := strings.Fields("docker run -d --privileged --restart=unless-stopped --net=host " +
		"-v /etc/kubernetes:/etc/kubernetes -v /var/run:/var/run")
	if !v.before(5, 6) {
		var options []string
		for _, variable := range env {
			options = append(options, "-e", variable)
		}
		words = append(words, strings.Join(options, " ")) // two blanks in a row where there is none, as in Rancher's template
	}
	words = slices.Concat(words, []string{
		"rancher/rancher-agent:" + version, "--server", server, "--token", Token,
		"--ca-checksum", CAChecksum, "--no-register", "--only-write-certs",
	})
	if !v.before(4, 0) {
		words = append(words, "--node-name", node)
	}
	return strings.Join(words, " ")
}

// rancherVersion is a version of Rancher 2.
type rancherVersion struct{ minor, patch int }

func parseVersion(s string) rancherVersion {
	var v rancherVersion
	if _, err := fmt.Sscanf(s, "v2.%d.%d", &v.minor, &v.patch); err != nil {
		return rancherVersion{minor: 11}
	}
	return v
}

func (v rancherVersion) before(minor, patch int) bool {
	return v.minor < minor || v.minor == minor && v.patch < patch
}
