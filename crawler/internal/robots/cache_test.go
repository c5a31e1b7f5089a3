package robots

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/urinorm"
)

func never(*Failure, int) (time.Duration, bool) { return 0, false }

const robotsRefuseAll = "User-agent: *\nDisallow: /"

func TestRobotsCacheSharesRequests(t *testing.T) {
	page := parseURL(t, "http://example.com/page")
	synctest.Test(t, func(t *testing.T) {
		cache := NewCache("a")
		var asked atomic.Int32
		get := func(_ context.Context, u urinorm.URL) (*fetch.Response, error) {
			asked.Add(1)
			time.Sleep(time.Second) // fake time, in which all other callers start waiting
			return answer(200, robotsRefuseAll), nil
		}
		var wait sync.WaitGroup
		for range 64 {
			wait.Go(func() {
				rules, err := cache.Rules(t.Context(), page, get, never)
				if err != nil || rules.Allowed("/x") {
					t.Errorf("%v, %v", rules, err)
				}
			})
		}
		wait.Wait()
		if n := asked.Load(); n != 1 {
			t.Errorf("asked %d times", n)
		}
		// Another port is another origin; another page is not.
		for url, want := range map[string]int32{"http://example.com:8080/": 1, "http://example.com:80/other?x": 0, "https://example.com/": 1} {
			before := asked.Load()
			if _, err := cache.Rules(t.Context(), parseURL(t, url), get, never); err != nil {
				t.Error(err)
			}
			if n := asked.Load() - before; n != want {
				t.Errorf("%s: asked %d times, want %d", url, n, want)
			}
		}
		asked.Store(0)
		time.Sleep(lifetime)
		if _, err := cache.Rules(t.Context(), page, get, never); err != nil || asked.Load() != 1 {
			t.Errorf("after a day: asked %d times, error %v", asked.Load(), err)
		}
	})
}

func TestRobotsCacheCanceledCallers(t *testing.T) {
	page := parseURL(t, "http://example.com/page")
	synctest.Test(t, func(t *testing.T) {
		cache := NewCache("a")
		asked := 0
		get := func(ctx context.Context, _ urinorm.URL) (*fetch.Response, error) {
			asked++
			if asked > 1 {
				return answer(404, ""), nil
			}
			<-ctx.Done() // the host never answers
			return nil, ctx.Err()
		}
		leader, stopLeader := context.WithCancel(t.Context())
		waiter, stopWaiter := context.WithCancel(t.Context())
		var wait sync.WaitGroup
		ask := func(ctx context.Context, rules **Rules, err *error) {
			wait.Go(func() { *rules, *err = cache.Rules(ctx, page, get, never) })
			synctest.Wait()
		}
		var rules [3]*Rules
		var errs [3]error
		ask(leader, &rules[0], &errs[0])
		ask(waiter, &rules[1], &errs[1])
		ask(t.Context(), &rules[2], &errs[2])
		stopWaiter()
		synctest.Wait()
		if !errors.Is(errs[1], context.Canceled) || asked != 1 {
			t.Errorf("the canceled caller got %v, asked %d times", errs[1], asked)
		}
		stopLeader()
		wait.Wait()
		if !errors.Is(errs[0], context.Canceled) {
			t.Errorf("the requesting caller got %v", errs[0])
		}
		if errs[2] != nil || asked != 2 || !rules[2].Allowed("/x") {
			t.Errorf("the remaining caller got %v, asked %d times", errs[2], asked)
		}
	})
}

// TestRobotsCacheStale checks that an unavailable robots.txt is requested again as often and
// as late as the caller decides, that everything is disallowed afterwards, and that rules
// read before apply meanwhile (RFC 9309 2.4), however long it takes.
func TestRobotsCacheStale(t *testing.T) {
	page := parseURL(t, "http://example.com/page")
	synctest.Test(t, func(t *testing.T) {
		var told []string
		cache := NewCache("a")
		retry := func(f *Failure, failures int) (time.Duration, bool) {
			told = append(told, fmt.Sprint(f.Status, f.Header.Get("Retry-After"), " ", failures))
			return time.Minute, failures <= 2
		}
		status, asked := 503, 0
		get := func(context.Context, urinorm.URL) (*fetch.Response, error) {
			asked++
			return answer(status, "User-agent: *\nDisallow: /private", "Retry-After", "600"), nil
		}
		check := func(when string, wantAsked int, wantPublic, wantPrivate, wantNext bool) {
			t.Helper()
			asked = 0
			rules, err := cache.Rules(t.Context(), page, get, retry)
			if err != nil {
				t.Fatal(when, err)
			}
			next, again := rules.Next()
			if asked != wantAsked || rules.Allowed("/public") != wantPublic || rules.Allowed("/private") != wantPrivate || again != wantNext {
				t.Errorf("%s: asked %d times, want %d; public %v, private %v, again %v", when, asked, wantAsked, rules.Allowed("/public"), rules.Allowed("/private"), again)
			}
			if again && time.Until(next) > time.Minute {
				t.Errorf("%s: again in %v", when, time.Until(next))
			}
		}
		for failures := 1; failures <= 2; failures++ {
			check("at first", 1, false, false, true)
			check("at once", 0, false, false, true)
			time.Sleep(time.Minute)
		}
		check("the last retry", 1, false, false, false)
		time.Sleep(time.Hour)
		check("an hour later", 0, false, false, false)
		cache.RequestOnceMore(page)
		check("once more", 1, false, false, false)
		cache.RequestOnceMore(page)
		check("that was all", 0, false, false, false)
		time.Sleep(lifetime)
		if got, want := strings.Join(told, ", "), "503600 1, 503600 2, 503600 3, 503600 4"; got != want {
			t.Errorf("the caller was told %s, want %s", got, want)
		}
		status = 200
		check("a day later", 1, true, false, false)
		cache.RequestOnceMore(page)
		check("it was read", 0, true, false, false)
		status = 429
		for range 40 { // days
			time.Sleep(lifetime)
			for range 3 {
				check("a day later", 1, true, false, false)
				check("a day later, at once", 0, true, false, false)
				time.Sleep(time.Minute)
			}
			check("after the retries", 0, true, false, false)
		}
		status = 404
		time.Sleep(lifetime)
		check("when it is gone", 1, true, true, false)
	})
}

func TestRobotsCacheIgnoresLocalFaults(t *testing.T) {
	page := parseURL(t, "http://example.com/page")
	cache := NewCache("a")
	local := &fetch.Fault{Kind: "timeout", Op: "connect", Target: "example.com", Err: errors.New("too many open files"), Local: true}
	if _, err := cache.Rules(t.Context(), page, func(context.Context, urinorm.URL) (*fetch.Response, error) { return nil, local }, never); err != local {
		t.Error(err)
	}
	rules, err := cache.Rules(t.Context(), page, func(context.Context, urinorm.URL) (*fetch.Response, error) { return answer(404, ""), nil }, never)
	if err != nil || !rules.Allowed("/x") {
		t.Errorf("%v, %v", rules, err)
	}
}

func TestRobotsCacheSurvivesPanic(t *testing.T) {
	page := parseURL(t, "http://example.com/page")
	cache := NewCache("a")
	func() {
		defer func() { _ = recover() }()
		_, _ = cache.Rules(t.Context(), page, func(context.Context, urinorm.URL) (*fetch.Response, error) { panic("get") }, never)
	}()
	if _, err := cache.Rules(t.Context(), page, func(context.Context, urinorm.URL) (*fetch.Response, error) { return answer(404, ""), nil }, never); err != nil {
		t.Error(err)
	}
}

func TestRobotsCacheIsBounded(t *testing.T) {
	cache := NewCache("a")
	small := func(context.Context, urinorm.URL) (*fetch.Response, error) { return answer(404, ""), nil }
	for i := range maxOrigins + 100 {
		if _, err := cache.Rules(t.Context(), parseURL(t, fmt.Sprintf("http://h%d.example/", i)), small, never); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(cache.entries); n != maxOrigins || cache.order.Len() != n {
		t.Errorf("%d origins are cached, %d in order", n, cache.order.Len())
	}
	var rules strings.Builder
	rules.WriteString("User-agent: *\n")
	for i := 0; rules.Len() < maxBytes-40; i++ {
		fmt.Fprintf(&rules, "Disallow: /%d*x\n", i)
	}
	body := rules.String()
	large := func(context.Context, urinorm.URL) (*fetch.Response, error) { return answer(200, body), nil }
	for i := range 20 {
		if _, err := cache.Rules(t.Context(), parseURL(t, fmt.Sprintf("http://large%d.example/", i)), large, never); err != nil {
			t.Fatal(err)
		}
	}
	if cache.memory > maxMemory || cache.memory < 0 || len(cache.pending) != 0 {
		t.Errorf("%d bytes cached for %d origins, %d pending requests", cache.memory, len(cache.entries), len(cache.pending))
	}
	sum := 0
	for e := cache.order.Front(); e != nil; e = e.Next() {
		sum += e.Value.(*entry).size
	}
	if sum != cache.memory {
		t.Errorf("memory is counted as %d, want %d", cache.memory, sum)
	}
}
