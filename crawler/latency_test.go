package crawler

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/orbweaver/orbweaver/crawler/crawlertest"
	"github.com/orbweaver/orbweaver/crawler/result"
)

// generated answers from a generated site.
func generated(g *crawlertest.Generated) func(host, path string) (int, http.Header, string) {
	return func(_, path string) (int, http.Header, string) {
		w := httptest.NewRecorder()
		g.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		return w.Code, nil, w.Body.String()
	}
}

// TestLatencyBound: where answers take time and nothing else does, a crawl takes what
// its requests take sixty-four at a time, and a round for each click from the start.
func TestLatencyBound(t *testing.T) {
	const pages, takes, concurrency, depth = 1000, 50 * time.Millisecond, 64, 3
	for _, start := range []string{"http://127.0.0.1/", "http://www.example.com/"} {
		synctest.Test(t, func(t *testing.T) {
			w := imagine(takes, generated(crawlertest.Generate(1, pages, 20)))
			cfg := imaginary(w)
			cfg.Deliver.Show, cfg.Politeness.Concurrency = result.Show{Broken: true}, concurrency
			if !strings.Contains(start, "127.") {
				cfg.Politeness.PerHost, cfg.Politeness.PerHostGiven = concurrency, true
			}
			began := time.Now()
			_, sum := crawl(t, cfg, seedOf(t, start))
			took := time.Since(began)
			if most := pages*takes/concurrency*11/10 + depth*takes; sum.Pages != pages || took > most {
				t.Errorf("%s: %d pages, %d requests took %v, want at most %v", start, sum.Pages, sum.Requests, took, most)
			}
			t.Logf("%s: %d requests took %v", start, sum.Requests, took)
		})
	}
}

// TestQuickStartPage: a host on this machine whose first page comes at once gets as
// many requests as the run may have all the same, when the others take their time.
func TestQuickStartPage(t *testing.T) {
	const pages, concurrency = 1000, 64
	for _, tt := range []struct{ takes, most time.Duration }{
		{100 * time.Millisecond, 2200 * time.Millisecond}, // 1.6 s in rounds of sixty-four
		{20 * time.Millisecond, 800 * time.Millisecond},
	} {
		synctest.Test(t, func(t *testing.T) {
			w := imagine(0, nil)
			w.answer = func(_, path string) (int, http.Header, string) {
				if path == "/" {
					w.takes = time.Millisecond
					return ok(links(pages, "/%d.html"))
				}
				w.takes = tt.takes
				return ok("")
			}
			cfg := imaginary(w)
			cfg.Deliver.Show, cfg.Politeness.Concurrency = result.Show{Broken: true}, concurrency
			_, sum := crawl(t, cfg, seedOf(t, "http://localhost/"))
			if sum.Pages != 1+pages || w.most["localhost"] != concurrency || sum.Elapsed > tt.most {
				t.Errorf("%d pages of %v, %d at once, took %v, want %d at once and at most %v",
					sum.Pages, tt.takes, w.most["localhost"], sum.Elapsed, concurrency, tt.most)
			}
		})
	}
}

// TestThousandHosts: a thousand hosts, each of which wants to be left alone for a
// second after every request, keep all workers busy.
func TestThousandHosts(t *testing.T) {
	const hosts, pages, takes, delay, concurrency = 1000, 8, 50 * time.Millisecond, time.Second, 64
	synctest.Test(t, func(t *testing.T) {
		w := imagine(takes, func(host, path string) (int, http.Header, string) {
			switch {
			case host == "start.test":
				return ok(links(hosts, "http://h%d.test/"))
			case path == "/":
				return ok(links(pages-1, "/%d.html"))
			}
			return ok("")
		})
		cfg := imaginary(w)
		cfg.Deliver.Show, cfg.Politeness.Concurrency, cfg.Politeness.Delay = result.Show{Broken: true}, concurrency, delay
		cfg.Scope.Include = []*regexp.Regexp{regexp.MustCompile(`^http://h\d+\.test/`)}
		began := time.Now()
		c, sum := crawl(t, cfg, seedOf(t, "http://start.test/"))
		took := time.Since(began)
		if sum.Pages != 1+hosts*pages || len(c.results) > 0 {
			t.Fatalf("%d pages, %d findings, want %d and none", sum.Pages, len(c.results), 1+hosts*pages)
		}
		if most := hosts*pages*takes/concurrency*11/10 + 3*takes + delay; took > most {
			t.Errorf("%d requests took %v, want at most %v", sum.Requests, took, most)
		}
		for i := range hosts {
			times := w.times(fmt.Sprintf("h%d.test", i))
			for k := 1; k < len(times); k++ {
				if d := times[k].Sub(times[k-1]); d < delay {
					t.Fatalf("host %d was asked again after %v", i, d)
				}
			}
		}
		t.Logf("%d requests to %d hosts took %v", sum.Requests, hosts, took)
	})
}

// A small server is not buried: it begins with few requests at once, and gets more
// only while its answers do not take longer for it.
func TestSmallServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var free time.Time // when the one thing that does all the work is free
		w := imagine(0, nil)
		w.answer = func(_, path string) (int, http.Header, string) {
			if now := time.Now(); free.Before(now) {
				free = now
			}
			free = free.Add(2 * time.Millisecond)
			w.takes = time.Until(free)
			if path == "/" {
				return ok(links(300, "/%d.html"))
			}
			return ok(strings.Repeat("<p>words</p>", 10))
		}
		cfg := imaginary(w)
		cfg.Deliver.Show = result.Show{Broken: true}
		_, sum := crawl(t, cfg, seedOf(t, "http://localhost/"))
		if sum.Pages != 301 || w.most["localhost"] > 8 {
			t.Errorf("%d pages, %d requests at once; a server that works on one had better get few", sum.Pages, w.most["localhost"])
		}
		if most := 301 * 2 * time.Millisecond * 11 / 10; sum.Elapsed > most {
			t.Errorf("the crawl took %v, want at most %v", sum.Elapsed, most)
		}
	})
}
