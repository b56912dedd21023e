package main

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-kit/log"
	dto "github.com/prometheus/client_model/go"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/collector"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/engine"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/node"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/testkit"
)

func readFile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

var metricRow = regexp.MustCompile("(?m)^\\| `(rancher_agent_[a-z_]+)` \\| ([a-z]+) \\|([^|]*)\\|")

// The metric tables of the README equal what the program shows: names, types, labels.
func TestReadmeMetrics(t *testing.T) {
	documented := make(map[string]string)
	for _, row := range metricRow.FindAllStringSubmatch(readFile(t, "README.md"), -1) {
		labels := strings.Fields(strings.ReplaceAll(row[3], "`", ""))
		slices.Sort(labels)
		documented[row[1]] = fmt.Sprint(row[2], labels)
	}

	// a node on which every metric has a series
	fake := testkit.Engine(t)
	leakingNode(fake, 6)
	endpoint, err := engine.ParseEndpoint(fake.Host(), nil)
	if err != nil {
		t.Fatal(err)
	}
	docker := engine.New(endpoint)
	registry := newRegistry(node.NewObserver(docker, 5*time.Second, node.NewRoles(docker, log.NewNopLogger()), log.NewNopLogger()), collector.Limits{Servers: 5, CertWriterSeries: 20})
	events := collector.NewEvents()
	events.ContainerPrune(time.Now())
	registry.MustRegister(events)
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	shown := make(map[string]string)
	for _, family := range families {
		shown[family.GetName()] = fmt.Sprint(strings.ToLower(family.GetType().String()), labelNames(family))
	}
	compare(t, documented, shown)
}

func labelNames(family *dto.MetricFamily) []string {
	var names []string
	for _, pair := range family.GetMetric()[0].GetLabel() {
		names = append(names, pair.GetName())
	}
	return names
}

var (
	flagRow = regexp.MustCompile("(?m)^\\| (`--[^|]+`) \\|([^|]*)\\|")
	oneFlag = regexp.MustCompile("`--([a-z.-]+)`")
)

// The flag table of the README equals --help: names and defaults.
func TestReadmeFlags(t *testing.T) {
	documented := make(map[string]string)
	for _, row := range flagRow.FindAllStringSubmatch(readFile(t, "README.md"), -1) {
		for _, name := range oneFlag.FindAllStringSubmatch(row[1], -1) {
			documented[name[1]] = strings.Trim(strings.TrimSpace(row[2]), "`")
		}
	}
	known := make(map[string]string)
	var cfg config
	for _, flag := range newApp(&cfg, new(string), new(engine.TLSFiles)).Model().Flags {
		if flag.Hidden || flag.Name == "help" {
			continue
		}
		byDefault := strings.Join(flag.Default, " ")
		if flag.IsBoolFlag() && flag.Name != "version" {
			byDefault = map[string]string{"": "off", "true": "on"}[byDefault]
		}
		known[flag.Name] = byDefault
	}
	compare(t, documented, known)
}

func compare(t *testing.T, documented, actual map[string]string) {
	t.Helper()
	if len(documented) == 0 || len(actual) == 0 {
		t.Fatalf("%d documented, %d in the program", len(documented), len(actual))
	}
	for _, name := range slices.Sorted(maps.Keys(actual)) {
		if text, ok := documented[name]; !ok {
			t.Errorf("%s is not in the README", name)
		} else if text != actual[name] {
			t.Errorf("%s: the README says %q, the program %q", name, documented[name], actual[name])
		}
	}
	for name := range documented {
		if _, ok := actual[name]; !ok {
			t.Errorf("%s is in the README and not in the program", name)
		}
	}
}

// What other files repeat must not drift: the port, and the user that is nobody.
func TestDockerfileAgrees(t *testing.T) {
	dockerfile := readFile(t, "Dockerfile")
	for _, line := range []string{
		"EXPOSE " + strings.TrimPrefix(defaultAddress, ":"),
		"USER 65532:65532",
		"FROM scratch",
		fmt.Sprintf("ENTRYPOINT [%q]", "/"+programName),
		"COPY --from=build /" + programName + " /" + programName,
	} {
		if !strings.Contains(dockerfile, "\n"+line+"\n") {
			t.Errorf("the Dockerfile has no line %q", line)
		}
	}
	for _, label := range []string{"title", "description", "source", "licenses", "version", "revision"} {
		if !strings.Contains(dockerfile, "org.opencontainers.image."+label+"=") {
			t.Errorf("the Dockerfile has no label %s", label)
		}
	}
}

// The quick start is two commands.
func TestReadmeQuickStart(t *testing.T) {
	readme := readFile(t, "README.md")
	_, section, _ := strings.Cut(readme, "\n## Quick start\n")
	section, _, _ = strings.Cut(section, "\n## ")
	for _, command := range []string{"go run ./demo ", "go test ./... "} {
		if !strings.Contains(section, "\n"+command) {
			t.Errorf("no command %q in the quick start", command)
		}
	}
	if _, err := parseFlags(nil); err != nil {
		t.Errorf("without flags: %v", err)
	}
}
