package crawler

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/crawlertest"
	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
	"github.com/orbweaver/orbweaver/crawler/internal/sitetest"
	"github.com/orbweaver/orbweaver/crawler/result"
	"github.com/orbweaver/orbweaver/crawler/store"
)

// shifting is a server whose answers change between runs. A page is asked about by
// its entity tag.
type shifting struct {
	*sitetest.RequestLog
	url string

	mu      sync.Mutex
	answers map[string]http.HandlerFunc
	before  int

	unchanged atomic.Int64 // answers of status 304
}

func newShifting(t testing.TB) *shifting {
	s := &shifting{answers: map[string]http.HandlerFunc{}}
	s.url, s.RequestLog = sitetest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		answer := s.answers[r.URL.Path]
		s.mu.Unlock()
		if answer == nil {
			http.NotFound(w, r)
			return
		}
		answer(w, r)
	}))
	return s
}

func (s *shifting) set(path string, answer http.HandlerFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answers[path] = answer
}

// page serves HTML with an entity tag.
func (s *shifting) page(path, html string, header ...string) {
	tag := fmt.Sprintf(`"%x"`, sha256.Sum256([]byte(html)))
	s.set(path, func(w http.ResponseWriter, r *http.Request) {
		for i := 0; i+1 < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.Header().Set("ETag", tag)
		if r.Header.Get("If-None-Match") == tag {
			s.unchanged.Add(1)
			w.WriteHeader(http.StatusNotModified)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, html)
	})
}

func (s *shifting) status(path string, status int, header ...string) {
	s.set(path, func(w http.ResponseWriter, r *http.Request) {
		for i := 0; i+1 < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(status)
	})
}

// asked is how many requests came since the last call.
func (s *shifting) asked() int {
	n := s.Total()
	n, s.before = n-s.before, n
	return n
}

// remembering runs with a cache file, as one process after another would.
type remembering struct {
	testing.TB
	file   string
	site   *shifting // crawled
	other  *shifting // linked to
	change func(*Config)
	http   fetch.HTTPConfig
}

func newRemembering(t testing.TB) *remembering {
	return &remembering{TB: t, file: filepath.Join(t.TempDir(), "cache.db"), site: newShifting(t), other: newShifting(t)}
}

func (m *remembering) run() (*collector, *result.Summary) {
	m.Helper()
	m.http.Timeout, m.http.Origins = 5*time.Second, fetch.NewOrigins(mustParse(m, m.site.url+"/"))
	client, err := fetch.NewHTTP(m.http)
	if err != nil {
		m.Fatal(err)
	}
	defer client.Close()
	memory, err := store.OpenCache(m.file, store.CacheOptions{})
	if err != nil {
		m.Fatal(err)
	}
	cfg := &Config{Fetch: fetch.Mux{"http": client, "https": client}, Deliver: Deliver{Show: showAll()}, Politeness: Politeness{Retries: -1},
		Keep: Keep{Cache: memory, MaxAge: time.Hour, Edition: "test"}}
	if m.change != nil {
		m.change(cfg)
	}
	c, sum := crawl(m, cfg, seedOf(m, m.site.url+"/"))
	if err := memory.Close(); err != nil || len(memory.Notes()) > 0 {
		m.Errorf("close the cache: %v %q", err, memory.Notes())
	}
	return c, sum
}

// expect runs once and compares the requests that the two servers got.
func (m *remembering) expect(what string, site, other int) (*collector, *result.Summary) {
	m.Helper()
	m.site.asked()
	m.other.asked()
	c, sum := m.run()
	if s, o := m.site.asked(), m.other.asked(); s != site || o != other {
		m.Errorf("%s: %d requests to the site and %d to the other, want %d and %d", what, s, o, site, other)
	}
	return c, sum
}

func (m *remembering) verdict(c *collector, url string, want check.Code) *result.Result {
	m.Helper()
	r := c.find(url)
	if r == nil {
		m.Fatalf("no result for %s", url)
	}
	if r.Code != want {
		m.Errorf("%s: %s %s, want %s", url, r.Code, r.Message, want)
	}
	return r
}

// sameFindings compares two runs but for what tells how they came about.
func sameFindings(t testing.TB, a, b *collector) {
	t.Helper()
	plain := func(c *collector) []result.Result {
		var all []result.Result
		for _, r := range c.results {
			r := *r
			r.Attempts, r.Elapsed, r.Cached = 0, 0, false
			all = append(all, r)
		}
		return all
	}
	if x, y := plain(a), plain(b); !reflect.DeepEqual(x, y) {
		for i := range min(len(x), len(y)) {
			if !reflect.DeepEqual(x[i], y[i]) {
				t.Errorf("%+v\nis not\n%+v", x[i], y[i])
			}
		}
		t.Errorf("%d and %d results", len(x), len(y))
	}
}

// A second run asks pages whether they have changed, and others not at all; what
// it finds is the same.
func TestSecondRun(t *testing.T) {
	m := newRemembering(t)
	m.site.page("/", `<!doctype html><title>Home</title><base href="/docs/"><a href="two.html#here">two</a>
		<a href="`+m.other.url+`/there">there</a> <a href="`+m.other.url+`/there#id">id</a> <a href="`+m.other.url+`/moved">moved</a>
		<a href="/docs/file.zip">file</a> <a href="`+m.other.url+`/gone">gone</a>`, "Link", "</feed>; rel=alternate")
	m.site.page("/docs/two.html", `<p id=here><a href="../">up</a> <a href="gone.html">gone</a><p id=here>`)
	m.site.page("/feed", `<p>no feed`)
	m.site.status("/docs/file.zip", 200)
	m.other.page("/there", `<p id=id>`)
	m.other.status("/moved", 301, "Location", "/there")
	var titles []string
	m.change = func(cfg *Config) { cfg.Deliver.Pages = true }
	pages := func(c *collector) (all []string) {
		for _, p := range c.pages {
			all = append(all, fmt.Sprintf("%s %q %d %v", p.URL, p.Title, p.Depth, p.Links))
		}
		slices.Sort(all)
		return all
	}

	first, sum := m.expect("first run", 5, 1+2+3) // a redirect is asked by HEAD and GET, a failure in three ways
	titles = pages(first)
	if sum.Cached != 0 || sum.Pages != 3 {
		t.Errorf("first run: %+v", sum)
	}
	m.verdict(first, m.other.url+"/gone", "http-404")
	m.verdict(first, m.site.url+"/docs/gone.html", "http-404")

	second, sum2 := m.expect("second run", 5, 3)
	sameFindings(t, second, first)
	if got := pages(second); !slices.Equal(got, titles) {
		t.Errorf("pages\n%q, before\n%q", got, titles)
	}
	if sum2.Cached != 2 || sum2.Requests != 8 || sum2.References != sum.References || sum2.Warnings != sum.Warnings || sum2.Pages != 3 {
		t.Errorf("second run: %+v\nafter %+v", sum2, sum)
	}
	for url, want := range map[string]bool{"/there": true, "/there#id": true, "/moved": true, "/gone": false} {
		if r := second.find(m.other.url + url); r.Cached != want || want && r.Attempts != 0 {
			t.Errorf("%s: cached %t after %d requests", url, r.Cached, r.Attempts)
		}
	}
	if r := second.find(m.site.url + "/docs/two.html#here"); r.Cached || r.Status != 200 || r.Attempts != 1 {
		t.Errorf("a page that has not changed: %+v", r)
	}
}

func TestChangedPageIsReadAgain(t *testing.T) {
	m := newRemembering(t)
	m.site.page("/", `<a href="a">a</a>`)
	m.site.page("/a", `<p id=one>`)
	m.expect("first run", 2, 0)
	m.site.page("/", `<a href="a#one">a</a> <a href="a#two">a</a>`)
	m.expect("a new link", 2, 0)
	m.site.page("/a", `<p id=two>`)
	c, _ := m.expect("another anchor", 2, 0)
	m.verdict(c, m.site.url+"/a#one", "fragment-missing")
	m.verdict(c, m.site.url+"/a#two", "ok")
	m.site.status("/a", 410)
	c, _ = m.expect("the page is gone", 2, 0)
	m.verdict(c, m.site.url+"/a#two", "http-410")
}

// A server that says 304 without being asked is broken, with a cache or without.
func TestUnaskedNotModified(t *testing.T) {
	m := newRemembering(t)
	m.site.page("/", `<a href="a">a</a>`)
	m.site.status("/a", 304)
	for range 2 {
		c, _ := m.run()
		m.verdict(c, m.site.url+"/a", "http-304")
	}
}

// What was kept is an observation: today's rules judge it.
func TestRulesOfToday(t *testing.T) {
	m := newRemembering(t)
	m.site.page("/", `<a href="`+m.other.url+`/there">a</a> <a href="`+m.other.url+`/wall">b</a> <img src="`+m.other.url+`/there"> <a href="sub/x">x</a>`)
	m.site.page("/sub/x", `<p>`)
	m.other.page("/there", `<p>`)
	m.other.status("/wall", 403)
	m.change = func(cfg *Config) {
		cfg.Judging.Accept = &check.Statuses{}
		cfg.Judging.Accept.Add(403, 403)
	}
	c, _ := m.expect("403 is accepted", 2, 1+3)
	m.verdict(c, m.other.url+"/wall", "ok")
	m.change = nil
	c, _ = m.expect("403 is not accepted any more", 2, 3)
	m.verdict(c, m.other.url+"/wall", "http-403")
	if r := m.verdict(c, m.other.url+"/there", "ok"); !r.Cached || len(r.Warnings) != 1 || r.Warnings[0].Code != judging.CodeContentTypeMismatch {
		t.Errorf("%+v", r)
	}
	m.change = func(cfg *Config) { cfg.Scope.External = SkipExternal }
	c, _ = m.expect("external links are skipped", 2, 0)
	m.verdict(c, m.other.url+"/there", "external")
	m.change = func(cfg *Config) {
		cfg.Judging.Rules = []Rule{{Name: "rule", Match: func(url string) bool { return strings.HasSuffix(url, "/there") }, Verdict: "ignore"}}
	}
	c, _ = m.expect("a rule ignores it", 2, 3)
	m.verdict(c, m.other.url+"/there", "excluded")
	m.change = func(cfg *Config) { cfg.Scope.Depth = -1 }
	c, _ = m.expect("a page is only checked", 2, 3)
	m.verdict(c, m.site.url+"/sub/x", "ok")
}

// A page that was read in another way, or by another edition, is read again.
func TestReaders(t *testing.T) {
	m := newRemembering(t)
	m.site.page("/", `<nav><a href="gone">a</a></nav><main><a href="a">a</a></main>`)
	m.site.page("/a", `<p>`)
	m.expect("first run", 3, 0)
	selector, err := extract.CompileSelector("main")
	if err != nil {
		t.Fatal(err)
	}
	m.change = func(cfg *Config) { cfg.Reading.Select = selector }
	c, _ := m.expect("with a selector", 2, 0)
	if c.find(m.site.url+"/gone") != nil {
		t.Error("a link was kept that the selector leaves out")
	}
	m.change = func(cfg *Config) { cfg.Keep.Edition = "other" }
	c, _ = m.expect("with another edition", 3, 0)
	m.verdict(c, m.site.url+"/gone", "http-404")
	m.change = func(cfg *Config) { cfg.Keep.Edition, cfg.Limits.MaxBody = "other", 20 }
	c, _ = m.expect("with less of the body", 2, 0)
	if r := c.find(m.site.url + "/"); len(r.Warnings) != 1 || r.Warnings[0].Code != check.CodeBodyTruncated {
		t.Errorf("%+v", r)
	}
}

// Redirects taken from memory are asked when what they lead to has changed.
func TestStaleRedirects(t *testing.T) {
	m := newRemembering(t)
	third := newShifting(t)
	m.site.page("/", `<a href="`+m.other.url+`/old">x</a>`)
	m.other.status("/old", 301, "Location", "/older")
	m.other.status("/older", 308, "Location", third.url+"/there")
	third.page("/there", `<p id=id>`)
	first, _ := m.expect("first run", 1, 4)
	if r := m.verdict(first, m.other.url+"/old", "ok"); len(r.Redirects) != 2 {
		t.Errorf("%+v", r)
	}
	second, _ := m.expect("second run", 1, 0)
	sameFindings(t, second, first)
	if third.Total() != 1 {
		t.Errorf("the end was asked %d times", third.Total())
	}

	// The end is gone, and the redirects lead elsewhere: nothing is broken. That the
	// end is gone comes out because another link asks for a fragment of it.
	m.site.page("/", `<a href="`+m.other.url+`/old">x</a> <a href="`+third.url+`/there#new">y</a>`)
	third.status("/there", 404)
	third.page("/new", `<p>`)
	m.other.status("/old", 301, "Location", third.url+"/new")
	c, _ := m.run()
	if r := m.verdict(c, m.other.url+"/old", "ok"); r.Cached || r.FinalURL != third.url+"/new" || len(r.Redirects) != 1 {
		t.Errorf("%+v", r)
	}
	m.verdict(c, third.url+"/there#new", "http-404")
}

// A redirect that has turned round is no loop.
func TestTurnedRedirect(t *testing.T) {
	m := newRemembering(t)
	m.site.page("/", `<a href="`+m.other.url+`/a">x</a>`)
	m.other.status("/a", 301, "Location", "/b")
	m.other.page("/b", `<p id=id>`)
	m.expect("first run", 1, 3)
	m.other.page("/a", `<p id=id>`)
	m.other.status("/b", 301, "Location", "/a")
	m.site.page("/", `<a href="`+m.other.url+`/a">x</a> <a href="`+m.other.url+`/b#new">y</a>`)
	for _, workers := range []int{1, 8} {
		m.change = func(cfg *Config) { cfg.Politeness.Concurrency = workers }
		c, _ := m.run()
		m.verdict(c, m.other.url+"/a", "ok")
		m.verdict(c, m.other.url+"/b#new", "fragment-missing")
	}
}

// With a stream what rests on memory is told at the end, as it cannot be taken back.
func TestStreamsRemember(t *testing.T) {
	m := newRemembering(t)
	third := newShifting(t)
	m.site.page("/", `<a href="`+m.other.url+`/old">x</a> <a href="`+m.other.url+`/there">x</a>`)
	m.other.status("/old", 301, "Location", third.url+"/there")
	m.other.page("/there", `<p>`)
	third.page("/there", `<p id=id>`)
	m.change = func(cfg *Config) { cfg.Deliver.Stream = true }
	sorted := func(c *collector) *collector {
		slices.SortFunc(c.results, func(a, b *result.Result) int { return strings.Compare(a.URL, b.URL) })
		return c
	}
	first, _ := m.expect("first run", 1, 3)
	second, _ := m.expect("second run", 1, 0)
	sameFindings(t, sorted(second), sorted(first))
	if third.Total() != 1 {
		t.Errorf("the end was asked %d times", third.Total())
	}

	m.site.page("/", `<a href="`+m.other.url+`/old">x</a> <a href="`+third.url+`/there#new">y</a>`)
	third.status("/there", 404)
	third.page("/new", `<p>`)
	m.other.status("/old", 301, "Location", third.url+"/new")
	c, _ := m.run()
	if r := m.verdict(c, m.other.url+"/old", "ok"); r.Cached || r.FinalURL != third.url+"/new" || len(r.Redirects) != 1 {
		t.Errorf("%+v", r)
	}
	m.verdict(c, third.url+"/there#new", "http-404")
}

// With --robots strict a robots.txt has its say before what was observed.
func TestStrictRobots(t *testing.T) {
	m := newRemembering(t)
	m.site.page("/", `<a href="`+m.other.url+`/there">x</a>`)
	m.other.page("/there", `<p>`)
	m.change = func(cfg *Config) { cfg.Scope.Robots, cfg.Scope.RobotsGiven = RobotsStrict, true }
	m.expect("first run", 2, 3) // no robots.txt, by either set of headers
	c, _ := m.expect("second run", 2, 2)
	m.verdict(c, m.other.url+"/there", "ok")
	m.other.set("/robots.txt", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "User-agent: *\nDisallow: /\n") })
	c, _ = m.expect("forbidden meanwhile", 2, 1)
	m.verdict(c, m.other.url+"/there", "robots-disallowed")
}

// A page with a password is not kept with its links, nor a redirect that has one.
func TestPasswordsAreNotKept(t *testing.T) {
	m := newRemembering(t)
	m.site.page("/", `<a href="http://me:s3cret@`+strings.TrimPrefix(m.other.url, "http://")+`/there">x</a><a href="`+m.other.url+`/hop">x</a>`)
	m.other.page("/there", `<p>`)
	m.other.status("/hop", 301, "Location", "http://me:s3cret@"+strings.TrimPrefix(m.other.url, "http://")+"/there")
	m.expect("first run", 1, 3)
	first, _ := m.expect("second run", 1, 2)
	m.verdict(first, m.other.url+"/hop", "ok")
	text, err := os.ReadFile(m.file)
	if err != nil || bytes.Contains(text, []byte("s3cret")) {
		t.Errorf("the file holds a password, or cannot be read: %v", err)
	}
}

// Two runs at once share a file.
func TestRunsAtOnce(t *testing.T) {
	m := newRemembering(t)
	m.site.page("/", `<a href="a">a</a> <a href="b">a</a> <a href="`+m.other.url+`/there">x</a>`)
	m.site.page("/a", `<p>`)
	m.site.page("/b", `<p>`)
	m.other.page("/there", `<p>`)
	fresh, _ := m.run()
	var running sync.WaitGroup
	for range 4 {
		running.Go(func() {
			own := *m
			c, _ := own.run()
			sameFindings(t, c, fresh)
		})
	}
	running.Wait()
}

// A page that has not changed says as well what signs out: where redirects lead there once a cookie is
// set, it is not requested.
func TestSignOutsOfUnchangedPages(t *testing.T) {
	m := newRemembering(t)
	m.change = func(cfg *Config) { cfg.Scope.Credentials = true }
	m.site.page("/", `<a href=/x>Log out</a> <a href=/a>a</a>`)
	m.site.page("/in", `in`)
	m.site.page("/x", `bye`)
	m.site.status("/b", http.StatusFound, "Location", "/a", "Set-Cookie", "seen=1; Path=/")
	for _, row := range []struct{ on, verdict string }{{"/in", "ok"}, {"/%78", "skipped"}} {
		m.site.set("/a", func(w http.ResponseWriter, r *http.Request) {
			to := "/b"
			if r.Header.Get("Cookie") != "" {
				to = row.on
			}
			http.Redirect(w, r, to, http.StatusFound)
		})
		c, _ := m.run()
		if r := c.find(m.site.url + "/a"); r == nil || r.Verdict.String() != row.verdict {
			t.Errorf("to %s: the result is %+v, want %s", row.on, r, row.verdict)
		}
		for _, path := range []string{"/x", "/%78"} {
			if n := m.site.Count("GET", path) + m.site.Count("HEAD", path); n != 0 {
				t.Errorf("to %s: what signs out was requested %d times, want 0: %q", row.on, n, m.site.Lines())
			}
		}
		if unchanged := m.site.unchanged.Swap(0) > 0; unchanged != (row.verdict == "skipped") {
			t.Errorf("to %s: whether the start page was unchanged: %t", row.on, unchanged)
		}
	}
}

// Local files are never kept.
func TestLocalFilesAreNotKept(t *testing.T) {
	dir, file := t.TempDir(), filepath.Join(t.TempDir(), "cache.db")
	linked := filepath.Join(dir, "a.html")
	for name, text := range map[string]string{filepath.Join(dir, "index.html"): `<a href="a.html">a</a>`, linked: `<p>`} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []check.Code{check.CodeOK, check.CodeFileMissing} {
		cfg, seeds := onDisk(t, dir)
		memory, err := store.OpenCache(file, store.CacheOptions{})
		if err != nil {
			t.Fatal(err)
		}
		cfg.Keep.Cache, cfg.Keep.MaxAge = memory, time.Hour
		c, _ := crawl(t, cfg, seeds[len(seeds)-1:])
		if r := c.find("a.html"); r == nil || r.Code != want {
			t.Errorf("%+v, want %s", r, want)
		}
		memory.Close()
		os.Remove(linked)
	}
}

// tagged gives what a handler serves an entity tag, and answers 304 where it may.
func tagged(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		rec := httptest.NewRecorder()
		h.ServeHTTP(rec, r)
		maps.Copy(w.Header(), rec.Header())
		if rec.Code == 200 && r.Method == http.MethodGet {
			tag := fmt.Sprintf(`W/"%x"`, sha256.Sum256(rec.Body.Bytes()))
			w.Header().Set("ETag", tag)
			if r.Header.Get("If-None-Match") == tag {
				w.Header().Del("Content-Length")
				w.WriteHeader(http.StatusNotModified)
				return
			}
		}
		w.WriteHeader(rec.Code)
		w.Write(rec.Body.Bytes())
	})
}

// allSites returns the sites of ../testdata/sites and a generated one, by name.
func allSites(t *testing.T) map[string]http.Handler {
	t.Helper()
	files, err := filepath.Glob("../testdata/sites/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no sites: %v", err)
	}
	handlers := map[string]http.Handler{"generated": crawlertest.Generate(11, 200, 20)}
	for _, file := range files {
		handlers[filepath.Base(file)] = sitetest.ParseFile(t, file).Handler()
	}
	return handlers
}

// What is not asked keeps nobody waiting.
func TestCachedTargetsHaveNoPace(t *testing.T) {
	m := newRemembering(t)
	links := ""
	for i := range 20 {
		path := fmt.Sprintf("/%d", i)
		links += fmt.Sprintf(`<a href="%s%s">x</a> `, m.other.url, path)
		m.other.page(path, `<p>`)
	}
	m.site.page("/", links)
	m.expect("first run", 1, 20)
	m.change = func(cfg *Config) { cfg.Politeness.Delay = time.Hour }
	m.expect("second run", 1, 0)
}
