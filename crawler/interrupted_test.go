package crawler

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier/diskstore"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
	"github.com/orbweaver/orbweaver/crawler/result"
	"github.com/orbweaver/orbweaver/crawler/store"
)

// keptCrawl is a directory that keeps crawls and what they leave to the next, as
// --state does.
type keptCrawl struct {
	*remembering
	dir string
	rng *rand.Rand
}

// stoppingKeeper stops a session, and lets the cache ask who is who.
type stoppingKeeper struct {
	stopper
	fetch.Mux
}

// Fetch stops the session when it is time.
func (s *stoppingKeeper) Fetch(ctx context.Context, req *fetch.Request) (*fetch.Response, error) {
	return s.stopper.Fetch(ctx, req)
}

// Has answers for the fetcher behind.
func (s *stoppingKeeper) Schemes() []string { return s.stopper.Schemes() }

// session runs once, until so many requests were sent; 0 is as many as it takes. It
// reports whether the crawl came to its end.
func (k *keptCrawl) session(requests int, change ...func(*Config)) (c *collector, sum *result.Summary, finished bool) {
	k.Helper()
	c, sum, err := k.attempt(requests, change...)
	if err != nil {
		k.Fatal(err)
	}
	return c, sum, sum.Soundness.StoppedBy == ""
}

func (k *keptCrawl) attempt(requests int, change ...func(*Config)) (c *collector, sum *result.Summary, err error) {
	k.Helper()
	file := filepath.Join(k.dir, "crawl.sqlite")
	crawl, err := diskstore.Open(file)
	if errors.Is(err, os.ErrNotExist) {
		crawl, err = diskstore.Create(file, frontier.Narrow, nil)
	}
	if err != nil {
		k.Fatal(err)
	}
	defer crawl.Close()
	client, err := fetch.NewHTTP(fetch.HTTPConfig{Timeout: time.Minute})
	if err != nil {
		k.Fatal(err)
	}
	defer client.Close()
	memory, err := store.OpenCache(filepath.Join(k.dir, "cache.db"), store.CacheOptions{})
	if err != nil {
		k.Fatal(err)
	}
	defer memory.Close()
	asking := fetch.Mux{"http": client, "https": client}
	cfg := &Config{Fetch: asking, Deliver: Deliver{Show: showAll()}, Politeness: Politeness{Retries: -1, Concurrency: 2},
		Keep: Keep{Cache: memory, MaxAge: time.Hour, Edition: "test", Store: crawl}}
	if requests > 0 {
		stop := make(chan struct{})
		cfg.Fetch = &stoppingKeeper{stopper{Fetcher: asking, left: requests, stop: stop}, asking}
		cfg.Stop, cfg.Limits.Grace = stop, time.Millisecond
	}
	for _, f := range change {
		f(cfg)
	}
	c = &collector{}
	sum, err = Run(k.Context(), cfg, seedOf(k, k.site.url+"/"), c)
	return c, sum, err
}

// interrupted runs a crawl in many sessions, each of which is stopped or cut off.
func (k *keptCrawl) interrupted() (c *collector, sum *result.Summary, count int) {
	k.Helper()
	lost := errors.New("cut off")
	for {
		count++
		if k.rng.IntN(2) == 0 { // what was learnt of the last target is in the cache, and its outcome nowhere
			left := 1 + k.rng.IntN(6)
			c, sum, err := k.attempt(0, failing(lost, func(d *frontier.Done, _ []frontier.Item) bool {
				if d != nil {
					left--
				}
				return left < 0
			}))
			if err == nil {
				return c, sum, count
			}
			if !errors.Is(err, lost) {
				k.Fatal(err)
			}
			continue
		}
		var finished bool
		if c, sum, finished = k.session(1 + k.rng.IntN(4)); finished {
			return c, sum, count
		}
		if count > 500 {
			k.Fatal("it does not come to an end")
		}
	}
}

// next makes room for another crawl.
func (k *keptCrawl) next() {
	for _, file := range []string{"crawl.sqlite", "crawl.sqlite-wal", "crawl.sqlite-shm"} {
		if err := os.Remove(filepath.Join(k.dir, file)); err != nil && !errors.Is(err, os.ErrNotExist) {
			k.Fatal(err)
		}
	}
}

func (k *keptCrawl) same(what string, got *collector, sum *result.Summary, want *collector, wantSum *result.Summary) {
	k.Helper()
	if sameReport(got.results, sum, want.results, wantSum) {
		return
	}
	k.Errorf("%s: %d of %d cached, want %d of %d", what, sum.Cached, sum.Results, wantSum.Cached, wantSum.Results)
	for i := range min(len(got.results), len(want.results)) {
		if g, w := got.results[i], want.results[i]; !sameReport([]*result.Result{g}, sum, []*result.Result{w}, sum) {
			k.Fatalf("%+v, want\n%+v", g, w)
		}
	}
}

// remembered is a site whose links lead to another one in every way that matters to
// what is remembered.
func rememberedSite(t testing.TB, m *remembering) {
	third := newShifting(t)
	index := ""
	for page := range 8 {
		index += fmt.Sprintf(`<a href="/%d.html">page</a> `, page)
		m.site.page(fmt.Sprintf("/%d.html", page), fmt.Sprintf(`<p id=id><a href="/">up</a> <a href="%[1]s/p%[2]d">plain</a> <a href="%[1]s/p%[3]d#id">there</a>
			<a href="%[1]s/r%[2]d">moved</a> <a href="%[1]s/far%[2]d">moved on</a> <a href="%[1]s/gone">gone</a> <a href="/%[3]d.html#id">here</a>`,
			m.other.url, page, (page+3)%8))
		m.other.page(fmt.Sprintf("/p%d", page), `<p id=id>`)
		m.other.status(fmt.Sprintf("/r%d", page), 301, "Location", fmt.Sprintf("/p%d", (page+1)%8))
		m.other.status(fmt.Sprintf("/far%d", page), 308, "Location", fmt.Sprintf("%s/%d", third.url, page))
		third.page(fmt.Sprintf("/%d", page), `<p>`)
	}
	m.site.page("/", index)
}

// A crawl of many sessions says the same as one of a single session of what was
// asked and what an earlier crawl had seen: its own sessions are no earlier crawl.
func TestSessionsAreNoEarlierRun(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 3 {
		m := newRemembering(t)
		rememberedSite(t, m)
		alone := &keptCrawl{m, t.TempDir(), rng}
		often := &keptCrawl{m, t.TempDir(), rng}

		want, wantSum, _ := alone.session(0)
		got, sum, count := often.interrupted()
		if wantSum.Cached != 0 || count < 5 {
			t.Errorf("%d cached, %d sessions", wantSum.Cached, count)
		}
		alone.same("first crawl", got, sum, want, wantSum)

		// Another link makes the second crawl ask for something that the first had seen.
		fresh := ""
		for i := range 6 {
			fresh += fmt.Sprintf(`<a href="%s/fresh%d">fresh</a> `, m.other.url, i)
			m.other.page(fmt.Sprintf("/fresh%d", i), `<p>`)
		}
		m.site.page("/7.html", fresh+`<a href="`+m.other.url+`/p2#new">new</a> <a href="`+m.other.url+`/p4#id">there</a>`)
		alone.next()
		often.next()
		want, wantSum, _ = alone.session(0)
		got, sum, _ = often.interrupted()
		if wantSum.Cached < 15 {
			t.Errorf("only %d cached", wantSum.Cached)
		}
		alone.same("second crawl", got, sum, want, wantSum)
	}
}

// A redirect that an earlier session took from memory is asked when a later one
// finds that its end is gone, although others lie between that were asked.
func TestSessionsDoubtRedirects(t *testing.T) {
	m, end, k := newDoubtful(t)
	one := func(cfg *Config) { cfg.Politeness.Concurrency = 1 }
	k.session(2, one)
	if !k.recalled(m.other.url + "/old") {
		t.Fatal("the redirect was not taken from memory before the session ended")
	}
	k.session(2, one)
	c, _, finished := k.session(0, one)
	if !finished {
		t.Fatal("there is still something to do")
	}
	m.verdict(c, end.url+"/end#new", "http-404")
	if r := m.verdict(c, m.other.url+"/old", "ok"); r.Cached || r.FinalURL != m.other.url+"/new" {
		t.Errorf("%+v", r)
	}
}

// Likewise when the session that found out was cut off before it could put the
// redirect back.
func TestSessionsDoubtAgain(t *testing.T) {
	m, end, k := newDoubtful(t)
	lost := errors.New("cut off")
	_, _, err := k.attempt(0, func(cfg *Config) { cfg.Politeness.Concurrency = 1 }, failing(lost, func(_ *frontier.Done, items []frontier.Item) bool {
		if len(items) != 1 {
			return false
		}
		job, err := frontier.DecodeJob(items[0].Job)
		return err == nil && string(job.URL) == m.other.url+"/old"
	}))
	if !errors.Is(err, lost) || !k.recalled(m.other.url+"/old") {
		t.Fatalf("the session was not cut off before the redirect was put back: %v", err)
	}
	c, _, _ := k.session(0)
	m.verdict(c, end.url+"/end#new", "http-404")
	if r := m.verdict(c, m.other.url+"/old", "ok"); r.Cached || r.FinalURL != m.other.url+"/new" {
		t.Errorf("%+v", r)
	}
}

// newDoubtful makes a crawl that will take a redirect from memory whose end is gone.
func newDoubtful(t *testing.T) (m *remembering, end *shifting, k *keptCrawl) {
	m, end = newRemembering(t), newShifting(t)
	m.site.page("/", `<a href="`+m.other.url+`/old">x</a>`)
	m.other.status("/old", 301, "Location", end.url+"/middle")
	end.status("/middle", 301, "Location", "/end")
	end.page("/end", `<p id=id>`)
	k = &keptCrawl{m, t.TempDir(), nil}
	k.session(0)
	k.next()

	m.site.page("/", `<a href="`+m.other.url+`/old">x</a> <a href="`+end.url+`/middle#id">y</a> <a href="`+end.url+`/end#new">z</a>`)
	end.status("/end", 404)
	m.other.status("/old", 301, "Location", "/new")
	m.other.page("/new", `<p>`)
	return m, end, k
}

// recalled reports whether the outcome of a target was taken from memory.
func (k *keptCrawl) recalled(url string) (yes bool) {
	k.Helper()
	store, err := diskstore.OpenReadOnly(filepath.Join(k.dir, "crawl.sqlite"))
	if err != nil {
		k.Fatal(err)
	}
	defer store.Close()
	err = store.Scan(k.Context(), frontier.AllParts, func(r *frontier.Record) error {
		job, err := frontier.DecodeJob(r.Job)
		if err != nil || string(job.URL) != url || !r.Settled {
			return err
		}
		g, err := judging.GlanceAt(r.Outcome)
		yes = g.Cached
		return err
	})
	if err != nil {
		k.Fatal(err)
	}
	return yes
}

// failing makes a store that fails at certain steps, as if the process had been
// killed.
func failing(err error, when func(d *frontier.Done, items []frontier.Item) bool) func(*Config) {
	return func(cfg *Config) { cfg.Keep.Store = &failingSteps{Store: cfg.Keep.Store, err: err, when: when} }
}

type failingSteps struct {
	frontier.Store
	err  error
	mu   sync.Mutex
	when func(d *frontier.Done, items []frontier.Item) bool
}

func (s *failingSteps) fails(d *frontier.Done, items []frontier.Item) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.when(d, items)
}

func (s *failingSteps) Add(ctx context.Context, items []frontier.Item) ([]frontier.ID, error) {
	if s.fails(nil, items) {
		return nil, s.err
	}
	return s.Store.Add(ctx, items)
}

func (s *failingSteps) Complete(ctx context.Context, l frontier.Lease, d frontier.Done) ([]frontier.ID, error) {
	if s.fails(&d, nil) {
		return nil, s.err
	}
	return s.Store.Complete(ctx, l, d)
}

// FingerprintKey is that of the store behind.
func (s *failingSteps) FingerprintKey() [16]byte { return s.Store.(frontier.Keyed).FingerprintKey() }
