package report

import (
	"context"
	"net/url"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"github.com/orbweaver/orbweaver/crawler/crawlertest"
)

// tab is a report in a browser.
type tab struct{ *crawlertest.Tab }

// open shows a report from a file, at an address in it.
func open(t *testing.T, browser context.Context, text, hash string, before ...chromedp.Action[chromedp.Void]) *tab {
	t.Helper()
	file := filepath.Join(t.TempDir(), "report.html")
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return &tab{crawlertest.OpenTab(t, browser, (&url.URL{Scheme: "file", Path: file}).String()+hash, before...)}
}

// ready waits until the script of the report has started.
func (t *tab) ready() *tab {
	t.Helper()
	t.Until(`"ready" in document.documentElement.dataset`)
	return t
}

// ClickMouse clicks the center of an element with the mouse.
func (t *tab) ClickMouse(selector string) {
	t.Helper()
	t.Do(chromedp.Click(chromedp.CSS(selector)))
}

func (t *tab) clipboard() string {
	t.Helper()
	return crawlertest.Eval[string](t.Tab, `navigator.clipboard.readText()`)
}

// onNewDocument runs a script before those of each page.
func onNewDocument(script string) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: script})
		return err
	})
}
