package crawler

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier/diskstore"
	"github.com/orbweaver/orbweaver/urinorm"
)

// imagined is a web without a network, for clocks that are not real: it answers as
// the function says, by host and path, and keeps when each host was asked.
type imagined struct {
	answer func(host, path string) (status int, header http.Header, body string)
	takes  time.Duration

	mu    sync.Mutex
	asked map[string][]time.Time // by host + path
	busy  map[string]int         // by host, now
	most  map[string]int         // by host, at once
}

func imagine(takes time.Duration, answer func(host, path string) (int, http.Header, string)) *imagined {
	return &imagined{answer: answer, takes: takes, asked: map[string][]time.Time{}, busy: map[string]int{}, most: map[string]int{}}
}

func (w *imagined) Fetch(ctx context.Context, req *fetch.Request) (*fetch.Response, error) {
	host, path := req.URL.Authority(), req.URL.RequestTarget()
	w.mu.Lock()
	w.asked[host+path] = append(w.asked[host+path], time.Now())
	w.busy[host]++
	w.most[host] = max(w.most[host], w.busy[host])
	status, header, body := w.answer(host, path)
	takes := w.takes
	w.mu.Unlock()
	defer func() {
		w.mu.Lock()
		w.busy[host]--
		w.mu.Unlock()
	}()
	select {
	case <-time.After(takes):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if status == 0 {
		return nil, &fetch.Fault{Kind: body, Op: "fetch", Target: host, Err: io.ErrUnexpectedEOF, Requests: 1}
	}
	if header == nil {
		header = http.Header{}
	}
	resp := &fetch.Response{Status: status, Header: header, ContentType: cmp.Or(header.Get("Content-Type"), "text/html"), Size: int64(len(body)), Requests: 1,
		Location: header.Get("Location"), URL: req.URL}
	if req.Need == fetch.Content {
		resp.Body = io.NopCloser(strings.NewReader(body))
	}
	return resp, nil
}

// times are when a host was asked, in order.
func (w *imagined) times(host string) (all []time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for at, times := range w.asked {
		if strings.HasPrefix(at, host+"/") {
			all = append(all, times...)
		}
	}
	for i := range all {
		for j := i; j > 0 && all[j].Before(all[j-1]); j-- {
			all[j], all[j-1] = all[j-1], all[j]
		}
	}
	return all
}

func (w *imagined) count(at string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.asked[at])
}

// imaginary are the settings of a run in an imagined web, with the command line's defaults.
func imaginary(w *imagined) *Config {
	return &Config{Fetch: fetch.Mux{"http": w, "https": w}, Deliver: Deliver{Show: showAll()}, Scope: ScopeRules{Robots: RobotsIgnore}}
}

// links is a page with n links, each made by a format of its number.
func links(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "<a href='"+format+"'>x</a>\n", i)
	}
	return b.String()
}

func ok(body string) (int, http.Header, string) { return 200, nil, body }

// verdicts counts the results of a host by code.
func codesOf(c *collector, host string) map[check.Code]int {
	n := map[check.Code]int{}
	for _, r := range c.results {
		if strings.Contains(r.URL, "//"+host+"/") {
			n[r.Code]++
		}
	}
	return n
}

// What failed is asked once more when all else is done, and no sooner than
// SecondPassAfter after its last try.
func TestSecondPass(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		w := imagine(10*time.Millisecond, nil)
		w.answer = func(host, path string) (int, http.Header, string) {
			switch {
			case host == "start.test" && path == "/":
				return ok(`<a href=/down>x</a><a href=/gone>x</a><a href=http://ext.test/down>x</a><a href=http://127.0.0.1:1/down>x</a>` + links(50, "/page%d"))
			case strings.HasSuffix(path, "/down") && time.Since(began) < 9*time.Second:
				return 0, nil, "connect-refused"
			case path == "/gone":
				return 404, nil, ""
			}
			return ok("")
		}
		c, _ := crawl(t, imaginary(w), seedOf(t, "http://start.test/"))
		for url, want := range map[string]check.Code{"http://start.test/down": "ok", "http://ext.test/down": "ok",
			"http://127.0.0.1:1/down": "connect-refused", "http://start.test/gone": "http-404"} {
			if r := c.find(url); r == nil || r.Code != want {
				t.Errorf("%s = %+v, want %s", url, r, want)
			}
		}
		if r := c.find("http://start.test/down"); r.Attempts != 4 {
			t.Errorf("it took %d requests, want 4", r.Attempts)
		}
		if n := w.count("start.test/gone"); n != 1 {
			t.Errorf("a 404 was asked %d times", n)
		}
		w.mu.Lock()
		down := w.asked["start.test/down"]
		w.mu.Unlock()
		if wait := down[3].Sub(down[2]); wait < 10*time.Second || wait > 11*time.Second {
			t.Errorf("the second pass came %v after the last try", wait)
		}
	})
}

// Without retries there is no second pass, unless it was asked for.
func TestSecondPassWithoutRetries(t *testing.T) {
	for given, want := range map[bool]int{false: 1, true: 2} {
		synctest.Test(t, func(t *testing.T) {
			w := imagine(10*time.Millisecond, func(_, path string) (int, http.Header, string) {
				if path == "/down" {
					return 0, nil, "connect-refused"
				}
				return ok(`<a href=/down>x</a>`)
			})
			cfg := imaginary(w)
			cfg.Politeness.Retries, cfg.Politeness.SecondPassAfter, cfg.Politeness.SecondPassGiven = -1, time.Second, given
			c, _ := crawl(t, cfg, seedOf(t, "http://127.0.0.1/"))
			if r := c.find("http://127.0.0.1/down"); r.Attempts != want {
				t.Errorf("second pass given %t: %d requests, want %d", given, r.Attempts, want)
			}
		})
	}
}

// A run in which nothing failed does not wait for a second pass.
func TestNoSecondPass(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := imagine(10*time.Millisecond, func(host, path string) (int, http.Header, string) {
			if path == "/" {
				return ok(links(20, "/%d") + "<a href=/gone>")
			}
			if path == "/gone" {
				return 410, nil, ""
			}
			return ok("")
		})
		began := time.Now()
		crawl(t, imaginary(w), seedOf(t, "http://start.test/"))
		if took := time.Since(began); took > time.Second {
			t.Errorf("it took %v", took)
		}
	})
}

// --delay, --rate, a rule's rate and Crawl-delay each keep requests apart.
func TestPaceOfAHost(t *testing.T) {
	for name, row := range map[string]struct {
		change func(*Config)
		robots string
		apart  time.Duration
	}{
		"delay": {func(c *Config) { c.Politeness.Delay = 2 * time.Second }, "", 2 * time.Second},
		"rate":  {func(c *Config) { c.Politeness.Rate = 4 }, "", 250 * time.Millisecond},
		"rule": {func(c *Config) {
			c.Judging.Rules = []Rule{{Name: "slow", Rate: 0.5, Match: func(u string) bool { return strings.Contains(u, "site.test") }}}
		}, "", 2 * time.Second},
		"crawl-delay":          {func(c *Config) { c.Scope.Robots = RobotsCrawl }, "User-agent: *\nCrawl-delay: 3\n", 3 * time.Second},
		"crawl-delay too long": {func(c *Config) { c.Scope.Robots, c.Politeness.MaxWait = RobotsCrawl, 5*time.Second }, "User-agent: *\nCrawl-delay: 900\n", 5 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := imagine(10*time.Millisecond, func(host, path string) (int, http.Header, string) {
					switch {
					case path == "/robots.txt":
						return ok(row.robots)
					case path == "/":
						return ok(links(10, "/%d"))
					}
					return ok("")
				})
				cfg := imaginary(w)
				row.change(cfg)
				crawl(t, cfg, seedOf(t, "http://site.test/"))
				pages := w.times("site.test")
				pages = pages[min(2, len(pages)):] // the start page and robots.txt come before anything is known
				for i := 1; i < len(pages); i++ {
					if d := pages[i].Sub(pages[i-1]); d < row.apart || d > row.apart+time.Second {
						t.Errorf("request %d came %v after the one before, want %v", i, d, row.apart)
					}
				}
				if len(pages) < 9 {
					t.Errorf("%d pages were asked", len(pages))
				}
			})
		})
	}
}

// A session with a shorter delay than the one before is faster at once, but keeps what the
// host has asked for.
func TestPaceOfALaterSession(t *testing.T) {
	for _, row := range []struct {
		crawlDelay    time.Duration
		delays, apart [2]time.Duration // of two sessions
	}{
		{0, [2]time.Duration{time.Second, 0}, [2]time.Duration{time.Second, 0}},
		{0, [2]time.Duration{time.Second, 500 * time.Millisecond}, [2]time.Duration{time.Second, 500 * time.Millisecond}},
		{0, [2]time.Duration{time.Second, 2 * time.Second}, [2]time.Duration{time.Second, 2 * time.Second}},
		{3 * time.Second, [2]time.Duration{time.Second, 0}, [2]time.Duration{3 * time.Second, 3 * time.Second}},
	} {
		t.Run(fmt.Sprint(row), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := imagine(10*time.Millisecond, func(host, path string) (int, http.Header, string) {
					switch {
					case path == "/robots.txt" && row.crawlDelay > 0:
						return ok(fmt.Sprintf("User-agent: *\nCrawl-delay: %.0f\n", row.crawlDelay.Seconds()))
					case path == "/":
						return ok(links(20, "/%d"))
					}
					return ok("")
				})
				file, seen := filepath.Join(t.TempDir(), "state"), 0
				for session, delay := range row.delays {
					store, err := diskstore.Open(file)
					if errors.Is(err, os.ErrNotExist) {
						store, err = diskstore.Create(file, frontier.Narrow, nil)
					}
					if err != nil {
						t.Fatal(err)
					}
					cfg := imaginary(w)
					stop := make(chan struct{})
					cfg.Keep.Store, cfg.Politeness.Delay, cfg.Scope.Robots, cfg.Stop, cfg.Limits.Grace = store, delay, RobotsCrawl, stop, time.Minute
					if session == 0 {
						time.AfterFunc(11*max(delay, row.apart[0]), func() { close(stop) })
					}
					crawl(t, cfg, seedOf(t, "http://site.test/"))
					if err := store.Close(); err != nil {
						t.Fatal(err)
					}
					pages := w.times("site.test")[seen+3:] // the first three come before anything is known
					seen += 3 + len(pages)
					if len(pages) < 5 {
						t.Errorf("session %d: %d pages", session, len(pages))
					}
					for i := 1; i < len(pages); i++ {
						if d := pages[i].Sub(pages[i-1]); d < row.apart[session] || d > row.apart[session]+100*time.Millisecond {
							t.Errorf("session %d: request %d came %v after the one before, want %v", session, i, d, row.apart[session])
						}
					}
				}
			})
		})
	}
}

// No host gets more than its share at once, a loopback host has no limit but the run's own.
func TestPerHost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := imagine(100*time.Millisecond, func(host, path string) (int, http.Header, string) {
			if host == "start.test" {
				return ok(links(100, "http://one.test/%d") + links(100, "http://127.0.0.1:1/%d"))
			}
			return ok("")
		})
		cfg := imaginary(w)
		cfg.Politeness.Concurrency = 40
		began := time.Now()
		crawl(t, cfg, seedOf(t, "http://start.test/"))
		if w.most["one.test"] != 8 || w.most["127.0.0.1:1"] < 30 {
			t.Errorf("at once: %v", w.most)
		}
		if took := time.Since(began); took > 2*time.Second {
			t.Errorf("it took %v", took)
		}
	})
}

// hoster is an imagined web whose hosts are all at one address.
type hoster struct {
	*imagined
	mu            sync.Mutex
	underway, top int
}

func (*hoster) Locate(context.Context, urinorm.URL) (netip.Addr, bool) {
	return netip.IPv4Unspecified(), true
}

func (h *hoster) Fetch(ctx context.Context, req *fetch.Request) (*fetch.Response, error) {
	h.mu.Lock()
	h.underway++
	h.top = max(h.top, h.underway)
	h.mu.Unlock()
	defer func() {
		h.mu.Lock()
		h.underway--
		h.mu.Unlock()
	}()
	return h.imagined.Fetch(ctx, req)
}

// An address gets no more requests at once than it may have, those for the robots.txt files of its hosts
// and for made-up pages included.
func TestPerAddress(t *testing.T) {
	for name, set := range map[string]func(*Config){
		"targets": func(*Config) {}, "robots.txt": func(cfg *Config) { cfg.Scope.Robots = RobotsStrict }, "probes": func(cfg *Config) { cfg.Judging.SoftNotFound = true },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := &hoster{imagined: imagine(100*time.Millisecond, func(host, path string) (int, http.Header, string) {
					if host == "start.test" {
						return ok(links(40, "http://www.at%d.test/x"))
					}
					return ok("")
				})}
				cfg := imaginary(w.imagined)
				cfg.Fetch, cfg.Politeness.PerAddress = fetch.Mux{"http": w, "https": w}, 3
				set(cfg)
				c, _ := crawl(t, cfg, seedOf(t, "http://start.test/"))
				if w.top != 3 || len(c.results) < 41 {
					t.Errorf("%d requests at once, want 3; %d results", w.top, len(c.results))
				}
			})
		})
	}
}

// While robots.txt of a host is out, no other worker waits for it, and none asks
// for a page.
func TestRobotsFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := imagine(time.Second, func(host, path string) (int, http.Header, string) {
			switch {
			case path == "/robots.txt":
				return ok("User-agent: *\nDisallow: /private/\n")
			case path == "/":
				return ok(links(60, "/%d") + "<a href=/private/x>x</a>" + links(64, "http://far.test/%d"))
			}
			return ok("")
		})
		cfg := imaginary(w)
		cfg.Scope.Robots, cfg.Politeness.Concurrency = RobotsCrawl, 16
		began := time.Now()
		c, _ := crawl(t, cfg, seedOf(t, "http://site.test/"))
		if n := w.count("site.test/robots.txt"); n != 1 {
			t.Errorf("robots.txt was asked %d times", n)
		}
		if n := w.count("far.test/robots.txt"); n != 0 {
			t.Errorf("robots.txt of a host that is only linked to was asked")
		}
		if r := c.find("http://site.test/private/x"); r == nil || r.Code != "robots-disallowed" || r.Verdict != check.Unverified || w.count("site.test/private/x") > 0 {
			t.Errorf("/private/x = %+v", r)
		}
		robots := w.asked["site.test/robots.txt"][0]
		for i := range 60 {
			if at := w.asked["site.test/"+strconv.Itoa(i)]; len(at) != 1 || at[0].Before(robots.Add(time.Second)) {
				t.Errorf("page %d was asked before robots.txt had come", i)
			}
		}
		if w.most["site.test"] != 8 {
			t.Errorf("%d at once, want 8 once robots.txt is known", w.most["site.test"])
		}
		if took := time.Since(began); took > 20*time.Second {
			t.Errorf("it took %v", took)
		}
		if !noted(c, "robots.txt") {
			t.Errorf("what was left out is not told: %v", c.notes)
		}
	})
}

func noted(c *collector, text string) bool {
	for _, n := range c.notes {
		if strings.Contains(n.Message, text) {
			return true
		}
	}
	return false
}

// A run whose time is up reports within two seconds, whatever is still out, and
// what was found out before counts.
func TestTimeIsUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := imagine(0, nil)
		w.answer = func(host, path string) (int, http.Header, string) {
			w.takes = 0
			if host == "start.test" {
				return ok(links(100, "http://stuck.test/%d") + links(100, "http://fine.test/%d") + "<a href=http://down.test/>")
			}
			if host == "down.test" {
				return 0, nil, "connect-refused"
			}
			if host == "stuck.test" {
				w.takes = time.Hour
			}
			return ok("")
		}
		cfg := imaginary(w)
		cfg.Limits.MaxTime, cfg.Politeness.SecondPassAfter = 30*time.Second, time.Minute
		began := time.Now()
		c, sum := crawl(t, cfg, seedOf(t, "http://start.test/"))
		if took := time.Since(began); took > 32*time.Second {
			t.Errorf("the report came after %v", took)
		}
		if sum.Soundness.Complete() || sum.Soundness.StoppedBy != "max-time" || sum.ByCode["limit"] != 100 {
			t.Errorf("summary = %+v", sum)
		}
		if got := codesOf(c, "fine.test"); got["ok"] != 100 {
			t.Errorf("fine.test: %v", got)
		}
		if r := c.find("http://down.test/"); r == nil || r.Code != "connect-refused" || r.Attempts != 3 {
			t.Errorf("what only the second pass could mend = %+v, want what is known", r)
		}
	})
}

// A robots.txt that hangs is asked for a few times, not once for each page.
func TestRobotsThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		var others time.Duration
		w := imagine(0, nil)
		w.answer = func(host, path string) (int, http.Header, string) {
			w.takes = 10 * time.Millisecond
			if path == "/robots.txt" {
				w.takes = 20 * time.Second
				return 0, nil, "timeout"
			}
			if host == "far.test" {
				others = time.Since(began)
			}
			if path == "/" {
				return ok(links(200, "/%d") + links(200, "http://far.test/%d"))
			}
			return ok("")
		}
		cfg := imaginary(w)
		cfg.Scope.Robots = RobotsCrawl
		_, sum := crawl(t, cfg, seedOf(t, "http://site.test/"))
		if sum.Unverified != 200 || sum.Broken > 0 || sum.OK != 201 {
			t.Errorf("%+v", sum)
		}
		if took := time.Since(began); took > 5*time.Minute {
			t.Errorf("it took %v", took)
		}
		if n := w.count("site.test/robots.txt"); n > 12 {
			t.Errorf("robots.txt was asked %d times", n)
		}
		// Nobody waits for it who has another host to ask: not even until the first time limit.
		if others >= 20*time.Second {
			t.Errorf("the other host was done after %v", others)
		}
		t.Logf("%v, %d requests for robots.txt, the other host was done after %v", time.Since(began), w.count("site.test/robots.txt"), others)
	})
}

// A robots.txt that is unavailable for a while is requested again like a page: as often, with
// the same waits, during which its host rests. Then the report is that of a site whose
// robots.txt answers at once (RFC 9309 2.3.1.4).
func TestRobotsUnavailableForAWhile(t *testing.T) {
	rules := "User-agent: *\nDisallow: /private/\nSitemap: http://site.test/map.xml\n"
	sitemap := `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>http://site.test/listed</loc></url></urlset>`
	run := func(t *testing.T, failures, workers int, status int, kind string, given bool) (report string, requests map[string]int) {
		synctest.Test(t, func(t *testing.T) {
			failed := map[string]int{}
			w := imagine(time.Second, nil)
			var rested time.Time
			w.answer = func(host, path string) (int, http.Header, string) {
				if path == "/robots.txt" {
					if failed[host]++; failed[host] <= failures {
						if status == http.StatusServiceUnavailable {
							rested = time.Now().Add(8 * time.Second) // from the answer on it is 7 s
							return status, http.Header{"Retry-After": {"7"}}, ""
						}
						return status, nil, kind
					}
					return ok(rules)
				}
				if host == "site.test" && time.Now().Before(rested) {
					t.Errorf("%s was requested %v before the end of the rest", path, time.Until(rested))
				}
				switch path {
				case "/":
					return ok(links(60, "/%d") + links(20, "https://site.test/s%d") + "<a href=/private/x>x</a>")
				case "/map.xml":
					return 200, http.Header{"Content-Type": {"application/xml"}}, sitemap
				}
				return ok("")
			}
			cfg := imaginary(w)
			cfg.Scope.Robots, cfg.Scope.RobotsGiven, cfg.Scope.Sitemaps, cfg.Politeness.Concurrency = RobotsCrawl, given, true, workers
			c, sum := crawl(t, cfg, seedOf(t, "http://site.test/"))
			var b strings.Builder
			for _, r := range c.results {
				fmt.Fprintln(&b, r.URL, r.Verdict, r.Code, r.Message)
			}
			fmt.Fprintln(&b, sum.StartFailed, sum.Soundness.StoppedBy)
			report, requests = b.String(), map[string]int{}
			for at, times := range w.asked {
				requests[at] = len(times)
			}
		})
		return report, requests
	}
	want, _ := run(t, 0, 64, 0, "", false)
	if !strings.Contains(want, "/listed ok") || !strings.Contains(want, "https://site.test/s19 ok") || !strings.Contains(want, "/private/x unverified robots-disallowed") {
		t.Fatal(want)
	}
	for name, row := range map[string]struct {
		status int
		kind   string
	}{"500": {500, ""}, "503": {503, ""}, "429": {429, ""}, "timeout": {0, "timeout"}, "reset": {0, "connection-reset"}} {
		for failures := 1; failures <= 9; failures++ {
			for _, given := range []bool{false, true} {
				one, requests := run(t, failures, 1, row.status, row.kind, given)
				many, requestsOfMany := run(t, failures, 64, row.status, row.kind, given)
				// Two origins, http and https: each gets three requests and one of the second pass.
				n, ofMany := requests["site.test/robots.txt"], requestsOfMany["site.test/robots.txt"]
				if n != ofMany || n > 8 || failures <= 2 && n != failures+2 {
					t.Errorf("%s, %d failures, given %t: robots.txt was requested %d times by one worker, %d times by many", name, failures, given, n, ofMany)
				}
				if one != many {
					t.Errorf("%s, %d failures, given %t: one worker reports\n%s\nmany\n%s", name, failures, given, one, many)
				}
				if failures <= 2 && one != want {
					t.Errorf("%s, %d failures, given %t:\n%s\nwant\n%s", name, failures, given, one, want)
				}
				if failures == 9 && (strings.Contains(one, "/1 ok") || given && !strings.Contains(one, "\n[http://site.test/] ")) {
					t.Errorf("%s for good, given %t:\n%s", name, given, one)
				}
			}
		}
	}
}

// The other pages of a host go on beside one that does not answer, whichever page it is.
func TestPageThatHangs(t *testing.T) {
	for name, row := range map[string]struct {
		starts []string
		change func(*Config)
	}{
		"first link":                {[]string{"/"}, func(*Config) {}},
		"first link, robots.txt":    {[]string{"/"}, func(c *Config) { c.Scope.RobotsGiven = true }},
		"first link, no robots.txt": {[]string{"/"}, func(c *Config) { c.Scope.Robots = RobotsIgnore }},
		"first link, sitemaps":      {[]string{"/"}, func(c *Config) { c.Scope.Sitemaps = true }},
		"first start page":          {[]string{"/hangs", "/"}, func(*Config) {}},
		"a start page, robots.txt":  {[]string{"/hangs", "/"}, func(c *Config) { c.Scope.RobotsGiven = true }},
	} {
		for _, host := range []string{"site.test", "127.0.0.1"} {
			synctest.Test(t, func(t *testing.T) {
				w := imagine(0, nil)
				w.answer = func(host, path string) (int, http.Header, string) {
					w.takes = 10 * time.Millisecond
					switch path {
					case "/hangs":
						w.takes = 20 * time.Second
						return 0, nil, "timeout"
					case "/":
						return ok("<a href=/hangs>x</a>" + links(40, "/%d"))
					}
					return ok("")
				}
				cfg := imaginary(w)
				cfg.Scope.Robots, cfg.Politeness.Retries = RobotsCrawl, -1
				row.change(cfg)
				var seeds []Seed
				for _, path := range row.starts {
					seeds = append(seeds, seedOf(t, "http://"+host+path)...)
				}
				began := time.Now()
				c, _ := crawl(t, cfg, seeds)
				for i := range 40 {
					if at := w.asked[host+"/"+strconv.Itoa(i)]; len(at) != 1 || at[0].Sub(began) > 200*time.Millisecond {
						t.Fatalf("%s of %s: page %d was requested %v after the start", name, host, i, at[0].Sub(began))
					}
				}
				if r := c.find("http://" + host + "/hangs"); r == nil || r.Code != check.CodeTimeout || w.most[host] < 8 || host == "site.test" && w.most[host] > 8 {
					t.Errorf("%s of %s: %+v, %d requests at once", name, host, r, w.most[host])
				}
			})
		}
	}
}
