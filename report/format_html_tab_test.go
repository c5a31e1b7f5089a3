package report

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// patience is the timeout for overloaded machines; no step normally needs a hundredth of it.
const patience = time.Minute

// startBrowser starts a headless Chromium. The returned context opens tabs.
func startBrowser(t *testing.T) context.Context {
	t.Helper()
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		if os.Getenv("CI") == "true" {
			t.Fatal("chromium is missing")
		}
		t.Skip("chromium is missing")
	}
	options := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]),
		chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.UserDataDir(t.TempDir()), chromedp.WindowSize(1000, 600),
		chromedp.Flag("disable-component-update", true), chromedp.Flag("hide-scrollbars", true),
		chromedp.Flag("enable-unsafe-swiftshader", true), // WebGL without a graphics card
	)
	ctx, stop := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, closeAll := chromedp.NewContext(ctx)
	t.Cleanup(func() {
		if err := chromedp.Cancel(ctx); err != nil {
			t.Logf("close the browser: %v", err)
		}
		closeAll()
		stop()
	})
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("start %s: %v", path, err)
	}
	return ctx
}

// tab is an open page. The test fails if the report writes to the console, violates its
// policy, sends a request, or opens a dialog.
type tab struct {
	*testing.T
	ctx     context.Context
	mu      sync.Mutex
	trouble []string
}

// open shows a report from a file, at an address in it.
func open(t *testing.T, parent context.Context, text, hash string, before ...chromedp.Action[chromedp.Void]) *tab {
	t.Helper()
	file := filepath.Join(t.TempDir(), "report.html")
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	ctx, done := chromedp.NewContext(parent)
	tab := &tab{T: t, ctx: ctx}
	t.Cleanup(func() {
		done()
		tab.mu.Lock()
		defer tab.mu.Unlock()
		for _, what := range tab.trouble {
			t.Error(what)
		}
	})
	if err := chromedp.Listen(ctx, tab.event); err != nil {
		t.Fatal(err)
	}
	tab.do(before...)
	tab.do(chromedp.Navigate((&url.URL{Scheme: "file", Path: file}).String() + hash))
	return tab
}

// ready waits until the script of the report has started.
func (t *tab) ready() *tab {
	t.Helper()
	t.until(`"ready" in document.documentElement.dataset`)
	return t
}

func (t *tab) event(event any) {
	what := ""
	switch e := event.(type) {
	case *runtime.EventConsoleAPICalled:
		what = fmt.Sprintf("console.%s was called", e.Type)
	case *runtime.EventExceptionThrown:
		what = fmt.Sprintf("exception: %s at line %d", e.ExceptionDetails.Text, e.ExceptionDetails.LineNumber)
		if e.ExceptionDetails.Exception != nil {
			what += ": " + e.ExceptionDetails.Exception.Description
		}
	case *log.EventEntryAdded:
		// The browser logs that there is no graphics card.
		if !strings.Contains(e.Entry.Text, "WebGL") {
			what = fmt.Sprintf("log, %s: %s", e.Entry.Source, e.Entry.Text)
		}
	case *network.EventRequestWillBeSent:
		if u := e.Request.URL; !strings.HasPrefix(u, "file://") && !strings.HasPrefix(u, "data:") {
			what = "request: " + u
		}
	case *page.EventJavascriptDialogOpening:
		what = "dialog: " + e.Message
	}
	if what != "" {
		t.mu.Lock()
		t.trouble = append(t.trouble, what)
		t.mu.Unlock()
	}
}

func (t *tab) do(actions ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	for _, action := range actions {
		ctx, cancel := context.WithTimeout(t.ctx, patience)
		err := chromedp.Do(ctx, action)
		cancel()
		if err != nil {
			t.Fatal(err)
		}
	}
}

// eval evaluates an expression in the page.
func eval[T any](t *tab, expression string) T {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.ctx, patience)
	defer cancel()
	value, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		t.Fatalf("%s: %v", expression, err)
	}
	return value
}

// until waits until an expression is true.
func (t *tab) until(expression string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.ctx, patience)
	defer cancel()
	wait := `new Promise((done) => { const look = () => (` + expression + `) ? done(true) : setTimeout(look, 5); look(); })`
	if _, err := chromedp.Run(ctx, chromedp.Evaluate[bool](wait, chromedp.EvalAwaitPromise)); err != nil {
		t.Fatalf("wait for %s: %v\nthe page shows:\n%.2000s", expression, err, eval[string](t, `document.body.innerText`))
	}
}

func (t *tab) want(expression, want string) {
	t.Helper()
	if got := eval[string](t, `String(`+expression+`)`); got != want {
		t.Errorf("%s: got %q, want %q", expression, got, want)
	}
}

// click waits for the first element that matches a selector and clicks its center.
func (t *tab) click(selector string) {
	t.Helper()
	t.do(chromedp.Click(chromedp.CSS(selector)))
}

// clickText clicks the element with a text.
func (t *tab) clickText(selector, text string) {
	t.Helper()
	t.until(fmt.Sprintf(`[...document.querySelectorAll(%q)].some((e) => e.textContent === %q && e.checkVisibility())`, selector, text))
	eval[bool](t, fmt.Sprintf(`(() => {
		for (const e of document.querySelectorAll("[data-here]")) e.removeAttribute("data-here");
		[...document.querySelectorAll(%q)].find((e) => e.textContent === %q && e.checkVisibility()).dataset.here = "";
		return true;
	})()`, selector, text))
	t.click("[data-here]")
}

func (t *tab) keys(keys string, modifiers ...chromedp.Modifier) {
	t.Helper()
	t.do(chromedp.KeyEvent(keys, chromedp.KeyModifiers(modifiers...)))
}

func (t *tab) clipboard() string {
	t.Helper()
	return eval[string](t, `navigator.clipboard.readText()`)
}

func onNewDocument(script string) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: script})
		return err
	})
}

func media(name, value string) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: name, Value: value}},
		})
		return err
	})
}
