//go:build !race

package crawler

import (
	"reflect"
	"testing"
	"time"

	"github.com/orbweaver/orbweaver/crawler/internal/sitetest"
	"github.com/orbweaver/orbweaver/crawler/result"
)

// On every site of ../testdata/sites, a run with a cache finds what one without does.
func TestCachedAsFresh(t *testing.T) {
	for name, handler := range allSites(t) {
		t.Run(name, func(t *testing.T) {
			m := newRemembering(t)
			m.site.url, m.site.RequestLog = sitetest.Serve(t, tagged(handler))
			first, sum := m.run()
			m.site.asked()
			second, sum2 := m.run()
			sameFindings(t, second, first)
			for _, s := range []*result.Summary{sum, sum2} {
				s.Started, s.Elapsed, s.Requests, s.Cached = time.Time{}, 0, 0, 0
			}
			if !reflect.DeepEqual(sum, sum2) {
				t.Errorf("%+v, fresh %+v", sum2, sum)
			}
		})
	}
}
