package rancher

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

// leakingNode is the list of a node with n cert-writers among the usual company and sixty pods.
func leakingNode(n int, certWriter func(i int) Container) []Container {
	list := append(repeat(n, certWriter),
		shareMntOf(rangeB, "exited", "Exited (0) 2 minutes ago", 2*time.Minute),
		nodeAgent("cattle-node-agent-jfdlt", 0, "running", "Up 40 days", 960*time.Hour),
		sandbox("cattle-node-agent-jfdlt"), rkeService("kubelet", "running", "Up 40 days"),
	)
	for i := range 60 {
		pod := fmt.Sprintf("web-%d", i)
		list = append(list, ctr("/k8s_app_"+pod+"_shop_uid_0", fmt.Sprintf("registry.example/shop/web:v%d", i), "/web --port 8080", "running", "Up 2 days",
			48*time.Hour, podLabels("shop", pod, "app")))
	}
	for i := range list {
		list[i].ID = fmt.Sprintf("%064x", i*7919)
	}
	return list
}

// BenchmarkClassify is the part of a scrape that belongs to this package, for a clean node, a leaking one and the worst
// that must stay quick (the budget of classifying, collecting and encoding 5,000 together is 10 ms).
func BenchmarkClassify(b *testing.B) {
	node := func(i int) Container {
		return withCommand(leaked(fmt.Sprintf("/keen_bell%d", i), image259, time.Duration(i)*time.Minute),
			"run.sh --server https://r.example --token "+token+" --ca-checksum "+checksum+withCertWriter+" --node-name n1")
	}
	kinds := []struct {
		name string
		n    int
		one  func(i int) Container
	}{
		{"0", 0, node},
		{"300", 300, node},
		{"5000", 5000, node},
		{"5000restarting", 5000, func(i int) Container { return withStatus(node(i), "restarting", "Restarting (1) 40 seconds ago") }},
		{"5000byID", 5000, func(i int) Container { c := node(i); c.Image, c.Labels = imageID, nil; return c }},
		{"5000unlabelled", 5000, func(i int) Container { c := node(i); c.Labels = nil; return c }},
		{"5000servers", 5000, func(i int) Container {
			return withCommand(node(i), fmt.Sprintf("run.sh --server https://u:p@r%d.example:443/ --token %s", i, token)+withCertWriter)
		}},
	}
	for _, kind := range kinds {
		b.Run(kind.name, func(b *testing.B) {
			list := leakingNode(kind.n, kind.one)
			b.ReportAllocs()
			for b.Loop() {
				s := Classify(slices.Values(list))
				ServersOf(s.LiveCertWriters(), 5)
			}
		})
	}
}

// BenchmarkSplitCommand reads the longest command there is on such a node.
func BenchmarkSplitCommand(b *testing.B) {
	line := listed("run.sh", shareMntArgs["E: 2.5.6-2.5.9, proxy"]...)
	b.ReportAllocs()
	for b.Loop() {
		command := splitCommand(line)
		for _, ok := command(); ok; _, ok = command() {
		}
	}
}
