//go:build !race

package crawler_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/orbweaver/orbweaver/crawler"
	"github.com/orbweaver/orbweaver/crawler/evidence"
	"github.com/orbweaver/orbweaver/crawler/result"
)

// TestEqualReplayed crawls each site with 1 and 64 workers, keeps all of it, and judges it again
// from that with 1 and 64 workers, without a request. The reports are the same.
func TestEqualReplayed(t *testing.T) {
	t.Parallel()
	for _, s := range equalSites(t) {
		aside := aside{}
		if s.login != "" { // requests that sign in, and prove it, are not kept
			aside = unequalCounts
		}
		t.Run(s.name, func(t *testing.T) {
			s.serve(t)
			for _, workers := range []int{1, 64} {
				file := filepath.Join(t.TempDir(), "all.wacz")
				s.renew()
				cfg := s.config(t)
				cfg.Politeness.Concurrency = workers
				k, err := evidence.Create(evidence.Options{Path: file, All: true, MaxSize: 1 << 30, MaxBody: 10 << 20, Software: "orbweaver/test", Note: t.Output()})
				if err != nil {
					t.Fatal(err)
				}
				clientOf(cfg).Record(k)
				want := reportOf(t, aside, func(ctx context.Context, sink result.Sink) (*result.Summary, error) {
					return crawler.Run(ctx, cfg, s.seeds(t), sink)
				})
				if err := k.Finish(evidence.Run{Complete: true}); err != nil {
					t.Fatal(err)
				}
				for _, replayers := range []int{1, 64} {
					equal(t, "the replay", replayed(t, s, aside, file, replayers), want)
				}
			}
		})
	}
}
