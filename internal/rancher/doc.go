// Package rancher tells what the containers on a node of a Rancher v2.x (RKE1) cluster are to the leak of
// rancher/rancher#15364: the cert-writers that pile up, the share-mnt container whose every start may leave one more,
// the node-agent whose restart removes them, and the other containers of the agent image.
//
// It is pure: containers in, a [Snapshot] out, no I/O, no Docker client, no Prometheus. The command lines it reads carry
// the cluster's token; nothing of them leaves this package but a normalised server URL and a yes or no.
package rancher
