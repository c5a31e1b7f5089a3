//go:build !race

package crawler

import (
	"reflect"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/internal/sitetest"
)

// On every site of ../testdata/sites, a crawl that takes over pages from the crawl before finds what
// one does that reads them, and so does the one after it. No page is read that has not changed.
func TestPrevious(t *testing.T) {
	t.Parallel()
	for name, handler := range allSites(t) {
		t.Run(name, func(t *testing.T) {
			r := newRepeated(t)
			read := 0
			r.change = func(cfg *Config) { cfg.Politeness.Concurrency = 1 } // for the counter
			r.site.url, r.site.RequestLog = sitetest.Serve(t, counted{tagged(handler), &read})
			first, sum := r.run()
			requests := sum.Requests
			for range 2 {
				read = 0
				next, sum2 := r.run()
				sameFindings(t, next, first)
				if sum2.Requests != requests {
					t.Errorf("%d requests, at first %d", sum2.Requests, requests)
				}
				sum2.Started, sum2.Elapsed, sum2.Requests = sum.Started, sum.Elapsed, sum.Requests
				if !reflect.DeepEqual(sum2, sum) {
					t.Errorf("%+v, at first %+v", sum2, sum)
				}
				if !r.copied {
					t.Error("the crawl did not begin as a copy")
				}
				if name == "generated" && read > 0 {
					t.Errorf("%d pages were read again", read)
				}
			}
		})
	}
}
