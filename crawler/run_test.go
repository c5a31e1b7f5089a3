package crawler

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/crawlertest"
	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/fetch/disk"
	"github.com/orbweaver/orbweaver/crawler/internal/sitetest"
	"github.com/orbweaver/orbweaver/crawler/result"
	"github.com/orbweaver/orbweaver/urinorm"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// collector is a Sink that keeps what it is given.
type collector struct {
	results []*result.Result
	pages   []*result.Page
	notes   []result.Note
	fail    error
}

func (c *collector) Result(r *result.Result) error { c.results = append(c.results, r); return c.fail }
func (c *collector) Page(p *result.Page) error     { c.pages = append(c.pages, p); return c.fail }
func (c *collector) Note(n result.Note) error      { c.notes = append(c.notes, n); return c.fail }
func (c *collector) Progress(result.Progress)      {}

func (c *collector) find(url string) *result.Result {
	for _, r := range c.results {
		if r.URL == url {
			return r
		}
	}
	return nil
}

func mustParse(t testing.TB, s string) urinorm.URL {
	t.Helper()
	u, _, err := urinorm.ParseWeb(s)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func showAll() result.Show {
	return result.Show{OK: true, Broken: true, Unverified: true, Skipped: true, Warning: true, Info: true}
}

// web returns a Config that asks the network, which in tests is loopback.
func web(t testing.TB) *Config {
	t.Helper()
	client, err := fetch.NewHTTP(fetch.HTTPConfig{Timeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return &Config{Fetch: fetch.Mux{"http": client, "https": client}, Deliver: Deliver{Show: showAll()}, Politeness: Politeness{Retries: -1,
		Backoff: time.Millisecond}, Limits: Limits{Grace: 50 * time.Millisecond}}
}

// onDisk returns a Config that reads a directory, and its documents as seeds.
func onDisk(t testing.TB, dir string) (*Config, []Seed) {
	t.Helper()
	site, err := disk.OpenSite(disk.SiteConfig{Base: mustParse(t, "https://0.site.invalid/"), Dir: dir, Synthetic: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { site.Close() })
	var seeds []Seed
	err = site.Walk(nil, func(rel string, d fs.DirEntry) error {
		if _, ok := extract.Readable("", filepath.Base(rel), nil); ok {
			u, err := site.URLOf(rel)
			if err != nil {
				return err
			}
			seeds = append(seeds, Seed{URL: u, Follow: true, Crawl: true, Raw: rel})
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	cfg := web(t)
	cfg.Sites, cfg.Scope.WorkingDir = []*disk.Site{site}, dir
	return cfg, seeds
}

func seedOf(t testing.TB, url string) []Seed {
	return []Seed{{URL: mustParse(t, url), Follow: true, Crawl: true, Named: true, Raw: url}}
}

func crawl(t testing.TB, cfg *Config, seeds []Seed) (*collector, *result.Summary) {
	t.Helper()
	c := &collector{}
	sum, err := Run(context.Background(), cfg, seeds, c)
	if err != nil {
		t.Fatal(err)
	}
	return c, sum
}

// findings lists what a run reports as broken, unverified or warned of, place by place.
func findingsOf(site *sitetest.Site, base string, c *collector) []sitetest.Want {
	var wants []sitetest.Want
	for _, r := range c.results {
		for _, ref := range r.References {
			if r.Verdict == check.Broken || r.Verdict == check.Unverified {
				wants = append(wants, findingOf(site, base, r, ref, r.Code))
			}
			for _, w := range r.Warnings {
				if !w.IsInfo() {
					wants = append(wants, findingOf(site, base, r, ref, w.Code))
				}
			}
		}
	}
	return wants
}

// skippedOf lists the references that a run reports as not checked.
func skippedOf(site *sitetest.Site, base string, c *collector) []sitetest.Want {
	var skipped []sitetest.Want
	for _, r := range c.results {
		for _, ref := range r.References {
			if r.Verdict == check.Skipped {
				skipped = append(skipped, findingOf(site, base, r, ref, r.Code))
			}
		}
	}
	return skipped
}

func findingOf(site *sitetest.Site, base string, r *result.Result, ref result.Reference, code check.Code) sitetest.Want {
	page := ref.Page
	if base == "" { // a file's path: the archive spells pages as URLs
		page = (&url.URL{Path: page}).EscapedPath()
	}
	target := r.URL
	if target == "" {
		target = "(empty)" // a line of the archive has a word for each part
	}
	return site.Finding(base, page, ref.Line, ref.Column, string(code), target)
}

// Every site of ../testdata/sites gives the findings it wants, served and as a directory.
func TestSites(t *testing.T) {
	files, err := filepath.Glob("../testdata/sites/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no sites: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			site := sitetest.ParseFile(t, file)
			t.Run("served", func(t *testing.T) {
				base, log := site.Serve(t)
				c, sum := crawl(t, web(t), seedOf(t, base+"/"))
				if diff := sitetest.Diff(findingsOf(site, base, c), site.Wants()); diff != "" {
					t.Errorf("findings:\n%s", diff)
				}
				if diff := sitetest.Diff(skippedOf(site, base, c), site.Skipped()); diff != "" {
					t.Errorf("skipped:\n%s", diff)
				}
				for _, line := range log.Lines() {
					if !strings.HasSuffix(line, " 1") {
						t.Errorf("asked more than once: %s", line)
					}
				}
				check1 := sum.OK + sum.Broken + sum.Unverified + sum.Skipped
				if check1 != sum.Results || len(c.results) != sum.Results {
					t.Errorf("the sum of the verdicts is %d, of results %d, told were %d", check1, sum.Results, len(c.results))
				}
			})
			if !site.Static() {
				return
			}
			t.Run("directory", func(t *testing.T) {
				dir := site.WriteDir(t)
				cfg, seeds := onDisk(t, dir)
				c, _ := crawl(t, cfg, seeds)
				if diff := sitetest.Diff(findingsOf(site, "", c), site.DirectoryWants()); diff != "" {
					t.Errorf("findings:\n%s", diff)
				}
				if diff := sitetest.Diff(skippedOf(site, "", c), site.DirectorySkipped()); diff != "" {
					t.Errorf("skipped:\n%s", diff)
				}
			})
		})
	}
}

// The report does not hang on how many workers there are.
func TestOneWorkerAsManyWorkers(t *testing.T) {
	site := crawlertest.Generate(7, 300, 20)
	base, _ := sitetest.Serve(t, site)
	var first []*result.Result
	var firstSum result.Summary
	for _, n := range []int{1, 64, 8} {
		cfg := web(t)
		cfg.Politeness.Concurrency = n
		c, sum := crawl(t, cfg, seedOf(t, base+"/"))
		for _, r := range c.results {
			r.Elapsed = 0
		}
		sum.Elapsed, sum.Started = 0, time.Time{}
		if first == nil {
			first, firstSum = c.results, *sum
			continue
		}
		if !reflect.DeepEqual(c.results, first) {
			t.Errorf("%d workers: %d results differ from one worker's %d", n, len(c.results), len(first))
			for i := range min(len(first), len(c.results)) {
				if !reflect.DeepEqual(c.results[i], first[i]) {
					t.Fatalf("first difference:\n%+v\n%+v", c.results[i], first[i])
				}
			}
		}
		if !reflect.DeepEqual(*sum, firstSum) {
			t.Errorf("%d workers: summary\n%+v, one worker\n%+v", n, *sum, firstSum)
		}
	}
}

// What is shown changes what is told, not what is counted.
func TestShowCountsTheSame(t *testing.T) {
	base, _ := sitetest.Serve(t, crawlertest.Generate(3, 100, 10))
	var all *result.Summary
	for _, show := range []result.Show{showAll(), {Broken: true, Unverified: true, Warning: true}, {None: true}} {
		cfg := web(t)
		cfg.Deliver.Show = show
		c, sum := crawl(t, cfg, seedOf(t, base+"/"))
		sum.Elapsed, sum.Started, sum.Search = 0, time.Time{}, result.Search{} // suggestions are for what is shown
		if all == nil {
			all = sum
			continue
		}
		if !reflect.DeepEqual(sum, all) {
			t.Errorf("showing %+v:\n%+v, showing all:\n%+v", show, sum, all)
		}
		if show.None && len(c.results) > 0 {
			t.Errorf("%d results were reported, want none", len(c.results))
		}
	}
}

func linking(links ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		for _, l := range links {
			fmt.Fprintf(w, "<a href=%q>%s</a>\n", l, l)
		}
	}
}

// A run that is stopped waits no longer than Grace for what is out, leaves nothing
// behind and reports what it has.
func TestStop(t *testing.T) {
	for _, how := range []string{"drain", "cancel"} {
		t.Run(how, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				stop := make(chan struct{})
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				w := withSlowPage(links(2, "/%d"), func() {
					if how == "drain" {
						close(stop)
					} else {
						cancel()
					}
				})
				cfg := imaginary(w)
				cfg.Politeness.Concurrency, cfg.Stop, cfg.Limits.Grace = 1, stop, time.Second
				c := &collector{}
				began := time.Now()
				sum, err := Run(ctx, cfg, seedOf(t, "http://site.test/"), c)
				if err != nil {
					t.Fatal(err)
				}
				if took := time.Since(began); took > cfg.Limits.Grace {
					t.Errorf("the report came after %v", took)
				}
				if sum.Soundness.Complete() || sum.Soundness.StoppedBy != "interrupt" {
					t.Errorf("summary = %+v, want it stopped by interrupt", sum)
				}
				if r := c.find("http://site.test/slow"); r == nil || r.Code != check.CodeInterrupted || r.Verdict != check.Skipped {
					t.Errorf("/slow = %+v, want it skipped as interrupted", r)
				}
				if r := c.find("http://site.test/"); r == nil || r.Verdict != check.OK {
					t.Errorf("/ = %+v, want it ok", r)
				}
			})
		})
	}
}

// withSlowPage is a web of a start page that links to /slow and has more text. /slow
// takes a day, and calls asked when it is asked for.
func withSlowPage(more string, asked func()) *imagined {
	w := imagine(0, nil)
	w.answer = func(_, path string) (int, http.Header, string) {
		if path == "/slow" {
			w.takes = 24 * time.Hour
			asked()
		}
		return ok("<a href=/slow>x</a>" + more)
	}
	return w
}

func TestMaxTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := imaginary(withSlowPage("", func() {}))
		cfg.Limits.MaxTime, cfg.Limits.Grace = time.Minute, time.Second
		c, sum := crawl(t, cfg, seedOf(t, "http://site.test/"))
		if sum.Soundness.Complete() || sum.Soundness.StoppedBy != "max-time" {
			t.Errorf("summary = %+v, want it stopped by max-time", sum)
		}
		if want := cfg.Limits.MaxTime + cfg.Limits.Grace; sum.Elapsed != want {
			t.Errorf("it took %v, want %v", sum.Elapsed, want)
		}
		if r := c.find("http://site.test/slow"); r == nil || r.Code != check.CodeLimit {
			t.Errorf("/slow = %+v, want it skipped by the limit", r)
		}
	})
}

func TestMaxPages(t *testing.T) {
	base, _ := sitetest.Serve(t, crawlertest.Generate(1, 50, 10))
	cfg := web(t)
	cfg.Limits.MaxPages = 7
	_, sum := crawl(t, cfg, seedOf(t, base+"/"))
	if sum.Pages != 7 || sum.Soundness.StoppedBy != "max-pages" {
		t.Errorf("summary = %+v, want 7 pages and max-pages", sum)
	}
}

func TestSinkFails(t *testing.T) {
	base, _ := sitetest.Serve(t, crawlertest.Generate(1, 50, 10))
	full := errors.New("disk full")
	for _, pages := range []bool{true, false} {
		cfg := web(t)
		cfg.Deliver.Pages = pages
		_, err := Run(t.Context(), cfg, seedOf(t, base+"/"), &collector{fail: full})
		if !errors.Is(err, full) {
			t.Errorf("Run = %v, want the sink's error", err)
		}
	}
}

// Redirect hops are targets like others: each is asked once, and every reference
// gets the whole chain.
func TestRedirectsAreAskedOnce(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("/{$}", linking("/old", "/older", "/new#there", "/old#missing", "/loop", "/far0"))
	mux.Handle("/older", http.RedirectHandler("/old", http.StatusMovedPermanently))
	mux.Handle("/old", http.RedirectHandler("/new", http.StatusFound))
	mux.Handle("/loop", http.RedirectHandler("/loop2", http.StatusFound))
	mux.Handle("/loop2", http.RedirectHandler("/loop", http.StatusFound))
	for n := range 12 {
		mux.Handle(fmt.Sprintf("/far%d", n), http.RedirectHandler(fmt.Sprintf("/far%d", n+1), http.StatusFound))
	}
	mux.HandleFunc("/new", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<p id=there>")
	})
	base, log := sitetest.Serve(t, mux)
	c, _ := crawl(t, web(t), seedOf(t, base+"/"))
	for _, line := range log.Lines() {
		if !strings.HasSuffix(line, " 1") {
			t.Errorf("asked more than once: %s", line)
		}
	}
	older := c.find(base + "/older")
	if older == nil || older.Verdict != check.OK || len(older.Redirects) != 2 || older.FinalURL != base+"/new" || older.Attempts != 3 {
		t.Fatalf("/older = %+v", older)
	}
	if len(older.Warnings) == 0 || older.Warnings[0].Code != check.CodeRedirectPermanent || older.Warnings[0].Proposal != base+"/old" {
		t.Errorf("/older warns %+v, want the permanent part of the way proposed", older.Warnings)
	}
	for url, code := range map[string]check.Code{
		"/old": "ok", "/new#there": "ok", "/old#missing": check.CodeFragmentMissing,
		"/loop": check.CodeRedirectLoop, "/far0": check.CodeRedirectLimit,
	} {
		if r := c.find(base + url); r == nil || r.Code != code {
			t.Errorf("%s = %+v, want %s", url, r, code)
		}
	}
}

// A target that both needs its content and is linked plainly is asked once, by GET.
func TestOneRequestWhateverTheOrder(t *testing.T) {
	other := http.NewServeMux()
	other.HandleFunc("/page", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<p id=x>")
	})
	other.HandleFunc("/plain", linking())
	otherBase, otherLog := sitetest.Serve(t, other)
	mux := http.NewServeMux()
	mux.HandleFunc("/{$}", linking(otherBase+"/page", "/next", otherBase+"/plain"))
	mux.HandleFunc("/next", linking(otherBase+"/page#x", otherBase+"/page#y"))
	base, _ := sitetest.Serve(t, mux)
	c, _ := crawl(t, web(t), seedOf(t, base+"/"))
	if got := strings.Join(otherLog.Lines(), ", "); got != "GET /page 1, HEAD /plain 1" {
		t.Errorf("the other host was asked: %s", got)
	}
	if r := c.find(otherBase + "/page#y"); r == nil || r.Code != check.CodeFragmentMissing || r.Internal {
		t.Errorf("#y = %+v", r)
	}
}

// A page that moved leaves a script behind that carries the fragment along.
func TestFragmentOfAPageThatHandsOn(t *testing.T) {
	html := func(body string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, body)
		}
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/{$}", linking("/old#there", "/old#gone", "/plain#there"))
	mux.HandleFunc("/old", html(`<a href="/">home</a><meta http-equiv=refresh content="0;url=/new"><script>location.replace("/new" + location.hash)</script>`))
	mux.HandleFunc("/plain", html(`<meta http-equiv=refresh content="0;url=/new">`))
	mux.HandleFunc("/new", html(`<p id=there>`))
	base, _ := sitetest.Serve(t, mux)
	c, _ := crawl(t, web(t), seedOf(t, base+"/"))
	for url, code := range map[string]check.Code{"/old#there": "ok", "/old#gone": check.CodeFragmentMissing, "/plain#there": check.CodeFragmentMissing, "/new": "ok"} {
		if r := c.find(base + url); r == nil || r.Code != code {
			t.Errorf("%s = %+v, want %s", url, r, code)
		}
	}
}

func TestDepth(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("/0", linking("/1", "/2"))
	mux.HandleFunc("/1", linking("/2"))
	mux.HandleFunc("/2", linking("/3"))
	mux.HandleFunc("/3", linking("/4"))
	mux.HandleFunc("/4", linking())
	base, log := sitetest.Serve(t, mux)
	for depth, want := range map[int]int{-1: 1, 1: 3, 2: 4, 0: 5} {
		cfg := web(t)
		cfg.Scope.Depth = depth
		_, sum := crawl(t, cfg, seedOf(t, base+"/0"))
		if sum.Pages != want {
			t.Errorf("depth %d: %d pages were read, want %d (%v)", depth, sum.Pages, want, log.Lines())
		}
	}
}

// Retries count as attempts, and what a retry cannot mend is not repeated.
func TestRetries(t *testing.T) {
	tries := 0
	mux := http.NewServeMux()
	mux.HandleFunc("/{$}", linking("/gone", "/flaky"))
	mux.HandleFunc("/gone", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(404) })
	mux.HandleFunc("/flaky", func(w http.ResponseWriter, r *http.Request) {
		if tries++; tries < 3 {
			w.WriteHeader(500)
		}
	})
	base, log := sitetest.Serve(t, mux)
	cfg := web(t)
	cfg.Politeness.Retries = 2
	cfg.Politeness.Concurrency = 1
	c, _ := crawl(t, cfg, seedOf(t, base+"/"))
	if r := c.find(base + "/flaky"); r == nil || r.Verdict != check.OK || r.Attempts != 3 {
		t.Errorf("/flaky = %+v, want it ok at the third attempt", r)
	}
	if n := log.Count("", "/gone"); n != 1 {
		t.Errorf("/gone was asked %d times", n)
	}
}

// Results that are streamed are those of a report at the end, and leaves are told
// while others are still out.
func TestStream(t *testing.T) {
	release := make(chan struct{})
	told := make(chan string, 100)
	slow := http.NewServeMux()
	slow.HandleFunc("/slow", func(w http.ResponseWriter, r *http.Request) { <-release; w.WriteHeader(404) })
	slow.HandleFunc("/moved", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/slow", http.StatusFound) })
	slow.HandleFunc("/gone", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(410) })
	other, _ := sitetest.Serve(t, slow)
	mux := http.NewServeMux()
	mux.HandleFunc("/{$}", linking("/next", "/none", other+"/slow", other+"/gone", other+"/moved"))
	mux.HandleFunc("/next", linking("/none", other+"/slow", other+"/gone"))
	base, _ := sitetest.Serve(t, mux)

	cfg := web(t)
	cfg.Deliver.Stream = true
	streamed := &tellingSink{told: told}
	done := make(chan error)
	go func() {
		_, err := Run(t.Context(), cfg, seedOf(t, base+"/"), streamed)
		done <- err
	}()
	early := map[string]bool{}
	for !early[other+"/gone"] || !early[base+"/none"] {
		early[<-told] = true
	}
	close(release)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	c, _ := crawl(t, web(t), seedOf(t, base+"/"))
	if len(streamed.results) != len(c.results) {
		t.Errorf("%d results were streamed, %d come at the end", len(streamed.results), len(c.results))
	}
	for _, want := range c.results {
		got := streamed.find(want.URL)
		if got == nil {
			t.Errorf("%s was not streamed", want.URL)
			continue
		}
		got.Elapsed, want.Elapsed = 0, 0
		if !reflect.DeepEqual(got, want) {
			t.Errorf("streamed:\n%+v, at the end:\n%+v", got, want)
		}
	}
}

type tellingSink struct {
	collector
	told chan<- string
}

func (s *tellingSink) Result(r *result.Result) error {
	s.told <- r.URL
	return s.collector.Result(r)
}

// A file that answers under several names is read once, and its findings are told once.
func TestOneFileOfManyNames(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{
		"index.html":       `<a href="/">home</a> <a href="guide/">g</a> <a href="guide">g</a> <a href="index.html#no">i</a>`,
		"guide/index.html": `<a href="gone.html">gone</a> <a href="../page">page</a> <a href="../page.html">page</a> <a href="#no">here</a>`,
		"page.html":        `<a href="gone-too.html">gone</a>`,
	} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cfg, seeds := onDisk(t, dir)
	c, sum := crawl(t, cfg, seeds)
	if sum.Pages != 3 || sum.Links != 9 {
		t.Errorf("%d pages with %d links were read, want 3 with 9", sum.Pages, sum.Links)
	}
	for _, url := range []string{"guide/gone.html", "gone-too.html", "guide/index.html#no", "index.html#no"} {
		if r := c.find(url); r == nil || r.Verdict != check.Broken || len(r.References) != 1 {
			t.Errorf("%s = %+v, want it broken at one place", url, r)
		}
	}
}

// TestStartThatFails: a start that cannot be read is told once, also where it is
// redirected or has a fragment, so that whoever counts knows that there was nothing else.
func TestStartThatFails(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("/busy", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusTooManyRequests) })
	mux.Handle("/moved", http.RedirectHandler("/busy", http.StatusFound))
	server := httptest.NewServer(mux)
	defer server.Close()
	for _, path := range []string{"/busy", "/busy#there", "/moved", "/moved#there", "/gone", "/gone#there"} {
		c, sum := crawl(t, web(t), seedOf(t, server.URL+path))
		if len(c.results) != 1 || len(sum.StartFailed) != 1 || sum.OK+sum.Broken+sum.Unverified != 1 {
			t.Errorf("%s: %d results, failed starts %q, %+v", path, len(c.results), sum.StartFailed, sum)
		}
	}
}

// TestInternalWhoeverIsFirst: a target of the site is internal also where a link that is
// left out, or that only names its host, was met first.
func TestInternalWhoeverIsFirst(t *testing.T) {
	for aside, references := range map[string]int{`<a data-orbweaver-ignore href=gone.html>`: 1, `<link rel=preconnect href=gone.html>`: 2} {
		cfg, seeds := onDisk(t, writeFiles(t, map[string]string{"a.html": aside, "b.html": "<a href=gone.html>"}))
		cfg.Politeness.Concurrency = 1
		c, _ := crawl(t, cfg, seeds)
		if r := c.find("gone.html"); r == nil || !r.Internal || r.Verdict != check.Broken || len(r.References) != references {
			t.Errorf("%s: %+v", aside, r)
		}
	}
}

// A page with a long URL is read like others. One with a longer URL than servers must support
// is left out, with a note; that is not a reason to call the run incomplete.
func TestLongURLs(t *testing.T) {
	mux := http.NewServeMux()
	base, _ := sitetest.Serve(t, mux)
	long := func(length int) string { return "/?q=" + strings.Repeat("x", length-len(base+"/?q=")) }
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.RawQuery == "":
			linking(long(4000), long(8000), long(8001))(w, r)
		case len(r.URL.RawQuery) > 5000:
			linking("/gone")(w, r)
		default:
			linking()(w, r)
		}
	})
	mux.HandleFunc("/gone", http.NotFound)
	c, sum := crawl(t, web(t), seedOf(t, base+"/"))
	for url, want := range map[string]check.Code{base + long(4000): "ok", base + long(8000): "ok", base + long(8001): "limit", base + "/gone": "http-404"} {
		if r := c.find(url); r == nil || r.Code != want {
			t.Errorf("%.60s (%d bytes): %+v, want %s", url, len(url), r, want)
		}
	}
	if sum.Soundness.Complete() || sum.Soundness.StoppedBy != "url-length" || !noted(c, "1 page not read, because the URL is longer than 8000 bytes") {
		t.Errorf("complete %v, stopped by %q, notes %v", sum.Soundness.Complete(), sum.Soundness.StoppedBy, c.notes)
	}
}
