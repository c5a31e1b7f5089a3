package crawler

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/fetch"
)

// memberClient sends the requests of a session to a handler, without a network, for clocks
// that are not real. The handler answers at once, and its answers are under way for a time. No
// two requests are handled at once.
type memberClient struct {
	http.Handler
	takes func(*http.Request) time.Duration

	mu     sync.Mutex // held while a request is handled
	cookie *http.Cookie
}

func (c *memberClient) Fetch(ctx context.Context, req *fetch.Request) (*fetch.Response, error) {
	method, body := http.MethodGet, []byte(nil)
	if req.Form != nil {
		method, body = http.MethodPost, req.Form.Body
	}
	r := httptest.NewRequest(method, req.URL.String(), bytes.NewReader(body))
	maps.Copy(r.Header, req.Header)
	c.mu.Lock()
	if !req.Anonymous && c.cookie != nil {
		r.AddCookie(c.cookie)
	}
	w := httptest.NewRecorder()
	c.ServeHTTP(w, r)
	takes := c.takes(r)
	c.mu.Unlock()
	select {
	case <-time.After(takes):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	answer := w.Result()
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, cookie := range answer.Cookies() {
		switch {
		case req.Anonymous:
		case fetch.HasExpired(cookie):
			c.cookie = nil
		default:
			c.cookie = cookie
		}
	}
	resp := &fetch.Response{Status: answer.StatusCode, Header: answer.Header, ContentType: answer.Header.Get("Content-Type"), Size: int64(w.Body.Len()),
		Location: answer.Header.Get("Location"), URL: req.URL, Requests: 1}
	if req.Need == fetch.Content {
		resp.Body = io.NopCloser(w.Body)
	}
	return resp, nil
}

// withClock returns the settings of a crawl of a site with a login, or with cookies, whose
// clock is not real.
func withClock(t *testing.T, s *membersSite, login bool, client *memberClient) *Config {
	t.Helper()
	s.base, s.asked, s.hit = "http://127.0.0.1", map[string]int{}, map[string]bool{}
	if client.takes == nil {
		client.takes = func(*http.Request) time.Duration { return 10 * time.Millisecond }
	}
	if !login {
		client.cookie = &http.Cookie{Name: "sid", Value: "sid-1"}
	}
	cfg := configOf(t, s, login, nil)
	cfg.Fetch, cfg.Login.Fetch = fetch.Mux{"http": client}, client
	return cfg
}

// A late answer of the lost session does not remove the cookie of the next one.
func TestLateAnswerOfALostSession(t *testing.T) {
	report := func(late bool) (string, *membersSite) {
		s := &membersSite{removes: true}
		synctest.Test(t, func(t *testing.T) {
			cfg := withClock(t, s, true, &memberClient{
				Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if late && r.URL.Path == "/p5" && s.asked["/p5"] == 0 {
						s.session = 0
					}
					s.ServeHTTP(w, r)
				}),
				takes: func(r *http.Request) time.Duration {
					if r.URL.Path == "/p5" {
						return time.Minute
					}
					return 10 * time.Millisecond
				},
			})
			cfg.Concurrency = 16
			c, sum := crawl(t, cfg, seedOf(t, s.base+"/"))
			if !sum.Soundness.Complete() {
				t.Errorf("stopped by %q", sum.Soundness.StoppedBy)
			}
			s.base = reportOf(c, s.base)
		})
		return s.base, s
	}
	want, _ := report(false)
	if got, s := report(true); got != want || s.signIns != 2 {
		t.Errorf("%d sign-ins:\n%swant:\n%s", s.signIns, got, want)
	}
}

// While a proof is requested, other workers read documents.
func TestProofTakesNoSlot(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	synctest.Test(t, func(t *testing.T) {
		const pages = 10
		s := &membersSite{}
		var proof time.Time // when the first one was requested
		during := 0         // pages of another host that are requested meanwhile
		cfg := withClock(t, s, true, &memberClient{
			Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Host == "127.0.0.1" {
					if proof.IsZero() && s.asked["/form"] > 0 {
						proof = time.Now()
					}
					s.ServeHTTP(w, r)
					return
				}
				if !proof.IsZero() && time.Since(proof) < time.Minute {
					during++
				}
				n, _ := strconv.Atoi(r.URL.Query().Get("n"))
				w.Header().Set("Content-Type", "text/html")
				if n < pages {
					fmt.Fprintf(w, "<a href=?n=%d>x</a>", n+1)
				}
			}),
			takes: func(r *http.Request) time.Duration {
				switch {
				case r.Host == "127.0.0.1" && !proof.IsZero():
					return time.Minute
				case r.URL.RequestURI() == "/" && r.Host != "127.0.0.1":
					return time.Second // so that the other pages are requested later
				}
				return 10 * time.Millisecond
			},
		})
		_, sum := crawl(t, cfg, slices.Concat(seedOf(t, s.base+"/form"), seedOf(t, "http://127.0.0.2/")))
		if !sum.Soundness.Complete() || during != pages {
			t.Errorf("complete %t, %d pages were requested during the proof", sum.Soundness.Complete(), during)
		}
	})
}

// A run that is stopped does not wait until the next sign-in is tried.
func TestStopBeforeTheNextSignIn(t *testing.T) {
	for _, maxTime := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			s := &membersSite{refuses: true, cut: func(n int) bool { return n == 20 }}
			cfg := withClock(t, s, true, &memberClient{Handler: s})
			stop := make(chan struct{})
			cfg.Stop, cfg.Backoff, cfg.Grace, cfg.Login.Retries = stop, time.Hour, time.Second, 10
			const until = 10 * time.Second
			why := "interrupt"
			if maxTime {
				cfg.MaxTime, why = until, "max-time"
			} else {
				time.AfterFunc(until, func() { close(stop) })
			}
			began := time.Now()
			c, sum := crawl(t, cfg, seedOf(t, s.base+"/"))
			if took := time.Since(began); sum.Soundness.Complete() || sum.Soundness.StoppedBy != why || took > until+cfg.Grace+time.Second || s.wrong != 1 {
				t.Errorf("complete %t, stopped by %q after %v, %d forms were refused", sum.Soundness.Complete(), sum.Soundness.StoppedBy, took, s.wrong)
			}
			for _, r := range c.results {
				if strings.HasPrefix(r.FinalURL, s.base+"/login") || r.Code == check.CodeLoginLost {
					t.Errorf("%s: %s %s", r.URL, r.Verdict, r.Code)
				}
			}
		})
	}
}

// Many variants of one page that lead to the sign-in page are no loss.
func TestVariantsLeadToTheSignInPage(t *testing.T) {
	const variants = 300
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		s := &membersSite{}
		cfg := withClock(t, s, false, &memberClient{
			Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "text/html")
				switch r.URL.Path {
				case "/":
					io.WriteString(w, links(variants, "/item?id=%d"))
				case "/item":
					asked++
					http.Redirect(w, r, "/login", http.StatusFound)
				default:
					io.WriteString(w, memberForm)
				}
			}),
			takes: func(r *http.Request) time.Duration { // workers are always busy
				id, _ := strconv.Atoi(r.URL.Query().Get("id"))
				return time.Duration(10+id%7) * time.Millisecond
			},
		})
		cfg.Concurrency = 16
		_, sum := crawl(t, cfg, seedOf(t, s.base+"/"))
		if !sum.Soundness.Complete() || asked != variants {
			t.Errorf("complete %t, %d requests", sum.Soundness.Complete(), asked)
		}
	})
}
