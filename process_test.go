package main

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/enginetest"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/testkit"
)

// process is the program as a process of its own, not started yet. It is killed when the test ends.
func process(t *testing.T, args ...string) (command *exec.Cmd, stderr *testkit.Buffer) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	command = exec.CommandContext(t.Context(), self, args...)
	command.Env = append(os.Environ(), "TEST_RUN_MAIN=1")
	stderr = new(testkit.Buffer)
	command.Stderr = stderr
	return command, stderr
}

// exitCode is how a process ended: its exit code, or -1 if a signal ended it.
func exitCode(t *testing.T, err error) int {
	t.Helper()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		return exit.ExitCode()
	}
	t.Fatal(err)
	return 0
}

// A stop does not wait for an engine that does not answer, and what is not done yet is no success.
func TestSignalsEndWhatRunsOnce(t *testing.T) {
	for _, mode := range []string{"--once", "--diagnose"} {
		for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
			t.Run(fmt.Sprint(mode, " ", signal), func(t *testing.T) {
				fake := testkit.Engine(t)
				fake.Intercept(enginetest.Hang())
				command, _ := process(t, mode, "--docker.timeout=1h", "--docker.host="+fake.Host())
				if err := command.Start(); err != nil {
					t.Fatal(err)
				}
				eventually(t, "the engine is asked", func() bool { return len(fake.Requests()) > 0 })
				if err := command.Process.Signal(signal); err != nil {
					t.Fatal(err)
				}
				_ = command.Wait()
				if status := command.ProcessState.Sys().(syscall.WaitStatus); status.Signal() != signal {
					t.Errorf("ended with %s", command.ProcessState)
				}
			})
		}
	}
}

// What cannot be written has an exit code of its own, and a reason, and is no crash.
func TestFullDisk(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	testkit.Need(t, err)
	defer full.Close()
	fake := testkit.Engine(t)
	for _, mode := range []string{"--help", "--version", "--once", "--diagnose"} {
		command, stderr := process(t, mode, "--docker.host="+fake.Host())
		command.Stdout = full
		if code := exitCode(t, command.Run()); code != exitUnwritten || !strings.Contains(stderr.String(), "no space left on device") {
			t.Errorf("%s: exit code %d, want %d; stderr %q", mode, code, exitUnwritten, stderr)
		}
	}
}

// A log whose reader has gone away costs lines, not the exporter.
func TestLogWithoutAReader(t *testing.T) {
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	fake := testkit.Engine(t)
	address := testkit.FreeAddress(t)
	command, _ := process(t, "--docker.host="+fake.Host(), "--web.listen-address="+address)
	command.Stderr = writer
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	writer.Close()
	url := "http://" + address
	eventually(t, "the exporter serves", func() bool { return answers(url + "/-/ready") })
	reader.Close()
	fake.Stop()
	for range 3 { // the first of them logs
		_, body := get(t, url+"/metrics")
		contains(t, body, "rancher_agent_docker_up 0")
	}
	if err := command.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if code := exitCode(t, command.Wait()); code != exitOK {
		t.Errorf("exit code %d, want 0", code)
	}
}

// A log that is full and that nobody reads costs lines, and hangs neither a scrape nor a stop. Whoever reads again is told.
func TestLogThatNobodyReads(t *testing.T) {
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	fake := testkit.Engine(t)
	leakingNode(fake, 6)
	address := testkit.FreeAddress(t)
	command, _ := process(t, "--docker.host="+fake.Host(), "--web.listen-address="+address, "--log.level=debug")
	command.Stderr = writer
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	writer.Close()
	url := "http://" + address
	eventually(t, "the exporter serves", func() bool { return answers(url + "/-/ready") })
	eventually(t, "events are followed", func() bool { return fake.EventStreams() == 1 })
	shareMnt := enginetest.ShareMnt("v2.3.3", "https://r.example", "n1", time.Now())
	const events = 3000 // a line each, which a pipe has no room for, and the queue neither
	for range events / 100 {
		before := scraped(t, url, `rancher_agent_container_events_total{action="start",role="share_mnt"}`)
		for range 100 {
			fake.Emit("start", shareMnt)
		}
		eventually(t, "the events are counted", func() bool {
			return scraped(t, url, `rancher_agent_container_events_total{action="start",role="share_mnt"}`) == before+100
		})
	}
	if err := command.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if code := exitCode(t, command.Wait()); code != exitOK {
		t.Errorf("exit code %d, want 0", code)
	}
}

// scraped is the value of one series.
func scraped(t *testing.T, url, series string) int {
	t.Helper()
	_, body := get(t, url+"/metrics")
	_, rest, _ := strings.Cut(body, "\n"+series+" ")
	value, _, _ := strings.Cut(rest, "\n")
	n, err := strconv.Atoi(value)
	if err != nil {
		t.Fatalf("%s is %q", series, value)
	}
	return n
}

func answers(url string) bool {
	resp, err := http.Get(url)
	if err != nil {
		return false
	}
	resp.Body.Close()
	return resp.StatusCode == http.StatusOK
}

// A descriptor that is no socket, or none at all, is an error in words.
func TestSystemdPassesNoSocket(t *testing.T) {
	for passed, want := range map[string]string{
		"":              "systemd passed no socket",
		"LISTEN_FDS=1":  "descriptor 3 is no listening socket",
		"LISTEN_FDS=17": "descriptor 3 is no listening socket",
	} {
		file, err := os.Open(os.DevNull)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		serving, stderr := process(t, "--web.systemd-socket")
		command := exec.CommandContext(t.Context(), "/bin/sh", append([]string{"-c", `LISTEN_PID=$$ ` + passed + ` exec "$@"`, "sh"}, serving.Args...)...)
		command.Env, command.Stderr, command.ExtraFiles = serving.Env, stderr, []*os.File{file}
		if code := exitCode(t, command.Run()); code != exitFailure || !strings.Contains(stderr.String(), want) {
			t.Errorf("%q: exit code %d, stderr %s", passed, code, stderr)
		}
	}
}

var textfileRecipe = regexp.MustCompile("(?s)For the textfile collector.*?```sh\n(.*?)```")

// The README's own lines keep the file right whatever happens: Docker down is told, and what else goes wrong leaves the
// last file and nothing half written.
func TestTextfileRecipe(t *testing.T) {
	recipe := textfileRecipe.FindStringSubmatch(readFile(t, "README.md"))
	const documented = "/var/lib/node_exporter/textfile_collector/"
	if recipe == nil || !strings.Contains(recipe[1], documented) {
		t.Fatalf("the README has no recipe: %q", recipe)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, shell := range []string{"sh", "bash"} {
		fake := testkit.Engine(t)
		leakingNode(fake, 6)
		dir, bin := t.TempDir(), t.TempDir()
		file := filepath.Join(dir, "rancher_agent.prom")
		// run runs the recipe with a program that is called so
		run := func(call string) string {
			t.Helper()
			program := fmt.Sprintf("#!/bin/sh\nTEST_RUN_MAIN=1 DOCKER_HOST=%s exec %s\n", fake.Host(), fmt.Sprintf(call, self+` "$@"`))
			if err := os.WriteFile(filepath.Join(bin, programName), []byte(program), 0o755); err != nil {
				t.Fatal(err)
			}
			command := exec.CommandContext(t.Context(), shell, "-c", strings.ReplaceAll(recipe[1], documented, dir+"/"))
			command.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"))
			_ = command.Run()
			if left, err := filepath.Glob(filepath.Join(dir, "*")); err != nil || len(left) > 1 {
				t.Errorf("%s: left over: %v %v", shell, left, err)
			}
			text, err := os.ReadFile(file)
			if err != nil {
				return err.Error()
			}
			return string(text)
		}
		if text := run("%s --nonsense"); !strings.Contains(text, "no such file") {
			t.Errorf("%s: a wrong flag writes %s", shell, text)
		}
		good := run("%s")
		contains(t, good, "rancher_agent_docker_up 1", `rancher_agent_cert_writer_containers{state="running"} 6`)
		for name, call := range map[string]string{
			"a wrong flag": "%s --nonsense", "a full disk": "%s >/dev/full", "a crash": "sh -c 'echo half; kill -ABRT $$' %s", "no program": "/nonexistent %s",
		} {
			if text := run(call); text != good {
				t.Errorf("%s, %s: the file is now %q", shell, name, text)
			}
		}
		fake.Stop()
		down := run("%s")
		contains(t, down, "rancher_agent_docker_up 0")
		if strings.Contains(down, "cert_writer") {
			t.Errorf("%s: Docker is down, and the file has counts:\n%s", shell, down)
		}
	}
}

// What was built without make knows its version as far as Go does.
func TestVersionWithoutMake(t *testing.T) {
	command, _ := process(t, "--version")
	text, err := command.Output()
	if err != nil || bytes.Contains(text, []byte("version  (branch: ,")) || !bytes.Contains(text, []byte("branch: unknown")) {
		t.Errorf("%v %s", err, text)
	}
}
