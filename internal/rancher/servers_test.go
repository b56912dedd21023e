package rancher

import (
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"
)

// certWritersOf makes live cert-writers of the given servers, the first one the oldest, an hour between any two.
func certWritersOf(servers ...string) []*Agent {
	list := make([]Container, len(servers))
	for i, server := range servers {
		list[i] = withCommand(leaked(fmt.Sprintf("/a_%d", i), image233, time.Duration(len(servers)-i)*time.Hour), "run.sh --server "+server+" -o")
	}
	return snapshotOf(list...).LiveCertWriters()
}

// At most limit URLs get a series each besides unknown, those whose oldest cert-writer is oldest; the rest is other:
// counts summed, oldest the minimum, newest the maximum (README, server label).
func TestServersOf(t *testing.T) {
	hoursAgo := func(n int64) int64 { return now - n*3600 }
	group := func(server string, count int, oldest, newest int64) ServerGroup {
		return ServerGroup{Server: server, Count: count, Oldest: hoursAgo(oldest), Newest: hoursAgo(newest)}
	}
	const a, b, c, d, none = "https://a.example", "https://b.example", "https://c.example", "https://d.example", "none"
	for _, test := range []struct {
		name    string
		servers []string
		limit   int
		want    []ServerGroup
	}{
		{"none", nil, 5, nil},
		{"one", []string{a}, 5, []ServerGroup{group(a, 1, 1, 1)}},
		{"one URL written in many ways", []string{a, "https://A.example/", "https://u:p@a.example:443"}, 5, []ServerGroup{group(a, 3, 3, 1)}},
		{"up to the limit", []string{a, b, a, c}, 3, []ServerGroup{group(a, 2, 4, 2), group(b, 1, 3, 3), group(c, 1, 1, 1)}},
		{"beyond it", []string{a, b, c, d, a, d}, 2, []ServerGroup{group(a, 2, 6, 2), group(b, 1, 5, 5), group(OtherServers, 3, 4, 1)}},
		{"unknown does not count", []string{none, a, b, none, c}, 2,
			[]ServerGroup{group(Unknown, 2, 5, 2), group(a, 1, 4, 4), group(b, 1, 3, 3), group(OtherServers, 1, 1, 1)}},
		{"unknown comes late and stays apart", []string{a, b, none}, 1, []ServerGroup{group(a, 1, 3, 3), group(OtherServers, 1, 2, 2), group(Unknown, 1, 1, 1)}},
		{"a limit of 0", []string{a, none, b}, 0, []ServerGroup{group(OtherServers, 2, 3, 1), group(Unknown, 1, 2, 2)}},
		{"a limit below 0", []string{a, none}, -1, []ServerGroup{group(OtherServers, 1, 2, 2), group(Unknown, 1, 1, 1)}},
	} {
		t.Run(test.name, func(t *testing.T) {
			servers := ServersOf(certWritersOf(test.servers...), test.limit)
			if !reflect.DeepEqual(servers.Groups, test.want) {
				t.Errorf("got  %+v\nwant %+v", servers.Groups, test.want)
			}
		})
	}
}

// Each cert-writer's own series has the label of its group, so that the two join.
func TestServerLabels(t *testing.T) {
	agents := certWritersOf("https://a.example", "https://b.example", "nonsense", "https://c.example")
	servers := ServersOf(agents, 2)
	for i, want := range []string{"https://a.example", "https://b.example", Unknown, OtherServers} {
		if got := servers.Label(agents[i].Server); got != want {
			t.Errorf("%s: got %s", agents[i].Server, got)
		}
	}
	if got := servers.Label("https://never-seen.example"); got != OtherServers {
		t.Errorf("got %s", got)
	}
}

// The order of a list is Docker's and changes; what is said of it must not.
func TestOrderDoesNotMatter(t *testing.T) {
	list := []Container{
		leaked("/a", image233, 3*time.Hour), leaked("/b", image233, 3*time.Hour), leaked("/c", image233, time.Hour),
		shareMntOf(rangeB, "exited", "Exited (0)", time.Hour), shareMntOf(rangeF, "exited", "Exited (137)", time.Hour),
	}
	for i := range list {
		list[i].ID = fmt.Sprintf("%064x", i)
	}
	want := Classify(slices.Values(list))
	for range list {
		list = append(list[1:], list[0])
		if got := Classify(slices.Values(list)); !reflect.DeepEqual(got, want) {
			t.Fatalf("got  %+v\nwant %+v", got, want)
		}
	}
}
