package agent

import (
	"bytes"
	"context"
	"log"
	"strings"
	"testing"
	"time"
)

// environment looks variables up in a list of NAME=value.
func environment(list []string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		for _, entry := range list {
			if value, ok := strings.CutPrefix(entry, name+"="); ok {
				return value, true
			}
		}
		return "", false
	}
}

func TestRoleOf(t *testing.T) {
	cluster := DefaultSettings().Cluster
	for name, c := range map[string]struct {
		args []string
		want role
	}{
		"node-agent":               {nil, nodeAgent},
		"share-mnt":                {cluster.ShareMnt("/var/run").Config.Cmd, shareMnt},
		"cert-writer":              {cluster.CertWriter().Config.Cmd, waiter},
		"registration":             {cluster.Registration().Config.Cmd, waiter},
		"node clean-up":            {[]string{"--", "agent", "clean", "node"}, waiter},
		"share-mnt from 2.5.10 on": {[]string{"--no-register", "--only-write-certs", "--node-name", "n"}, waiter},
	} {
		if got := roleOf(c.args); got != c.want {
			t.Errorf("%s: got %v, want %v", name, got, c.want)
		}
	}
}

func TestSettingsByEnvironment(t *testing.T) {
	want := DefaultSettings()
	want.Cluster.Server = "https://rancher.example:8443"
	want.Cluster.CAChecksum = ""
	want.RunDir = "/tmp/x"
	want.CheckInterval = 250 * time.Millisecond
	want.CleanUpDelay = time.Second
	want.ShareMntExitCode = 1
	got, err := settingsFrom(environment(want.Env()))
	if err != nil || got != want {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
	if got, err := settingsFrom(environment(nil)); err != nil || !got.Unmanaged {
		t.Errorf("without CATTLE_K8S_MANAGED: got %+v, %v, want no clean-up", got, err)
	}
	for _, wrong := range []string{
		"LAB_CHECK_INTERVAL=soon", "LAB_CLEAN_UP_DELAY=0s", "LAB_CHECK_INTERVAL=-1s", "LAB_SHARE_MNT_EXIT_CODE=x", "LAB_SHARE_MNT_EXIT_CODE=256",
	} {
		if _, err := settingsFrom(environment([]string{wrong})); err == nil {
			t.Errorf("%s: no error", wrong)
		}
	}
}

func TestWaiterEndsWhenStopped(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	stop()
	if code := Run(ctx, []string{"--only-write-certs"}, environment(nil), log.New(&bytes.Buffer{}, "", 0)); code != 0 {
		t.Errorf("exit code %d, want 0", code)
	}
}

func TestWrongCommandsFailWithoutTheToken(t *testing.T) {
	for _, args := range [][]string{
		{"--", "share-root.sh"},
		{"--", "share-root.sh", "docker run --server https://rancher.example --token s3cr3t"},
		{"--", "share-root.sh", "docker run -d --restart=on-failure:s3cr3t img"},
	} {
		var out bytes.Buffer
		if code := Run(context.Background(), args, environment(nil), log.New(&out, "", 0)); code != 1 || out.Len() == 0 {
			t.Errorf("%q: exit code %d, log %q, want 1 and a reason", args, code, out.String())
		}
		if strings.Contains(out.String(), "s3cr3t") {
			t.Errorf("%q: the log has the token: %s", args, out.String())
		}
	}
}
