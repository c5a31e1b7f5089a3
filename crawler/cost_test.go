//go:build !race

package crawler

import (
	"net/http"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/crawlertest"
	"github.com/orbweaver/orbweaver/crawler/internal/sitetest"
	"github.com/orbweaver/orbweaver/crawler/result"
)

// TestCost holds a whole run, from the seeds to the last verdict, to so many
// allocations and bytes a page, and to one request for each target. The limit of a
// directory is 15 % above what it took when it was last recorded, so that no more creeps in
// unseen. Over HTTP, where the server's own are among them, that holds for the allocations; the
// bytes depend on how many connections are open at once, and may be 30 % more. A busy
// machine changes nothing of that, and two processors are used on every one, as each has
// memory of its own.
func TestCost(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	const links = 50
	const pages, runs = 400, 3
	site := crawlertest.Generate(1, pages, links)
	var requests atomic.Int64
	base, _ := sitetest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		site.ServeHTTP(w, r)
	}))
	dir := t.TempDir()
	if err := site.WriteDir(dir); err != nil {
		t.Fatal(err)
	}
	for name, row := range map[string]struct {
		start         func() (*Config, []Seed)
		allocs, bytes uint64 // a page, at most
	}{
		"directory": {func() (*Config, []Seed) { return onDisk(t, dir) }, 38 * 115 / 100, 11_870 * 115 / 100},
		"http":      {func() (*Config, []Seed) { return web(t), seedOf(t, base+"/") }, 150 * 115 / 100, 21_000 * 130 / 100},
	} {
		t.Run(name, func(t *testing.T) {
			var least, bytes uint64 = 1 << 60, 1 << 60
			for range runs {
				cfg, seeds := row.start()
				cfg.Deliver.Show = result.Show{Broken: true, Warning: true}
				requests.Store(0)
				var before, after runtime.MemStats
				runtime.GC()
				runtime.ReadMemStats(&before)
				sum, err := Run(t.Context(), cfg, seeds, quiet{})
				runtime.ReadMemStats(&after)
				if err != nil {
					t.Fatal(err)
				}
				if sum.Pages != pages || sum.Broken != site.Broken() {
					t.Fatalf("%d pages and %d broken, want %d and %d", sum.Pages, sum.Broken, pages, site.Broken())
				}
				if n := requests.Load(); n > 0 && n != int64(pages+sum.ByCode["http-404"]) {
					t.Errorf("%d requests for %d pages and %d targets that are not there", n, pages, sum.ByCode["http-404"])
				}
				least = min(least, (after.Mallocs-before.Mallocs)/uint64(pages))
				bytes = min(bytes, (after.TotalAlloc-before.TotalAlloc)/uint64(pages))
			}
			t.Logf("%d allocations and %d bytes a page", least, bytes)
			if least > row.allocs || bytes > row.bytes {
				t.Errorf("%d allocations and %d bytes a page of %d links, want %d and %d at most", least, bytes, links, row.allocs, row.bytes)
			}
		})
	}
}
