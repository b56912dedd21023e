package runbooks

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// What the pages search and replace with, tried on samples.

// Agents up to Rancher 2.5 log the whole cluster token, later ones its first half.
func TestNoLogShowsTheToken(t *testing.T) {
	const secret = "mkqvrr5gqdcsp5s7hrd9nfwnncw"
	redaction := regexp.MustCompile(`sed -E 's/token [^']*'`)
	found := 0
	for _, p := range readPages(t) {
		for _, b := range p.in("sh") {
			if strings.Contains(b.text, "docker logs") && !strings.Contains(b.text, "kubelet") && !redaction.MatchString(b.text) {
				t.Errorf("%s shows a log as it is:\n%s", p.name, b.text)
			}
			for _, sed := range redaction.FindAllString(b.text, -1) {
				found++
				for _, line := range []string{
					`time="2020-03-02T10:00:00Z" level=info msg="Connecting to wss://rancher.example/v3/connect with token ` + secret + `"`,
					`level=info msg="Connecting to wss://rancher.example/v3/connect/register with token ` + secret + `" x=1`,
					`level=info msg="Connecting to wss://rancher.example/v3/connect with token starting with ` + secret + `"`,
					`INFO: Arguments: --server https://rancher.example --token ` + secret + ` --no-register`,
					`token ` + secret + ` and token starting with ` + secret,
				} {
					stdout, stderr, err := bash("echo '" + line + "' | " + sed)
					if err != nil || stderr != "" || strings.Contains(stdout, secret) || !strings.Contains(stdout, "token [redacted]") {
						t.Errorf("%s: %s (%v %s)", p.name, stdout, err, stderr)
					}
				}
			}
		}
	}
	if found < 4 {
		t.Errorf("%d redactions found, want those of four pages or more", found)
	}
}

// The search for the job that removes share-mnt, or starts it, in a tree of a node's files.
func TestSearchForTheJob(t *testing.T) {
	root := t.TempDir()
	removes := map[string]string{
		"etc/crontab":                      "7 3 * * * root docker system prune -f\n",
		"etc/cron.d/xargs":                 "*/5 * * * * root docker ps -aq -f status=exited | xargs docker rm\n",
		"etc/cron.daily/container-rm":      "docker ps -aq | xargs docker container rm; true\n",
		"etc/cron.hourly/force":            "/usr/bin/docker rm -f $(docker ps -aq -f status=exited)\n",
		"etc/anacrontab":                   "1 5 gc /usr/sbin/docker-gc\n",
		"var/spool/cron/crontabs/root":     "0 4 * * * sh -c \"docker ps -aq | xargs -r docker rm\"\n",
		"etc/systemd/system/prune.service": "ExecStart=/usr/bin/docker container prune --force\n",
		"usr/local/bin/tidy":               "docker ps -aq | xargs docker rm\n",
		"opt/tidy/run.sh":                  "docker rm `docker ps -aq`\n",
		"root/bin/tidy.sh":                 "docker rm -v $(docker ps -aq)\n",
	}
	starts := map[string]string{
		"etc/cron.d/bring-back":         "@reboot root docker start $(docker ps -aq)\n",
		"etc/cron.d/bring-back-2":       "@reboot root docker ps -aq | xargs docker start\n",
		"etc/cron.d/daemon":             "0 5 * * 0 root systemctl restart docker\n",
		"usr/local/sbin/bring-all-back": "docker restart $(docker container ls -aq)\n",
	}
	neither := map[string]string{
		"etc/cron.d/images":   "0 5 * * * root docker rmi old && docker images\n",
		"etc/cron.d/perform":  "0 5 * * * root docker run --rm example/perform-rm-it.sh\n",
		"usr/local/bin/agent": "\x7fELF\x00 docker rm \x00 docker system prune \x00 docker start $(docker ps)\n", // a program, not a script
		"etc/cron.d/web":      "0 5 * * * root docker start web\n",
		"etc/cron.d/README":   "# nothing of Docker's\n",
	}
	for _, files := range []map[string]string{removes, starts, neither} {
		for name, text := range files {
			path := filepath.Join(root, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	const name = "RancherShareMntRemovedRepeatedly"
	within := strings.NewReplacer(" /etc", " "+root+"/etc", " /var", " "+root+"/var", " /usr", " "+root+"/usr", " /opt", " "+root+"/opt", " /root", " "+root+"/root")
	path := standIns(t, map[string]string{"systemctl": ""})
	hits := func(text string) []string {
		stdout, stderr, _ := bash(within.Replace(find(t, name, text)), path)
		if stderr != "" {
			t.Errorf("%q: %s", text, stderr)
		}
		var found []string
		for line := range strings.Lines(stdout) {
			file, _, _ := strings.Cut(strings.TrimPrefix(line, root+"/"), ":")
			found = append(found, file)
		}
		slices.Sort(found)
		return slices.Compact(found)
	}
	for text, want := range map[string]map[string]string{"systemctl list-timers": removes, "(re)?start": starts} {
		got := hits(text)
		for file, line := range want {
			if !slices.Contains(got, file) {
				t.Errorf("not found: %s: %s", file, line)
			}
		}
		if len(got) != len(want) {
			t.Errorf("found %q, want %d files", got, len(want))
		}
	}
	// and all that cron starts, without comments
	stdout, stderr, err := bash(within.Replace(find(t, name, "cat /etc/crontab")))
	if err != nil || stderr != "" || !strings.Contains(stdout, "docker system prune") || !strings.Contains(stdout, "0 4 * * *") || strings.Contains(stdout, "#") {
		t.Errorf("%v %s\n%s", err, stderr, stdout)
	}
}

// The node reboots only where the parameter has found its place.
func TestRebootOnlyAfterTheChange(t *testing.T) {
	const name = "RancherShareMntCrashLooping"
	for text, want := range map[string]string{
		"GRUB_DEFAULT=0\nGRUB_CMDLINE_LINUX=\"\"\n":                      "update-grub\nreboot\n",
		"GRUB_CMDLINE_LINUX_DEFAULT=\"quiet\"\nGRUB_CMDLINE_LINUX=\"a\"": "update-grub\nreboot\n",
		"GRUB_CMDLINE_LINUX_DEFAULT=\"quiet\"\n":                         "",
		"GRUB_CMDLINE_LINUX=''\n":                                        "",
	} {
		file := filepath.Join(t.TempDir(), "grub")
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		path := standIns(t, map[string]string{"update-grub": "echo update-grub", "reboot": "echo reboot"})
		within := strings.NewReplacer("/etc/default/grub", file)
		if _, stderr, _ := bash(within.Replace(find(t, name, "sed -i")), path); stderr != "" {
			t.Errorf("%q: %s", text, stderr)
		}
		if stdout, stderr, _ := bash(within.Replace(find(t, name, "reboot")), path); stdout != want || stderr != "" {
			t.Errorf("%q: did %q (%s), want %q", text, stdout, stderr, want)
		}
	}
}
