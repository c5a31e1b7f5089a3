package crawler

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/crawlertest"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier/diskstore"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
	"github.com/orbweaver/orbweaver/crawler/internal/sharedmemory"
	"github.com/orbweaver/orbweaver/crawler/result"
	"github.com/orbweaver/orbweaver/crawler/store"
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
			if _, err := Work(ctx, with(s), seeds, discard{}); err != nil && !errors.Is(err, frontier.ErrAway) {
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
	sum, err := judgeStore(ctx, report, seeds, c, check.NoGap)
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

// A site that makes up pages is found by what all engines together see of it.
func TestSharedCrawlCutsEndlessSites(t *testing.T) {
	const links = 200_000
	for name, row := range map[string]struct {
		step frontier.ID // between the first targets of two pages
		cut  bool
	}{"ever new pages": {links, true}, "pages that others link to": {links / 2, false}} {
		t.Run(name, func(t *testing.T) {
			ctx, store := t.Context(), sharedmemory.New().Store()
			var events []frontier.Event
			for page := range frontier.ID(4) {
				url := fmt.Sprintf("http://start.test/%d", page)
				ids, err := store.Add(ctx, []frontier.Item{{Fingerprint: frontier.Fingerprint{Low: uint64(page) + 1}, Host: []byte("start.test"),
					Job: frontier.AppendJob(nil, frontier.Job{URL: []byte(url), Internal: true})}})
				if err != nil {
					t.Fatal(err)
				}
				e := frontier.Event{Kind: frontier.EventSettled, ID: ids[0], Met: frontier.NeedContent | frontier.NeedLinks,
					Done: frontier.Done{Outcome: judging.AppendOutcome(nil, &judging.Outcome{Code: check.CodeOK, Status: 200, ContentType: "text/html"})}}
				for i := range frontier.ID(links) {
					e.Found = append(e.Found, 10+page*row.step+i)
				}
				events = append(events, e)
			}
			cfg := sharedConfig(aSite())
			cfg.Keep.Store = store
			need := func(frontier.ID) (frontier.Need, bool) { return frontier.NeedLinks, true }
			if err := watchGrowth(cfg, store, need, store).Observe(ctx, events); err != nil {
				t.Fatal(err)
			}
			facts, _, err := store.Common().Facts(ctx, 0)
			if err != nil || len(facts) == 1 != row.cut {
				t.Errorf("cut: %v, %v, want %t", facts, err, row.cut)
			}
			r := newRun(ctx, cfg, seedOf(t, "http://start.test/"), discard{})
			for _, f := range facts {
				r.learnFact(f)
			}
			if _, cut := r.door.Growth.Cut(func() string { return "start.test" }, true); cut != row.cut {
				t.Errorf("pages are left out: %t, want %t", cut, row.cut)
			}
		})
	}
}

// A server that loses the crawl after it was filled, before the coordinator works itself, is filled again.
func TestCoordinatorJoinsAgain(t *testing.T) {
	port := crawlertest.ServeRedis(t)
	address, err := store.ParseAddress("redis://127.0.0.1:" + port + "?crawl=c")
	if err != nil {
		t.Fatal(err)
	}
	file, err := store.Create(filepath.Join(t.TempDir(), "crawl.sqlite"), store.FileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	cfg := sharedConfig(aSite())
	cfg.Keep.Store = file.Store()
	c := NewCoordinator(Coordination{Crawl: store.Redis(address, store.RedisOptions{Patience: time.Minute}), Process: "main", Version: "1",
		WorkersHere: 2, Notef: t.Logf})
	defer c.Close()
	c.state, c.seeds, c.cfg = diskstore.Replica{Store: cfg.Keep.Store.(*diskstore.Store)}, seedOf(t, "http://start.test/"), cfg
	if err := c.begin(t.Context()); err != nil {
		t.Fatal(err)
	}
	c.growth = watchGrowth(cfg, c.state.Store, c.state.Needs, c.lead.Store(c.header, "", c.Version))
	server, err := net.Dial("tcp", net.JoinHostPort("127.0.0.1", port))
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	if _, err := server.Write([]byte("FLUSHALL\r\n")); err != nil {
		t.Fatal(err)
	}
	if _, err := server.Read(make([]byte, 100)); err != nil {
		t.Fatal(err)
	}
	if gap, err := c.conduct(t.Context(), nil, &collector{}); err != nil || gap != check.NoGap {
		t.Errorf("the crawl ended by %v, %v", gap, err)
	}
	if n, err := c.state.Count(t.Context()); err != nil || n.Known == 0 || n.Queued != 0 {
		t.Errorf("the state has %+v, %v", n, err)
	}
}
