package check

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strings"
	"sync"
	"testing"
	"time"
)

// survivorsFile lists the mutants that no scenario can catch, each with the reason.
const survivorsFile = "survivors.yml"

// workers is how many promtools run at once.
const workers = 2

// TestMutants breaks the rules in every way Mutants knows and wants a scenario to notice. It takes minutes, so it runs only where MUTATION
// holds a regular expression for the names of the rules to break: `.` is all of them.
func TestMutants(t *testing.T) {
	if os.Getenv("MUTATION") == "" {
		t.Skip("set MUTATION=. to break each rule in turn; takes minutes")
	}
	wanted, err := regexp.Compile(os.Getenv("MUTATION"))
	if err != nil {
		t.Fatal(err)
	}
	promtool := tool(t, "promtool")
	rules := readRules(t)
	all, err := Mutants(rules)
	if err != nil {
		t.Fatal(err)
	}
	mutants := slices.DeleteFunc(all, func(m Mutant) bool { return !wanted.MatchString(m.Rule) })
	reasons := map[string]string{}
	if err := ReadStrict(survivorsFile, &reasons); err != nil {
		t.Fatal(err)
	}
	scenarios := splitScenarios(t)
	shared := &kills{count: map[string]map[int]int{}}
	for i, file := range scenarios {
		for _, a := range alerts(rules) {
			if asksFor(file.Tests[0], a.Alert) {
				shared.add(a.Alert, i)
			}
		}
	}
	origins := sources(t, rules)
	queue := make(chan Mutant)
	var mu sync.Mutex
	survived := map[string]bool{}
	var wg sync.WaitGroup
	for w := 0; w < workers; w++ {
		hunter := newHunter(t, promtool, scenarios, origins, shared)
		wg.Add(1)
		go func() {
			defer wg.Done()
			for m := range queue {
				caught, err := hunter.catch(m)
				if err != nil {
					t.Errorf("%s: %v", m.ID, err)
				}
				if caught {
					continue
				}
				if strings.TrimSpace(reasons[m.ID]) == "" {
					t.Errorf("no scenario notices, and %s has no reason: %q", survivorsFile, m.ID)
				}
				mu.Lock()
				survived[m.ID] = true
				mu.Unlock()
			}
		}()
	}
	start := time.Now()
	known := map[string]bool{}
	for _, m := range mutants {
		if known[m.ID] {
			t.Errorf("two mutants are called %q", m.ID)
		}
		known[m.ID] = true
		queue <- m
	}
	close(queue)
	wg.Wait()
	for id := range reasons {
		if rule, _, _ := strings.Cut(id, ": "); wanted.MatchString(rule) && !survived[id] {
			t.Errorf("%s excuses what is caught or does not exist: %q", survivorsFile, id)
		}
	}
	t.Logf("%d mutants, %d caught, %d survived with a reason or without, %s", len(mutants), len(mutants)-len(survived), len(survived), time.Since(start).Round(time.Second))
}

// splitScenarios makes a file of each scenario, so that the first one that fails ends the work on a mutant. The longest come last.
func splitScenarios(t *testing.T) []TestFile {
	t.Helper()
	var all []TestFile
	for _, path := range testFiles {
		var file TestFile
		if err := ReadStrict(path, &file); err != nil {
			t.Fatal(err)
		}
		for _, s := range file.Tests {
			one := file
			one.Tests = []Scenario{s}
			all = append(all, one)
		}
	}
	length := func(f TestFile) int {
		n := 0
		for _, a := range f.Tests[0].AlertRuleTest {
			n = max(n, evaluations(a.EvalTime, f.EvaluationInterval))
		}
		for _, e := range f.Tests[0].PromQLExprTest {
			n = max(n, evaluations(e.EvalTime, f.EvaluationInterval))
		}
		return n
	}
	sort.SliceStable(all, func(i, j int) bool { return length(all[i]) < length(all[j]) })
	return all
}

func evaluations(until, interval string) int {
	u, _ := time.ParseDuration(until)
	i, _ := time.ParseDuration(interval)
	return int(u / i)
}

// sources returns the exposed metrics that each rule depends on, through other rules too. A scenario without any of them cannot notice what
// becomes of the rule.
func sources(t *testing.T, rules RuleFile) map[string]map[string]bool {
	t.Helper()
	reads := map[string]map[string]bool{}
	for _, g := range rules.Groups {
		for _, r := range g.Rules {
			words, err := Words(r.Expr)
			if err != nil {
				t.Fatal(err)
			}
			reads[r.Name()] = Of(words, Metric)
		}
	}
	all := map[string]map[string]bool{}
	for name := range reads {
		all[name] = map[string]bool{}
		for todo := []string{name}; len(todo) > 0; todo = todo[1:] {
			for metric := range reads[todo[0]] {
				if all[name][metric] {
					continue
				}
				all[name][metric] = true
				todo = append(todo, metric)
			}
		}
	}
	return all
}

// feeds reports whether a scenario has a series of one of the metrics. `up` is in every scenario: where it has none, absent() has a result.
func feeds(s Scenario, metrics map[string]bool) bool {
	if metrics["up"] {
		return true
	}
	for _, series := range s.InputSeries {
		if name, _, _ := strings.Cut(series.Series, "{"); metrics[name] {
			return true
		}
	}
	return false
}

// asksFor reports whether a scenario has an expectation for an alert by name: the likeliest one to catch its mutants.
func asksFor(s Scenario, alert string) bool {
	for _, a := range s.AlertRuleTest {
		if a.AlertName == alert {
			return true
		}
	}
	for _, e := range s.PromQLExprTest {
		if strings.Contains(e.Expr, `"`+alert+`"`) {
			return true
		}
	}
	return false
}

// kills remembers which scenario catches the mutants of a rule, to try that one first.
type kills struct {
	sync.Mutex
	count map[string]map[int]int
}

func (k *kills) add(rule string, scenario int) {
	k.Lock()
	defer k.Unlock()
	if k.count[rule] == nil {
		k.count[rule] = map[int]int{}
	}
	k.count[rule][scenario]++
}

func (k *kills) order(rule string, n int) []int {
	k.Lock()
	defer k.Unlock()
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	sort.SliceStable(order, func(i, j int) bool { return k.count[rule][order[i]] > k.count[rule][order[j]] })
	return order
}

// hunter runs the scenarios against mutants in a directory of its own.
type hunter struct {
	dir, promtool string
	scenarios     []TestFile
	sources       map[string]map[string]bool
	kills         *kills
}

func newHunter(t *testing.T, promtool string, scenarios []TestFile, sources map[string]map[string]bool, shared *kills) *hunter {
	t.Helper()
	h := &hunter{dir: t.TempDir(), promtool: promtool, scenarios: scenarios, sources: sources, kills: shared}
	for i, s := range scenarios {
		if err := Write(filepath.Join(h.dir, scenarioFile(i)), s); err != nil {
			t.Fatal(err)
		}
	}
	return h
}

func scenarioFile(i int) string { return fmt.Sprintf("scenario%02d.yml", i) }

// catch reports whether a scenario fails with the mutant. A mutant that is no valid rule file is an error, for it would be caught by anything.
func (h *hunter) catch(m Mutant) (bool, error) {
	if err := Write(filepath.Join(h.dir, "rules.yml"), m.Rules); err != nil {
		return false, err
	}
	if out, err := h.run("check", "rules", "rules.yml"); err != nil {
		return true, fmt.Errorf("the mutant is no valid rule: %s", out)
	}
	for _, i := range h.kills.order(m.Rule, len(h.scenarios)) {
		if !feeds(h.scenarios[i].Tests[0], h.sources[m.Rule]) {
			continue
		}
		if _, err := h.run("test", "rules", scenarioFile(i)); err != nil {
			h.kills.add(m.Rule, i)
			return true, nil
		}
	}
	return false, nil
}

func (h *hunter) run(args ...string) ([]byte, error) {
	cmd := exec.Command(h.promtool, args...)
	cmd.Dir = h.dir
	return cmd.CombinedOutput()
}
