package crawler

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/orbweaver/orbweaver/crawler/crawlertest"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier/diskstore"
	"github.com/orbweaver/orbweaver/crawler/internal/sitetest"
	"github.com/orbweaver/orbweaver/crawler/internal/stored"
	"github.com/orbweaver/orbweaver/crawler/result"
)

// stopper closes a channel when so many requests were sent; the last gets no answer
// before the run ends.
type stopper struct {
	fetch.Fetcher
	mu   sync.Mutex
	left int
	stop chan struct{}
}

func (s *stopper) Fetch(ctx context.Context, req *fetch.Request) (*fetch.Response, error) {
	s.mu.Lock()
	s.left--
	last := s.left == 0
	s.mu.Unlock()
	if last {
		close(s.stop)
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return s.Fetcher.Fetch(ctx, req)
}

// Schemes answers for the fetcher behind.
func (s *stopper) Schemes() []string {
	m, ok := s.Fetcher.(interface{ Schemes() []string })
	if !ok {
		return nil
	}
	return m.Schemes()
}

// sessions runs a crawl with a store on disk, stopped after a few requests in each
// session, until it comes to its end. It returns what the last session told and how
// many there were.
func sessions(t testing.TB, configure func() *Config, seeds []Seed, requests func() int) (c *collector, sum *result.Summary, count int) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "crawl.sqlite")
	for {
		count++
		cfg := configure()
		store, err := diskstore.Open(file)
		if errors.Is(err, os.ErrNotExist) {
			store, err = diskstore.Create(file, cmp.Or(frontier.Width(cfg.Keep.FingerprintBits), frontier.Narrow), nil)
		}
		if err != nil {
			t.Fatal(err)
		}
		stop := make(chan struct{})
		cfg.Fetch = &stopper{Fetcher: cfg.Fetch, left: requests(), stop: stop}
		cfg.Keep.Store, cfg.Stop, cfg.Limits.Grace = store, stop, time.Millisecond
		c = &collector{}
		if sum, err = Run(t.Context(), cfg, seeds, c); err != nil {
			t.Fatal(err)
		}
		at, err := stored.ReadSums(t.Context(), store)
		if err != nil {
			t.Fatal(err)
		}
		if at.Finished {
			t.Error("finished before its report was written")
		}
		if at.Finished = sum.Soundness.StoppedBy != "interrupt"; at.Finished {
			if n, err := store.Count(t.Context()); err != nil || n.Known != n.Settled {
				t.Errorf("%d of %d targets are settled, %v", n.Settled, n.Known, err)
			}
			if err := stored.Finish(t.Context(), store); err != nil {
				t.Fatal(err)
			}
			if at, err = stored.ReadSums(t.Context(), store); err != nil || !at.Finished {
				t.Errorf("ReadSums = %+v, %v; want it to be finished", at, err)
			}
		}
		if err := store.Close(); err != nil {
			t.Fatal(err)
		}
		lookAgain(t, file, configure(), seeds, c, sum)
		if at.Finished {
			return c, sum, count
		}
		if count > 1000 {
			t.Fatal("it does not come to an end")
		}
	}
}

// lookAgain wants the report of what a store keeps to be the one that its session gave.
func lookAgain(t testing.TB, file string, cfg *Config, seeds []Seed, told *collector, sum *result.Summary) {
	t.Helper()
	store, err := diskstore.OpenReadOnly(file)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	cfg.Keep.Store = store
	c := &collector{}
	looked, err := Report(t.Context(), cfg, seeds, c)
	if err != nil {
		t.Fatal(err)
	}
	if !sameReport(c.results, looked, told.results, sum) {
		t.Errorf("a look at what is kept tells other things:\n%+v\nthan the session:\n%+v", looked, sum)
	}
}

// sameReport compares two reports, without times and without how often something
// was asked: what was in flight is asked again.
func sameReport(a []*result.Result, sumA *result.Summary, b []*result.Result, sumB *result.Summary) bool {
	timeless := func(results []*result.Result) []result.Result {
		var out []result.Result
		for _, r := range results {
			copied := *r
			copied.Elapsed, copied.Attempts = 0, 0
			out = append(out, copied)
		}
		return out
	}
	counts := func(s *result.Summary) result.Summary {
		copied := *s
		copied.Started, copied.Elapsed, copied.Requests = time.Time{}, 0, 0
		return copied
	}
	return reflect.DeepEqual(timeless(a), timeless(b)) && reflect.DeepEqual(counts(sumA), counts(sumB))
}

// A crawl of many sessions ends with the report of one that nobody disturbed,
// whatever the site, and nothing is asked again that was settled.
func TestSessionsAsOne(t *testing.T) {
	files, err := filepath.Glob("../testdata/sites/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no sites: %v", err)
	}
	handlers := map[string]http.Handler{"generated": crawlertest.Generate(5, 120, 10)}
	for _, file := range files {
		handlers[strings.TrimSuffix(filepath.Base(file), ".txtar")] = sitetest.ParseFile(t, file).Handler()
	}
	for name, handler := range handlers {
		t.Run(name, func(t *testing.T) {
			base, _ := sitetest.Serve(t, handler)
			configure := func() *Config {
				cfg := web(t)
				cfg.Politeness.Concurrency = 4
				return cfg
			}
			want, wantSum := crawl(t, configure(), seedOf(t, base+"/"))
			rng := rand.New(rand.NewPCG(1, 2))
			got, sum, count := sessions(t, configure, seedOf(t, base+"/"), func() int { return 2 + rng.IntN(12) })
			if !sameReport(got.results, sum, want.results, wantSum) {
				t.Errorf("%d sessions told:\n%+v\none:\n%+v", count, sum, wantSum)
				for i := range min(len(got.results), len(want.results)) {
					if g, w := got.results[i], want.results[i]; !sameReport([]*result.Result{g}, sum, []*result.Result{w}, sum) {
						t.Fatalf("first difference:\n%+v\n%+v", g, w)
					}
				}
			}
			// Each session may lose what its four workers had in hand, and the one that
			// was cut off.
			if extra := sum.Requests - wantSum.Requests; extra < 0 || extra > 5*count {
				t.Errorf("%d requests in %d sessions, %d in one", sum.Requests, count, wantSum.Requests)
			}
		})
	}
}

// What targets are known by makes no difference to what is told, in memory and in a
// file that is opened again and again.
func TestWideFingerprints(t *testing.T) {
	base, _ := sitetest.Serve(t, crawlertest.Generate(5, 120, 10))
	configure := func() *Config {
		cfg := web(t)
		cfg.Politeness.Concurrency = 4
		return cfg
	}
	wide := func() *Config {
		cfg := configure()
		cfg.Keep.FingerprintBits = 128
		return cfg
	}
	want, wantSum := crawl(t, configure(), seedOf(t, base+"/"))
	got, sum := crawl(t, wide(), seedOf(t, base+"/"))
	if !sameReport(got.results, sum, want.results, wantSum) || sum.Requests != wantSum.Requests {
		t.Errorf("in memory:\n%+v\nwant\n%+v", sum, wantSum)
	}
	got, sum, count := sessions(t, wide, seedOf(t, base+"/"), func() int { return 9 })
	if !sameReport(got.results, sum, want.results, wantSum) || count < 5 {
		t.Errorf("in %d sessions:\n%+v\nwant\n%+v", count, sum, wantSum)
	}
}

// A store has one width, and a run that asks for another one does not begin.
func TestWidthOfStore(t *testing.T) {
	for _, c := range []struct {
		bits  frontier.Width
		store *frontier.Memory
		want  string
	}{
		{0, nil, ""},
		{frontier.Narrow, nil, ""},
		{frontier.Wide, nil, ""},
		{96, nil, "a fingerprint has 64 or 128 bits, not 96"},
		{0, frontier.NewWideMemory(), ""},
		{frontier.Wide, frontier.NewWideMemory(), ""},
		{frontier.Wide, frontier.NewMemory(), "FingerprintBits is 128, but the fingerprints of the store have 64 bits"},
		{frontier.Narrow, frontier.NewWideMemory(), "FingerprintBits is 64, but the fingerprints of the store have 128 bits"},
	} {
		cfg := web(t)
		cfg.Keep.FingerprintBits = int(c.bits)
		if c.store != nil {
			cfg.Keep.Store = c.store
		}
		switch err := cfg.Validate(); {
		case err == nil && c.want != "", err != nil && err.Error() != "start a run: "+c.want:
			t.Errorf("%d bits, store %v: %v, want %s", c.bits, c.store != nil, err, c.want)
		case err == nil && c.bits == frontier.Wide && cfg.withDefaults().Keep.Store.Width() != frontier.Wide:
			t.Error("a run with wide fingerprints has a store of narrow ones")
		}
	}
}

// The page graph of a crawl of many sessions is whole.
func TestSessionsTellAllPages(t *testing.T) {
	base, _ := sitetest.Serve(t, crawlertest.Generate(5, 60, 6))
	configure := func() *Config {
		cfg := web(t)
		cfg.Politeness.Concurrency, cfg.Deliver.Pages = 4, true
		return cfg
	}
	want, _ := crawl(t, configure(), seedOf(t, base+"/"))
	got, _, _ := sessions(t, configure, seedOf(t, base+"/"), func() int { return 9 })
	byURL := func(a, b *result.Page) int { return strings.Compare(a.URL, b.URL) }
	slices.SortFunc(got.pages, byURL)
	slices.SortFunc(want.pages, byURL)
	if len(got.pages) != len(want.pages) {
		t.Fatalf("%d pages were told, want %d", len(got.pages), len(want.pages))
	}
	for i := range got.pages {
		got.pages[i].Depth, want.pages[i].Depth = 0, 0 // without a limit it is that of who found it first
		got.pages[i].Elapsed, want.pages[i].Elapsed = 0, 0
		if !reflect.DeepEqual(got.pages[i], want.pages[i]) {
			t.Fatalf("page %d:\n%+v, want\n%+v", i, got.pages[i], want.pages[i])
		}
	}
}

// What is remembered of earlier visits goes from session to session: tries are not
// begun anew, and the outcome of a target that only waits for its second pass counts.
func TestSessionsRetry(t *testing.T) {
	asked := 0
	var mu sync.Mutex
	mux := http.NewServeMux()
	mux.HandleFunc("/", linking("/flaky", "/a", "/b", "/c", "/d"))
	mux.HandleFunc("/flaky", func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		asked++
		mu.Unlock()
		w.WriteHeader(http.StatusServiceUnavailable)
	})
	base, _ := sitetest.Serve(t, mux)
	c, sum, count := sessions(t, func() *Config {
		cfg := web(t)
		cfg.Politeness.Retries, cfg.Politeness.Concurrency = 3, 1
		return cfg
	}, seedOf(t, base+"/"), func() int { return 3 })
	r := c.find(base + "/flaky")
	if r == nil || r.Status != 503 || r.Attempts != 4 || asked < 4 || asked > 4+count {
		t.Errorf("/flaky = %+v after %d requests in %d sessions, want the answer to the last of 4 tries", r, asked, count)
	}
	if count < 3 || sum.Soundness.StoppedBy != "" {
		t.Errorf("%d sessions, stopped by %q", count, sum.Soundness.StoppedBy)
	}
}

// Limits hold for the crawl, not for each of its sessions.
func TestSessionsShareLimits(t *testing.T) {
	base, _ := sitetest.Serve(t, crawlertest.Generate(1, 50, 10))
	_, sum, count := sessions(t, func() *Config {
		cfg := web(t)
		cfg.Limits.MaxPages, cfg.Politeness.Concurrency = 9, 2
		return cfg
	}, seedOf(t, base+"/"), func() int { return 4 })
	if sum.Pages != 9 || sum.Soundness.StoppedBy != "max-pages" || count < 2 {
		t.Errorf("%d pages in %d sessions, stopped by %q; want 9 pages and max-pages", sum.Pages, count, sum.Soundness.StoppedBy)
	}
}

// Traps, rules that matched, and the site that a start page was redirected to are
// the crawl's, too.
func TestSessionsRemember(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("/there/", linking("/there/a.html", "/there/b.html", "/there/left-out.html", "/there/x/x/x/x/x/page.html"))
	there, _ := sitetest.Serve(t, mux)
	here, _ := sitetest.Serve(t, http.RedirectHandler(there+"/there/", http.StatusFound))
	c, sum, count := sessions(t, func() *Config {
		cfg := web(t)
		cfg.Politeness.Concurrency = 1
		for _, name := range []string{"left-out", "nothing"} {
			cfg.Judging.Rules = append(cfg.Judging.Rules, Rule{Name: name, Verdict: "ignore", Match: func(url string) bool { return strings.Contains(url, name) }})
		}
		return cfg
	}, seedOf(t, here+"/"), func() int { return 2 })
	if sum.Pages != 3 || sum.Soundness.StoppedBy != "trap" || count < 3 {
		t.Errorf("%d pages in %d sessions, stopped by %q; want 3 and a trap", sum.Pages, count, sum.Soundness.StoppedBy)
	}
	var notes []string
	for _, n := range c.notes {
		notes = append(notes, n.Message)
	}
	if text := strings.Join(notes, "\n"); strings.Contains(text, "left-out matched nothing") || !strings.Contains(text, "nothing matched nothing") ||
		!strings.Contains(text, "1 page") {
		t.Errorf("notes:\n%s", text)
	}
}

// A target that a link calls a sign-out in one session is not requested in another, wherever
// that is led: a cookie leads the second one there, too.
func TestSessionsLeaveAlone(t *testing.T) {
	cfg, server := realWeb(t, at(cookieCycle("/x", map[string]func(*exchange){
		"site.test/":     page("<a href=/x>Log out</a><a href=/next>x</a>"),
		"site.test/next": page("<a href=/x#part>x</a><a href=/a>x</a><a href=/to>x</a>"),
		"site.test/to":   redirect(302, "/x"),
		"site.test/x":    page("bye"),
	})))
	cfg.Politeness.Concurrency, cfg.Scope.Credentials, cfg.Deliver.Show = 1, true, result.Show{OK: true, Skipped: true}
	left := []int{2, 100} // requests of each session
	c, _, count := sessions(t, func() *Config {
		own := *cfg
		return &own
	}, seedOf(t, "http://site.test/"), func() int {
		n := left[0]
		left = left[min(1, len(left)-1):]
		return n
	})
	want := map[string]string{"http://site.test/next": "ok ok"}
	for _, path := range []string{"/x", "/x#part", "/to", "/a"} {
		want["http://site.test"+path] = "skipped excluded"
	}
	judged(t, c, want)
	if n := server.count("site.test/x"); n != 0 || count != 2 {
		t.Errorf("what signs out was requested %d times, in %d sessions: %v", n, count, server.order)
	}
}

// A store that fails ends the run, and says what failed.
func TestStoreFails(t *testing.T) {
	base, _ := sitetest.Serve(t, crawlertest.Generate(1, 50, 10))
	full := errors.New("disk full")
	for failAt := 1; failAt < 30; failAt += 4 {
		cfg := web(t)
		cfg.Keep.Store = &failingStore{Memory: frontier.NewMemory(), left: failAt, err: full}
		if _, err := Run(t.Context(), cfg, seedOf(t, base+"/"), &collector{}); !errors.Is(err, full) {
			t.Errorf("call %d fails: Run = %v", failAt, err)
		}
	}
}

type failingStore struct {
	*frontier.Memory
	mu   sync.Mutex
	left int
	err  error
}

func (s *failingStore) fail() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.left--; s.left <= 0 {
		return s.err
	}
	return nil
}

func (s *failingStore) Complete(ctx context.Context, l frontier.Lease, d frontier.Done) ([]frontier.ID, error) {
	if err := s.fail(); err != nil {
		return nil, err
	}
	return s.Memory.Complete(ctx, l, d)
}
