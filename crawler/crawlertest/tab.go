package crawlertest

import (
	"context"
	"fmt"
	"net/url"
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

// Tab is an open page. Its methods end the test on a failure.
type Tab struct {
	testing.TB
	Ctx context.Context // of the tab, for actions of chromedp

	mu       sync.Mutex
	origin   string // requests may go there
	expected []string
	trouble  []string
}

// OpenTab opens a tab and shows an address in it. The actions run before that.
func OpenTab(t testing.TB, browser context.Context, address string, before ...chromedp.Action[chromedp.Void]) *Tab {
	t.Helper()
	ctx, done := chromedp.NewContext(browser)
	tab := &Tab{TB: t, Ctx: ctx, origin: "file://"}
	if u, err := url.Parse(address); err == nil && u.Host != "" {
		tab.origin = u.Scheme + "://" + u.Host + "/"
	}
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
	tab.Do(before...)
	tab.Do(chromedp.Navigate(address))
	return tab
}

// Expect allows console messages of the browser that contain a text, such as that of a
// status that the test provokes.
func (t *Tab) Expect(text string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.expected = append(t.expected, text)
}

func (t *Tab) event(event any) {
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
		if u := e.Request.URL; !strings.HasPrefix(u, t.origin) && !strings.HasPrefix(u, "data:") {
			what = "request: " + u
		}
	case *page.EventJavascriptDialogOpening:
		what = "dialog: " + e.Message
	}
	if what == "" {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, text := range t.expected {
		if strings.Contains(what, text) {
			return
		}
	}
	t.trouble = append(t.trouble, what)
}

// Do runs actions of chromedp.
func (t *Tab) Do(actions ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	for _, action := range actions {
		ctx, cancel := context.WithTimeout(t.Ctx, patience)
		err := chromedp.Do(ctx, action)
		cancel()
		if err != nil {
			t.Fatal(err)
		}
	}
}

// Eval evaluates an expression in the page, and waits for it if it is a promise.
func Eval[T any](t *Tab, expression string) T {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Ctx, patience)
	defer cancel()
	value, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		t.Fatalf("%s: %v", expression, err)
	}
	return value
}

// Until waits until an expression is true. It works without scripts, too.
func (t *Tab) Until(expression string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Ctx, patience)
	defer cancel()
	for {
		met, err := chromedp.Run(ctx, chromedp.Evaluate[bool](`Boolean(`+expression+`)`))
		switch {
		case err == nil && met:
			return
		case err != nil && (ctx.Err() != nil || !gone(err)):
			t.Fatalf("wait for %s: %v", expression, err)
		}
		select {
		case <-time.After(5 * time.Millisecond): // it is asked again, however long that takes
		case <-ctx.Done():
			t.Fatalf("%s did not become true; the page shows:\n%.2000s", expression, Eval[string](t, `document.body.innerText`))
		}
	}
}

// gone reports whether an expression could not be evaluated because its page was left.
func gone(err error) bool {
	text := err.Error()
	for _, part := range []string{"navigated or closed", "context was destroyed", "Cannot find context", "Promise was collected"} {
		if strings.Contains(text, part) {
			return true
		}
	}
	return false
}

// Want compares the value of an expression, as a string.
func (t *Tab) Want(expression, want string) {
	t.Helper()
	if got := Eval[string](t, `String(`+expression+`)`); got != want {
		t.Errorf("%s: got %q, want %q", expression, got, want)
	}
}

// loaded is true when the page and its scripts are loaded: before that, keys and clicks may
// find nobody who listens.
const loaded = `document.readyState === "complete"`

// Click waits for the page and the first visible element that matches a selector, focuses and
// clicks it.
func (t *Tab) Click(selector string) {
	t.Helper()
	t.Until(fmt.Sprintf(loaded+` && document.querySelector(%q)?.checkVisibility()`, selector))
	Eval[bool](t, fmt.Sprintf(`(() => { const e = document.querySelector(%q); e.focus(); e.click(); return true; })()`, selector))
}

// ClickText clicks the first visible element that matches a selector and has a text.
func (t *Tab) ClickText(selector, text string) {
	t.Helper()
	find := fmt.Sprintf(`[...document.querySelectorAll(%q)].find((e) => e.textContent.trim() === %q && e.checkVisibility())`, selector, text)
	t.Until(loaded + ` && ` + find + ` !== undefined`)
	Eval[bool](t, fmt.Sprintf(`(() => { const e = %s; e.focus(); e.click(); return true; })()`, find))
}

// Keys waits for the page and presses keys.
func (t *Tab) Keys(keys string, modifiers ...chromedp.Modifier) {
	t.Helper()
	t.Until(loaded)
	t.Do(chromedp.KeyEvent(keys, chromedp.KeyModifiers(modifiers...)))
}

// Media sets a media feature, such as "prefers-color-scheme" to "dark".
func Media(name, value string) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: name, Value: value}},
		})
		return err
	})
}

// NoScripts disables the scripts of pages.
func NoScripts() chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
		return err
	})
}

// TabSize sets the size of the page in pixels.
func TabSize(width, height int) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
			Width: int64(width), Height: int64(height), DeviceScaleFactor: 1,
		})
		return err
	})
}
