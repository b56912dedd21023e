package rancher

import (
	"path"
	"strings"
	"unicode"
)

// runShFlag is one flag of run.sh, the entrypoint of the agent image.
type runShFlag struct {
	value bool                         // takes the next word, whatever it looks like
	set   func(r *runSh, value string) // nil where the flag says nothing about the role
}

// runShFlags is the grammar of run.sh over Rancher v2.0.0 to v2.11 (package/run.sh). -a means --all-roles: the case of
// --address, which names it too, stands behind it and is never reached.
var runShFlags = func() map[string]runShFlag {
	asRole := runShFlag{set: func(r *runSh, _ string) { r.roles = true }}
	server := runShFlag{value: true, set: func(r *runSh, v string) { r.server = v }}
	token := runShFlag{value: true, set: func(r *runSh, v string) { r.token = v != "" }}
	nodeName := runShFlag{value: true, set: func(r *runSh, _ string) { r.nodeName = true }}
	noRegister := runShFlag{set: func(r *runSh, _ string) { r.noRegister = true }}
	onlyWriteCerts := runShFlag{set: func(r *runSh, _ string) { r.onlyWriteCerts = true }} // since 2.0.6
	ignored, ignoredValue := runShFlag{}, runShFlag{value: true}
	return map[string]runShFlag{
		"--debug": ignored, "-d": ignored,
		"--server": server, "-s": server,
		"--token": token, "-t": token,
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
	server         string // value of --server, not yet looked at
	token          bool   // --token, with a value
	roles          bool   // --etcd, --controlplane, --worker or --all-roles
	nodeName       bool   // --node-name
	noRegister     bool   // --no-register
	onlyWriteCerts bool   // --only-write-certs
}

// role is what the flags make of a container that runs run.sh. Those of a registration do not count beside
// --only-write-certs, for then run.sh does not register.
func (r runSh) role() Role {
	switch {
	case r.onlyWriteCerts:
		return RoleCertWriter
	case r.roles, r.noRegister && r.nodeName:
		return RoleRegistration
	default:
		return RoleOther
	}
}

// complete says whether the command alone tells an agent: every one that Rancher starts by a command has a server and a
// token, without which run.sh ends at once. A single flag such as -o is anybody's.
func (r runSh) complete() bool { return r.server != "" && r.token }

// program is the name of what a command starts, without its directory.
func program(command words) string {
	first, _ := command()
	return path.Base(first)
}

const runShProgram = "run.sh"

// parseRunSh reads the arguments as run.sh does: flag by flag, a value in a word of its own, up to the first word that is
// no flag ("--server=URL" and "-ro" are none); the rest is ignored without an error. Behind a leading "--" stands a
// command to execute, and "--" is no flag, so nothing of that is read either.
func parseRunSh(args words) runSh {
	var r runSh
	for {
		word, _ := args()
		flag, ok := runShFlags[word]
		if !ok {
			return r
		}
		value := ""
		if flag.value {
			value, _ = args()
		}
		if flag.set != nil {
			flag.set(&r, value)
		}
	}
}

// startsCertWriter says whether the command of a share-mnt container starts a separate cert-writer, as Rancher 2.0.6 to
// 2.5.9 has it: run.sh -- share-root.sh 'docker run … --only-write-certs …' DIR…. Up to 2.0.5 no docker run is there;
// from 2.5.10 on share-mnt writes the certificates itself.
func startsCertWriter(command words) bool {
	if program(command) != runShProgram {
		return false
	}
	if dashes, _ := command(); dashes != "--" {
		return false
	}
	if program(command) != "share-root.sh" {
		return false
	}
	// An environment variable in quotes (-e 'A=b c', from 2.5.6) ends the quoted command early, so look at plain words.
	plain := 0
	for word, ok := command(); ok; word, ok = command() {
		for field := range strings.FieldsFuncSeq(word, blankOrQuote) {
			switch {
			case plain == 0 && field != "docker", plain == 1 && field != "run":
				return false
			case field == "--only-write-certs", field == "-o":
				return true
			}
			plain++
		}
	}
	return false
}

func blankOrQuote(r rune) bool { return unicode.IsSpace(r) || r == '\'' || r == '"' }
