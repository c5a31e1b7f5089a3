package crawler

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/crawlertest"
	"github.com/orbweaver/orbweaver/crawler/session"
)

// A run signs in at most MaxSignIns times, and Login.Retries times in a row.
func TestSignInsAreLimited(t *testing.T) {
	for _, row := range []struct {
		name          string
		lasts         int
		retries, want int
	}{
		{"always again", 10, 2, session.MaxSignIns},
		{"in a row", 4, 2, 4}, // the second loss is blamed on the start page, and the count begins anew
		{"in a row, none", 4, -1, 1},
	} {
		s := serveMembers(t, &membersSite{lasts: row.lasts})
		c, sum := crawlMembers(t, s, true, func(cfg *Config) { cfg.Concurrency, cfg.Login.Retries = 1, row.retries })
		if s.signIns != row.want || sum.Soundness.Complete() || sum.Soundness.StoppedBy != "login-lost" || !strings.Contains(reportOf(c, s.base), "unverified login-lost") {
			t.Errorf("%s: %d sign-ins, want %d; stopped by %q", row.name, s.signIns, row.want, sum.Soundness.StoppedBy)
		}
	}
}

// A password that the site refuses is sent once at the start, and at most twice in a run: a
// site that locks accounts after three wrong ones locks none.
func TestWrongPasswordsAreLimited(t *testing.T) {
	for before, most := range map[int]int{0: 2, 1: 1} {
		s := serveMembers(t, &membersSite{refuses: true, signIns: before, cut: func(n int) bool { return n == 20 }})
		crawlMembers(t, s, true, func(cfg *Config) { cfg.Login.Retries, cfg.Backoff = 10, time.Millisecond })
		if s.wrong == 0 || s.wrong > most {
			t.Errorf("after %d sign-ins, %d forms were refused, at most %d may be", before, s.wrong, most)
		}
	}
}

// If nobody can sign in, nothing is crawled.
func TestNobodyCanSignIn(t *testing.T) {
	s := serveMembers(t, &membersSite{refuses: true, signIns: 1})
	c, sum := crawlMembers(t, s, true, nil)
	if len(c.results) != 1 || c.results[0].Code != check.CodeLoginFailed || c.results[0].Verdict != check.Unverified || sum.Soundness.Complete() || sum.Soundness.StoppedBy != "login-failed" {
		t.Errorf("%+v, complete %t, stopped by %q", c.results, sum.Soundness.Complete(), sum.Soundness.StoppedBy)
	}
	if s.asked["/"] > 0 {
		t.Errorf("the start page was requested %d times", s.asked["/"])
	}
	// robots.txt is of no interest then, whatever its answer would be.
	site := &membersSite{refuses: true, signIns: 1, asked: map[string]int{}, hit: map[string]bool{}}
	robots := 0
	site.base, _ = crawlertest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			robots++
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		site.ServeHTTP(w, r)
	}))
	c, _ = crawlMembers(t, site, true, func(cfg *Config) { cfg.Robots, cfg.RobotsGiven = RobotsStrict, true })
	if len(c.results) != 1 || c.results[0].Code != check.CodeLoginFailed || robots > 0 {
		t.Errorf("%+v, robots.txt was requested %d times", c.results, robots)
	}
}
