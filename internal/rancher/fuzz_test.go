package rancher

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"
)

// planted stands for the secret in fuzzed commands. It is in lower case, as a host would be.
const planted = "zqplanted7token"

// plantedIn says whether any eight bytes of the secret are in a text.
func plantedIn(text string) bool {
	text = strings.ToLower(text)
	for i := range len(planted) - 7 {
		if strings.Contains(text, planted[i:i+8]) {
			return true
		}
	}
	return false
}

// checkServer holds for each value a server label can have: unknown, or scheme://host[:port] that stays what it is.
func checkServer(t *testing.T, server string) {
	t.Helper()
	if server == Unknown {
		return
	}
	scheme, host, ok := strings.Cut(server, "://")
	if !ok || scheme != "http" && scheme != "https" || host == "" {
		t.Errorf("no scheme://host: %q", server)
	}
	if !utf8.ValidString(server) || strings.ContainsAny(host, `@?#/\%'"`) || server != strings.ToLower(server) ||
		strings.ContainsFunc(server, unicode.IsSpace) || strings.ContainsFunc(server, unicode.IsControl) {
		t.Errorf("not fit for a label: %q", server)
	}
	if again := serverURL(server); again != server {
		t.Errorf("%q becomes %q", server, again)
	}
}

// FuzzSplitCommand: nothing but what the line holds comes out; what has no quotes comes back as it was.
func FuzzSplitCommand(f *testing.F) {
	for _, line := range []string{
		"", " ", "run.sh", certWriter, "run.sh ''", "run.sh ' '", "run.sh 'a b' 'c d'", "run.sh 'a 'b' c' d", "run.sh 'a", "'a b' c", "a\x00b \xff '\xff \xff'",
		listed("run.sh", shareMntArgs[rangeE]...), listed("run.sh", shareMntArgs["E: 2.5.6-2.5.9, quotes"]...),
	} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		read := all(splitCommand(line))
		rest := line
		for _, word := range read {
			at := strings.Index(rest, word)
			if at < 0 {
				t.Fatalf("%q: %q is not in what is left of the line", line, word)
			}
			rest = rest[at+len(word):]
		}
		if taken := len(strings.Join(read, "")); taken+strings.Count(line, " ")+strings.Count(line, "'") < len(line) {
			t.Fatalf("%q: something is lost in %q", line, read)
		}
		if !strings.Contains(line, "'") && line != "" && !slices.Equal(read, strings.Split(line, " ")) {
			t.Fatalf("%q: got %q", line, read)
		}
		args := strings.Split(strings.ReplaceAll(line, "'", ""), "\x00") // a NUL cannot be in an argument
		if got := all(splitCommand(listed("run.sh", args...))); !slices.Equal(got[1:], args) {
			t.Fatalf("%q comes back as %q", args, got[1:])
		}
	})
}

// FuzzClassify reads a command with a secret where Rancher puts one, as the value of --token, and where people do: as user
// info, path, query and fragment of the server. The command around it is anything.
func FuzzClassify(f *testing.F) {
	for _, seed := range []struct {
		before, after, image, name, state, status string
		label                                     bool
	}{
		{"run.sh --server https://r.example", withCertWriter, image233, "/zen_noyce", "running", "Up 3 hours", true},
		{"run.sh -s 'https://r.example/", "' -o", imageID, "", "restarting", "Restarting (1) 2 seconds ago", false},
		{"run.sh --server", "-o --only-write-certs", digest, "/share-mnt", "exited", "Exited (137)", true},
		{"run.sh -- share-root.sh 'docker run -d i --server https://r.example", withCertWriter + "' /var/lib/kubelet", image259, "/share-mnt", "dead", "", true},
		{"run.sh --no-register --only-write-certs --server https://r.example", "'--ca-checksum x'", image259, "/share-mnt", "", "", true},
		{"run.sh", "", "", cattleNodeAgent, "created", "Created", true},
		{"/usr/bin/share-mnt", "-- norun", "rancher/rancher-agent@sha256:0", "\xff", "\xff", "Exited (\xff)", true},
		{"run.sh -o -s https://[::1%25", "]:0443/", "a@b@c", "/k8s_", "paused", "", true},
	} {
		f.Add(seed.before, seed.after, seed.image, seed.name, seed.state, seed.status, seed.label)
	}
	f.Fuzz(func(t *testing.T, before, after, image, name, state, status string, label bool) {
		if plantedIn(before + after + image + name) {
			t.Skip("the secret is elsewhere too")
		}
		var list []Container
		for i, secret := range []string{
			" --token " + planted + " ", " -t " + planted + " ",
			" --server https://u:" + planted + "@r.example/" + planted + "?" + planted + "#" + planted + " ",
			" -s http://" + planted + "@r.example:80 --token " + planted + " ",
		} {
			line := before + secret + after
			for j, command := range []CommandLine{ListedCommand(line), InspectedCommand("run.sh", strings.Split(line, " "))} {
				c := Container{ID: fmt.Sprintf("%064x", 10*i+j), Names: []string{name}, Image: image, Command: command, State: state, Status: status, Created: now}
				if label {
					c.Labels = agentLabels
				}
				list = append(list, c)
			}
		}
		s := Classify(slices.Values(list))
		if text := fmt.Sprintf("%+v %+v", s, ServersOf(s.LiveCertWriters(), 5)); plantedIn(text) {
			t.Errorf("the secret is in %s", text)
		}
		for _, a := range s.Agents {
			checkServer(t, serverOf(a))
			for _, text := range []string{a.Name, a.Image, a.Pod, string(a.Role), string(a.State), a.ShortID()} {
				if !utf8.ValidString(text) {
					t.Errorf("no UTF-8: %q", text)
				}
			}
			if a.Name == "" || a.Image == "" || !slices.Contains(States(), a.State) {
				t.Errorf("empty: %+v", a)
			}
		}
		if sum := len(s.LiveCertWriters()) + len(s.With(RoleShareMnt)); sum > len(s.Agents) || len(s.Unmanaged()) > len(s.Agents) {
			t.Errorf("more than there are: %+v", s)
		}
	})
}

// serverOf is the server of a cert-writer; any other role has none.
func serverOf(a *Agent) string {
	if a.Role != RoleCertWriter && a.Server == "" {
		return Unknown
	}
	return a.Server
}

// FuzzServerURL: a URL with a secret as user info, path, query and fragment, around anything.
func FuzzServerURL(f *testing.F) {
	for _, seed := range [][3]string{
		{"https", "u", "r.example"}, {"http", "", "[2001:db8::7%25eth0]:0443"}, {"HTTPS", "a/b", "R.Example:443/"}, {"https", "a:1?", "x"},
		{"https", "a:1#", "x"}, {"https", "a@b", "münchen.example"}, {"https", "%2F", "m%C3%BCnchen%2eexample"}, {"https", `a\`, "r.example:"},
		{"ftp", "u", "r.example"}, {"", "", ""}, {"https", "u", "r.exa\xffmple"}, {"https", "u", "İ.example:80"}, {"https", "//", "[::ffff:192.0.2.7]"},
	} {
		f.Add(seed[0], seed[1], seed[2])
	}
	f.Fuzz(func(t *testing.T, scheme, user, host string) {
		checkServer(t, serverURL(scheme))
		checkServer(t, serverURL(host))
		checkServer(t, serverURL(scheme+"://"+host))
		checkServer(t, serverURL("https://"+host))
		if plantedIn(scheme + user + host) {
			t.Skip("the secret is elsewhere too")
		}
		for _, raw := range []string{
			"https://" + user + ":" + planted + "@" + host,
			"https://" + planted + ":" + user + "@" + host,
			"http://" + planted + user + "@" + host,
			scheme + "://" + user + planted + "@" + host,
			"https://" + host + "/" + planted,
			"https://" + host + "/" + user + planted + user,
			"https://" + host + "?" + planted,
			"https://" + host + "#" + planted,
			"https://" + user + "@" + host + "/?" + planted,
		} {
			got := serverURL(raw)
			checkServer(t, got)
			if plantedIn(got) {
				t.Errorf("%q becomes %q", raw, got)
			}
		}
	})
}

// FuzzClassifyList: names and states of a whole list; nobody is lost and nobody counts twice on the way to the groups.
func FuzzClassifyList(f *testing.F) {
	f.Add("share-mnt,a,,share-mnt", "running,dead,,x", uint8(3))
	f.Add("k8s_agent_cattle-node-agent-x_cattle-system_u_0,k8s_agent_cattle-node-agent-x", "running,exited", uint8(200))
	f.Fuzz(func(t *testing.T, names, listedStates string, limit uint8) {
		if strings.Count(names, ",") > 500 {
			t.Skip("more containers say no more")
		}
		state := strings.Split(listedStates, ",")
		var list []Container
		for i, name := range strings.Split(names, ",") {
			list = append(list, ctr("/"+name, image233, fmt.Sprintf("run.sh -s https://h%d.example -o", i),
				state[i%len(state)], "Exited (1)", time.Duration(i)*time.Minute, agentLabels))
		}
		s := snapshotOf(list...)
		if len(s.Agents) != len(list) {
			t.Fatalf("%d agents of %d", len(s.Agents), len(list))
		}
		total, live := 0, s.LiveCertWriters()
		for _, group := range ServersOf(live, int(limit)).Groups {
			total += group.Count
			if group.Oldest > group.Newest {
				t.Errorf("%+v", group)
			}
		}
		if groups := len(ServersOf(live, int(limit)).Groups); total != len(live) || groups > int(limit)+2 {
			t.Errorf("%d of %d in %d groups, limit %d", total, len(live), groups, limit)
		}
	})
}
