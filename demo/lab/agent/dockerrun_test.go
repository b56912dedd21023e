package agent

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/docker/docker/api/types/container"
)

func TestParseDockerRun(t *testing.T) {
	cluster := DefaultSettings().Cluster
	writer := cluster.CertWriter()
	for name, c := range map[string]struct {
		command string
		env     []string
	}{
		"Rancher 2.3.3": {cluster.CertWriterRun(), nil},
		"Rancher 2.5.6, no variables: two blanks before the image": {
			strings.Replace(cluster.CertWriterRun(), " rancher/", "  rancher/", 1), nil},
		"Rancher 2.5.6, variables": {
			strings.Replace(cluster.CertWriterRun(), " rancher/", ` -e HTTP_PROXY=http://proxy.example:3128 -e "A=b c" -e D='e f' rancher/`, 1),
			[]string{"HTTP_PROXY=http://proxy.example:3128", "A=b c", "D=e f"}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := parseDockerRun(c.command)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got.Config.Cmd, writer.Config.Cmd) || got.Config.Image != writer.Config.Image {
				t.Errorf("got %q %q, want %q %q", got.Config.Image, got.Config.Cmd, writer.Config.Image, writer.Config.Cmd)
			}
			if !slices.Equal(got.Config.Env, c.env) {
				t.Errorf("environment: got %q, want %q", got.Config.Env, c.env)
			}
			if !reflect.DeepEqual(got.Host, writer.Host) {
				t.Errorf("host configuration: got %+v, want %+v", got.Host, writer.Host)
			}
		})
	}
}

func TestParseDockerRunFlags(t *testing.T) {
	got, err := parseDockerRun("docker run --restart on-failure:3 --network none --name n -v /a:/b -e A=b img --name x -d")
	if err != nil {
		t.Fatal(err)
	}
	policy := container.RestartPolicy{Name: "on-failure", MaximumRetryCount: 3}
	if got.Name != "n" || got.Host.RestartPolicy != policy || got.Host.NetworkMode != "none" || len(got.Host.Binds) > 0 {
		t.Errorf("got %+v", got)
	}
	if !slices.Equal(got.Config.Cmd, []string{"--name", "x", "-d"}) {
		t.Errorf("arguments of the image: got %q", got.Config.Cmd)
	}
}

func TestParseDockerRunErrors(t *testing.T) {
	for _, command := range []string{
		"", "docker", "docker ps -a", "echo docker run x", "docker run", "docker run -d", "docker run -e", "docker run --pid=host img",
		"docker run --restart=on-failure:x img", "docker run 'img", `docker run img \`,
	} {
		if got, err := parseDockerRun(command); err == nil {
			t.Errorf("%q: no error but %+v", command, got)
		}
	}
}

func TestSplitWords(t *testing.T) {
	for command, want := range map[string][]string{
		"":                     nil,
		"  a  b\tc\n":          {"a", "b", "c"},
		`'' ""`:                {"", ""},
		`a'b c'd "e 'f'" 'g"'`: {"ab cd", "e 'f'", `g"`},
		`a\ b "c\"d" 'e\f'`:    {"a b", `c"d`, `e\f`},
	} {
		got, err := splitWords(command)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: got %q, %v, want %q", command, got, err, want)
		}
	}
}
