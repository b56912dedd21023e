package main

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
)

// choice is what a user has chosen in the variables; nothing chosen is All.
type choice map[string]string

// filled replaces Grafana's variables as Grafana does: All is the variable's own All value, or else every value it offers; values are escaped in a
// regular expression.
func (s *promServer) filled(t testing.TB, d dashboard.Dashboard, chosen choice, step, interval int64, text string) string {
	t.Helper()
	text = strings.NewReplacer(
		"$__rate_interval", fmt.Sprintf("%ds", max(step+interval, 4*interval)),
		"$__interval", fmt.Sprintf("%ds", step),
		"$__range_s", fmt.Sprint(theEnd-begin),
		"$__range", fmt.Sprintf("%ds", theEnd-begin)).Replace(text)
	for i, v := range d.Templating.List {
		if v.Type != dashboard.VariableTypeQuery || !strings.Contains(text, "$"+v.Name) {
			continue
		}
		value, is := chosen[v.Name]
		switch {
		case !is && v.AllValue != nil:
			value = *v.AllValue
		case !is && v.IncludeAll != nil && *v.IncludeAll:
			var all []string
			for _, one := range s.offers(t, d, chosen, i) {
				all = append(all, escaped(one))
			}
			value = "(" + strings.Join(all, "|") + ")"
		case !is:
			t.Fatalf("nothing is chosen for %s, which has no All", v.Name)
		case v.Multi != nil && *v.Multi:
			value = escaped(value)
		}
		text = strings.ReplaceAll(text, "$"+v.Name, value)
	}
	return text
}

func escaped(value string) string { return strings.ReplaceAll(regexp.QuoteMeta(value), `\`, `\\`) }

var variableQuery = regexp.MustCompile(`^(?:label_values\((.+), (\w+)\)|query_result\((.+)\))$`)

// offers are the values of a dashboard's variable.
func (s *promServer) offers(t testing.TB, d dashboard.Dashboard, chosen choice, i int) []string {
	t.Helper()
	v := d.Templating.List[i]
	key := fmt.Sprint(*d.Uid, v.Name, chosen)
	if values, is := s.offered[key]; is {
		return values
	}
	m := variableQuery.FindStringSubmatch(*v.Query.String)
	if m == nil {
		t.Fatalf("variable %s has a query of no known kind: %s", v.Name, *v.Query.String)
	}
	var values []string
	if m[3] == "" {
		values = s.labelValues(t, s.filled(t, d, chosen, 30, 30, m[1]), m[2])
	} else {
		found := map[string]bool{}
		pick := regexp.MustCompile(strings.Trim(*v.Regex, "/"))
		for _, one := range s.ask(t, "query", url.Values{"query": {s.filled(t, d, chosen, 30, 30, m[3])}, "time": {fmt.Sprint(theEnd - 1)}}) {
			if text := pick.FindStringSubmatch(shown(one.labels)); text != nil {
				found[text[1]] = true
			}
		}
		values = sortedKeys(found)
	}
	s.offered[key] = values
	return values
}

// shown is a series as query_result shows it.
func shown(labels map[string]string) string {
	var list []string
	for _, name := range sortedKeys(labels) {
		list = append(list, fmt.Sprintf("%s=%q", name, labels[name]))
	}
	return "{" + strings.Join(list, ",") + "}"
}

// TestVariables wants the choices that the variables offer.
func TestVariables(t *testing.T) {
	eachServer(t, withCluster, func(t *testing.T, server *promServer) {
		for name, d := range decoded(t) {
			for i, v := range d.Templating.List[1:] {
				if v.Type != dashboard.VariableTypeQuery {
					continue
				}
				got := server.offers(t, d, choice{}, i+1)
				switch v.Name {
				case "job":
					same(t, name+", job", got, []string{"rancher-agent-exporter"})
				case "cluster":
					same(t, name+", cluster", got, []string{"edge", "prod"})
				case "node":
					if n := len(server.offers(t, d, choice{"cluster": "edge"}, i+1)); n != 3 || len(got) != 14 {
						t.Errorf("%s offers %d nodes of cluster edge, and %d of all", name, n, len(got))
					}
				case "instance":
					if n := len(server.offers(t, d, choice{"cluster": "prod"}, i+1)); n != 12 || len(got) != 14 {
						t.Errorf("%s offers %d instances of cluster prod, and %d of all", name, n, len(got))
					}
					// Operators know the name of the node, not of the target.
					same(t, name+", instance", server.offers(t, d, choice{"node": "fixed-1"}, i+1), []string{"fixed-1:15364"})
				case "leaked":
					// An instance of both clusters is one value.
					if len(got) != 10 {
						t.Errorf("%s has %d instances that leaked: %v", name, len(got), got)
					}
				default:
					t.Errorf("%s has an unknown variable %s", name, v.Name)
				}
			}
		}
	})
}

// TestNothingIsEmpty wants every panel to show something of a fleet, or a node, that has everything.
func TestNothingIsEmpty(t *testing.T) {
	eachServer(t, withCluster, func(t *testing.T, server *promServer) {
		for name, d := range decoded(t) {
			chosen := choice{}
			if *d.Uid == nodeUID {
				chosen = choice{"cluster": "prod", "instance": "slow-1:15364"}
			}
			for _, p := range panelsOf(d) {
				if p.Type == "text" {
					continue
				}
				empty := true
				for _, list := range server.run(t, d, *p, chosen, 30) {
					empty = empty && len(list) == 0
				}
				// Of a node that is seen it has nothing to show.
				if quiet := *p.Title == "Last count"; empty && !quiet {
					t.Errorf("%s: %s is empty", name, *p.Title)
				}
			}
		}
	})
}
