package rancher

import (
	"testing"
	"time"
)

// The grammar of run.sh (docs/rancher.md, section 2), word by word: what a labelled container with such a command is.
func TestRunShGrammar(t *testing.T) {
	const url, none = "https://r.example", ""
	cases := []struct {
		command string
		role    Role
		server  string
	}{
		// Long and short flags, in any order.
		{certWriter, RoleCertWriter, url},
		{"run.sh -s https://r.example -t x -c y -r -o", RoleCertWriter, url},
		{"run.sh -o -d -t x -s https://r.example", RoleCertWriter, url},
		{"run.sh --only-write-certs", RoleCertWriter, Unknown},
		{"/usr/bin/run.sh -o", RoleCertWriter, Unknown},
		{"./run.sh -o", RoleCertWriter, Unknown},
		{"run.sh -i 10.0.0.1 --internal-address 10.0.0.1 --address 10.0.0.1 -l a=b --label c=d --taints e=f:NoSchedule -n n1 -o", RoleCertWriter, Unknown},
		{"run.sh --debug --only-write-certs --only-write-certs", RoleCertWriter, Unknown},
		// Registrations: a role, or --no-register with a node name, which is how a node driver does it.
		{"run.sh -e", RoleRegistration, none},
		{"run.sh --etcd", RoleRegistration, none},
		{"run.sh -w", RoleRegistration, none},
		{"run.sh --worker", RoleRegistration, none},
		{"run.sh -p", RoleRegistration, none},
		{"run.sh --controlplane", RoleRegistration, none},
		{"run.sh -a", RoleRegistration, none},
		{"run.sh --all-roles", RoleRegistration, none},
		{"run.sh -a 10.0.0.1", RoleRegistration, none}, // -a is --all-roles; the --address that has it too is never reached
		{"run.sh --no-register --node-name n1", RoleRegistration, none},
		{"run.sh -n n1 -r", RoleRegistration, none},
		{"run.sh -r", RoleOther, none},
		{"run.sh -n n1", RoleOther, none},
		{"run.sh --server https://r.example --token x", RoleOther, none},
		{"run.sh --etcd --only-write-certs", RoleCertWriter, Unknown}, // writes and does not register
		// A flag takes the next word for its value, whatever that looks like.
		{"run.sh --token --only-write-certs", RoleOther, none},
		{"run.sh --server --only-write-certs --token x", RoleOther, none},
		{"run.sh --server --token x --only-write-certs", RoleOther, none}, // server-url unset: x ends it
		{"run.sh --server --token -o", RoleCertWriter, Unknown},
		{"run.sh -l -o -o", RoleCertWriter, Unknown},
		{"run.sh --address -o", RoleOther, none},
		// Repeated flags: the last one counts.
		{"run.sh -s https://a.example -s https://r.example -o", RoleCertWriter, url},
		{"run.sh -o -s https://r.example -s nonsense", RoleCertWriter, Unknown},
		// Empty and missing values.
		{"run.sh --server  -o", RoleCertWriter, Unknown},
		{"run.sh --token  --server https://r.example -o", RoleCertWriter, url},
		{"run.sh -o --server", RoleCertWriter, Unknown},
		{"run.sh -o -s https://r.example --token", RoleCertWriter, url},
		// The first word that is no flag ends it.
		{"run.sh --server=https://r.example --only-write-certs", RoleOther, none},
		{"run.sh -o --server=https://r.example", RoleCertWriter, Unknown},
		{"run.sh --only-write-certs=true", RoleOther, none},
		{"run.sh -ro", RoleOther, none},
		{"run.sh -or", RoleOther, none},
		{"run.sh --server https://r.example stray -o", RoleOther, none},
		{"run.sh  -o", RoleOther, none}, // two blanks in a list are an empty argument
		{"run.sh -o  --etcd", RoleCertWriter, Unknown},
		{"run.sh -s https://r.example '--token x' -o", RoleOther, none},
		{"run.sh -r\t-o", RoleOther, none},
		{"run.sh -r\n-o", RoleOther, none},
		{"run.sh '-o'", RoleOther, none}, // Docker quotes nothing without a blank, so the quotes are the argument's
		{"run.sh --ONLY-WRITE-CERTS", RoleOther, none},
		{"run.sh —only-write-certs", RoleOther, none}, // a dash from a word processor
		{"run.sh -", RoleOther, none},
		// Behind a leading -- stands a command; elsewhere -- is no flag.
		{"run.sh -- --only-write-certs", RoleOther, none},
		{"run.sh -- bash", RoleOther, none},
		{"run.sh -- kubectl get nodes", RoleOther, none},
		{"run.sh -- agent clean node", RoleOther, none},
		{"run.sh -r -- -o", RoleOther, none},
		{"run.sh -o -- --etcd", RoleCertWriter, Unknown},
		// Quoted values.
		{"run.sh --label 'a=b c' -s https://r.example -o", RoleCertWriter, url},
		{"run.sh --label 'a=it's b' -o", RoleCertWriter, Unknown},
		{"run.sh --server 'https://r.example ' -o", RoleCertWriter, Unknown},
		{"run.sh --server 'https://r.example' -o", RoleCertWriter, Unknown}, // quotes of somebody's double quoting
		// Other commands of the image.
		{"", RoleOther, none},
		{" ", RoleOther, none},
		{"run.sh", RoleOther, none},
		{"bash", RoleOther, none},
		{"agent --only-write-certs", RoleOther, none},
		{"tini -- agent", RoleOther, none},
		{"myrun.sh --only-write-certs", RoleOther, none},
		{"run.sh.bak --only-write-certs", RoleOther, none},
		{"docker run rancher/rancher-agent:v2.3.3 --only-write-certs", RoleOther, none},
		{"/usr/bin/share-mnt /var/lib/kubelet -- norun", RoleShareMntHelper, none},
		{"share-mnt --only-write-certs", RoleShareMntHelper, none},
		{"/usr/bin/share-mnt", RoleShareMntHelper, none},
		{"share-root.sh --only-write-certs", RoleOther, none},
		// Windows (docs/rancher.md, section 2): no run.sh, other flags, nothing that leaks.
		{`pwsh -NoLogo -NonInteractive -File c:\etc\rancher\entrypoint.ps1 bootstrap --server https://r.example -o`, RoleOther, none},
		{`powershell.exe -Command & 'c:\run agent.ps1' --only-write-certs`, RoleOther, none},
		{`c:\run.sh --only-write-certs`, RoleOther, none},
	}
	for _, c := range cases {
		t.Run(c.command, func(t *testing.T) {
			s := snapshotOf(ctr("/keen_bell", image233, c.command, "running", "Up", time.Hour, agentLabels))
			if a := s.Agents[0]; a.Role != c.role || a.Server != c.server {
				t.Errorf("got %s %q, want %s %q", a.Role, a.Server, c.role, c.server)
			}
		})
	}
}

// An inspected command knows its elements, so the same words can mean something else than in a list.
func TestInspectedCommand(t *testing.T) {
	for _, c := range []struct {
		path string
		args []string
		role Role
	}{
		{"run.sh", []string{"--server", "https://r.example", "--only-write-certs"}, RoleCertWriter},
		{"run.sh", []string{"--label", "'a' b", "-o"}, RoleCertWriter},
		{"run.sh", []string{"-r -o"}, RoleOther},
		{"run.sh", []string{"", "-o"}, RoleOther},
		{"run.sh", nil, RoleOther},
		{"", nil, RoleOther},
		{"", []string{"run.sh", "-o"}, RoleOther},
		{"/usr/bin/share-mnt", nil, RoleShareMntHelper},
	} {
		agent := leaked("/keen_bell", image233, time.Hour)
		agent.Command = InspectedCommand(c.path, c.args)
		if got := RoleOf(agent); got != c.role {
			t.Errorf("%s %q: got %s, want %s", c.path, c.args, got, c.role)
		}
	}
	agent := leaked("/keen_bell", image233, time.Hour)
	agent.Command = CommandLine{} // never asked for
	if got := RoleOf(agent); got != RoleOther {
		t.Errorf("no command: got %s", got)
	}
}

// A command can be read as often as one likes, and reading one does not move another.
func TestCommandIsReadAgain(t *testing.T) {
	for _, command := range []CommandLine{ListedCommand("a b c"), InspectedCommand("a", []string{"b", "c"})} {
		first, second := command.words(), command.words()
		first()
		if word, _ := second(); word != "a" {
			t.Errorf("got %q", word)
		}
		if got := all(command.words()); len(got) != 3 {
			t.Errorf("got %q", got)
		}
	}
}
