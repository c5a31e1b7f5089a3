package crawler_test

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/orbweaver/orbweaver/crawler"
	"github.com/orbweaver/orbweaver/crawler/evidence"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/result"
)

// TestEqualReplayed crawls each site with 1 and 64 workers, keeps all of it, and judges it again
// from that with 1 and 64 workers, without a request. The reports are the same.
func TestEqualReplayed(t *testing.T) {
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
				k, err := evidence.Create(evidence.Options{Path: file, All: true, MaxSize: 1 << 30, MaxBody: 10 << 20, Software: "orbweaver/test", Note: t.Logf})
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

// replayed returns the report of a site that was kept in a file.
func replayed(t *testing.T, s *equalSite, aside aside, file string, workers int) string {
	t.Helper()
	a, err := evidence.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	cfg := s.config(t)
	cfg.Login = crawler.Login{}
	p := &cfg.Politeness
	p.Concurrency, p.Still, p.Delay, p.Backoff, p.SecondPassAfter = workers, true, 0, 1, time.Nanosecond
	clientOf(cfg).Replay(a)
	_, before := s.requests(true)
	text := reportOf(t, aside, func(ctx context.Context, sink result.Sink) (*result.Summary, error) {
		return crawler.Run(ctx, cfg, s.seeds(t), sink)
	})
	if _, n := s.requests(true); n != before {
		t.Errorf("the replay sent %d requests", n-before)
	}
	if a.Damaged() > 0 {
		t.Errorf("%d damaged records", a.Damaged())
	}
	return text
}

func clientOf(cfg *crawler.Config) *fetch.HTTP {
	return cfg.Fetch.(fetch.Mux)["http"].(*fetch.HTTP)
}
