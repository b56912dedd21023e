package rancher

import (
	"bytes"
	"encoding/gob"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"slices"
	"strings"
	"testing"
	"text/template"
	"time"

	"github.com/go-kit/log"
)

// secrets are what the commands of these tests hold; not one of them may come out anywhere.
var secrets = []string{token, checksum, "adm1n", "hunter2", "s3cretpath", "s3cretquery", "s3cretfragment", "proxypw", "envvalue"}

// secretLine has every kind of secret in it: user info, path, query, fragment, token, checksum, a proxy's password.
const secretLine = "run.sh --server https://adm1n:hunter2@r.example/s3cretpath?x=s3cretquery#s3cretfragment --token " + token +
	" --ca-checksum " + checksum + " --label proxy=http://u:proxypw@proxy.example --no-register --only-write-certs"

// secretsIn finds the secrets in a text: as they are, in hex and as the decimal bytes that fmt makes of a []byte.
func secretsIn(text string) []string {
	var found []string
	for _, secret := range secrets {
		decimals := strings.Trim(fmt.Sprint([]byte(secret)), "[]")
		for _, form := range []string{secret, fmt.Sprintf("%x", secret), fmt.Sprintf("%X", secret), decimals} {
			if strings.Contains(strings.ToLower(text), strings.ToLower(form)) {
				found = append(found, form)
			}
		}
	}
	return found
}

// commandLines are the ways to hold one.
func commandLines() []CommandLine {
	words := all(splitCommand(secretLine))
	return []CommandLine{ListedCommand(secretLine), InspectedCommand(words[0], words[1:]), InspectedCommand(secretLine, nil)}
}

// holders put a command where fmt and encoders look: exported and unexported fields, pointers, slices, maps, interfaces.
func holders(c CommandLine) map[string]any {
	type exported struct{ Command CommandLine }
	type unexported struct{ command CommandLine }
	type embedded struct{ CommandLine }
	type pointer struct{ command *CommandLine }
	type deep struct {
		list []unexported
		byID map[string]*exported
		any  any
	}
	return map[string]any{
		"value":      c,
		"pointer":    &c,
		"exported":   exported{c},
		"unexported": unexported{c},
		"embedded":   embedded{c},
		"in pointer": &pointer{&c},
		"slice":      []CommandLine{c},
		"array":      [1]CommandLine{c},
		"map":        map[string]CommandLine{"command": c},
		"interface":  []any{c, &c},
		"deep":       deep{[]unexported{{c}}, map[string]*exported{"x": {c}}, c},
		"container":  Container{Command: c},
		"containers": []*Container{{Command: c}},
	}
}

// Package fmt prints unexported fields by reflection and without asking their String method; no verb, right or wrong,
// with any flag gets at the command.
func TestCommandLineDoesNotPrint(t *testing.T) {
	verbs := strings.Split("v +v #v T t b c d o O q #q x X % x #x U #U e E f F g G s w p 10s -10v .3s 010d", " ")
	for _, command := range commandLines() {
		for name, held := range holders(command) {
			for _, verb := range verbs {
				for _, text := range []string{fmt.Sprintf("%"+verb, held), fmt.Sprintf("%[2]"+verb, 0, held), fmt.Errorf("listing: %"+verb, held).Error()} {
					if found := secretsIn(text); found != nil {
						t.Errorf("%%%s of %s prints %q", verb, name, found)
					}
				}
			}
			for how, text := range map[string]string{
				"Sprint": fmt.Sprint(held), "Sprintln": fmt.Sprintln(held), "errors.Join": errors.Join(fmt.Errorf("%v", held), fmt.Errorf("%+v", held)).Error(),
			} {
				if found := secretsIn(text); found != nil {
					t.Errorf("%s of %s prints %q", how, name, found)
				}
			}
		}
	}
}

func TestCommandLineIsRedacted(t *testing.T) {
	command := ListedCommand(secretLine)
	marshalled, err := json.Marshal(Container{Command: command})
	if err != nil || !strings.Contains(string(marshalled), `"Command":"[redacted]"`) {
		t.Errorf("%s %v", marshalled, err)
	}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		if got := fmt.Sprintf(verb, command); got != "[redacted]" {
			t.Errorf("%s prints %q", verb, got)
		}
	}
	if command.String() != "[redacted]" || command.GoString() != "[redacted]" {
		t.Error("String and GoString")
	}
	if text, err := command.MarshalText(); err != nil || string(text) != "[redacted]" {
		t.Errorf("MarshalText: %q %v", text, err)
	}
	if empty := fmt.Sprint(CommandLine{}); empty != "[redacted]" { // nobody learns whether there is one
		t.Errorf("empty: %q", empty)
	}
}

// Encoders and loggers, those this program uses and those somebody may use for a debug page.
func TestCommandLineDoesNotEncode(t *testing.T) {
	encoders := map[string]func(*bytes.Buffer, any) error{
		"json":   func(b *bytes.Buffer, v any) error { return json.NewEncoder(b).Encode(v) },
		"xml":    func(b *bytes.Buffer, v any) error { return xml.NewEncoder(b).Encode(v) },
		"gob":    func(b *bytes.Buffer, v any) error { return gob.NewEncoder(b).Encode(v) },
		"logfmt": func(b *bytes.Buffer, v any) error { return log.NewLogfmtLogger(b).Log("msg", "listed", "container", v) },
		"gojson": func(b *bytes.Buffer, v any) error { return log.NewJSONLogger(b).Log("msg", "listed", "container", v) },
		"slog text": func(b *bytes.Buffer, v any) error {
			slog.New(slog.NewTextHandler(b, nil)).Info("listed", "container", v)
			return nil
		},
		"slog json": func(b *bytes.Buffer, v any) error {
			slog.New(slog.NewJSONHandler(b, nil)).Info("listed", "container", v)
			return nil
		},
		"template": func(b *bytes.Buffer, v any) error {
			return template.Must(template.New("page").Parse(`{{.}} {{printf "%#v" .}} {{printf "%x" .}}`)).Execute(b, v)
		},
	}
	for _, command := range commandLines() {
		for held, value := range holders(command) {
			for name, encode := range encoders {
				var text bytes.Buffer
				err := encode(&text, value) // some of these kinds an encoder refuses, in words that must not tell either
				if found := secretsIn(text.String() + fmt.Sprint(err)); found != nil {
					t.Errorf("%s of %s has %q", name, held, found)
				}
			}
		}
	}
}

// A crash prints what a function was called with; a comparison or a test prints with reflection. Nothing to be found.
func TestCommandLineInPanicsAndReflection(t *testing.T) {
	for _, command := range commandLines() {
		func() {
			defer func() {
				if found := secretsIn(fmt.Sprint(recover())); found != nil {
					t.Errorf("a panic has %q", found)
				}
			}()
			panic(fmt.Sprintf("classify %+v", Container{Command: command}))
		}()
		for i := range reflect.TypeFor[CommandLine]().NumField() {
			if kind := reflect.ValueOf(command).Field(i).Kind(); kind != reflect.Func {
				t.Errorf("field %d is a %s, which reflection can read", i, kind)
			}
		}
	}
}

// Of a whole list with secrets in every place a container can carry one (FC-82, FC-83), a snapshot keeps the normalised
// server URL and nothing else.
func TestSnapshotHoldsNoSecret(t *testing.T) {
	env := map[string]string{"env": "HTTPS_PROXY=http://u:proxypw@proxy:3128", token: checksum, "envvalue": token}
	var list []Container
	for _, command := range commandLines() {
		c := leaked("/keen_bell", image233, time.Hour)
		c.Command = command
		for key, value := range env {
			c.Labels[key] = value
		}
		list = append(list, c)
	}
	for version, args := range shareMntArgs {
		args = slices.Clone(args)
		for i, arg := range args {
			args[i] = strings.Replace(arg, "docker run", "docker run -e X=envvalue -e HTTPS_PROXY=http://u:proxypw@proxy:3128", 1)
		}
		c := shareMntOf(version, "exited", "Exited (0)", time.Hour)
		c.Command = InspectedCommand("run.sh", args)
		list = append(list, c, withCommand(c, listed("run.sh", args...)))
	}
	for _, role := range []string{
		"run.sh -- bash -c " + token, "/usr/bin/share-mnt " + token, registration, token, "run.sh " + token, "run.sh --server " + token + " -o",
	} {
		list = append(list, ctr("/keen_bell", image233, role, token, "Exited ("+token+")", time.Hour, agentLabels, env))
		list = append(list, ctr("/keen_bell", "adm1n:hunter2@registry.example/rancher-agent:"+token, role, "exited", token, time.Hour, agentLabels, env))
	}
	s := snapshotOf(list...)
	if len(s.Agents) != len(list) {
		t.Fatalf("%d agents of %d containers", len(s.Agents), len(list))
	}
	groups := ServersOf(s.LiveCertWriters(), 5)
	for what, value := range map[string]any{"snapshot": s, "servers": groups, "groups": groups.Groups} {
		marshalled, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{string(marshalled), fmt.Sprintf("%+v", value), fmt.Sprintf("%#v", value)} {
			if found := secretsIn(text); found != nil {
				t.Errorf("%s has %q", what, found)
			}
		}
	}
	if got := viewOf(s).servers["https://r.example"]; got != 2 {
		t.Errorf("%d cert-writers of https://r.example", got)
	}
}
