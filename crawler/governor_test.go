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

func TestGovernor(t *testing.T) {
	g := newGovernor(8)
	if g.tooMany() || g.succeeded() {
		t.Error("a run that met no limit changes its workers")
	}
	began := time.Now()
	g.starved(began)
	for range 5 {
		g.starved(began.Add(-time.Second)) // the same crowd
	}
	left := 0
	for range 8 {
		if !g.tooMany() {
			left++
		}
	}
	if left != 6 {
		t.Errorf("%d workers go on, want 6", left)
	}
	for range 20 {
		g.starved(time.Now().Add(time.Minute))
		for g.tooMany() {
		}
	}
	if g.working != 1 {
		t.Errorf("%d workers are left, want one", g.working)
	}
	more := 0
	for range 20 * roomAfter {
		if g.succeeded() {
			more++
		}
	}
	if more != 7 || g.working != 8 {
		t.Errorf("%d workers came back, %d work", more, g.working)
	}
}

func TestAffordable(t *testing.T) {
	for _, row := range []struct {
		requests int
		files    uint64
		want     int
	}{
		{64, 0, 64}, {64, 1 << 20, 64}, {64, 256, 64}, {64, 64, 20}, {64, 128, 52}, {64, 20, 1}, {0, 64, 1}, {4096, 1024, 500}, {1, 26, 1},
	} {
		if got := affordable(row.requests, row.files); got != row.want {
			t.Errorf("affordable(%d, %d) = %d, want %d", row.requests, row.files, got, row.want)
		}
	}
	if n := Affordable(8); n < 1 || n > 8 {
		t.Errorf("Affordable(8) = %d", n)
	}
}

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
