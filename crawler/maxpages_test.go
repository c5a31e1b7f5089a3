package crawler

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/crawlertest"
	"github.com/orbweaver/orbweaver/crawler/internal/sitetest"
)

// TestMaxPagesReadsTheSame: with a limit of pages the same ones are read by one worker
// and by sixty-four, whichever answers come first, and all that is said is the same.
func TestMaxPagesReadsTheSame(t *testing.T) {
	site := crawlertest.Generate(1, 200, 20)
	base, _ := sitetest.Serve(t, site)
	dir := t.TempDir()
	if err := site.WriteDir(dir); err != nil {
		t.Fatal(err)
	}
	for _, start := range []func() (*Config, []Seed){
		func() (*Config, []Seed) { return web(t), seedOf(t, base+"/") },
		func() (*Config, []Seed) { return onDisk(t, dir) },
	} {
		for _, limit := range []int{1, 37} {
			said := func(workers int) string {
				cfg, seeds := start()
				cfg.Limits.MaxPages, cfg.Politeness.Concurrency, cfg.Deliver.Pages = limit, workers, true
				c, sum := crawl(t, cfg, seeds)
				if sum.Pages != limit || sum.Soundness.StoppedBy != "max-pages" {
					t.Fatalf("%d workers read %d pages and stopped by %q, want %d and max-pages", workers, sum.Pages, sum.Soundness.StoppedBy, limit)
				}
				var lines []string
				for _, p := range c.pages {
					lines = append(lines, p.URL)
				}
				for _, r := range c.results {
					lines = append(lines, r.URL+" "+string(r.Code)+" "+strconv.Itoa(len(r.References)))
				}
				slices.Sort(lines)
				return strings.Join(lines, "\n")
			}
			want := said(1)
			for _, workers := range []int{3, 64} {
				if got := said(workers); got != want {
					t.Errorf("of %d pages, %d workers do not say what one does", limit, workers)
				}
			}
		}
	}
}
