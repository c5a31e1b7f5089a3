package crawler

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/orbweaver/orbweaver/crawler/check"
)

// Hosts that have too much to do, or that say nothing at all.

// A host that allows five requests a second gets no failure for three hundred
// links, and ten others run at full speed meanwhile.
func TestRateLimitedHostAmongOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var window time.Time
		n := 0
		refused := 0
		var lastOther time.Time
		w := imagine(50*time.Millisecond, nil)
		w.answer = func(host, path string) (int, http.Header, string) {
			switch {
			case host == "start.test":
				body := links(300, "http://limited.test/%d")
				for i := range 10 {
					body += links(30, fmt.Sprintf("http://other%d.test/", i)+"%d")
				}
				return ok(body)
			case host == "limited.test":
				if now := time.Now(); now.Sub(window) >= time.Second {
					window, n = now, 0
				}
				if n++; n > 5 {
					refused++
					return 429, nil, ""
				}
			default:
				lastOther = time.Now()
			}
			return ok("")
		}
		began := time.Now()
		c, sum := crawl(t, imaginary(w), seedOf(t, "http://start.test/"))
		if sum.OK != 601 || sum.Unverified+sum.Broken > 0 {
			t.Errorf("%d ok, %d unverified, %d broken of 601: %v", sum.OK, sum.Unverified, sum.Broken, codesOf(c, "limited.test"))
		}
		if took := lastOther.Sub(began); took > 2*time.Second {
			t.Errorf("the other hosts took %v", took)
		}
		took := time.Since(began)
		if took > 3*time.Minute {
			t.Errorf("the limited host took %v", took)
		}
		t.Logf("300 links at five a second: %v, %d refusals; 300 at ten other hosts: %v", took, refused, lastOther.Sub(began))
	})
}

// The same with a real server, scaled so that it takes no time: fifteen requests
// in a tenth of a second.
func TestRateLimitedServer(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var window time.Time
	n, refused := 0, 0
	limited := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if now := time.Now(); now.Sub(window) >= 100*time.Millisecond {
			window, n = now, 0
		}
		if n++; n > 15 {
			refused++
			w.WriteHeader(http.StatusTooManyRequests)
		}
	}))
	t.Cleanup(limited.Close)
	fast := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	t.Cleanup(fast.Close)
	start := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, links(300, limited.URL+"/%d")+links(300, fast.URL+"/%d"))
	}))
	t.Cleanup(start.Close)
	cfg := web(t)
	cfg.Politeness.Retries, cfg.Politeness.PerHost, cfg.Politeness.PerHostGiven = 2, 8, true    // as on the web, where a host begins with eight
	cfg.Politeness.SecondPassAfter, cfg.Politeness.SecondPassGiven = 200*time.Millisecond, true // and comes once more
	c, sum := crawl(t, cfg, seedOf(t, start.URL+"/"))
	if sum.OK != 601 {
		t.Errorf("%d of 601 are ok: %v", sum.OK, codesOf(c, strings.TrimPrefix(limited.URL, "http://")))
	}
	t.Logf("%d requests were refused, the run took %v", refused, sum.Elapsed)
}

// A host that refuses everything is given up in bounded time, whatever it has to say.
func TestHostThatRefusesEverything(t *testing.T) {
	for name, row := range map[string]struct {
		retryAfter string
		within     time.Duration
		requests   int
	}{
		"without a word":        {"", 4 * time.Minute, 200},
		"again at once":         {"0", 4 * time.Minute, 200},
		"in a second":           {"1", 4 * time.Minute, 200},
		"in a minute":           {"60", 5 * time.Minute, 100},
		"tomorrow":              {"86400", 3 * time.Second, 40},
		"by date, in two hours": {"date", 3 * time.Second, 40},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := imagine(20*time.Millisecond, func(host, path string) (int, http.Header, string) {
					if host == "start.test" {
						return ok(links(300, "http://never.test/%d") + links(300, "http://fine.test/%d"))
					}
					if host == "fine.test" {
						return ok("")
					}
					h := http.Header{}
					switch row.retryAfter {
					case "":
					case "date":
						h.Set("Retry-After", time.Now().Add(2*time.Hour).UTC().Format(http.TimeFormat))
					default:
						h.Set("Retry-After", row.retryAfter)
					}
					return 429, h, ""
				})
				began := time.Now()
				c, sum := crawl(t, imaginary(w), seedOf(t, "http://start.test/"))
				took := time.Since(began)
				if took > row.within {
					t.Errorf("it took %v, want %v at most", took, row.within)
				}
				if n := len(w.times("never.test")); n > row.requests {
					t.Errorf("the host was asked %d times", n)
				}
				if got := codesOf(c, "never.test"); got["rate-limited"] != 300 || sum.OK != 301 {
					t.Errorf("%v, %d ok; want 300 rate-limited and 301 ok", got, sum.OK)
				}
				for _, r := range c.results {
					if r.Code == "rate-limited" && (r.Verdict != check.Unverified || r.Attempts > 12) {
						t.Errorf("%s: %v after %d requests", r.URL, r.Verdict, r.Attempts)
					}
				}
				t.Logf("%v, %d requests", took, len(w.times("never.test")))
			})
		})
	}
}

// A host that never answers holds the run up for minutes, not for as many time
// limits as it has links; should it come back, all its links are asked.
func TestHostThatNeverAnswers(t *testing.T) {
	for name, back := range map[string]time.Duration{"never": time.Hour * 1000, "comes back": 75 * time.Second} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				w := imagine(0, nil)
				w.answer = func(host, path string) (int, http.Header, string) {
					w.takes = 10 * time.Millisecond
					switch {
					case host == "start.test":
						return ok(links(1000, "http://silent.test/%d") + links(100, "http://fine.test/%d"))
					case host == "silent.test" && time.Since(began) < back:
						w.takes = 20 * time.Second
						return 0, nil, "timeout"
					}
					return ok("")
				}
				c, sum := crawl(t, imaginary(w), seedOf(t, "http://start.test/"))
				took := time.Since(began)
				got := codesOf(c, "silent.test")
				if name == "never" && (got["timeout"] != 1000 || sum.Unverified != 1000) || name != "never" && got["ok"] != 1000 {
					t.Errorf("%v", got)
				}
				if took > 5*time.Minute {
					t.Errorf("it took %v", took)
				}
				t.Logf("1,000 links: %v, %d requests", took, len(w.times("silent.test")))
			})
		})
	}
}

// A host that slows down under load gets less.
func TestSlowingHost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := imagine(0, nil)
		w.answer = func(host, path string) (int, http.Header, string) {
			if host == "start.test" {
				return ok(links(200, "http://slow.test/%d"))
			}
			n := w.busy[host]
			w.takes = time.Duration(n*n) * 100 * time.Millisecond
			return ok("")
		}
		_, sum := crawl(t, imaginary(w), seedOf(t, "http://start.test/"))
		if sum.OK != 201 {
			t.Errorf("%d are ok", sum.OK)
		}
	})
}
