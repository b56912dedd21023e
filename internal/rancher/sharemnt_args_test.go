package rancher

// dockerRun is the command that share-mnt hands to bash, one argument with blanks in it (clusterregistrationtokens
// nodeCommandFormat, behind its "sudo " that nodeserver.go cuts off).
const dockerRun = "docker run -d --privileged --restart=unless-stopped --net=host -v /etc/kubernetes:/etc/kubernetes " +
	"-v /var/run:/var/run rancher/rancher-agent:v2.4.2 --server https://r.example --token " + token

// shareMntArgs are the arguments of share-mnt over the versions of Rancher: docs/rancher.md, section 4, ranges A to F.
var shareMntArgs = map[string][]string{
	"A: 2.0.0-2.0.5":             {"--", "share-root.sh", "/var/lib/kubelet", "/var/lib/rancher"},
	"A: 2.0.0-2.0.5, no mounts":  {"--", "share-root.sh"},
	"B: 2.0.6-2.3.2":             {"--", "share-root.sh", dockerRun + withCertWriter, "/var/lib/kubelet", "/var/lib/rancher"},
	"B: 2.0.6-2.3.2, private CA": {"--", "share-root.sh", dockerRun + " --ca-checksum " + checksum + withCertWriter, "/var/lib/kubelet"},
	// rancher/rancher#22849: RancherOS with a prefix path.
	"B: 2.0.6-2.3.2, RancherOS": {"--", "share-root.sh", dockerRun + withCertWriter,
		"/opt/rke/var/lib/kubelet", "/var/lib/rancher", "/var/lib/kubelet/volumeplugins"},
	// rancher/rancher#27309: the node name became arguments of their own, which /usr/bin/share-mnt refuses.
	"C: 2.3.3-2.3.11": {"--", "share-root.sh", dockerRun + withCertWriter, "--node-name", "node4", "/var/lib/kubelet", "/var/lib/rancher"},
	"D: 2.4.0-2.4.18": {"--", "share-root.sh", dockerRun + withCertWriter + " --node-name n1", "/var/lib/kubelet", "/var/lib/rancher"},
	"E: 2.5.0-2.5.5":  {"--", "share-root.sh", dockerRun + withCertWriter + " --node-name n1"},
	// From 2.5.6 on there is room for environment variables before the image: two blanks when there are none (#31454, #33655).
	"E: 2.5.6-2.5.9": {"--", "share-root.sh", "docker run -d --privileged --restart=unless-stopped --net=host " +
		"-v /etc/kubernetes:/etc/kubernetes -v /var/run:/var/run  rancher/rancher-agent:v2.5.9 --server https://r.example --token " +
		token + withCertWriter + " --node-name n1"},
	"E: 2.5.6-2.5.9, proxy": {"--", "share-root.sh", "docker run -d --privileged --restart=unless-stopped --net=host " +
		"-v /etc/kubernetes:/etc/kubernetes -v /var/run:/var/run -e HTTPS_PROXY=http://u:p@proxy:3128 -e NO_PROXY=localhost,.svc " +
		"rancher/rancher-agent:v2.5.9 --server https://r.example --token " + token + withCertWriter + " --node-name n1"},
	"E: 2.5.6-2.5.9, quotes": {"--", "share-root.sh", "docker run -d --privileged -e 'MOTD=be nice' -e \"NO_PROXY=a, b\" " +
		"rancher/rancher-agent:v2.5.9 --server https://r.example --token " + token + withCertWriter + " --node-name n1"},
	"F: 2.5.10-2.11": {"--no-register", "--only-write-certs", "--node-name", "n1", "--server", "https://r.example", "--token", token},
	// rancher/rancher#32727: the checksum is one argument by a slip of formatting.
	"F: 2.5.10-2.11, private CA": {"--no-register", "--only-write-certs", "--node-name", "n1", "--server", "https://r.example",
		"--token", token, "--ca-checksum " + checksum},
}

// Short names for the ranges of share-mnt.
const (
	rangeA = "A: 2.0.0-2.0.5"
	rangeB = "B: 2.0.6-2.3.2"
	rangeC = "C: 2.3.3-2.3.11"
	rangeD = "D: 2.4.0-2.4.18"
	rangeE = "E: 2.5.6-2.5.9"
	rangeF = "F: 2.5.10-2.11"
)
