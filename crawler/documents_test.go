package crawler

import (
	"database/sql"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	_ "modernc.org/sqlite" // the driver "sqlite"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/internal/scope"
	"github.com/orbweaver/orbweaver/crawler/internal/sitetest"
	"github.com/orbweaver/orbweaver/crawler/result"
)

// crawlFrom runs from one page of a server and returns what was found.
func crawlFrom(t *testing.T, cfg *Config, url string) *collector {
	t.Helper()
	c := &collector{}
	if _, err := Run(t.Context(), cfg, []Seed{{URL: mustParse(t, url), Follow: true, Crawl: true, Named: true, Raw: url}}, c); err != nil {
		t.Fatal(err)
	}
	return c
}

// TestHeaderLinks: what the header of a page names is relative to the page's own
// URL, whatever its base element says, and hosts to be ready for are not asked.
func TestHeaderLinks(t *testing.T) {
	var requested sync.Map // of paths
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requested.Store(r.URL.Path, true)
		switch r.URL.Path {
		case "/a/page":
			w.Header().Add("Link", `<next>; rel=next, <gone.css>; rel=preload; as=style`)
			w.Header().Add("Link", `</hint>; rel=preconnect, </names>; rel=dns-prefetch`)
			w.Header().Set("Refresh", "3; url=later")
			w.Header().Set("Content-Location", "page.en")
			w.Header().Set("Content-Type", "text/html")
			w.Write([]byte(`<base href="/elsewhere/"><a href="in-body">x</a>`))
		case "/a/gone.css", "/elsewhere/in-body":
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	defer server.Close()

	found := crawlFrom(t, web(t), server.URL+"/a/page")
	for _, want := range []struct {
		path, attribute string
		verdict         check.Verdict
	}{
		{"/a/next", "link", check.OK},
		{"/a/gone.css", "link", check.Broken},
		{"/hint", "link", check.Skipped},
		{"/names", "link", check.Skipped},
		{"/a/later", "refresh", check.OK},
		{"/a/page.en", "content-location", check.OK},
		{"/elsewhere/in-body", "href", check.Broken},
	} {
		r := found.find(server.URL + want.path)
		if r == nil || r.Verdict != want.verdict || len(r.References) != 1 || r.References[0].Attribute != want.attribute {
			t.Errorf("%s: %+v", want.path, r)
			continue
		}
		if ref := r.References[0]; want.attribute != "href" && (ref.Element != "header" || ref.Line != 0) {
			t.Errorf("%s: it stands in %+v", want.path, ref)
		}
		if _, asked := requested.Load(want.path); asked != (want.verdict != check.Skipped) {
			t.Errorf("%s: asked %v", want.path, asked)
		}
	}

	// A header is inside no element.
	selected := web(t)
	var err error
	if selected.Reading.Select, err = extract.CompileSelector("a"); err != nil {
		t.Fatal(err)
	}
	if found := crawlFrom(t, selected, server.URL+"/a/page"); found.find(server.URL+"/a/next") != nil {
		t.Error("a selector lets links of the header pass")
	}
}

// TestDatabaseBeyondMaxBody: a database is read from its file, journal and all, so
// that its length is no matter.
func TestDatabaseBeyondMaxBody(t *testing.T) {
	dir := t.TempDir()
	db, err := sql.Open("sqlite", filepath.Join(dir, "places.sqlite"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, statement := range []string{
		"PRAGMA journal_mode = wal",
		"PRAGMA wal_autocheckpoint = 0",
		"CREATE TABLE moz_places (id INTEGER PRIMARY KEY, url TEXT, title TEXT)",
		"CREATE TABLE moz_bookmarks (id INTEGER PRIMARY KEY, type INTEGER, fk INTEGER, parent INTEGER, position INTEGER, title TEXT, keyword_id INTEGER, dateAdded INTEGER, lastModified INTEGER, guid TEXT)",
		"CREATE TABLE moz_keywords (id INTEGER PRIMARY KEY, keyword TEXT, place_id INTEGER)",
		"INSERT INTO moz_bookmarks VALUES (1, 2, NULL, 0, 0, '', NULL, 0, 0, 'root________'), (2, 2, NULL, 1, 0, 'menu', NULL, 0, 0, 'menu________'), (3, 1, 1, 2, 0, 'Tel', NULL, 0, 0, 'aaaaaaaaaaaa')",
		"INSERT INTO moz_places VALUES (1, 'tel:+1-201-555-0123', 'Tel')",
	} {
		if _, err := db.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	cfg, _ := onDisk(t, dir)
	cfg.Limits.MaxBody = 2000
	c := &collector{}
	if _, err := Run(t.Context(), cfg, []Seed{{URL: mustParse(t, "https://0.site.invalid/places.sqlite"), Follow: true, Named: true, Raw: "places.sqlite"}}, c); err != nil {
		t.Fatal(err)
	}
	var file *result.Result
	for _, r := range c.results {
		if strings.HasSuffix(r.URL, "places.sqlite") {
			file = r
		}
	}
	if file == nil || file.Verdict != check.OK || len(file.Warnings) > 0 || file.Size <= cfg.Limits.MaxBody {
		t.Errorf("the file: %+v", file)
	}
	if r := c.find("tel:+1-201-555-0123"); r == nil || r.Verdict != check.Skipped || r.References[0].Text != "Tel" {
		t.Errorf("its bookmark: %+v", r)
	}
}

func TestLeafByName(t *testing.T) {
	for path, leaf := range map[string]bool{
		"/a.zip": true, "/a.tar.gz": true, "/A.GZ": true, "/sitemap.xml.gz": false, "/SITEMAP.XML.GZ": false,
		"/a.html": false, "/a": false, "/a.xml": false, "/a.png/": false,
	} {
		if scope.IsLeafName([]byte(path)) != leaf {
			t.Errorf("%s: leaf %v, want %v", path, !leaf, leaf)
		}
	}
}

// TestLinkedDirectories: what a symbolic link to a directory leads to is there under
// both names, and read for its links once: a link to a directory above has an end.
func TestLinkedDirectories(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("index.html", `<!doctype html><a href="loop/">1</a><a href="latest/page.html#there">2</a><a href="latest/page.html#gone">3</a>`)
	write("v2/page.html", `<!doctype html><p id=there><a href="nowhere.html">4</a><a href="up/index.html">5</a>`)
	for link, to := range map[string]string{"loop": ".", "latest": "v2", "v2/up": ".."} {
		if err := os.Symlink(to, filepath.Join(dir, filepath.FromSlash(link))); err != nil {
			t.Skip("no symbolic links here: ", err)
		}
	}
	cfg, _ := onDisk(t, dir)
	var seeds []Seed
	for _, name := range []string{"index.html", "v2/page.html"} {
		seeds = append(seeds, Seed{URL: mustParse(t, "https://0.site.invalid/"+name), Follow: true, Crawl: true})
	}
	c := &collector{}
	if _, err := Run(t.Context(), cfg, seeds, c); err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, r := range c.results {
		for _, ref := range r.References {
			got[ref.Text+" "+ref.Page] = string(r.Code)
		}
	}
	want := map[string]string{"1 index.html": "ok", "2 index.html": "ok", "3 index.html": "fragment-missing", "4 v2/page.html": "file-missing", "5 v2/page.html": "ok"}
	if !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestTemplates: what a template fills in is left aside in a file that is one. A page that
// was made and has such a link is broken, and so is one that a server sends.
func TestTemplates(t *testing.T) {
	const markup = `<a href="{{ NAME.url }}">1</a><a href="https://example.com{{ NAME.url }}/">2</a><a href="gone.html">3</a><a href="{{ NAME.x }}#top">4</a><a href="{{ NAME.url }}">5</a>` +
		`<a href="lost.html?x={{y}}">6</a><a href="part.html#{{x}}">7</a><a href="#{{x}}">8</a><a href="{{ shared }}">9</a>`
	links := func(name string) string { return strings.ReplaceAll(markup, "NAME", name) }
	files := map[string]string{
		"page.html":     `<!doctype html><title>x</title>` + links("page"),
		"layout.html":   `<!doctype html><title>x</title>{% for x in y %}` + links("layout"),
		"part.html":     links("part"),
		"manifest.json": `{"start_url": "{{ url }}"}`,
		"notes.md":      "[1]({{ url }}) ![2](${x}/a.png) [3](gone.html) <a href='<%= url %>'>4</a> [5](#{{x}}) [6][] [7](%7B%7Bx%7D%7D)\n\n[6]: {% link a.md %}\n",
	}
	dir := writeFiles(t, files)
	verdicts := func(c *collector, page string) map[string]string {
		got := map[string]string{}
		for _, r := range c.results {
			for _, ref := range r.References {
				if ref.Page == page {
					got[ref.Text] = string(r.Code)
				}
			}
		}
		return got
	}
	asPage := map[string]string{"1": "file-missing", "2": "uri-invalid", "3": "file-missing", "4": "file-missing", "5": "file-missing", "6": "file-missing", "7": "fragment-missing", "8": "fragment-missing", "9": "file-missing"}
	asTemplate := map[string]string{"1": "excluded", "2": "excluded", "3": "file-missing", "4": "excluded", "5": "excluded", "6": "excluded", "7": "excluded", "8": "excluded", "9": "excluded"}
	asNotes := map[string]string{"1": "excluded", "2": "excluded", "3": "file-missing", "4": "excluded", "5": "excluded", "6": "excluded", "7": "file-missing"}
	for _, again := range []bool{false, true} {
		cfg, seeds := onDisk(t, dir)
		cfg.Deliver.Show, cfg.Reading.ReadAgain = result.Show{OK: !again, Skipped: true, Broken: true}, again
		c := &collector{}
		if _, err := Run(t.Context(), cfg, seeds, c); err != nil {
			t.Fatal(err)
		}
		for page, want := range map[string]map[string]string{"page.html": asPage, "layout.html": asTemplate, "part.html": asTemplate, "manifest.json": {"": "file-missing"}, "notes.md": asNotes} {
			if got := verdicts(c, page); !maps.Equal(got, want) {
				t.Errorf("%s: %v, want %v", page, got, want)
			}
		}
	}
	for page := range files {
		files[page] = "<!-- a server has made it -->" + files[page]
	}
	server := httptest.NewServer(http.FileServer(http.Dir(writeFiles(t, files))))
	defer server.Close()
	for code := range maps.Values(verdicts(crawlFrom(t, web(t), server.URL+"/layout.html"), server.URL+"/layout.html")) {
		if code == "excluded" {
			t.Errorf("over http: %s", code)
		}
	}
}

// TestIgnoredCandidate: an image of a srcset that browsers ignore is checked, with a warning
// at its place alone.
func TestIgnoredCandidate(t *testing.T) {
	dir := writeFiles(t, map[string]string{
		"index.html": `<img alt=1 src=a.png srcset="a.png 1x"><img alt=2 srcset="a.png 320"><img alt=3 srcset="b.png 2y, gone.png 2y">`, "a.png": "", "b.png": "",
	})
	cfg, seeds := onDisk(t, dir)
	cfg.Deliver.Show = result.Show{OK: true, Broken: true, Warning: true}
	c := &collector{}
	if _, err := Run(t.Context(), cfg, seeds, c); err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, r := range c.results {
		for _, ref := range r.References {
			if ref.Text == "" {
				continue
			}
			at := string(r.Code)
			for _, w := range r.Warnings {
				if !strings.Contains(ref.Unaffected, string(w.Code)) {
					at += " " + string(w.Code)
				}
			}
			got[ref.Text+" "+ref.Attribute+" "+ref.Raw] = at
		}
	}
	want := map[string]string{"1 src a.png": "ok", "1 srcset a.png": "ok", "2 srcset a.png": "ok srcset-invalid", "3 srcset b.png": "ok srcset-invalid", "3 srcset gone.png": "file-missing srcset-invalid"}
	if !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestOddMediaTypes: what a server declares in a way that a browser makes a page of is
// read as one.
func TestOddMediaTypes(t *testing.T) {
	odd := [][]string{{"text"}, {""}, {";;;text//html charset"}, {"*/*"}, {"text/html,text/html"}, {"text/html", "text/html; charset=utf-8"}, {"nonsense, text/html"}, {"TEXT/HTML ;x"}}
	mux := http.NewServeMux()
	var links []string
	for i, types := range odd {
		links = append(links, fmt.Sprint("/page", i))
		mux.HandleFunc(links[i], func(w http.ResponseWriter, r *http.Request) {
			w.Header()["Content-Type"] = types
			fmt.Fprintf(w, "<!doctype html><a href=/gone%d>x</a>", i)
		})
	}
	mux.HandleFunc("/text", func(w http.ResponseWriter, r *http.Request) {
		w.Header()["Content-Type"] = []string{"text/html", "text/plain"}
		fmt.Fprint(w, "<!doctype html><a href=/unread>x</a>")
	})
	mux.HandleFunc("/{$}", linking(append(links, "/text")...))
	base, _ := sitetest.Serve(t, mux)
	c := crawlFrom(t, web(t), base+"/")
	for i, types := range odd {
		if c.find(fmt.Sprint(base, "/gone", i)) == nil {
			t.Errorf("a page of type %q was not read", types)
		}
	}
	if c.find(base+"/unread") != nil {
		t.Error("plain text was read as a page")
	}
}
