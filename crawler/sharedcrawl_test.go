package crawler

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/orbweaver/orbweaver/crawler/internal/crew"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/gap"
	"github.com/orbweaver/orbweaver/crawler/internal/sharedmemory"
	"github.com/orbweaver/orbweaver/crawler/result"
)

// testLease is the lease of simulated crawls.
const testLease = 30 * time.Second

// crawlShared crawls an imagined web with two engines on one store, and reports it from there.
// disturb may cut an engine off meanwhile.
func crawlShared(t *testing.T, cfg *Config, url string, disturb func(stores []*sharedmemory.Store)) (*collector, *result.Summary) {
	t.Helper()
	shared, seeds, ctx := sharedmemory.New(), seedOf(t, url), context.Background()
	with := func(store frontier.Store) *Config {
		own := *cfg
		own.Keep.Store, own.Keep.Lease = store, testLease
		return &own
	}
	first := shared.Store()
	if err := enter(ctx, with(first), seeds); err != nil {
		t.Fatal(err)
	}
	stores := []*sharedmemory.Store{first, shared.Store()}
	var working sync.WaitGroup
	for _, s := range stores {
		working.Go(func() {
			if _, err := Run(ctx, with(s), seeds, &collector{}); err != nil && !errors.Is(err, frontier.ErrAway) {
				t.Error(err)
			}
		})
	}
	if disturb != nil {
		disturb(stores)
	}
	working.Wait()
	report := with(shared.Store()) // it has the key of the fingerprints
	report.Keep.Lease = 0
	c := &collector{}
	sum, err := judgeStore(ctx, report, seeds, c, gap.None)
	if err != nil {
		t.Fatal(err)
	}
	return c, sum
}

// aSite has pages that link to each other and to other hosts, redirects, faults that retries
// cure, and a robots.txt.
func aSite() *imagined {
	w := imagine(20*time.Millisecond, nil)
	failed := map[string]int{}
	w.answer = func(host, path string) (int, http.Header, string) {
		var n int
		switch {
		case path == "/robots.txt":
			return 200, http.Header{"Content-Type": {"text/plain"}}, "User-agent: *\nDisallow: /private\n"
		case path == "/":
			return ok(links(20, "/page%d") + "<a href=/moved>m</a><a href=/private>p</a>")
		case path == "/moved":
			return 301, http.Header{"Location": {"/page1"}}, ""
		case path == "/flaky" && failed[host] < 2:
			failed[host]++
			return 503, nil, ""
		case path == "/gone":
			return 404, nil, ""
		}
		if _, err := fmt.Sscanf(path, "/page%d", &n); err == nil && n < 60 {
			return ok(fmt.Sprintf("<p id=here><a href=/page%d#here>a</a><a href=/page%d#nothere>b</a><a href=http://other%d.test/x>c</a><a href=/gone>g</a><a href=/flaky>f</a>", n*2, n*2+1, n%3))
		}
		return ok("<p>end")
	}
	return w
}

// sameResults compares what two runs found.
func sameResults(t *testing.T, got, want *collector) {
	t.Helper()
	if len(got.results) != len(want.results) {
		t.Errorf("%d results, want %d", len(got.results), len(want.results))
	}
	for _, w := range want.results {
		g := got.find(w.URL)
		if g == nil || g.Code != w.Code || g.Verdict != w.Verdict || len(g.References) != len(w.References) {
			t.Errorf("%s = %+v, want %+v", w.URL, g, w)
		}
	}
}

// Two engines send the requests of one and find the same.
func TestSharedCrawlEqualsOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		alone, together := aSite(), aSite()
		one, _ := crawl(t, sharedConfig(alone), seedOf(t, "http://start.test/"))
		two, _ := crawlShared(t, sharedConfig(together), "http://start.test/", nil)
		sameResults(t, two, one)
		for at, times := range alone.asked {
			if n := len(together.asked[at]); n != len(times) {
				t.Errorf("%s was asked %d times, want %d", at, n, len(times))
			}
		}
		if n := together.count("start.test/robots.txt"); n != 1 {
			t.Errorf("robots.txt was asked %d times", n)
		}
	})
}

func sharedConfig(w *imagined) *Config {
	cfg := imaginary(w)
	cfg.Scope.Robots, cfg.Politeness.Concurrency, cfg.Politeness.SecondPassAfter = RobotsCrawl, 8, time.Second
	return cfg
}

// An engine that ends without a word loses nothing.
func TestSharedCrawlLosesAnEngine(t *testing.T) {
	for _, after := range []time.Duration{time.Millisecond, 25 * time.Millisecond, 90 * time.Millisecond, 300 * time.Millisecond} {
		synctest.Test(t, func(t *testing.T) {
			alone, together := aSite(), aSite()
			one, _ := crawl(t, sharedConfig(alone), seedOf(t, "http://start.test/"))
			two, _ := crawlShared(t, sharedConfig(together), "http://start.test/", func(stores []*sharedmemory.Store) {
				time.Sleep(after)
				stores[0].CutOff()
			})
			sameResults(t, two, one)
			total := func(w *imagined) (n int) {
				for _, times := range w.asked {
					n += len(times)
				}
				return n
			}
			if n, most := total(together), total(alone)+8+1; n > most { // what it held, and a robots.txt
				t.Errorf("after %v: %d requests, want %d at most", after, n, most)
			}
		})
	}
}

// A host gets no more than its pace from all engines together, and all let it rest.
func TestSharedCrawlKeepsThePace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := aSite()
		cfg := sharedConfig(w)
		cfg.Politeness.Delay = 2 * time.Second
		crawlShared(t, cfg, "http://start.test/", nil)
		times := w.times("start.test")[2:] // the start page and robots.txt come before anything is known
		for i := 1; i < len(times); i++ {
			if d := times[i].Sub(times[i-1]); d < cfg.Politeness.Delay {
				t.Errorf("request %d came %v after the one before", i, d)
			}
		}
	})
	synctest.Test(t, func(t *testing.T) {
		var refused time.Time
		w := imagine(10*time.Millisecond, nil)
		w.answer = func(_, path string) (int, http.Header, string) {
			switch {
			case path == "/":
				return ok(links(40, "/page%d"))
			case path == "/page7" && refused.IsZero():
				refused = time.Now()
				return 429, http.Header{"Retry-After": {"30"}}, ""
			}
			return ok("")
		}
		crawlShared(t, sharedConfig(w), "http://start.test/", nil)
		for _, at := range w.times("start.test") {
			if d := at.Sub(refused); d > 50*time.Millisecond && d < 30*time.Second {
				t.Errorf("a request came %v after the host had asked for a rest", d)
			}
		}
	})
}

// Exactly as many pages are read as the limit allows.
func TestSharedCrawlLimitsPages(t *testing.T) {
	for _, most := range []int{1, 2, 13} {
		synctest.Test(t, func(t *testing.T) {
			cfg := sharedConfig(aSite())
			cfg.Limits.MaxPages = most
			_, sum := crawlShared(t, cfg, "http://start.test/", nil)
			if sum.Pages != most {
				t.Errorf("%d pages were read, want %d", sum.Pages, most)
			}
		})
	}
}

// A site that the coordinator has cut is cut.
func TestSharedCrawlLearnsOfEndlessSites(t *testing.T) {
	cfg := sharedConfig(aSite())
	r := newRun(t.Context(), cfg, seedOf(t, "http://start.test/"), &collector{})
	cut := func() bool {
		_, cut := r.door.Growth.Cut(func() string { return "start.test" }, true)
		return cut
	}
	before := cut()
	r.learnFact(frontier.Fact{Name: crew.FactCut + "start.test"})
	if before || !cut() {
		t.Errorf("pages are left out: %t before and %t after the fact", before, cut())
	}
}
