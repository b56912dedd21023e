package engine

import (
	"bytes"
	"net"
	"reflect"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/rancher"
)

// FuzzDecodeList: what is read one container at a time is what is read as a whole, and what is no whole list
// of containers is an error.
func FuzzDecodeList(f *testing.F) {
	for _, reply := range []string{
		"", "null", "{}", "[]", "[]\n", "[] []", "[null]", "[{}]", "[1]", `["a"]`, `{"message":"x"}`, "<html>", "[", "[]]", `[{"Id":"a"}`, `[{"Id":"a"},]`,
		`[{"Id":"a"}{"Id":"b"}]`, `[{"Id":"a"},{"Id":"b","Names":["/x"],"Labels":{"k":"v"},"State":"running"}]`, `[{"Id":"a","Names":null,"Labels":null}]`,
		`[{"Id":"a","Created":1.5}]`, `[{"Id":"a","Created":99999999999999999999}]`, `[{"id":"a","ID":"b"}]`, "[{\"Id\":\"a\xff\"}]", `[{"Id":"\ud800"}]`,
		`[{"Id":"a","Command":"run.sh -o","Image":"rancher/rancher-agent:v2.3.3","Created":1700000000,"Status":"Exited (1)"}]`,
	} {
		f.Add([]byte(reply))
	}
	f.Fuzz(func(t *testing.T, reply []byte) {
		var got []rancher.Container
		err := decodeList(newEntries(bytes.NewReader(reply), new(exchange), entryLimit), func(c rancher.Container) bool {
			got = append(got, c)
			return true
		})
		var whole []summary
		isList := json.Unmarshal(reply, &whole, tolerant) == nil && whole != nil
		for _, s := range whole {
			isList = isList && s.ID != ""
		}
		if isList != (err == nil) {
			t.Fatalf("error %v, want a list: %t", err, isList)
		}
		if err != nil {
			return
		}
		if len(got) != len(whole) {
			t.Fatalf("%d containers, want %d", len(got), len(whole))
		}
		for i, s := range whole {
			got[i].Command = rancher.CommandLine{} // it can be read in one place only, and not compared
			want := rancher.Container{ID: s.ID, Names: s.Names, Image: s.Image, Created: s.Created, Labels: s.Labels, State: s.State, Status: s.Status}
			if !reflect.DeepEqual(got[i], want) {
				t.Fatalf("container %d is %+v, want %+v", i, got[i], want)
			}
		}
	})
}

// FuzzParseEndpoint: what is taken can be dialled and holds no password; what is refused shows none.
func FuzzParseEndpoint(f *testing.F) {
	for _, host := range []string{
		"", "unix:///var/run/docker.sock", "unix:///run/user@1000/docker.sock", "unix:///with%20escape", "unix://docker.sock", "tcp://127.0.0.1:2375",
		"tcp://[::1%25eth0]:2375", "tcp://docker.example:2376/", "tcp://host", "tcp://host:65536", "ssh://host", "tcp:host:2375", "://", "tcp:///@host:1", "//@host",
	} {
		f.Add(host, "u")
	}
	f.Fuzz(func(t *testing.T, host, user string) {
		e, err := ParseEndpoint(host, nil)
		if err == nil {
			if e.String() != host {
				t.Errorf("%q prints as %q", host, e)
			}
			if e.network == "unix" && (!strings.HasPrefix(e.address, "/") || len(e.address) > longestSocketPath) {
				t.Errorf("%q: no path of a socket: %q", host, e.address)
			}
			if _, _, err := net.SplitHostPort(e.address); e.network == "tcp" && err != nil {
				t.Errorf("%q: %v", host, err)
			}
		}
		const secret = "zqplanted7token"
		scheme, rest, found := strings.Cut(host, "://")
		// The path of a socket is shown as it is: it is no place for a password.
		if !found || strings.Contains(host+user, secret) || strings.EqualFold(scheme[:min(4, len(scheme))], "unix") {
			return
		}
		withSecret := scheme + "://" + user + ":" + secret + "@" + rest
		if e, err := ParseEndpoint(withSecret, nil); err == nil || strings.Contains(err.Error(), secret) {
			t.Errorf("%q: taken as %q, or refused with the secret: %v", withSecret, e, err)
		}
	})
}
