package crawler_test

import (
	"compress/gzip"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/orbweaver/orbweaver/crawler"
	"github.com/orbweaver/orbweaver/crawler/crawlertest"
	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/fetch/disk"
	"github.com/orbweaver/orbweaver/crawler/inspect"
	"github.com/orbweaver/orbweaver/crawler/internal/sitetest"
	"github.com/orbweaver/orbweaver/crawler/result"
	"github.com/orbweaver/orbweaver/crawler/session"
	"github.com/orbweaver/orbweaver/urinorm"
)

// equalSite is a site that is crawled in several ways. All crawls use the same address, so
// that their reports can be equal.
type equalSite struct {
	name    string
	handler func(base string) http.Handler // makes the site, as it is before the first request
	dir     string                         // the files of the site, if it has nothing else
	login   string                         // the path of the form, "" for none
	checks  string                         // groups of content checks
	varying varying                        // which crawls may repeat requests
	change  func(*crawler.Config)          // may be nil

	base string

	mu      sync.Mutex
	current http.Handler
	counts  map[string]int
}

// varying tells for which crawls only the kinds of requests are equal, and not their numbers.
type varying int

const (
	never varying = iota
	// perProcess: each process requests made-up pages and gets cookies for itself.
	perProcess
	// always: a session is proved from time to time, by a request for the start page.
	always
)

// serve serves the site until the test ends.
func (s *equalSite) serve(t *testing.T) {
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	s.base = server.URL
	s.renew()
}

// renew makes the site forget all requests.
func (s *equalSite) renew() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.current, s.counts = s.handler(s.base), map[string]int{}
}

// madeUp matches the name of a page that a crawl makes up to find soft 404 pages. It is random,
// with the extension of the page of the directory that is requested first.
var madeUp = regexp.MustCompile(`/[a-z2-7]{26}(\.[a-z]+)?$`)

// ServeHTTP counts the request and passes it on.
func (s *equalSite) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	kind := r.Method + " " + r.Host + madeUp.ReplaceAllString(r.RequestURI, "/MADE-UP")
	for _, name := range []string{"Range", "If-None-Match", "If-Modified-Since"} {
		if r.Header.Get(name) != "" {
			kind += " " + name
		}
	}
	s.mu.Lock()
	s.counts[kind]++
	current := s.current
	s.mu.Unlock()
	current.ServeHTTP(w, r)
}

// requests lists the requests since renew, by kind alone or with the number of each kind, and
// returns the number of all.
func (s *equalSite) requests(numbers bool) (list string, n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var lines []string
	for kind, count := range s.counts {
		n += count
		if numbers {
			kind = fmt.Sprintf("%s %d", kind, count)
		}
		lines = append(lines, kind+"\n")
	}
	slices.Sort(lines)
	return strings.Join(lines, ""), n
}

// config returns the settings for a process that crawls the site.
func (s *equalSite) config(t *testing.T) *crawler.Config {
	t.Helper()
	start := parseURL(t, s.base+"/")
	web := fetch.HTTPConfig{Timeout: 30 * time.Second, Secrets: fetch.Secrets{Origins: fetch.NewOrigins(start)}}
	var plan *session.Plan
	if s.login != "" {
		var err error
		plan, err = session.NewPlan([]session.Config{{Name: "--login", URL: s.base + s.login, User: "me", Password: session.NewSecret("secret")}},
			[]urinorm.URL{start}, func(urinorm.URL) bool { return true })
		if err != nil {
			t.Fatal(err)
		}
		web.CookieGroups = plan.CookieGroups()
	}
	client, err := fetch.NewHTTP(web)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	cfg := &crawler.Config{Fetch: fetch.Mux{"http": client, "https": client}, Deliver: crawler.Deliver{Show: showAll, Pages: true}, Judging: crawler.Judging{SkipMail: true},
		Politeness: crawler.Politeness{Backoff: time.Millisecond, SecondPassAfter: time.Millisecond, Concurrency: 8}, Limits: crawler.Limits{Grace: time.Millisecond}}
	if plan != nil {
		cfg.Login = crawler.Login{Fetch: client, Logins: plan.Logins}
		cfg.Scope.Credentials = true
	} else {
		cfg.Keep.Cookies = client
	}
	if s.checks != "" {
		groups, err := inspect.ParseGroups(s.checks)
		if err != nil {
			t.Fatal(err)
		}
		if cfg.Judging.Inspector, err = inspect.Open(t.Context(), inspect.Config{Groups: groups}); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(cfg.Judging.Inspector.Close)
	}
	if s.change != nil {
		s.change(cfg)
	}
	return cfg
}

var showAll = result.Show{OK: true, Broken: true, Unverified: true, Skipped: true, Warning: true, Info: true}

// seeds returns the start page.
func (s *equalSite) seeds(t *testing.T) []crawler.Seed {
	return []crawler.Seed{{URL: parseURL(t, s.base+"/"), Follow: true, Crawl: true, Named: true, Raw: s.base + "/"}}
}

// openDir returns the directory of the site, published at the address of the site, and its
// documents.
func (s *equalSite) openDir(t *testing.T) (*disk.Site, []crawler.Seed) {
	t.Helper()
	site, err := disk.OpenSite(disk.SiteConfig{Base: parseURL(t, s.base+"/"), Dir: s.dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { site.Close() })
	var seeds []crawler.Seed
	err = site.Walk(nil, func(rel string, _ fs.DirEntry) error {
		u, err := site.URLOf(rel)
		if _, ok := extract.Readable("", filepath.Base(rel), nil); ok && err == nil {
			seeds = append(seeds, crawler.Seed{URL: u, Follow: true, Crawl: true, Raw: rel})
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return site, seeds
}

func parseURL(t *testing.T, text string) urinorm.URL {
	t.Helper()
	u, _, err := urinorm.ParseWeb(text)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// equalSites returns all sites: those of ../testdata/sites on a simple server, a tree of
// directories on the file server of package net/http, a generated site, and two programs.
func equalSites(t *testing.T) []*equalSite {
	files, err := filepath.Glob("../testdata/sites/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no sites: %v", err)
	}
	sites := largerSites(t)
	for _, file := range files {
		archive := sitetest.ParseFile(t, file)
		s := &equalSite{name: strings.TrimSuffix(filepath.Base(file), ".txtar"), handler: func(string) http.Handler { return archive.Handler() }}
		if archive.Static() {
			s.dir = archive.WriteDir(t)
		}
		sites = append(sites, s)
	}
	return sites
}

// largerSites returns the sites that take some hundred requests.
func largerSites(t *testing.T) []*equalSite {
	town := writeTown(t)
	generated, written := crawlertest.Generate(5, 120, 10), t.TempDir()
	if err := generated.WriteDir(written); err != nil {
		t.Fatal(err)
	}
	return []*equalSite{
		{name: "town", dir: town, checks: "html,css,seo,images,i18n,duplicates", handler: func(string) http.Handler { return http.FileServer(http.Dir(town)) },
			change: func(cfg *crawler.Config) {
				cfg.Scope.External, cfg.Scope.Sitemaps, cfg.Scope.RobotsGiven = crawler.SkipExternal, true, true
			}},
		{name: "generated", dir: written, handler: func(string) http.Handler { return generated }},
		{name: "moody", handler: newMoody, checks: "seo,security", varying: perProcess, change: func(cfg *crawler.Config) {
			cfg.Scope.Sitemaps, cfg.Scope.RobotsGiven, cfg.Judging.SoftNotFound = true, true, true
		}},
		newPortal(t),
		{name: "members", handler: newMembers, login: "/login", varying: always},
	}
}

// writeTown writes a tree with the pages of all sites of ../testdata/sites that are made of
// files alone, and with a document of each format. Absolute links of the sites miss.
func writeTown(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	index := "<!doctype html><html lang=en><title>Town</title><h1>Town</h1>"
	files, err := filepath.Glob("../testdata/sites/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		archive := sitetest.ParseFile(t, file)
		if name := strings.TrimSuffix(filepath.Base(file), ".txtar"); archive.Static() {
			copyTree(t, filepath.Join(dir, name), archive.WriteDir(t))
			index += fmt.Sprintf("<p><a href=%s/>%s</a> <a href=%s>no slash</a> <a href=%s/index.html#top>its file</a>\n", name, name, name, name)
		}
	}
	copyTree(t, filepath.Join(dir, "site"), "../testdata/site")
	copyTree(t, filepath.Join(dir, "documents"), "../testdata/documents")
	documents, err := os.ReadDir("../testdata/documents")
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range documents {
		if strings.HasSuffix(d.Name(), ".golden") { // a list for another test
			if err := os.Remove(filepath.Join(dir, "documents", d.Name())); err != nil {
				t.Fatal(err)
			}
			continue
		}
		index += fmt.Sprintf("<a href=documents/%s>%s</a>\n", d.Name(), d.Name())
	}
	for name, text := range map[string]string{
		"index.html":         index + `<a href=site/>site</a> <a href=notes.md#one>notes</a> <a href=notes.md#none>none</a> <img src=drawing.svg alt=drawing> <a href=private/>private</a> <a href=frames.html>frames</a>`,
		"notes.md":           "# One\n\n[Town](index.html) ![drawing](drawing.svg) [gone](gone.md)\n\n[ref]\n\n[ref]: site/index.html#end\n",
		"drawing.svg":        `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"><a xlink:href="notes.md"><text>n</text></a><use href="#none"/><image href="gone.png"/></svg>`,
		"frames.html":        `<!doctype html><html lang=en><title>Frames</title><frameset><frame src=notes.md name=a><frame src=gone.html></frameset>`,
		"private/index.html": `<!doctype html><title>Private</title><a href=gone.html>gone</a>`,
		"robots.txt":         "User-agent: *\nDisallow: /private/\nSitemap: /sitemap.xml\n",
		"sitemap.xml":        `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>/alone.html</loc></url><url><loc>/gone.html</loc></url></urlset>`,
		"alone.html":         `<!doctype html><html lang=en><title>Alone</title><p id=a><p id=a><a href="#a">a</a><a href="#b">b</a>`,
	} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func copyTree(t *testing.T, to, from string) {
	t.Helper()
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
}

// moody is a site that answers in many ways: by cookies, only after failures, compressed, in
// another charset, without HEAD, with 200 for what is missing, and on a second host.
type moody struct {
	base, other string

	mu    sync.Mutex
	tries map[string]int
}

func newMoody(base string) http.Handler {
	return &moody{base: base, other: strings.Replace(base, "127.0.0.1", "localhost", 1), tries: map[string]int{}}
}

// moodyPages is the number of the site's numbered pages.
const moodyPages = 40

func (m *moody) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	switch first, rest, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/"); first {
	case "":
		http.SetCookie(w, &http.Cookie{Name: "seen", Value: "1"})
		io.WriteString(w, "<!doctype html><html lang=en><title>Moody</title><link rel=stylesheet href=/style.css>"+m.links(0))
	case "robots.txt":
		w.Header().Set("Content-Type", "text/plain")
		io.WriteString(w, "User-agent: *\nDisallow: /private\nSitemap: "+m.base+"/sitemap.xml\n")
	case "sitemap.xml":
		w.Header().Set("Content-Type", "application/xml")
		fmt.Fprintf(w, `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>%s/page/39</loc></url><url><loc>%[1]s/missing</loc></url></urlset>`, m.base)
	case "style.css":
		w.Header().Set("Content-Type", "text/css")
		io.WriteString(w, `@import "/more.css"; body { background: url(/picture.png) }`)
	case "page":
		n, err := strconv.Atoi(rest)
		if err != nil || n >= moodyPages {
			http.NotFound(w, r)
			return
		}
		fmt.Fprintf(w, "<!doctype html><html lang=en><title>%d</title><p id=n%d>%s", n, n, m.links(n))
	case "flaky": // the first answer to each method is a failure, and each answer for what is missing
		if rest != "a" || m.try(r.Method+rest) < 1 {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		io.WriteString(w, "<!doctype html><title>Flaky</title><p id=a>")
	case "cookie": // redirects to itself until a cookie comes
		if c, err := r.Cookie("way"); err != nil || c.Value != "1" {
			http.SetCookie(w, &http.Cookie{Name: "way", Value: "1", Path: "/cookie"})
			http.Redirect(w, r, r.URL.Path, http.StatusFound)
			return
		}
		io.WriteString(w, "<!doctype html><title>Cookie</title><p id=a>")
	case "redirect":
		status, to, _ := strings.Cut(rest, "/")
		w.Header().Set("Location", "/"+to)
		answerStatus(w, status)
	case "gzip":
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		io.WriteString(z, "<!doctype html><title>Gzip</title><a href=/page/1#n1>1</a><a href=/page/1#n2>2</a>")
		z.Close()
	case "latin1":
		w.Header().Set("Content-Type", "text/html; charset=iso-8859-1")
		w.Header().Set("Link", "</page/2>; rel=next, </missing>; rel=prev")
		io.WriteString(w, "<!doctype html><title>Latin</title><a href=/caf\xe9?\xe9>x</a>")
	case "file": // answers only GET
		if r.Method == http.MethodHead {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		w.Header().Set("Content-Type", "application/octet-stream")
		io.WriteString(w, "file")
	case "soft": // answers 200 for what is missing
		io.WriteString(w, "<!doctype html><title>Sorry</title><p>There is nothing here, in many words that are always the same.")
	case "status":
		answerStatus(w, rest)
	default:
		http.NotFound(w, r)
	}
}

func answerStatus(w http.ResponseWriter, status string) {
	code, err := strconv.Atoi(status)
	if err != nil {
		code = http.StatusNotFound
	}
	w.WriteHeader(code)
}

// try returns how often something was tried before.
func (m *moody) try(what string) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.tries[what]++
	return m.tries[what] - 1
}

// links returns the links of a numbered page.
func (m *moody) links(n int) string {
	var b strings.Builder
	link := func(format string, args ...any) { fmt.Fprintf(&b, "<a href=%q>x</a>\n", fmt.Sprintf(format, args...)) }
	for _, to := range []int{2*n + 1, 2*n + 2} {
		link("/page/%d", to)
		link("/page/%d#n%d", to, to)
		link("/page/%d#none", to)
	}
	for _, path := range []string{"gzip", "latin1", "flaky/a", "private/page", "soft/a", "soft/b", "status/500", "status/403", "status/410", "status/204", "redirect/302/page/3#n3", "mailto:me@example.invalid", "data:text/plain,x"} {
		if !strings.Contains(path, ":") {
			path = "/" + path
		}
		link("%s", path)
	}
	for i, kind := range []string{"/cookie/%d", "/file/%d", "/redirect/301/page/%d#n1", "/redirect/308/redirect/302/page/%d", "/redirect/302/redirect/302/gzip?%d", m.other + "/page/%d#n1", m.other + "/file/%d", m.other + "/missing/%d"} {
		link(kind, (n+i)%5)
	}
	return b.String()
}

// newPortal returns a site that links to pages of another server, all with entity tags.
func newPortal(t *testing.T) *equalSite {
	s := &equalSite{name: "portal"}
	other := httptest.NewServer(s)
	t.Cleanup(other.Close)
	s.handler = func(string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			w.Header().Set("ETag", `"1"`)
			switch {
			case r.Header.Get("If-None-Match") == `"1"`:
				w.WriteHeader(http.StatusNotModified)
			case r.URL.Path == "/":
				for n := range 20 {
					fmt.Fprintf(w, "<a href=%s/there/%d>x</a> <a href=%[1]s/there/%[2]d#a>a</a> <a href=%[1]s/gone/%[2]d>gone</a>\n", other.URL, n)
				}
			case strings.HasPrefix(r.URL.Path, "/there/"):
				io.WriteString(w, "<p id=a>")
			default:
				w.Header().Del("ETag")
				http.NotFound(w, r)
			}
		})
	}
	return s
}

// members is a site whose pages are for those who have signed in.
type members struct {
	mu      sync.Mutex
	session int
}

func newMembers(string) http.Handler { return &members{} }

func (m *members) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	m.mu.Lock()
	defer m.mu.Unlock()
	cookie, err := r.Cookie("sid")
	inside := err == nil && strings.HasPrefix(cookie.Value, "member-")
	switch {
	case r.URL.Path == "/robots.txt":
		http.NotFound(w, r)
	case r.URL.Path == "/login" && r.Method == http.MethodPost && r.FormValue("pw") == "secret":
		m.session++
		http.SetCookie(w, &http.Cookie{Name: "sid", Value: fmt.Sprintf("member-%d", m.session), Path: "/"})
		http.Redirect(w, r, "/", http.StatusSeeOther)
	case r.URL.Path == "/login":
		io.WriteString(w, `<!doctype html><title>Sign in</title><form method=post action=/login><input name=user><input type=password name=pw><button>Go</button></form>`)
	case !inside:
		http.Redirect(w, r, "/login", http.StatusFound)
	default:
		n, err := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/"))
		if err != nil && r.URL.Path != "/" || n > 30 {
			http.NotFound(w, r)
			return
		}
		fmt.Fprintf(w, "<!doctype html><title>%d</title><p id=a><a href=/%d#a>a</a><a href=/%d#b>b</a><a href=/login>sign in</a><a href=/logout>sign out</a>", n, 2*n+1, 2*n+2)
	}
}
