//go:build !race

package crawler_test

import (
	"context"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"github.com/orbweaver/orbweaver/crawler"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier/diskstore"
	"github.com/orbweaver/orbweaver/crawler/result"
	"github.com/orbweaver/orbweaver/crawler/store"
)

// TestEqualCached crawls each site without a cache, and twice with one. The reports are the
// same. The second crawl sends fewer requests where a site links to another host without cookies.
func TestEqualCached(t *testing.T) {
	t.Parallel()
	for _, s := range equalSites(t) {
		t.Run(s.name, func(t *testing.T) {
			s.serve(t)
			file := filepath.Join(t.TempDir(), "cache.db")
			crawl := func(cached bool) (string, int) {
				s.renew()
				cfg := s.config(t)
				cfg.Keep.Cookies, cfg.Judging.Inspector = nil, nil // they need new answers
				if cached {
					memory, err := store.OpenCache(file, store.CacheOptions{})
					if err != nil {
						t.Fatal(err)
					}
					defer memory.Close()
					cfg.Keep.Cache, cfg.Keep.MaxAge, cfg.Keep.Edition = memory, time.Hour, "test"
				}
				text := reportOf(t, fromCache, func(ctx context.Context, sink result.Sink) (*result.Summary, error) {
					return crawler.Run(ctx, cfg, s.seeds(t), sink)
				})
				_, n := s.requests(true)
				return text, n
			}
			want, fresh := crawl(false)
			first, filled := crawl(true)
			equal(t, "the first run with a cache", first, want)
			second, n := crawl(true)
			equal(t, "the second run with a cache", second, want)
			t.Logf("%d requests without a cache, %d and %d with one", fresh, filled, n)
			if s.varying != always && n > filled || s.name == "portal" && n >= filled {
				t.Errorf("%d requests in the second run, %d in the first", n, filled)
			}
		})
	}
}

// TestEqualResumed ends the process of a crawl at random steps of its store, in turn by an
// interrupt and by a store that fails, until enough processes have ended. The crawl that
// remains gives the report of one that nobody disturbed.
func TestEqualResumed(t *testing.T) {
	t.Parallel()
	kills := 20
	if testing.Short() {
		kills = 4
	}
	for i, s := range largerSites(t) {
		t.Run(s.name, func(t *testing.T) {
			s.serve(t)
			seed := rand.Uint64()
			t.Logf("seed %d", seed)
			rng := rand.New(rand.NewPCG(seed, uint64(i)))
			crawl := func(store *mortal) (string, *result.Summary, error) {
				defer store.Close()
				cfg := s.config(t)
				cfg.Keep.Store = store
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if store.cancel != nil {
					store.cancel = cancel
				}
				return tryReport(ctx, unequalCounts, func(ctx context.Context, sink result.Sink) (*result.Summary, error) {
					return crawler.Run(ctx, cfg, s.seeds(t), sink)
				})
			}
			undisturbed := &mortal{Store: newDisk(t)}
			want, _, err := crawl(undisturbed)
			if err != nil {
				t.Fatal(err)
			}
			for killed := 0; killed < kills; {
				s.renew()
				file := filepath.Join(t.TempDir(), "crawl.sqlite")
				store, err := diskstore.Create(file, 64, nil)
				for {
					if err != nil {
						t.Fatal(err)
					}
					m := &mortal{Store: store}
					if killed < kills {
						m.dieAt = 1 + rng.IntN(undisturbed.steps/3)
					}
					if killed%2 == 0 {
						m.cancel = func() {}
					}
					got, sum, err := crawl(m)
					if !m.died() {
						if err != nil {
							t.Fatal(err)
						}
						equal(t, "the resumed crawl", withoutPages(got), withoutPages(want))
						break
					}
					killed++
					if m.cancel == nil && err == nil || m.cancel != nil && (err != nil || sum.Soundness.Complete()) {
						t.Errorf("ended at step %d: %+v, %v", m.dieAt, sum, err)
					}
					store, _ = diskstore.Open(file)
				}
			}
		})
	}
}
