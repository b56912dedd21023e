package agent

import (
	"fmt"
	"strconv"
	"time"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/demo/lab/shape"
)

// The environment variables of a node-agent. The CATTLE_ ones are Rancher's.
const (
	envManaged    = "CATTLE_K8S_MANAGED"
	envServer     = "CATTLE_SERVER"
	envToken      = "CATTLE_TOKEN"
	envCAChecksum = "CATTLE_CA_CHECKSUM"
	envNodeName   = "CATTLE_NODE_NAME"

	envImage            = "LAB_AGENT_IMAGE"
	envRunDir           = "LAB_RUN_DIR"
	envCheckInterval    = "LAB_CHECK_INTERVAL"
	envCleanUpDelay     = "LAB_CLEAN_UP_DELAY"
	envShareMntExitCode = "LAB_SHARE_MNT_EXIT_CODE" // of the share-mnt container too
)

// Settings are those of a node-agent, which come to it by its environment.
type Settings struct {
	Cluster shape.Cluster
	RunDir  string // directory of the engine's socket, on the engine's host

	// CheckInterval is the time between two looks at the plan. Rancher has 2 minutes.
	CheckInterval time.Duration
	// CleanUpDelay is the time from connecting to the removal of unmanaged containers. Rancher has 15 seconds.
	CleanUpDelay time.Duration
	// ShareMntExitCode makes share-mnt end with this code instead of 0. Rancher's ends with 1 on a host with cgroup v2
	// (rancher/rancher#34777): Docker restarts it again and again, and each time it starts one more cert-writer.
	ShareMntExitCode int
	// Unmanaged leaves out the clean-up, as any agent without CATTLE_K8S_MANAGED=true does.
	Unmanaged bool
}

// DefaultSettings are quicker than Rancher, for people who watch.
func DefaultSettings() Settings {
	return Settings{
		Cluster: shape.Cluster{
			Server:     "https://rancher.example.com",
			Token:      "not-a-real-token",
			CAChecksum: "0000000000000000000000000000000000000000000000000000000000000000",
			NodeName:   "lab-node",
			Image:      shape.AgentImage,
		},
		RunDir:        "/var/run",
		CheckInterval: 10 * time.Second,
		CleanUpDelay:  15 * time.Second,
	}
}

// Env is the environment that says so.
func (s Settings) Env() []string {
	return []string{
		envManaged + "=" + strconv.FormatBool(!s.Unmanaged),
		envServer + "=" + s.Cluster.Server,
		envToken + "=" + s.Cluster.Token,
		envCAChecksum + "=" + s.Cluster.CAChecksum,
		envNodeName + "=" + s.Cluster.NodeName,
		envImage + "=" + s.Cluster.Image,
		envRunDir + "=" + s.RunDir,
		envCheckInterval + "=" + s.CheckInterval.String(),
		envCleanUpDelay + "=" + s.CleanUpDelay.String(),
		shareMntExitCodeEnv(s.ShareMntExitCode),
	}
}

// settingsFrom reads the settings from an environment; what it does not say keeps its default.
func settingsFrom(lookup func(string) (string, bool)) (Settings, error) {
	s := DefaultSettings()
	for name, to := range map[string]*string{
		envServer:     &s.Cluster.Server,
		envToken:      &s.Cluster.Token,
		envCAChecksum: &s.Cluster.CAChecksum,
		envNodeName:   &s.Cluster.NodeName,
		envImage:      &s.Cluster.Image,
		envRunDir:     &s.RunDir,
	} {
		if value, ok := lookup(name); ok {
			*to = value
		}
	}
	for name, to := range map[string]*time.Duration{
		envCheckInterval: &s.CheckInterval,
		envCleanUpDelay:  &s.CleanUpDelay,
	} {
		value, ok := lookup(name)
		if !ok {
			continue
		}
		d, err := time.ParseDuration(value)
		if err != nil {
			return Settings{}, fmt.Errorf("%s: %w", name, err)
		}
		if d <= 0 {
			return Settings{}, fmt.Errorf("%s: %q is not above zero", name, value)
		}
		*to = d
	}
	managed, _ := lookup(envManaged)
	s.Unmanaged = managed != "true"
	var err error
	s.ShareMntExitCode, err = shareMntExitCode(lookup)
	return s, err
}

func shareMntExitCodeEnv(code int) string { return envShareMntExitCode + "=" + strconv.Itoa(code) }

func shareMntExitCode(lookup func(string) (string, bool)) (int, error) {
	value, ok := lookup(envShareMntExitCode)
	if !ok {
		return 0, nil
	}
	code, err := strconv.Atoi(value)
	if err != nil || code < 0 || code > 255 {
		return 0, fmt.Errorf("%s: %q is no exit code", envShareMntExitCode, value)
	}
	return code, nil
}
