package crawler_test

import (
	"context"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"github.com/orbweaver/orbweaver/crawler"
	"github.com/orbweaver/orbweaver/crawler/fetch/disk"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier/diskstore"
	"github.com/orbweaver/orbweaver/crawler/result"
	"github.com/orbweaver/orbweaver/crawler/store"
)

// These tests hold the crawl by equality: however a site is crawled, the JSON report and the
// requests are the same. They belong to every change of the engine:
//
//	go test ./crawler -run Equal          # -short kills fewer processes
//
// TestEqualBefore of cmd/orbweaver compares the program with an earlier one.

// TestEqualWays crawls each site with 1 and 64 workers, with a store in memory, on disk and on
// a Redis server, and with two engines that share a store. Reports and requests are the same.
func TestEqualWays(t *testing.T) {
	server := startRedis(t)
	for _, s := range equalSites(t) {
		t.Run(s.name, func(t *testing.T) {
			s.serve(t)
			one := map[bool]struct{ report, requests string }{}
			for _, numbers := range []bool{true, false} {
				aside := aside{}
				if !numbers {
					aside = unequalCounts
				}
				s.renew()
				report := alone(t, s, aside, nil, 1)
				requests, _ := s.requests(numbers)
				one[numbers] = struct{ report, requests string }{report, requests}
			}
			for _, way := range []struct {
				name     string
				restored bool // the report is made from a store
				engines  int
				crawl    func(aside aside) string
			}{
				{"64 workers", false, 1, func(a aside) string { return alone(t, s, a, nil, 64) }},
				{"store on disk", false, 1, func(a aside) string { return alone(t, s, a, newDisk(t), 8) }},
				{"two engines in memory", true, 2, func(a aside) string { return inSharedMemory(t, s, a, 2) }},
				{"one process on Redis", true, 1, func(a aside) string { return server.crawl(t, s, a, 1, 1) }},
				{"two processes on Redis", true, 2, func(a aside) string { return server.crawl(t, s, a, 2, 1) }},
				{"two processes on two servers", true, 2, func(a aside) string { return server.crawl(t, s, a, 2, 2) }},
				{"two processes on four servers", true, 2, func(a aside) string { return server.crawl(t, s, a, 2, 4) }},
			} {
				numbers := s.varying == never || s.varying == perProcess && way.engines == 1
				aside := aside{}
				if !numbers {
					aside = unequalCounts
				}
				want, requests := one[numbers].report, one[numbers].requests
				s.renew()
				got := way.crawl(aside)
				if way.restored {
					got, want = withoutPages(got), withoutPages(want)
				}
				equal(t, way.name, got, want)
				sent, _ := s.requests(numbers)
				equal(t, "requests of "+way.name, sent, requests)
			}
		})
	}
}

// TestEqualCached crawls each site without a cache, and twice with one. The reports are the
// same. The second crawl sends fewer requests where a site links to another host without cookies.
func TestEqualCached(t *testing.T) {
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

// otherServed are the sites whose reports differ between directory and server, and why. Beyond
// TestEqualDirectory, TestSites holds their findings in both.
var otherServed = map[string]string{
	"town":        "a server has a page at two addresses, with and without index.html",
	"generated":   "a server has a page at two addresses",
	"base":        "a server has a page at two addresses",
	"directories": "a server has a page at two addresses",
	"relative":    "a server has a page at two addresses",
	"names":       "a server has a page at two addresses",
	"schemes":     "links to file: are allowed in a directory",
}

// TestEqualDirectory crawls the documents of each directory as files and over HTTP. The reports
// are the same but for the differences that whereServed names.
func TestEqualDirectory(t *testing.T) {
	for _, s := range equalSites(t) {
		if s.dir == "" || otherServed[s.name] != "" {
			continue
		}
		t.Run(s.name, func(t *testing.T) {
			s.serve(t)
			site, seeds := s.openDir(t)
			cfg := s.config(t)
			cfg.Deliver.Pages = false
			run := func(ctx context.Context, sink result.Sink) (*result.Summary, error) {
				return crawler.Run(ctx, cfg, seeds, sink)
			}
			want := reportOf(t, s.whereServed(), run)
			cfg.Sites, cfg.Scope.WorkingDir = []*disk.Site{site}, s.dir
			equal(t, "the directory", reportOf(t, s.whereServed(), run), want)
		})
	}
}

// TestEqualForecast crawls each directory with and without the forecast of which links will be
// shown.
func TestEqualForecast(t *testing.T) {
	for _, s := range equalSites(t) {
		if s.dir == "" {
			continue
		}
		t.Run(s.name, func(t *testing.T) {
			s.serve(t)
			var want string
			for _, forecast := range []bool{false, true} {
				site, seeds := s.openDir(t)
				cfg := s.config(t)
				cfg.Sites, cfg.Scope.WorkingDir, cfg.Deliver.Pages, cfg.Reading.ReadAgain = []*disk.Site{site}, s.dir, false, forecast
				cfg.Deliver.Show = result.Show{Broken: true, Unverified: true, Warning: true}
				got := reportOf(t, aside{}, func(ctx context.Context, sink result.Sink) (*result.Summary, error) {
					return crawler.Run(ctx, cfg, seeds, sink)
				})
				if forecast {
					equal(t, "with a forecast", got, want)
				}
				want = got
			}
		})
	}
}

// TestEqualResumed ends the process of a crawl at random steps of its store, in turn by an
// interrupt and by a store that fails, until enough processes have ended. The crawl that
// remains gives the report of one that nobody disturbed.
func TestEqualResumed(t *testing.T) {
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
