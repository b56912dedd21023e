package main

import "testing"

// agent is the command that restarts a node's first node-agent.
func agent(cluster, name string) string {
	return "docker restart " + newNode(cluster, name, "", true).agents[0]
}

func TestFleet(t *testing.T) { eachServer(t, withCluster, lookAtFleet) }

func lookAtFleet(t *testing.T, server *promServer) {
	page := decoded(t)["rancher-agent-exporter-fleet.json"]
	all := looker{t, server, page, choice{}}
	prod := looker{t, server, page, choice{"cluster": "prod"}}
	edge := looker{t, server, page, choice{"cluster": "edge"}}
	healthy := looker{t, server, page, choice{"instance": "healthy-1:15364"}}
	nothing := looker{t, server, page, choice{"job": "another"}}

	all.stat("Nodes leaking", "7")
	prod.stat("Nodes leaking", "5")
	edge.stat("Nodes leaking", "2")
	healthy.stat("Nodes leaking", "0")
	// What cannot be seen is no all-clear.
	blind := looker{t, server, page, choice{"node": "blind-1"}}
	blind.stat("Nodes leaking")
	noExporter := "-1"
	for _, title := range []string{"Nodes leaking", "Leaked containers", "Oldest leaked", "Nodes that could leak", "Nodes seen", "Docker unreachable", "Exporters down"} {
		nothing.stat(title, noExporter)
	}
	all.stat("Leaked containers", "115")
	prod.stat("Leaked containers", "112")
	edge.stat("Leaked containers", "3")
	healthy.stat("Leaked containers", "0")
	all.stat("Worst node", "90 prod / fast-1")
	edge.stat("Worst node", "3 edge / lost-1")
	all.stat("Oldest leaked", "57960m")
	edge.stat("Oldest leaked", "530m")
	healthy.stat("Oldest leaked")
	// Not the fixed Rancher, nor the two nodes that cannot be seen.
	all.stat("Nodes that could leak", "12")
	edge.stat("Nodes that could leak", "2")
	all.stat("Nodes seen", "13")
	edge.stat("Nodes seen", "3")
	all.stat("Docker unreachable", "1")
	edge.stat("Docker unreachable", "0")
	// The node-exporters are all down too, and none of our business.
	all.stat("Exporters down", "1")
	edge.stat("Exporters down", "0")

	twin := newNode("prod", "twin-1", "", true)
	inProd := []string{
		"fast-1 | prod | 90 | 60 | 90m | 0 | crash loop: one more a minute | " + agent("prod", "fast-1"),
		"slow-1 | prod | 18 | 1 | 1070m | 0 | - | " + agent("prod", "slow-1"),
		"again-1 | prod | 3 | 1 | 139m | 0 | share-mnt is removed repeatedly | " + agent("prod", "again-1"),
		"servers-1 | prod | 4 | 0 | 57960m | 0 | the last restart did not help | " + agent("prod", "servers-1"),
		"twin-1 | prod | 2 | 0 | 470m | 0 | - | docker restart " + twin.agents[0] + " " + twin.id("second agent"),
	}
	inEdge := []string{
		"slow-1 | edge | 2 | 0 | 470m | 1 | - | " + agent("edge", "slow-1"),
		"lost-1 | edge | 3 | 0 | 530m | 0 | - | no running node-agent is seen: open the page of the node",
	}
	restart := "Restart these node agents"
	all.table(restart, append(append([]string{}, inProd...), inEdge...)...)
	prod.table(restart, inProd...)
	edge.table(restart, inEdge...)
	healthy.table(restart)
	nothing.table(restart, "no exporter is scraped | - | - | - | - | - | - | -")

	firing := "Firing alerts"
	all.table(firing, "RancherCertWriterLeakCritical | fast-1 | prod | critical | 60m", "RancherCertWriterLeak | fast-1 | prod | warning | 50m",
		"RancherShareMntCrashLooping | fast-1 | prod | warning | 70m", "RancherCertWriterSurvivedRestart | servers-1 | prod | warning | 300m",
		"RancherCertWriterLeak | again-1 | prod | warning | 49m", "RancherShareMntRemovedRepeatedly | again-1 | prod | warning | 90m",
		"RancherCertWriterLeak | slow-1 | prod | warning | 300m", "RancherCertWriterLeak | slow-1 | edge | warning | 300m",
		"RancherAgentExporterNodeNotCovered | bare-1 | - | warning | 60m")
	edge.table(firing, "RancherCertWriterLeak | slow-1 | edge | warning | 300m")

	clusters := "Clusters"
	all.table(clusters, "prod | 12 | 5 | 90 | 57960m | 2", "edge | 3 | 2 | 3 | 530m | -")
	edge.table(clusters, "edge | 3 | 2 | 3 | 530m | -")
	healthy.table(clusters, "prod | 1 | 0 | 0 | - | -")
	nothing.table(clusters, "no exporter is scraped | 0 | - | - | - | -")

	trend := "Live cert-writers of the nodes that leaked"
	all.lines(trend, "edge / lost-1", "edge / slow-1", "prod / again-1", "prod / blind-1", "prod / cured-1", "prod / cured-2", "prod / fast-1",
		"prod / gone-1", "prod / servers-1", "prod / slow-1", "prod / twin-1")
	edge.lines(trend, "edge / lost-1", "edge / slow-1")
	healthy.lines(trend)
	all.line(trend, "prod / slow-1", moment{6*hour - minute, 12}, moment{3 * hour, 15}, moment{minute, 18})
	all.line(trend, "prod / fast-1", moment{2 * hour, 0}, moment{minute, 89}) // the last step is 90 s before the end
	all.line(trend, "prod / cured-1", moment{5 * hour, 9}, moment{125 * minute, 11}, moment{115 * minute, 0}, moment{minute, 1})
	all.line(trend, "prod / cured-2", moment{65 * minute, 6}, moment{55 * minute, 0})
	all.line(trend, "prod / blind-1", moment{65 * minute, 5}, moment{55 * minute, missing})
	all.line(trend, "prod / gone-1", moment{35 * minute, 3}, moment{25 * minute, missing})

	servers := "Live cert-writers by Rancher server URL"
	all.table(servers, "https://rancher.example.com | 122 | 9 | 1070m", "https://old-rancher.example.com:8443 | 2 | 1 | 57960m")
	edge.table(servers, "https://rancher.example.com | 5 | 2 | 530m")
	healthy.table(servers)

	cause := "Why share-mnt starts again"
	all.table(cause,
		"fast-1 | prod | - | - | 14760m | - | 1 | 1 | it crash-loops: Docker restarts it again and again",
		"slow-1 | prod | 3 | 60m | 6m | 7m | 0 | 1 | something removes it again and again",
		"again-1 | prod | 3 | 60m | 19m | 20m | 0 | 1 | something removes it again and again",
		"cured-1 | prod | 3 | 120m | 79m | 80m | 0 | 1 | something removes it again and again",
		"fixed-1 | edge | 1 | 14701m | 59m | 60m | 0 | 0 | it was created anew: an upgrade, or a removal")
	healthy.table(cause)
	nothing.table(cause, "no exporter is scraped | - | - | - | - | - | - | - | -")
	hours := "Nodes whose share-mnt was created again, by the hour"
	all.line(hours, "nodes", moment{5 * hour, 2}, moment{3 * hour, 3})
	healthy.sum(hours, "nodes", 0)

	could := "Which nodes could leak"
	edge.table(could, "slow-1 | edge | v2.5.9 | 1", "lost-1 | edge | v2.5.9 | 1", "fixed-1 | edge | v2.9.3 | 0")
	healthy.table(could, "healthy-1 | prod | v2.5.7 | 1")
	pruned := looker{t, server, page, choice{"instance": "healthy-2:15364"}}
	pruned.table(could, "healthy-2 | prod | - | 1")
	pruned.stat("Nodes that could leak", "1")
	nothing.table(could, "no exporter is scraped | - | - | 0")
	all.table("Rancher versions", "v2.3.3 | 1 | 1", "v2.4.8 | 1 | 1", "v2.5.7 | 6 | 6", "v2.5.8 | 1 | 1", "v2.5.9 | 2 | 2", "v2.9.3 | 1 | 0")
	edge.table("Rancher versions", "v2.5.9 | 2 | 2", "v2.9.3 | 1 | 0")

	unseen(all, edge)
}

// unseen wants what the panels say that stand on two pages.
func unseen(all, edge looker) {
	all.t.Helper()
	now := "Nodes that cannot be seen now"
	all.table(now, "blind-1 | prod | 5 | 60m | Docker unreachable", "gone-1 | prod | 3 | 30m | exporter down")
	edge.table(now)
	once := "Nodes that could not be seen at some time"
	all.lines(once, "prod / blind-1", "prod / flaky-1", "prod / gone-1")
	edge.lines(once)
	all.line(once, "prod / blind-1", moment{65 * minute, missing}, moment{55 * minute, 1}, moment{minute, 1})
	all.line(once, "prod / gone-1", moment{35 * minute, missing}, moment{25 * minute, 0})
	all.line(once, "prod / flaky-1", moment{5 * hour, missing}, moment{200 * minute, 1}, moment{minute, missing})
}
