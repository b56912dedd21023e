package browser

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/e2e/exporter"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/enginetest"
	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/testkit"
)

const server = "https://rancher.example"

var now = time.Now()

func ago(d time.Duration) time.Time { return now.Add(-d) }

// The page as a person sees it: a healthy node, one that leaks, one whose Docker is down; large and on a phone, light and
// dark. In all of that the browser has nothing to complain of and asks nobody else.
func TestStatusPage(t *testing.T) {
	ctx := newBrowser(t)
	w := watchBrowser(t, ctx)
	fake := testkit.Engine(t)
	url := exporter.Start(t, fake.Host()).URL("")
	agent := enginetest.NodeAgent("cattle-node-agent-jfdlt", 0, ago(10*24*time.Hour))
	fake.Put(agent, enginetest.ShareMnt("v2.3.3", server, "n1", ago(10*24*time.Hour)))

	text, title := visit(t, ctx, url)
	contains(t, "healthy", title, "ok: Nothing wrong")
	contains(t, "healthy", text, "Nothing wrong", "0 live cert-writers", "cattle-node-agent-jfdlt", "exited (0)")
	screenshot(t, ctx, "healthy")

	leak(fake)
	text, title = visit(t, ctx, url)
	contains(t, "leaking", title, "warning: Leak in progress: 6 cert-writers, one more about every 2 h")
	contains(t, "leaking", text, "Likely cause: a job that removes stopped containers about every 2 h", "brave_bohr", server, "RancherCertWriterLeak", "steadfast_gagarin")
	commands := evaluate[[]string](t, ctx, `[...document.querySelectorAll("pre")].map(e => e.innerText)`)
	for _, command := range []string{"docker restart " + agent.ID[:12], "kubectl -n cattle-system delete pod cattle-node-agent-jfdlt"} {
		if !strings.Contains("\n"+strings.Join(commands, "\n")+"\n", "\n"+command+"\n") {
			t.Errorf("no box with %q: %q", command, commands)
		}
	}
	for _, href := range evaluate[[]string](t, ctx, `[...document.querySelectorAll("nav a")].map(e => e.href)`) {
		if code := status(t, href); code != 200 {
			t.Errorf("link to %s: %d", href, code)
		}
	}
	for _, view := range []struct {
		name          string
		width, height int64
		scheme        string
	}{
		{"phone-light", 360, 740, "light"}, {"phone-dark", 360, 740, "dark"}, {"dark", 1200, 900, "dark"}, {"light", 1200, 900, "light"},
	} {
		name := "leaking-" + view.name
		look(t, ctx, view.width, view.height, view.scheme)
		if width := evaluate[int64](t, ctx, `document.documentElement.scrollWidth`); width > view.width {
			t.Errorf("%s: the page is %d wide and the window %d", name, width, view.width)
		}
		if low := evaluate[[]string](t, ctx, lowContrast); len(low) > 0 {
			t.Errorf("%s: hard to read: %q", name, low)
		}
		screenshot(t, ctx, name)
	}

	fake.Stop()
	text, title = visit(t, ctx, url)
	contains(t, "unreachable", title, "warning: Docker cannot be asked")
	contains(t, "unreachable", text, "The reason: list containers: no such socket.", "It could last be asked at")
	screenshot(t, ctx, "unreachable")

	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.troubles) > 0 {
		t.Errorf("the browser complains: %q", w.troubles)
	}
	for _, asked := range w.urls {
		if !strings.HasPrefix(asked, url) && asked != "data:," {
			t.Errorf("the browser asks for %s", asked)
		}
	}
}

// Whatever the names, URLs and images on a node say, they stay text, and no script runs.
func TestMarkupStaysText(t *testing.T) {
	const (
		script = `<script>document.title="owned"</script>`
		image  = `"><img src=x onerror='document.title="owned"'>`
	)
	ctx := newBrowser(t)
	w := watchBrowser(t, ctx)
	fake := testkit.Engine(t)
	url := exporter.Start(t, fake.Host()).URL("")
	fake.Put(enginetest.NodeAgent(script, 0, ago(10*24*time.Hour)))
	shareMnt := enginetest.ShareMnt("v2.3.3", server, "n1", ago(time.Hour))
	shareMnt.Image = "rancher/rancher-agent:" + script
	fake.Put(shareMnt)
	for i, address := range []string{"https://<script>alert(1)</script>.example", "https://r.example/" + image, `https://r.example" onload="alert(1)`, "javascript:alert(1)"} {
		c := enginetest.CertWriter(i, address, ago(time.Duration(i+1)*time.Hour))
		c.Names = []string{"/" + []string{script, image}[i%2]}
		fake.Put(c)
	}
	text, title := visit(t, ctx, url)
	contains(t, "title", title, "Leak in progress: 4 cert-writers")
	contains(t, "page", text, script, image)
	if n := evaluate[int](t, ctx, `document.querySelectorAll("script, img, iframe, [onerror], [onload]").length`); n != 0 {
		t.Errorf("%d elements came from names", n)
	}
	for _, command := range evaluate[[]string](t, ctx, `[...document.querySelectorAll("pre")].map(e => e.innerText)`) {
		if strings.ContainsAny(command, "<>") && !strings.Contains(command, "2>&1") {
			t.Errorf("a command with something of a name in it: %s", command)
		}
	}
	screenshot(t, ctx, "markup")
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.troubles) > 0 {
		t.Errorf("the browser complains: %q", w.troubles)
	}
}

// leak makes the node leak: share-mnt was removed every 2 hours.
func leak(fake *enginetest.Engine) {
	for _, c := range fake.Containers() {
		if c.Names[0] == "/share-mnt" {
			fake.Remove(c.ID)
		}
	}
	fake.Put(enginetest.ShareMnt("v2.3.3", server, "n1", ago(10*time.Minute)), enginetest.Registration(server, ago(9*24*time.Hour)))
	for i := range 6 {
		fake.Put(enginetest.CertWriter(i, server, ago(10*time.Minute+time.Duration(5-i)*2*time.Hour)))
	}
}

// look sets the size of the window and the colour scheme the person prefers.
func look(t *testing.T, ctx context.Context, width, height int64, scheme string) {
	t.Helper()
	if err := chromedp.Do(ctx, chromedp.EmulateViewport(width, height)); err != nil {
		t.Fatal(err)
	}
	preference := []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}
	if _, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: preference}); err != nil {
		t.Fatal(err)
	}
}

// lowContrast lists the texts whose contrast is below the 4.5 of WCAG AA.
const lowContrast = `(() => {
  const parse = c => c.match(/[\d.]+/g).map(Number);
  const luminance = ([r, g, b]) => [r, g, b].map(v => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const background = e => {
    for (; e; e = e.parentElement) {
      const c = parse(getComputedStyle(e).backgroundColor);
      if (c.length < 4 || c[3] > 0) return c;
    }
    return [255, 255, 255];
  };
  const low = [];
  for (const e of document.querySelectorAll("body *")) {
    if (![...e.childNodes].some(n => n.nodeType === 3 && n.data.trim())) continue;
    const [a, b] = [luminance(parse(getComputedStyle(e).color)), luminance(background(e))];
    if ((Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05) < 4.5) low.push(e.innerText.slice(0, 40));
  }
  return low;
})()`
