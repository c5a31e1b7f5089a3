package crawler

import (
	"context"
	"fmt"
	"net/http"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/fetch"
)

// starving is a web that a machine with few descriptors sees.
type starving struct {
	*imagined
	room  int
	faced atomic.Int32
}

func (s *starving) Fetch(ctx context.Context, req *fetch.Request) (*fetch.Response, error) {
	s.mu.Lock()
	busy := 0
	for _, n := range s.busy {
		busy += n
	}
	s.mu.Unlock()
	if busy >= s.room {
		s.faced.Add(1)
		return nil, &fetch.Fault{Kind: "timeout", Op: "connect", Target: req.URL.Authority(), Local: true, Retry: true, Err: syscall.EMFILE}
	}
	return s.imagined.Fetch(ctx, req)
}

// What our own machine lacks is never held against a link: fewer are asked at
// once, and each gets its answer.
func TestStarved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &starving{room: 10, imagined: imagine(50*time.Millisecond, func(host, path string) (int, http.Header, string) {
			if host == "start.test" {
				body := ""
				for i := range 50 {
					body += links(20, fmt.Sprintf("http://h%d.test/", i)+"%d")
				}
				return ok(body)
			}
			return ok("")
		})}
		cfg := imaginary(nil)
		cfg.Fetch = w
		began := time.Now()
		c, sum := crawl(t, cfg, seedOf(t, "http://start.test/"))
		if sum.OK != 1001 {
			t.Errorf("%d of 1001 are ok: %v", sum.OK, sum.ByCode)
		}
		if w.faced.Load() == 0 || w.faced.Load() > 500 {
			t.Errorf("%d requests met the limit", w.faced.Load())
		}
		for _, r := range c.results {
			if r.Attempts != 1 {
				t.Errorf("%s was asked %d times", r.URL, r.Attempts)
			}
		}
		t.Logf("%d of 1,001 requests met the limit, it took %v", w.faced.Load(), time.Since(began))
	})
}

// A machine that can do nothing at all still comes to an end.
func TestStarvedForGood(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &starving{imagined: imagine(0, nil)}
		cfg := imaginary(nil)
		cfg.Fetch = w
		c, sum := crawl(t, cfg, seedOf(t, "http://start.test/"))
		if r := c.find("http://start.test/"); r == nil || r.Verdict != check.Skipped || r.Code != check.CodeLimit || len(sum.StartFailed) > 1 {
			t.Errorf("%+v, %+v", r, sum)
		}
	})
}
