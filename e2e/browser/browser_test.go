package browser

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/testkit"
)

// newBrowser starts a browser; without one the test is skipped, or fails in CI.
func newBrowser(t *testing.T) context.Context {
	t.Helper()
	path, err := exec.LookPath("chromium")
	testkit.Need(t, err)
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path),
		chromedp.NoSandbox, // which root may not use; what is shown comes from this test
		chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true),
		chromedp.Flag("disable-component-update", true),
		chromedp.WSURLReadTimeout(time.Minute),
	)
	ctx, cancel := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	ctx, cancel = context.WithTimeout(ctx, 3*time.Minute)
	t.Cleanup(cancel)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("start the browser: %v", err)
	}
	return ctx
}

// watch collects what a browser complains of and where it asks for anything.
type watch struct {
	mu       sync.Mutex
	troubles []string
	urls     []string
}

func watchBrowser(t *testing.T, ctx context.Context) *watch {
	t.Helper()
	w := new(watch)
	err := chromedp.Listen(ctx, func(ev any) {
		w.mu.Lock()
		defer w.mu.Unlock()
		switch ev := ev.(type) {
		case *log.EventEntryAdded: // the policy was violated, something was not found …
			w.troubles = append(w.troubles, ev.Entry.Text)
		case *runtime.EventConsoleAPICalled:
			w.troubles = append(w.troubles, fmt.Sprint("console.", ev.Type))
		case *runtime.EventExceptionThrown:
			w.troubles = append(w.troubles, ev.ExceptionDetails.Text)
		case *network.EventRequestWillBeSent:
			w.urls = append(w.urls, ev.Request.URL)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// visit loads the page and returns what it shows as text, and its title.
func visit(t *testing.T, ctx context.Context, url string) (text, title string) {
	t.Helper()
	if err := chromedp.Do(ctx, chromedp.Navigate(url), chromedp.WaitVisible(chromedp.CSS("main"))); err != nil {
		t.Fatal(err)
	}
	return evaluate[string](t, ctx, "document.body.innerText"), evaluate[string](t, ctx, "document.title")
}

func evaluate[T any](t *testing.T, ctx context.Context, script string) T {
	t.Helper()
	result, err := chromedp.Run(ctx, chromedp.Evaluate[T](script))
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// screenshot keeps the whole page as a picture in the directory SCREENSHOTS, if that is set.
func screenshot(t *testing.T, ctx context.Context, name string) {
	t.Helper()
	dir := os.Getenv("SCREENSHOTS")
	if dir == "" {
		return
	}
	picture, err := chromedp.Run(ctx, chromedp.FullScreenshot(100))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name+".png"), picture, 0o644); err != nil {
		t.Fatal(err)
	}
}

// status is the HTTP status of a page.
func status(t *testing.T, url string) int {
	t.Helper()
	resp, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	return resp.StatusCode
}

func contains(t *testing.T, where, text string, words ...string) {
	t.Helper()
	for _, w := range words {
		if !strings.Contains(text, w) {
			t.Errorf("%s: no %q in\n%s", where, w, text)
		}
	}
}
