// Package rendertest crawls sites with a browser. There is one browser for all tests.
package rendertest

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/orbweaver/orbweaver/crawler"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/fetch/disk"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
	"github.com/orbweaver/orbweaver/crawler/internal/render"
	"github.com/orbweaver/orbweaver/crawler/internal/sitetest"
	"github.com/orbweaver/orbweaver/crawler/result"
	"github.com/orbweaver/orbweaver/crawler/store"
	"github.com/orbweaver/orbweaver/urinorm"
)

// shared is the browser of all tests, by its number of tabs, nil if there is none. Each starts when
// it is needed.
var shared map[int]*render.Renderer

func TestMain(m *testing.M) {
	os.Exit(run(m))
}

func run(m *testing.M) int {
	path, err := render.Find("")
	if err != nil {
		if os.Getenv("CI") == "true" {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		return m.Run()
	}
	sandbox, _ := render.Sandboxed("auto")
	shared = map[int]*render.Renderer{}
	for _, tabs := range []int{1, 2, 4} {
		shared[tabs] = render.New(render.Options{Path: path, UserAgent: "orbweaver-test/1", Sandbox: sandbox, Tabs: tabs, Timeout: 3 * time.Minute, Quiet: 500 * time.Millisecond})
		defer shared[tabs].Close()
	}
	return m.Run()
}

// counted is a browser that notes the pages it renders.
type counted struct {
	crawler.Renderer
	mu   sync.Mutex
	urls []string
}

func newCounted(t *testing.T, tabs int) *counted {
	if shared == nil {
		t.Skip("there is no browser")
	}
	return &counted{Renderer: shared[tabs]}
}

func (c *counted) Open(ctx context.Context, req *render.Request) (*render.Tab, error) {
	c.mu.Lock()
	c.urls = append(c.urls, req.URL)
	c.mu.Unlock()
	return c.Renderer.Open(ctx, req)
}

// failing is a browser that renders nothing.
type failing struct{}

func (failing) Open(context.Context, *render.Request) (*render.Tab, error) {
	return nil, errors.New("the page made its process in the browser crash")
}

// sink collects the lines of a report.
type sink struct {
	root  string
	lines []string
	notes []string
}

func (s *sink) Page(*result.Page) error  { return nil }
func (s *sink) Progress(result.Progress) {}
func (s *sink) Note(n result.Note) error { s.notes = append(s.notes, n.Message); return nil }

// Result adds a line for the verdict, one for each warning, and one for each reference.
func (s *sink) Result(r *result.Result) error {
	local := func(u string) string { return strings.ReplaceAll(u, s.root, "/") }
	s.lines = append(s.lines, fmt.Sprintf("%s %s %s", local(r.URL), r.Verdict, r.Code))
	for _, w := range r.Warnings {
		s.lines = append(s.lines, fmt.Sprintf("\t%s: %s", w.Code, local(w.Message)))
	}
	for _, ref := range r.References {
		place := fmt.Sprintf("%d:%d", ref.Line, ref.Column)
		if ref.Rendered {
			place = "rendered " + ref.Selector
			if ref.Line != 0 || ref.Column != 0 {
				place += " with a place"
			}
		}
		s.lines = append(s.lines, fmt.Sprintf("\t%s %s %s %s %q %s", local(ref.Page), place, ref.Element, ref.Attribute, local(ref.Raw), ref.Text))
	}
	return nil
}

func (s *sink) has(line string) bool { return slices.Contains(s.lines, line) }

// crawlURL crawls a site from its root.
func crawlURL(t *testing.T, root string, cfg crawler.Config) (*sink, *result.Summary) {
	t.Helper()
	start, _, err := urinorm.ParseWeb(root)
	if err != nil {
		t.Fatal(err)
	}
	web, err := fetch.NewHTTP(fetch.HTTPConfig{UserAgent: "orbweaver-test/1", Secrets: fetch.Secrets{Credentials: "name:password", Origins: fetch.NewOrigins(start), Header: http.Header{"X-Secret": {"header"}}}})
	if err != nil {
		t.Fatal(err)
	}
	defer web.Close()
	cfg.Fetch = fetch.Mux{"http": web}
	if cfg.Deliver.Show == (result.Show{}) {
		cfg.Deliver.Show = result.Show{OK: true, Broken: true, Unverified: true, Skipped: true, Warning: true, Info: true}
	}
	return crawlSeeds(t, cfg, root, []crawler.Seed{{URL: start, Follow: true, Crawl: true, Named: true, Raw: root}})
}

func crawlSeeds(t *testing.T, cfg crawler.Config, root string, seeds []crawler.Seed) (*sink, *result.Summary) {
	t.Helper()
	s := &sink{root: root}
	sum, err := crawler.Run(t.Context(), &cfg, seeds, s)
	if err != nil {
		t.Fatal(err)
	}
	return s, sum
}

// serve serves files by their paths. Those whose content is empty are redirects and the
// like, which a test handles itself.
func serve(t *testing.T, files map[string]string) (root string, log *sitetest.RequestLog) {
	t.Helper()
	root, log = sitetest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, ok := files[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		switch filepath.Ext(r.URL.Path) {
		case ".js":
			w.Header().Set("Content-Type", "text/javascript")
		case ".json":
			w.Header().Set("Content-Type", "application/json")
		case ".txt", ".md":
			w.Header().Set("Content-Type", "text/plain")
		default:
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
		}
		_, _ = w.Write([]byte(body))
	}))
	return strings.TrimSuffix(root, "/") + "/", log
}

// applicationPages are those of application: the start page, page, static, spa, moved, and two views.
const applicationPages = 7

// application is a site with links, anchors, requests and views that only scripts make.
var application = map[string]string{
	"/": `<!doctype html><title>t</title><p>Some text of the page that is long enough to be more than a shell: it has links of its own.
<a href="page.html#made">made</a> <a href="page.html#nowhere">nowhere</a> <a href="spa.html#/guide">guide</a>
<a href="spa.html#/gone">gone</a> <a href="spa.html#/same">same</a> <a href="static.html#x">static</a>
<div id="box"></div><x-y></x-y><script src="app.js"></script>`,
	"/app.js": `box.innerHTML = "<a href=broken.html>B</a><a href=broken.html>B2</a><a href=page.html>P</a><img src=missing.png alt=I><a href=ignored.html data-orbweaver-ignore>i</a>";
document.querySelector("x-y").attachShadow({mode: "closed"}).innerHTML = "<a href=shadow.html>S</a>";
fetch("data.json"); fetch("missing.json"); fetch("data.json"); fetch("post", {method: "POST"}).catch(() => {});
document.body.append(Object.assign(document.createElement("script"), {src: "dynamic.js"})); undefinedThing()`,
	"/dynamic.js":  ``,
	"/data.json":   `{}`,
	"/page.html":   `<!doctype html><title>p</title><p>text<script src="app2.js"></script>`,
	"/app2.js":     `document.body.insertAdjacentHTML("beforeend", "<h1 id=made>x</h1>")`,
	"/static.html": `<!doctype html><title>s</title><p id="y">text`,
	"/spa.html": `<!doctype html><title>spa</title><div id="app"></div><nav>Guide, gone or same?</nav><script>
async function go() {
	const view = location.hash.slice(2) || "home", f = await fetch("views/" + view + ".txt")
	app.innerHTML = f.ok ? await f.text() : "<p>There is no " + view + "</p>"
}
addEventListener("hashchange", go); go()</script>`,
	"/views/home.txt":  `Home <a href="#/guide">guide</a>`,
	"/views/guide.txt": `The guide <a href="in-guide.html">g</a> <a href="moved.html">m</a>`,
	"/views/same.txt":  `There is no same`,
	"/moved.html":      `<!doctype html><title>m</title><script>location = "page.html"</script>`,
}

// TestApplication crawls the application, with one tab and with four: the reports are
// equal, and no URL is requested with GET twice.
func TestApplication(t *testing.T) {
	t.Parallel()
	var reports [2]string
	for i, tabs := range []int{1, 4} {
		root, log := serve(t, application)
		s, sum := crawlURL(t, root, crawler.Config{Render: crawler.Render{Mode: crawler.RenderAlways, Renderer: newCounted(t, tabs)}})
		for _, want := range []string{
			"/ ok ok",
			"\tscript-error: ReferenceError: undefinedThing is not defined (/app.js:4)",
			"\trender-differs: scripts change links",
			"/page.html#made ok ok",
			"/page.html#nowhere broken fragment-missing",
			"/broken.html broken http-404",
			"\t/ rendered #box > a:nth-of-type(1) a href \"broken.html\" B",
			"/missing.png broken http-404",
			"\t/ rendered #box > img:nth-of-type(1) img src \"missing.png\" I",
			"/shadow.html broken http-404",
			"\t/ rendered html > body:nth-of-type(1) > x-y:nth-of-type(1) >>> a:nth-of-type(1) a href \"shadow.html\" S",
			"/ignored.html skipped excluded",
			"/data.json ok ok",
			"/missing.json broken http-404",
			"\t/ rendered  script  \"/missing.json\" ",
			"\t/ rendered html > body:nth-of-type(1) > script:nth-of-type(2) script src \"dynamic.js\" ",
			"/spa.html#/guide ok ok",
			"/spa.html#/gone broken route-missing",
			"/spa.html#/same ok ok",
			"\tsoft-404: the view shows the same text as a made-up view",
			"/in-guide.html broken http-404",
			"\t/spa.html#/guide rendered #app > a:nth-of-type(1) a href \"in-guide.html\" g",
			"/moved.html ok ok",
			"\tscript-redirect: a script of the page leads to /page.html",
			"\t/moved.html rendered  script  \"/page.html\" ",
			"/static.html#x broken fragment-missing",
		} {
			if !s.has(want) {
				t.Errorf("%d tabs: the report has no line %q", tabs, want)
			}
		}
		for _, line := range s.lines {
			if strings.HasPrefix(line, "/post") || strings.Contains(line, "B2") || strings.HasPrefix(line, "/views/gone") || strings.Contains(line, `script  "/dynamic.js"`) {
				t.Errorf("%d tabs: the report has the line %q", tabs, line)
			}
		}
		requests := 0
		seen := map[string]int{}
		for _, line := range log.Lines() {
			seen[line]++
			requests++
			if strings.HasPrefix(line, "GET ") && seen[line] > 1 {
				t.Errorf("%d tabs: %s was sent %d times", tabs, line, seen[line])
			}
			if strings.HasPrefix(line, "POST") {
				t.Errorf("%d tabs: %s", tabs, line)
			}
		}
		if sum.Requests != requests {
			t.Errorf("%d tabs: %d requests are counted, %d were sent", tabs, sum.Requests, requests)
		}
		if sum.Pages != applicationPages {
			t.Errorf("%d tabs: %d pages, want %d", tabs, sum.Pages, applicationPages)
		}
		reports[i] = fmt.Sprintf("%s\n%d pages, %d requests, %v", strings.Join(s.lines, "\n"), sum.Pages, sum.Requests, sum.ByCode)
	}
	if reports[0] != reports[1] {
		t.Errorf("with one tab:\n%s\nwith four tabs:\n%s", reports[0], reports[1])
	}
}

// TestAuto renders what needs it, once: the shell, the page with a missing anchor, and
// views, but no page that shows its content without scripts.
func TestAuto(t *testing.T) {
	t.Parallel()
	root, _ := serve(t, application)
	browser := newCounted(t, 4)
	s, sum := crawlURL(t, root, crawler.Config{Render: crawler.Render{Mode: crawler.RenderAuto, Renderer: browser}})
	rendered := map[string]int{}
	for _, u := range browser.urls {
		u = strings.TrimPrefix(u, root)
		if route, made, _ := strings.Cut(u, "#/"); len(made) == 16 {
			u = route + "#made-up"
		}
		rendered[u]++
	}
	want := []string{"moved.html", "page.html", "spa.html", "spa.html#/gone", "spa.html#/guide", "spa.html#/same", "spa.html#made-up"}
	if got := slices.Sorted(maps.Keys(rendered)); !slices.Equal(got, want) {
		t.Errorf("rendered %q, want %q", got, want)
	}
	for _, n := range rendered {
		if n != 1 {
			t.Errorf("rendered several times: %v", rendered)
		}
	}
	for _, want := range []string{"/page.html#made ok ok", "/page.html#nowhere broken fragment-missing", "/spa.html#/gone broken route-missing", "/in-guide.html broken http-404", "/static.html#x broken fragment-missing"} {
		if !s.has(want) {
			t.Errorf("the report has no line %q", want)
		}
	}
	if s.has("/broken.html broken http-404") {
		t.Error("the start page was rendered")
	}
	if sum.Pages != applicationPages {
		t.Errorf("%d pages, want the %d that are found when all are rendered", sum.Pages, applicationPages)
	}
}

// TestFailed crawls with a browser that renders nothing, and without any.
func TestFailed(t *testing.T) {
	t.Parallel()
	for name, cfg := range map[string]crawler.Config{
		"fails": {Render: crawler.Render{Mode: crawler.RenderAlways, Renderer: failing{}}},
		"none":  {Render: crawler.Render{Mode: crawler.RenderAuto, Trouble: "there is no browser"}},
	} {
		root, _ := serve(t, application)
		s, _ := crawlURL(t, root, cfg)
		for _, want := range []string{"/page.html#made unverified render-failed", "/page.html ok ok", "/spa.html#/guide unverified render-failed", "/static.html ok ok"} {
			if !s.has(want) && name == "fails" {
				t.Errorf("%s: the report has no line %q:\n%s", name, want, strings.Join(s.lines, "\n"))
			}
		}
		if cfg.Render.Renderer != nil && !s.has("\trender-failed: the page was not rendered: the page made its process in the browser crash") {
			t.Errorf("%s: no warning at the page:\n%s", name, strings.Join(s.lines, "\n"))
		}
	}
}

// TestStream crawls a page that opens a stream without an end.
func TestStream(t *testing.T) {
	t.Parallel()
	root, _ := sitetest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/events" {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = w.Write([]byte("data: x\n\n"))
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
			return
		}
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(`<!doctype html><body>text<script>new EventSource("/events")</script>`))
	}))
	root = strings.TrimSuffix(root, "/") + "/"
	s, _ := crawlURL(t, root, crawler.Config{Render: crawler.Render{Mode: crawler.RenderAlways, Renderer: newCounted(t, 1)}})
	if !s.has("/events ok ok") || strings.Contains(strings.Join(s.lines, "\n"), "render-unsettled") {
		t.Errorf("the report is\n%s", strings.Join(s.lines, "\n"))
	}
}

// TestUnchanged crawls a site several times. A page is rendered again only if the page, or
// something that it has loaded, has changed.
func TestUnchanged(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	files := map[string]string{
		"/":           `<!doctype html><body>text <a href="page.html">page</a> <a href="other.html#made">made</a><script src="app.js"></script>`,
		"/app.js":     `fetch("data.json").then((r) => r.json()).then((to) => { document.body.insertAdjacentHTML("beforeend", "<p id=made><a href=" + to + ">a</a>") })`,
		"/data.json":  `"gone.html"`,
		"/page.html":  `<!doctype html><body>text<script>document.body.insertAdjacentHTML("beforeend", "<a href=gone-too.html>b</a>"); nothing()</script>`,
		"/other.html": `<!doctype html><body>text<script src="app.js"></script>`,
	}
	root, log := sitetest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		body, ok := files[r.URL.Path]
		mu.Unlock()
		if !ok {
			http.NotFound(w, r)
			return
		}
		if strings.HasSuffix(r.URL.Path, ".js") {
			w.Header().Set("Content-Type", "text/javascript")
		}
		w.Header().Set("ETag", fmt.Sprintf("\"%x\"", sha256.Sum256([]byte(body))))
		http.ServeContent(w, r, r.URL.Path, time.Time{}, strings.NewReader(body))
	}))
	root = strings.TrimSuffix(root, "/") + "/"
	file := filepath.Join(t.TempDir(), "cache.db")
	crawl := func(what string, mode crawler.RenderMode, want ...string) string {
		t.Helper()
		known, err := store.OpenCache(file, store.CacheOptions{})
		if err != nil {
			t.Fatal(err)
		}
		defer known.Close()
		browser := newCounted(t, 2)
		before := len(log.Lines())
		s, _ := crawlURL(t, root, crawler.Config{Render: crawler.Render{Mode: mode, Renderer: browser}, Keep: crawler.Keep{Cache: known, MaxAge: time.Hour, Edition: "test"}})
		for i, u := range browser.urls {
			browser.urls[i] = strings.TrimPrefix(u, root)
		}
		if slices.Sort(browser.urls); !slices.Equal(browser.urls, want) {
			t.Errorf("%s: rendered %q, want %q", what, browser.urls, want)
		}
		seen := map[string]bool{}
		for _, line := range log.Lines()[before:] {
			if seen[line] && strings.HasPrefix(line, "GET ") {
				t.Errorf("%s: %s was sent twice", what, line)
			}
			seen[line] = true
		}
		return strings.Join(s.lines, "\n")
	}
	all := []string{"", "other.html", "page.html"}
	first := crawl("at first", crawler.RenderAlways, all...)
	for _, want := range []string{"/gone.html broken http-404", "/gone-too.html broken http-404", "rendered #made > a:nth-of-type(1)", "script-error", "/other.html#made ok ok"} {
		if !strings.Contains(first, want) {
			t.Errorf("the report has no %q:\n%s", want, first)
		}
	}
	if second := crawl("nothing has changed", crawler.RenderAlways); second != first {
		t.Errorf("first\n%s\nthen\n%s", first, second)
	}
	mu.Lock()
	files["/data.json"] = `"page.html#nowhere"`
	mu.Unlock()
	if third := crawl("data has changed", crawler.RenderAlways, "", "other.html"); !strings.Contains(third, "/page.html#nowhere broken") || strings.Contains(third, "/gone.html") {
		t.Errorf("after the change:\n%s", third)
	}
	crawl("otherwise", crawler.RenderAuto, all...)
	crawl("otherwise again", crawler.RenderAuto)
	if never := crawl("never", crawler.RenderNever); strings.Contains(never, "rendered") {
		t.Errorf("without rendering:\n%s", never)
	}
}

// TestSecrets looks at what another host gets: none of the secrets of the start target.
func TestSecrets(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var other []http.Header
	elsewhere, _ := sitetest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		other = append(other, r.Header.Clone())
		mu.Unlock()
		w.Header().Set("Access-Control-Allow-Origin", "*")
		w.Header().Set("Set-Cookie", "theirs=1")
		_, _ = w.Write([]byte(`{}`))
	}))
	script := fmt.Sprintf(`fetch(%q + "/data.json", {headers: {"X-Custom": "c"}}).then(() => document.body.insertAdjacentHTML("beforeend", "<a href=/cookie-" + document.cookie + ">c</a>")); fetch("/own.json")`, strings.TrimSuffix(elsewhere, "/"))
	root, log := sitetest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Secret") != "header" || r.UserAgent() != "orbweaver-test/1" {
			t.Errorf("%s: the request has %v", r.URL, r.Header)
		}
		w.Header().Set("Set-Cookie", "session=secret")
		w.Header().Set("Content-Type", "text/html")
		if r.URL.Path == "/" {
			fmt.Fprintf(w, "<!doctype html><body><script>%s</script>", script)
		}
	}))
	root = strings.TrimSuffix(root, "/") + "/"
	s, _ := crawlURL(t, root, crawler.Config{Render: crawler.Render{Mode: crawler.RenderAlways, Renderer: newCounted(t, 2)}})
	if !s.has("/cookie- ok ok") {
		t.Errorf("scripts see cookies, or did not run:\n%s", strings.Join(s.lines, "\n"))
	}
	if log.Count("GET", "/own.json") != 1 {
		t.Errorf("requests: %q", log.Lines())
	}
	if len(other) == 0 {
		t.Error("the other host was not asked")
	}
	for _, h := range other {
		if h.Get("X-Secret") != "" || h.Get("Authorization") != "" || h.Get("Cookie") != "" || h.Get("User-Agent") == "" {
			t.Errorf("the other host got %v", h)
		}
	}
	other = nil
	crawlURL(t, root, crawler.Config{Render: crawler.Render{Mode: crawler.RenderAlways, Renderer: newCounted(t, 2)}, Scope: crawler.ScopeRules{External: crawler.SkipExternal}})
	if len(other) > 0 {
		t.Errorf("a host that is skipped got %v", other)
	}
}

// TestDirectory renders the pages of a directory, whose made-up origin appears nowhere.
func TestDirectory(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range application {
		if name == "/" {
			name = "/index.html"
		}
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	base, _, _ := urinorm.ParseWeb("http://directory.invalid/")
	site, err := disk.OpenSite(disk.SiteConfig{Dir: dir, Base: base, Synthetic: true})
	if err != nil {
		t.Fatal(err)
	}
	defer site.Close()
	var seeds []crawler.Seed
	for _, name := range []string{"index.html", "moved.html", "page.html", "spa.html", "static.html"} {
		u, err := site.URLOf(name)
		if err != nil {
			t.Fatal(err)
		}
		seeds = append(seeds, crawler.Seed{URL: u, Follow: true, Crawl: true})
	}
	s, _ := crawlSeeds(t, crawler.Config{Sites: []*disk.Site{site}, Scope: crawler.ScopeRules{WorkingDir: dir}, Render: crawler.Render{Mode: crawler.RenderAlways, Renderer: newCounted(t, 4)},
		Deliver: crawler.Deliver{Show: result.Show{OK: true, Broken: true, Unverified: true, Warning: true, Info: true}}}, "\x00", seeds)
	for _, want := range []string{
		"broken.html broken file-missing", "\tindex.html rendered #box > a:nth-of-type(1) a href \"broken.html\" B", "page.html#made ok ok", "spa.html#/gone broken route-missing",
		"\tspa.html#/guide rendered #app > a:nth-of-type(1) a href \"in-guide.html\" g", "missing.json broken file-missing",
		"\tscript-error: ReferenceError: undefinedThing is not defined (app.js:4)",
	} {
		if !s.has(want) {
			t.Errorf("the report has no line %q:\n%s", want, strings.Join(s.lines, "\n"))
		}
	}
	if all := strings.Join(s.lines, "\n"); strings.Contains(all, "directory.invalid") {
		t.Errorf("the report has the made-up origin:\n%s", all)
	}
}

// TestDocsify crawls a site of the kind that docsify makes: a query names an anchor.
func TestDocsify(t *testing.T) {
	t.Parallel()
	root, _ := serve(t, map[string]string{
		"/": `<!doctype html><title>d</title><div id="app"></div><script>window.$docsify = {}
async function go() {
	const view = (location.hash.slice(2).split("?")[0] || "README") + ".md", f = await fetch(view)
	app.innerHTML = f.ok ? await f.text() : "404"
}
addEventListener("hashchange", go); go()</script>`,
		"/README.md": `Home <a href="#/guide">guide</a> <a href="#/guide?id=setup">setup</a> <a href="#/guide?id=gone">gone</a> <a href="#/nowhere?id=x">nowhere</a>`,
		"/guide.md":  `<h1 id="setup">Setup</h1> <a href="#/">home</a>`,
	})
	s, sum := crawlURL(t, root, crawler.Config{Render: crawler.Render{Mode: crawler.RenderAuto, Renderer: newCounted(t, 4)}})
	for _, want := range []string{"/#/guide ok ok", "/#/guide?id=setup ok ok", "/#/guide?id=gone broken fragment-missing", "/#/nowhere?id=x broken route-missing", "/#/ ok ok"} {
		if !s.has(want) {
			t.Errorf("the report has no line %q:\n%s", want, strings.Join(s.lines, "\n"))
		}
	}
	if sum.ByCode[judging.CodeRouteMissing] == 0 || sum.Pages != 3 {
		t.Errorf("%d pages, %v", sum.Pages, sum.ByCode)
	}
}
