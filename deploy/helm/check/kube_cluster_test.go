package check

import (
	"bytes"
	"crypto/rand"
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// cluster is an API server with an etcd, and nothing else: objects are checked, admitted and kept, and nobody acts on
// them. That is enough for everything but what happens on a node.
type cluster struct {
	dir, url, token string
	minor           string // of Kubernetes, such as 33
	client          *http.Client
}

// startCluster starts the API server given.
func startCluster(t *testing.T, apiserver string) *cluster {
	t.Helper()
	c := &cluster{dir: t.TempDir(), token: rand.Text()}
	c.client = &http.Client{Timeout: time.Minute, Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}} //nolint:gosec // its own
	c.write(t, "tokens.csv", c.token+`,admin,admin,"system:masters"`)
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	c.write(t, "sa.key", string(pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)})))
	public, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	c.write(t, "sa.pub", string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: public})))

	etcd, peer := "http://"+freeAddress(t), "http://"+freeAddress(t)
	c.background(t, "etcd", "etcd", "--data-dir", c.path("etcd"), "--listen-client-urls", etcd, "--advertise-client-urls", etcd,
		"--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer, "--initial-cluster", "default="+peer, "--unsafe-no-fsync")
	address := freeAddress(t)
	_, port, _ := net.SplitHostPort(address)
	c.url = "https://" + address
	log := c.background(t, "kube-apiserver", apiserver, "--etcd-servers", etcd, "--bind-address=127.0.0.1", "--secure-port", port,
		"--cert-dir", c.path("certificates"), "--token-auth-file", c.path("tokens.csv"), "--authorization-mode=RBAC", "--service-cluster-ip-range=10.96.0.0/16",
		"--service-account-issuer=https://kubernetes.default.svc", "--service-account-signing-key-file", c.path("sa.key"),
		"--service-account-key-file", c.path("sa.pub"))
	c.write(t, "kubeconfig", fmt.Sprintf(`apiVersion: v1
kind: Config
clusters: [{name: test, cluster: {server: %q, insecure-skip-tls-verify: true}}]
users: [{name: admin, user: {token: %s}}]
contexts: [{name: test, context: {cluster: test, user: admin}}]
current-context: test
`, c.url, c.token))
	waitFor(t, "the API server is ready", func() (bool, string) {
		status, body := c.get("/readyz")
		return status == http.StatusOK && c.namespaceExists("default"), fmt.Sprint(status, " ", body, log())
	})
	var version struct{ Minor string }
	_, body := c.get("/version")
	if err := json.Unmarshal([]byte(body), &version); err != nil {
		t.Fatal(err)
	}
	c.minor = strings.TrimSuffix(version.Minor, "+")
	return c
}

func (c *cluster) path(name string) string { return filepath.Join(c.dir, name) }

func (c *cluster) write(t *testing.T, name, text string) string {
	t.Helper()
	if err := os.WriteFile(c.path(name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return c.path(name)
}

// background runs a program until the test ends, and returns what reads the end of its log.
func (c *cluster) background(t *testing.T, name, program string, args ...string) func() string {
	t.Helper()
	path := c.path(name + ".log")
	log, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command(program, args...)
	command.Stdout, command.Stderr = log, log
	command.Env = append(os.Environ(), "KUBECONFIG="+c.path("kubeconfig"))
	if err := command.Start(); err != nil {
		missing(t, "%s: %v", name, err)
	}
	tail := func() string {
		text, _ := os.ReadFile(path)
		return "\n" + name + ":\n" + string(text[max(0, len(text)-3000):])
	}
	t.Cleanup(func() {
		_ = command.Process.Kill()
		_ = command.Wait()
		_ = log.Close()
		if t.Failed() {
			t.Log(tail())
		}
	})
	return tail
}

func (c *cluster) get(path string) (int, string) {
	request, err := http.NewRequest(http.MethodGet, c.url+path, nil)
	if err != nil {
		return 0, err.Error()
	}
	request.Header.Set("Authorization", "Bearer "+c.token)
	response, err := c.client.Do(request)
	if err != nil {
		return 0, err.Error()
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return 0, err.Error()
	}
	return response.StatusCode, string(body)
}

func (c *cluster) namespaceExists(name string) bool {
	status, _ := c.get("/api/v1/namespaces/" + name)
	return status == http.StatusOK
}

// run is a helm or kubectl on this cluster; it returns stdout and stderr.
func (c *cluster) run(program string, args ...string) (string, string, error) {
	command := exec.Command(program, args...)
	command.Env = append(os.Environ(), "KUBECONFIG="+c.path("kubeconfig"), "HELM_NAMESPACE=", "HELM_PLUGINS=/nonexistent",
		"HELM_CACHE_HOME="+c.path("helm"), "HELM_CONFIG_HOME="+c.path("helm"), "HELM_DATA_HOME="+c.path("helm"))
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	err := command.Run()
	return stdout.String(), stderr.String(), err
}

// must is run for what has to succeed and may say nothing on stderr but what helm says of symbolic links.
func (c *cluster) must(t *testing.T, program string, args ...string) string {
	t.Helper()
	stdout, stderr, err := c.run(program, args...)
	if err != nil {
		t.Fatalf("%s %s: %v\n%s%s", filepath.Base(program), strings.Join(args, " "), err, stdout, stderr)
	}
	if said := c.warnings(stderr); said != "" {
		t.Errorf("%s %s warns:\n%s", filepath.Base(program), strings.Join(args, " "), said)
	}
	return stdout
}

// harmless is what helm says of the chart's links in a checkout, and what an API that still has PodSecurityPolicies says of them.
var harmless = regexp.MustCompile(`(?m)^.*(found symbolic link in path|policy/v1beta1 PodSecurityPolicy is deprecated in v1\.21\+).*\n`)

func (c *cluster) warnings(stderr string) string {
	return strings.TrimSpace(harmless.ReplaceAllString(stderr, ""))
}

// kubectl returns the program, or skips the test; in CI it has to be there.
func kubectl(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("kubectl")
	if err != nil {
		missing(t, "kubectl is missing")
	}
	return path
}

func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}

// waitFor waits long, since machines are slow, for what has to become true at last.
func waitFor(t *testing.T, what string, done func() (bool, string)) {
	t.Helper()
	last := ""
	for deadline := time.Now().Add(3 * time.Minute); time.Now().Before(deadline); time.Sleep(200 * time.Millisecond) {
		var ok bool
		if ok, last = done(); ok {
			return
		}
	}
	t.Fatalf("not in 3 minutes: %s\n%s", what, last)
}
