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

// A reply over the limit is refused while it is read: the engine gets rid of no more than fits into the buffers between.
func TestReplyOverTheLimit(t *testing.T) {
	t.Parallel()
	const between = 8 << 20 // generous: of the kernel and of net/http
	fake := startFake(t)
	e := newEngine(t, fake.Host(), nil)
	ended := make(chan int64, 1)
	fake.Intercept(on(listPath, func(w http.ResponseWriter, _ *http.Request) {
		written, err := int64(0), error(nil)
		for chunk := `[{"Id":"` + enginetest.Token; err == nil; chunk = strings.Repeat("x", 1<<20) {
			var n int
			n, err = io.WriteString(w, chunk)
			written += int64(n)
		}
		ended <- written
	}))
	_, err := list(t, e)
	wantReason(t, err, "reply larger than 64 MB")
	wantNoSecret(t, err)
	if written := <-ended; written < replyLimit || written > replyLimit+between {
		t.Errorf("%d bytes written", written)
	}
	fake.Intercept(nil)
	mustList(t, e)
}

// Memory stays flat over a reply that is too big: what is read is given on one container at a time, and nothing is kept of
// the rest. Holding the reply would take its 64 MB, and its containers several times as much.
func TestMemoryOverTheLimit(t *testing.T) { // not parallel: it measures the process
	entry := `{"Id":"abc","Names":["/a"],"Command":"` + strings.Repeat("x", 900) + `"},`
	chunk := strings.Repeat(entry, 1000)
	fake := startFake(t)
	e := newEngine(t, fake.Host(), nil)
	fake.Intercept(on(listPath, func(w http.ResponseWriter, _ *http.Request) {
		_, err := io.WriteString(w, "[")
		for err == nil {
			_, err = io.WriteString(w, chunk)
		}
	}))
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before, peak, n := heap(), uint64(0), 0
	err := e.List(t.Context(), func(rancher.Container) bool {
		if n++; n%1000 == 0 {
			peak = max(peak, heap())
		}
		return true
	})
	wantReason(t, err, "reply larger than 64 MB")
	if grown := int64(peak) - int64(before); n < 60_000 || grown > 16<<20 {
		t.Errorf("after %d containers the heap is %d MB larger", n, grown>>20)
	}
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
	for size, want := range map[int]error{0: nil, 99: nil, 100: nil, 101: errReplyTooBig, 5000: errReplyTooBig} {
		for _, buffer := range []int{1, 7, 100, 101, 8192} {
			ex := new(exchange)
			body := &limitedBody{ReadCloser: io.NopCloser(strings.NewReader(strings.Repeat("x", size))), left: 100, ex: ex}
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
		{"id": "abc", "names": []string{"/a\u0000b\ufffd"}},
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
