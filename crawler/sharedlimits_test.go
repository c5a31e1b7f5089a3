package crawler

import (
	"context"
	"fmt"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/urinorm"
)

// hosters is an imagined web that counts requests at once by what hosts have in common, and knows the
// addresses of hosts.
type hosters struct {
	*imagined
	groups  func(host string) []string
	address func(host string) string // "" for a name that does not exist
	lookup  time.Duration

	mu   sync.Mutex
	busy map[string]int
	most map[string]int
}

func (h *hosters) Fetch(ctx context.Context, req *fetch.Request) (*fetch.Response, error) {
	groups := h.groups(req.URL.Host())
	h.mu.Lock()
	for _, g := range groups {
		h.busy[g]++
		h.most[g] = max(h.most[g], h.busy[g])
	}
	h.mu.Unlock()
	defer func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		for _, g := range groups {
			h.busy[g]--
		}
	}()
	return h.imagined.Fetch(ctx, req)
}

func (h *hosters) Locate(ctx context.Context, u urinorm.URL) (netip.Addr, bool) {
	select {
	case <-time.After(h.lookup):
	case <-ctx.Done():
		return netip.Addr{}, false
	}
	address, err := netip.ParseAddr(h.address(u.Host()))
	return address, err == nil
}

// hosting returns a web with a start page that links to pages of many hosts: 60 of one hoster, whose
// domain is a public suffix, at one address, 60 below one domain at addresses of their own, and 20 at
// one address each.
func hosting(takes time.Duration) *hosters {
	h := &hosters{busy: map[string]int{}, most: map[string]int{}}
	h.imagined = imagine(takes, func(host, path string) (int, http.Header, string) {
		switch {
		case host == "start.test" && path == "/":
			var page strings.Builder
			for i := range 60 {
				fmt.Fprintf(&page, "<a href=http://p%d.github.io/a>x</a><a href=http://p%d.github.io/b>x</a><a href=http://w%d.example.org/>x</a>", i, i, i)
			}
			return ok(page.String() + links(20, "http://own%d.test/") + links(40, "/%d"))
		case path == "/a" && host == "p7.github.io":
			return 404, nil, ""
		}
		return ok("")
	})
	h.groups = func(host string) []string {
		switch {
		case strings.HasSuffix(host, ".github.io"):
			return []string{"hoster", "all"}
		case strings.HasSuffix(host, ".example.org"):
			return []string{"domain", "all"}
		}
		return []string{host, "all"}
	}
	h.address = func(host string) string {
		var n int
		switch {
		case strings.HasSuffix(host, ".github.io"):
			return "192.0.2.1"
		case strings.HasSuffix(host, ".example.org"):
			fmt.Sscanf(host, "w%d", &n)
			return fmt.Sprintf("198.51.100.%d", n)
		}
		if _, err := fmt.Sscanf(host, "own%d", &n); err != nil {
			return "192.0.2.2" // the crawled site
		}
		return fmt.Sprintf("203.0.113.%d", n)
	}
	return h
}

// Other sites that share a domain or an address get no more requests at once together than one of the
// limits says, the crawled site as many as ever. Nothing else waits for that, and the report is the
// same as without.
func TestPerDomainAndPerAddress(t *testing.T) {
	type most struct{ hoster, domain, own int }
	for name, row := range map[string]struct {
		change func(*Config)
		want   most
	}{
		"default":         {func(*Config) {}, most{16, 16, 8}},
		"more for a host": {func(c *Config) { c.Politeness.PerHost, c.Politeness.Concurrency = 24, 64 }, most{24, 24, 24}},
		"without":         {func(c *Config) { c.Politeness.PerDomain, c.Politeness.PerAddress = -1, -1 }, most{120, 60, 8}},
		"domain":          {func(c *Config) { c.Politeness.PerDomain, c.Politeness.PerAddress = 3, -1 }, most{120, 3, 3}},
		"address":         {func(c *Config) { c.Politeness.PerDomain, c.Politeness.PerAddress = -1, 2 }, most{2, 60, 2}},
		"one":             {func(c *Config) { c.Politeness.PerDomain, c.Politeness.PerAddress = 1, 1 }, most{1, 1, 1}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := hosting(time.Second)
				h.lookup = 10 * time.Millisecond
				cfg := imaginary(h.imagined)
				cfg.Fetch = fetch.Mux{"http": h, "https": h}
				cfg.Politeness.Concurrency = 200
				row.change(cfg)
				c, sum := crawl(t, cfg, seedOf(t, "http://start.test/"))
				got := most{h.most["hoster"], h.most["domain"], h.most["start.test"]}
				if atMost := func(got, want int) bool { return got <= want && got >= min(want, 24) }; !atMost(got.hoster, row.want.hoster) || !atMost(got.domain, row.want.domain) || got.own != row.want.own {
					t.Errorf("requests at once: %+v, want %+v", got, row.want)
				}
				if len(h.asked) != sum.Requests || sum.Requests != 1+60*3+20+40 {
					t.Errorf("%d requests to %d URLs, want 241", sum.Requests, len(h.asked))
				}
				for host, times := range h.asked {
					if strings.HasPrefix(host, "own") && name != "one" && times[0].Sub(h.asked["start.test/"][0]) > 15*time.Second {
						t.Errorf("%s waited %s for hosts that have nothing to do with it", host, times[0].Sub(h.asked["start.test/"][0]))
					}
				}
				without := imaginary(hosting(time.Second).imagined)
				want, wantSum := crawl(t, without, seedOf(t, "http://start.test/"))
				if !sameReport(c.results, sum, want.results, wantSum) {
					t.Errorf("the report differs:\n%+v\n%+v", sum, wantSum)
				}
			})
		})
	}
}

// A worker does not wait for a place at an address while other hosts could be visited.
func TestNoWorkerWaitsForAnAddress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := hosting(time.Second)
		cfg := imaginary(h.imagined)
		cfg.Fetch = fetch.Mux{"http": h}
		cfg.Politeness.Concurrency, cfg.Politeness.PerAddress, cfg.Politeness.PerDomain = 8, 1, -1
		began := time.Now()
		crawl(t, cfg, seedOf(t, "http://start.test/"))
		// 120 pages of the hoster follow one another; the 121 others fit in beside them. All requests end
		// at the same moments, so all workers may be busy with others for a second when the next page could
		// be requested: by chance, and not each time.
		if took := time.Since(began).Round(time.Second); took > 135*time.Second || h.most["all"] != 8 {
			t.Errorf("the crawl took %s with at most %d requests at once, want little more than 122 s and 8", took, h.most["all"])
		}
	})
}

// The processes that work on a crawl keep the limit of an address together.
func TestSharedCrawlPerAddress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := hosting(time.Second)
		cfg := imaginary(h.imagined)
		cfg.Fetch = fetch.Mux{"http": h, "https": h}
		cfg.Politeness.PerAddress = 2
		c, sum := crawlShared(t, cfg, "http://start.test/", nil)
		if n := h.most["hoster"]; n != 2 {
			t.Errorf("%d requests at once to one address from two processes, want 2", n)
		}
		want, wantSum := crawl(t, imaginary(hosting(time.Second).imagined), seedOf(t, "http://start.test/"))
		if !sameReport(c.results, sum, want.results, wantSum) {
			t.Errorf("the report differs:\n%+v\n%+v", sum, wantSum)
		}
	})
}
