package rancher

import (
	"path"
	"strings"
)

// runShFlag is one flag of run.sh, the entrypoint of the agent image.
type runShFlag struct {
	value bool                          // takes the next word, whatever it looks like
	set   func(r *runSh, value string) // nil where the flag says nothing about the role
}

// runShFlags is the grammar of run.sh over Rancher v2.0.0 to v2.11 (package/run.sh). -a means --all-roles: the case of
// --address, which names it too, stands behind it and is never reached.
var runShFlags = func() map[string]runShFlag {
	asRole := runShFlag{set: func(r *runSh, _ string) { r.roles = true }}
	server := runShFlag{value: true, set: func(r *runSh, v string) { r.server = v }}
	nodeName := runShFlag{value: true, set: func(r *runSh, _ string) { r.nodeName = true }}
	noRegister := runShFlag{set: func(r *runSh, _ string) { r.noRegister = true }}
	onlyWriteCerts := runShFlag{set: func(r *runSh, _ string) { r.onlyWriteCerts = true }} // since 2.0.6
	ignored, ignoredValue := runShFlag{}, runShFlag{value: true}
	return map[string]runShFlag{
		"--debug": ignored, "-d": ignored,
		"--server": server, "-s": server,
		"--token": ignoredValue, "-t": ignoredValue,
		"--ca-checksum": ignoredValue, "-c": ignoredValue,
		"--all-roles": asRole, "-a": asRole,
		"--etcd": asRole, "-e": asRole,
		"--worker": asRole, "-w": asRole,
		"--controlplane": asRole, "-p": asRole,
		"--node-name": nodeName, "-n": nodeName,
		"--no-register": noRegister, "-r": noRegister,
		"--address":          ignoredValue,
		"--internal-address": ignoredValue, "-i": ignoredValue,
		"--label": ignoredValue, "-l": ignoredValue, // since 2.0.3
		"--only-write-certs": onlyWriteCerts, "-o": onlyWriteCerts,
		"--taints": ignoredValue, // since 2.3.0
	}
}()

// runSh is what run.sh understands of its arguments.
type runSh struct {
	flags          int    // how many flags were read
	server         string // value of --server, not yet looked at
	roles          bool   // --etcd, --controlplane, --worker or --all-roles
	nodeName       bool   // --node-name
	noRegister     bool   // --no-register
	onlyWriteCerts bool   // --only-write-certs
}

// isRunSh says whether the command starts run.sh and not something else of the image.
func isRunSh(command []string) bool {
	return len(command) > 0 && path.Base(command[0]) == "run.sh"
}

// parseRunSh reads the arguments as run.sh does: flag by flag, a value in a word of its own, up to the first word that is
// no flag ("--server=URL" and "-ro" are none); the rest is ignored without an error. Behind a leading "--" stands a
// command to execute, and "--" is no flag, so nothing of that is read either.
func parseRunSh(args []string) runSh {
	var r runSh
	for len(args) > 0 {
		flag, ok := runShFlags[args[0]]
		if !ok {
			break
		}
		args = args[1:]
		r.flags++
		value := ""
		if flag.value && len(args) > 0 {
			value, args = args[0], args[1:]
		}
		if flag.set != nil {
			flag.set(&r, value)
		}
	}
	return r
}

// startsCertWriter says whether the command of a share-mnt container starts a separate cert-writer, as Rancher 2.0.6 to
// 2.5.9 has it: run.sh -- share-root.sh 'docker run … --only-write-certs …' DIR…. Up to 2.0.5 no docker run is there;
// from 2.5.10 on share-mnt writes the certificates itself.
func startsCertWriter(command []string) bool {
	if !isRunSh(command) || len(command) < 4 || command[1] != "--" || path.Base(command[2]) != "share-root.sh" {
		return false
	}
	// An environment variable in quotes (-e 'A=b c', from 2.5.6) ends the quoted command early, so look at plain words.
	words := strings.FieldsFunc(strings.Join(command[3:], " "), func(r rune) bool { return r == ' ' || r == '\'' })
	if len(words) < 2 || words[0] != "docker" || words[1] != "run" {
		return false
	}
	for _, word := range words[2:] {
		if word == "--only-write-certs" {
			return true
		}
	}
	return false
}
