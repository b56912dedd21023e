package main

import ("testing";"fmt";"os")

func TestExplore(t *testing.T) {
	if os.Getenv("EXPLORE")=="" { t.Skip() }
	s := smallHistory(t, withCluster)
	for _, name := range sortedKeys(pages()) {
		d := pages()[name]
		for _, p := range d.Panels {
			if len(p.Panel.Targets)==0 {continue}
			for _, c := range []choice{{"instance":"slow-1:15364","cluster":"prod"}, {}} {
				if name == "rancher-agent-exporter-node.json" && len(c)==0 {continue}
			r := s.run(t, d, *p.Panel, c, 30)
			fmt.Println("==", name, *p.Panel.Title, c)
			if p.Panel.Type=="table" {
				for _, x := range merged(*p.Panel, r) { fmt.Println("   ", x) }
			} else { for k, v := range r { for _, x := range v { fmt.Println("   ", k, x.labels["legend"], len(x.values), x.last()) } } }
			}
		}
	}
}
