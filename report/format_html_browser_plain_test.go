//go:build !race

package report

import (
	"context"
	"testing"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/chromedp"

	"github.com/orbweaver/orbweaver/crawler/crawlertest"
)

func TestHTMLInBrowser(t *testing.T) {
	ctx := crawlertest.StartBrowser(t)
	for _, name := range []string{"clipboard-read", "clipboard-write"} {
		if _, err := chromedp.CallBrowser(ctx, browser.SetPermission, browser.SetPermissionParams{
			Permission: &browser.PermissionDescriptor{Name: name}, Setting: browser.PermissionSettingGranted,
		}); err != nil {
			t.Fatal(err)
		}
	}
	full := renderHTML(t, Options{Show: ShowAll}, fullRun(), fullSite())
	for _, test := range []struct {
		name string
		run  func(*testing.T, context.Context, string)
	}{
		{"summary", testSummary}, {"filter", testFilter}, {"sort", testSort}, {"details", testDetails}, {"copy", testCopy},
		{"redirects", testRedirects}, {"keyboard", testKeyboard}, {"screen reader", testScreenReader}, {"theme", testTheme}, {"web", testWeb}, {"web by keyboard", testWebByKeyboard},
		{"no WebGL", testNoWebGL}, {"no scripts", testNoScripts}, {"narrow", testNarrow}, {"hostile", testHostile}, {"unseen", testInvisible}, {"large", testLarge}, {"unaffected", testUnaffected}, {"names", testNames}, {"spots", testPlacesWithoutLines}, {"topics", testTopics}, {"pages", testPages}, {"directories", testDirectories}, {"fold", testFold}, {"people", testForPeople}, {"accessible", testAccessible},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(t, ctx, full) })
	}
}
