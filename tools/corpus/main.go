// Command corpus puts what fuzzing has found into testdata/fuzz, where every test run tries it: of the inputs in Go's
// cache the shortest of those that run a statement that nothing shorter runs, or run it more often by a power of two, which
// is what the fuzzer itself takes for interesting.
//
// Its argument is the directory of the product's module.
package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math/bits"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "corpus:", err)
		os.Exit(1)
	}
}

func run() error {
	if len(os.Args) != 2 {
		return errors.New("want the directory of the product's module")
	}
	if err := os.Chdir(os.Args[1]); err != nil {
		return err
	}
	cache, err := output("go", "env", "GOCACHE")
	if err != nil {
		return err
	}
	list, err := output("go", "list", "-f", "{{.ImportPath}} {{.Dir}}", "./internal/...")
	if err != nil {
		return err
	}
	for line := range strings.Lines(list) {
		path, dir, _ := strings.Cut(strings.TrimSpace(line), " ")
		found, err := os.ReadDir(filepath.Join(strings.TrimSpace(cache), "fuzz", path))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		for _, test := range found {
			if err := keep(dir, test.Name(), filepath.Join(strings.TrimSpace(cache), "fuzz", path, test.Name())); err != nil {
				return fmt.Errorf("%s: %w", test.Name(), err)
			}
		}
	}
	return nil
}

// keep puts into the package's corpus what of the inputs found adds to what is there.
func keep(dir, test, found string) error {
	work, err := os.MkdirTemp("", "corpus")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	binary := filepath.Join(work, "test")
	if _, err := output("go", "test", "-C", dir, "-c", "-o", binary, "-covermode=count", "."); err != nil {
		return err
	}
	corpus := filepath.Join(dir, "testdata", "fuzz", test)
	if err := os.MkdirAll(corpus, 0o755); err != nil {
		return err
	}
	seen, err := behaviour(dir, binary, "^"+test+"$")
	if err != nil {
		return err
	}
	inputs, err := shortestFirst(found)
	if err != nil {
		return err
	}
	added := 0
	for _, input := range inputs {
		name := filepath.Join(corpus, input.name)
		if err := os.WriteFile(name, input.text, 0o644); err != nil {
			return err
		}
		does, err := behaviour(dir, binary, "^"+test+"$/^"+input.name+"$")
		if err != nil {
			return err
		}
		before := len(seen)
		for what := range does {
			seen[what] = true
		}
		if len(seen) > before {
			added++
		} else if err := os.Remove(name); err != nil {
			return err
		}
	}
	fmt.Printf("%s: %d inputs found, %d added\n", test, len(inputs), added)
	return nil
}

type input struct {
	name string
	text []byte
}

func shortestFirst(dir string) ([]input, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	inputs := make([]input, len(entries))
	for i, entry := range entries {
		text, err := os.ReadFile(filepath.Join(dir, entry.Name()))
		if err != nil {
			return nil, err
		}
		inputs[i] = input{entry.Name(), text}
	}
	slices.SortStableFunc(inputs, func(a, b input) int { return cmp.Compare(len(a.text), len(b.text)) })
	return inputs, nil
}

// behaviour is which statements the tests run, and how often in powers of two.
func behaviour(dir, binary, tests string) (map[string]bool, error) {
	profile := binary + ".cover"
	cmd := exec.Command(binary, "-test.run", tests, "-test.coverprofile", profile)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%s: %w: %s", tests, err, out)
	}
	text, err := os.ReadFile(profile)
	if err != nil {
		return nil, err
	}
	does := make(map[string]bool)
	for line := range strings.Lines(string(text)) {
		block, count, _ := strings.Cut(strings.TrimSpace(line), " ")
		_, count, _ = strings.Cut(count, " ")
		if n, err := strconv.ParseUint(count, 10, 64); err == nil && n > 0 {
			does[fmt.Sprint(block, " ", bits.Len64(n))] = true
		}
	}
	return does, nil
}

func output(name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("%s: %w: %s", strings.Join(cmd.Args, " "), err, stderr.Bytes())
	}
	return string(out), err
}
