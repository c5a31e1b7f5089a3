package crawler

import (
	"net/http"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/orbweaver/orbweaver/crawler/check"
)

// A page over https that shows a target over http is told of, also if it has a link to it.
func TestMixedContentOfLinkedTargets(t *testing.T) {
	const link, frame = `<a href=http://h.test/p>x</a>`, `<iframe src=http://h.test/p></iframe>`
	for body, mixed := range map[string]bool{
		link: false, frame: true, link + frame: true, frame + link: true,
		link + `<object data=http://h.test/p></object>`: true, link + `<embed src=http://h.test/p>`: true,
	} {
		synctest.Test(t, func(t *testing.T) {
			cfg := imaginary(imagine(0, func(host, _ string) (int, http.Header, string) {
				if host == "h.test" {
					return ok("x")
				}
				return ok(body)
			}))
			c, _ := crawl(t, cfg, seedOf(t, "https://site.test/"))
			r := c.find("http://h.test/p")
			if r == nil {
				t.Fatalf("%s: no result", body)
			}
			if got := slices.ContainsFunc(r.Warnings, func(w check.Warning) bool { return w.Code == check.CodeMixedContent }); got != mixed {
				t.Errorf("%s: a warning of mixed content: %t, want %t", body, got, mixed)
			}
		})
	}
}
