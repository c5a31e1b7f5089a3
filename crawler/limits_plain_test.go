//go:build !race

package crawler

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/internal/document"
	"github.com/orbweaver/orbweaver/crawler/internal/sitetest"
)

// Large pages are read one after another, also with a limit of pages, where they are
// settled in order.
func TestLargePagesEnd(t *testing.T) {
	text := "<p>" + strings.Repeat("x", 1<<20)
	base, _ := sitetest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		if r.URL.Path == "/" {
			for i := range 40 {
				fmt.Fprintf(w, "<a href=/%d>x</a>", i)
			}
		}
		fmt.Fprint(w, text, "<a href=/>x</a>")
	}))
	for _, most := range []int{0, 30} {
		cfg := web(t)
		cfg.Limits.MaxPages = most
		_, sum := crawl(t, cfg, seedOf(t, base+"/"))
		if want := map[int]int{0: 41, 30: 30}[most]; sum.Pages != want {
			t.Errorf("limit %d: %d pages, want %d", most, sum.Pages, want)
		}
	}
}

// So many links of a document from the network are read, and the rest is reported.
func TestManyLinksOfAPage(t *testing.T) {
	base, _ := sitetest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, strings.Repeat("<a href=#a>", document.MaxNetworkLinks+1), "<p id=a>")
	}))
	c, sum := crawl(t, web(t), seedOf(t, base+"/"))
	if r := c.find(base + "/"); sum.Links > document.MaxNetworkLinks+1 || r == nil || !warns(r, check.CodeBodyTruncated) {
		t.Errorf("%d links, %+v", sum.Links, r)
	}
}
