package engine

import (
	"encoding/json"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/enginetest"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/rancher"
)

// A list over the limit is refused while it is read, whatever makes it so long: the engine gets rid of no more than fits into
// the buffers between, and what is held does not grow with it. A list of 72 MB, of 55 pods with long arguments, is served.
func TestLongLists(t *testing.T) { // not parallel: it measures the process
	const between = 8 << 20 // generous: of the kernel and of net/http
	container := func(arguments int) string {
		return `{"Id":"abc","Names":["/a"],"Command":"` + strings.Repeat("x", arguments) + `"}`
	}
	pod := container(1300 << 10)
	for name, tc := range map[string]struct {
		first, entry string
		entries      int
		limit        int64 // of a list here, the product's if 0
		reason       string
		most         int64 // bytes written
		heap         uint64
	}{
		"one entry":            {first: `{"Id":"` + enginetest.Token, entry: strings.Repeat("x", 1<<20), entries: 1 << 20, reason: "one entry larger than 8 MB", most: entryLimit, heap: 40 << 20},
		"one entry of values":  {first: `{"Id":"a","Labels":{"a":"b"`, entry: strings.Repeat(`,"a":"`+strings.Repeat("b", 1000)+`"`, 1000), entries: 1 << 20, reason: "one entry larger than 8 MB", most: entryLimit, heap: 40 << 20},
		"of blanks":            {first: `{"Id":"a"},`, entry: strings.Repeat(" ", 1<<20), entries: 1 << 20, reason: "one entry larger than 8 MB", most: entryLimit, heap: 40 << 20},
		"of small containers":  {first: "", entry: strings.Repeat(container(9000)+",", 100), entries: 1 << 20, limit: 64 << 20, reason: "reply larger than 64 MB", most: 64 << 20, heap: 16 << 20},
		"of too many":          {first: "", entry: strings.Repeat(container(0)+",", 1000), entries: 1 << 20, reason: "more than 50000 containers", most: 1 << 20, heap: 16 << 20},
		"of pods":              {first: pod, entry: "," + pod, entries: 54, heap: 32 << 20},
		"of the longest names": {first: container(entryLimit - 100), entry: "," + container(entryLimit-100), entries: 8, heap: 40 << 20},
	} {
		t.Run(name, func(t *testing.T) {
			fake := startFake(t)
			e := newEngine(t, fake.Host(), nil)
			mustList(t, e)
			if tc.limit != 0 {
				c, err := newClient(withListLimit(t, e, tc.limit))
				if err != nil {
					t.Fatal(err)
				}
				e.client = c
			}
			ended := make(chan int64, 1)
			fake.Intercept(on(listPath, func(w http.ResponseWriter, _ *http.Request) {
				n, err := io.WriteString(w, "["+tc.first)
				written := int64(n)
				for i := 0; i < tc.entries && err == nil; i++ {
					n, err = io.WriteString(w, tc.entry)
					written += int64(n)
				}
				_, _ = io.WriteString(w, "]")
				ended <- written
			}))
			before, peak, listed := heap(), uint64(0), 0
			err := e.List(t.Context(), func(rancher.Container) bool {
				if listed++; listed%1000 == 1 || tc.entries < 100 {
					peak = max(peak, heap())
				}
				return true
			})
			peak = max(peak, heap())
			wantReason(t, err, tc.reason)
			if err != nil {
				wantNoSecret(t, err)
			} else if listed != tc.entries+1 {
				t.Errorf("%d containers, want %d", listed, tc.entries+1)
			}
			if written := <-ended; tc.most != 0 && (written < tc.most || written > tc.most+between) {
				t.Errorf("%d bytes written", written)
			}
			if peak > before+tc.heap {
				t.Errorf("after %d containers the heap is %d MB larger", listed, (peak-before)>>20)
			}
			fake.Intercept(nil)
			mustList(t, e)
		})
	}
}

// heap is what is held.
func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// withListLimit is the guard of an engine with another limit for lists: a test need not read 512 MB.
func withListLimit(t *testing.T, e *Engine, limit int64) *guard {
	t.Helper()
	transport, err := e.endpoint.transport()
	if err != nil {
		t.Fatal(err)
	}
	guard := e.guard(transport)
	guard.listLimit = limit
	return guard
}

// A container and an event have their limit as well.
func TestOneLongEntry(t *testing.T) {
	t.Parallel()
	fake := startFake(t)
	e := newEngine(t, fake.Host(), nil)
	fake.Intercept(func(w http.ResponseWriter, r *http.Request) bool {
		if enginetest.Endpoint(r) == pingPath {
			return false
		}
		_, err := io.WriteString(w, `{"Id":"`+enginetest.Token)
		for err == nil {
			_, err = io.WriteString(w, strings.Repeat("x", 1<<20))
		}
		return true
	})
	_, err := e.Inspect(t.Context(), "abc")
	wantReason(t, err, "one entry larger than 2 MB")
	_, err = e.PastEvents(t.Context())
	wantReason(t, err, "one entry larger than 8 MB")
	d, stop := followBy(t, e)
	eventually(t, "a stream cut", func() bool { return d.count("disconnected one entry larger than 8 MB") > 0 })
	stop()
}

// A list of 20 MB is served.
func TestReplyOf20MB(t *testing.T) {
	t.Parallel()
	entry := `{"Id":"abc","Command":"` + strings.Repeat("x", 1<<20) + `"}`
	fake := startFake(t)
	fake.Intercept(enginetest.Body(listPath, []byte("["+strings.Repeat(entry+",", 19)+entry+"]")))
	if got := mustList(t, newEngine(t, fake.Host(), nil)); len(got) != 20 {
		t.Errorf("%d containers", len(got))
	}
}

func TestLimitedBody(t *testing.T) {
	t.Parallel()
	tooBig := tooBigError{"reply", 100}
	for size, want := range map[int]error{0: nil, 99: nil, 100: nil, 101: tooBig, 5000: tooBig} {
		for _, buffer := range []int{1, 7, 100, 101, 8192} {
			ex := new(exchange)
			body := &limitedBody{ReadCloser: io.NopCloser(strings.NewReader(strings.Repeat("x", size))), limit: 100, ex: ex}
			read, err := 0, error(nil)
			for err == nil {
				var n int
				n, err = body.Read(make([]byte, buffer))
				read += n
			}
			if err == io.EOF {
				err = nil
			}
			if err != want || ex.err != want || read > 100+buffer {
				t.Errorf("%d bytes by %d: read %d, %v, noted %v", size, buffer, read, err, ex.err)
			}
		}
	}
}

// Containers of which an engine tells more, or less, than expected are still containers.
func TestStrangeContainers(t *testing.T) {
	t.Parallel()
	fake := startFake(t)
	e := newEngine(t, fake.Host(), nil)
	for _, entry := range []map[string]any{
		{"Id": "abc"},
		{"Id": "abc", "Names": nil, "Labels": nil, "Command": "", "State": "", "Status": ""},
		{"Id": "abc", "Created": -62135596800},
		{"Id": "abc", "Created": int64(1) << 62},
		{"Id": "abc", "Names": []string{}, "SizeRw": 1, "NewIn2030": map[string]any{"x": []int{1}}},
		{"Id": "abc", "Names": []string{"/a\u0000b\ufffd"}},
	} {
		body, err := json.Marshal([]any{entry, entry})
		if err != nil {
			t.Fatal(err)
		}
		fake.Intercept(enginetest.Body(listPath, body))
		if got := mustList(t, e); len(got) != 2 || got[0].ID != "abc" {
			t.Errorf("%s: %+v", body, got)
		}
	}
}
