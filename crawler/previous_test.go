package crawler

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/orbweaver/orbweaver/crawler/crawlertest"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier/diskstore"
	"github.com/orbweaver/orbweaver/crawler/internal/sitetest"
	"github.com/orbweaver/orbweaver/crawler/result"
	"github.com/orbweaver/orbweaver/crawler/store"
)

// repeated crawls a site again and again with a state, each time with the crawl before.
type repeated struct {
	testing.TB
	dir    string
	site   *shifting
	change func(*Config)
	copied bool // the last crawl began as a copy of the one before
}

func newRepeated(t testing.TB) *repeated {
	return &repeated{TB: t, dir: t.TempDir(), site: newShifting(t)}
}

func (r *repeated) file(name string) string { return filepath.Join(r.dir, name) }

// run crawls once.
func (r *repeated) run() (*collector, *result.Summary) {
	r.Helper()
	client, err := fetch.NewHTTP(fetch.HTTPConfig{Timeout: time.Minute, Secrets: fetch.Secrets{Origins: fetch.NewOrigins(mustParse(r, r.site.url+"/"))}})
	if err != nil {
		r.Fatal(err)
	}
	defer client.Close()
	memory, err := store.OpenCache(r.file("cache.db"), store.CacheOptions{})
	if err != nil {
		r.Fatal(err)
	}
	defer memory.Close()
	cfg := &Config{Fetch: fetch.Mux{"http": client, "https": client}, Deliver: Deliver{Show: showAll()}, Politeness: Politeness{Retries: -1}, Keep: Keep{Cache: memory, MaxAge: time.Hour, Edition: "test", Pages: true}}
	if r.change != nil {
		r.change(cfg)
	}
	if _, err := os.Stat(r.file("crawl")); err == nil {
		if err := diskstore.Move(r.file("crawl"), r.file("previous")); err != nil {
			r.Fatal(err)
		}
	}
	store, err := diskstore.CreateFrom(r.file("previous"), r.file("crawl"), frontier.Narrow, memory.FingerprintKey(), nil)
	if r.copied = err == nil; err != nil {
		store, err = diskstore.CreateWithKey(r.file("crawl"), frontier.Narrow, memory.FingerprintKey(), nil)
	}
	if err != nil {
		r.Fatal(err)
	}
	defer store.Close()
	cfg.Keep.Store = store
	if previous, err := diskstore.OpenPages(r.file("previous")); err == nil {
		defer previous.Close()
		cfg.Keep.Previous = previous
	}
	return crawl(r, cfg, seedOf(r, r.site.url+"/"))
}

// counted counts the answers with a body.
type counted struct {
	http.Handler
	read *int
}

func (c counted) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.Handler.ServeHTTP(&countedWriter{w, r.Method, c.read}, r)
}

type countedWriter struct {
	http.ResponseWriter
	method string
	read   *int
}

func (w *countedWriter) WriteHeader(status int) {
	if status == http.StatusOK && w.method == http.MethodGet {
		*w.read++
	}
	w.ResponseWriter.WriteHeader(status)
}

// What cannot be used of the crawl before is read: a page that has changed, pages of a crawl with
// other settings or with another key, and what is damaged.
func TestPreviousOfNoUse(t *testing.T) {
	r := newRepeated(t)
	read := 0
	site := crawlertest.Generate(5, 16, 4)
	changed := false
	mux := http.NewServeMux()
	mux.Handle("/", tagged(site))
	mux.HandleFunc("/d0/p1.html", func(w http.ResponseWriter, q *http.Request) {
		page := `<a href="p2.html">x</a>`
		if changed {
			page = `<a href="missing.html">x</a>`
		}
		tagged(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte(page)) })).ServeHTTP(w, q)
	})
	r.site.url, r.site.RequestLog = sitetest.Serve(t, counted{mux, &read})
	one := func(cfg *Config) { cfg.Politeness.Concurrency = 1 }
	expect := func(what string, want func(pages int) bool) *collector {
		t.Helper()
		read = 0
		c, _ := r.run()
		if !want(read) {
			t.Errorf("%s: %d pages were read", what, read)
		}
		return c
	}
	none := func(n int) bool { return n == 0 }
	r.change = one
	all := 0
	fresh := expect("at first", func(n int) bool { all = n; return n > 5 })
	every := func(n int) bool { return n == all }
	sameFindings(t, expect("nothing changed", none), fresh)
	changed = true
	c := expect("a page changed", func(n int) bool { return n == 1 })
	if found := c.find(r.site.url + "/d0/missing.html"); found == nil || found.Code != "http-404" {
		t.Errorf("the new link was found as %+v", found)
	}
	changed = false
	expect("it changed again", func(n int) bool { return n == 1 })
	r.change = func(cfg *Config) { one(cfg); cfg.Judging.SkipMail = true }
	sameFindings(t, expect("other settings", every), fresh)
	sameFindings(t, expect("the same settings", none), fresh)
	if err := os.Remove(r.file("cache.db")); err != nil {
		t.Fatal(err)
	}
	sameFindings(t, expect("another key", every), fresh)
	data, err := os.ReadFile(r.file("crawl"))
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.LastIndex(data, []byte("p2.html"))
	data[at] ^= 1
	if err := os.WriteFile(r.file("crawl"), data, 0o600); err != nil {
		t.Fatal(err)
	}
	sameFindings(t, expect("damage", func(n int) bool { return n > 0 }), fresh)
}

// A run that takes over the links of pages notes which exclusions and rules are used, and enters
// the sitemaps that robots.txt lists, as a run does that reads the pages.
func TestTakenOverAsRead(t *testing.T) {
	m := newRemembering(t)
	huge := "data:image/png;base64," + strings.Repeat("QUJD", 30_000)
	m.site.page("/", `<a href=x/1#a>x</a> <a href=y/1>y</a> <a href=z>z</a> <a href="http://[">bad</a> <img src="`+huge+`">
		<a href="`+m.other.url+`/there">there</a> <a href="`+m.other.url+`/there#id">id</a> <!-- orbweaver-ignore-next-line -->
		<a href="`+m.other.url+`/there#gone">ignored</a>`)
	for _, path := range []string{"/x/1", "/y/1", "/z", "/listed"} {
		m.site.page(path, `<p id=a>`)
	}
	m.site.set("/robots.txt", func(w http.ResponseWriter, r *http.Request) { fmt.Fprintf(w, "Sitemap: %s/map.xml", m.site.url) })
	m.site.set("/map.xml", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/xml")
		fmt.Fprintf(w, `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>%s/listed</loc></url></urlset>`, m.site.url)
	})
	m.other.page("/there", `<p id=id>`)
	m.change = func(cfg *Config) {
		cfg.Scope.Sitemaps = true
		cfg.Scope.Exclude = []*regexp.Regexp{regexp.MustCompile("/x/"), regexp.MustCompile("/never/"), regexp.MustCompile("/y/")}
		cfg.Scope.ExcludeExcept = []*regexp.Regexp{regexp.MustCompile("/y/1")}
		cfg.Judging.Rules = []Rule{{Name: "z", Match: func(url string) bool { return strings.HasSuffix(url, "/z") }, Verdict: "ignore"}}
	}
	c, _ := m.expect("first run", 5, 1)
	c2, _ := m.expect("second run", 5, 0)
	sameFindings(t, c2, c)
	if len(c.notes) == 0 || !reflect.DeepEqual(c.notes, c2.notes) {
		t.Errorf("notes %q, at first %q", c2.notes, c.notes)
	}
	if m.site.Count("GET", "/map.xml") != 2 || m.site.Count("GET", "/listed") != 2 {
		t.Errorf("the sitemap was requested %d times, the page that it lists %d times", m.site.Count("GET", "/map.xml"), m.site.Count("GET", "/listed"))
	}
	m.change = func(cfg *Config) { cfg.Scope.Depth = 1 }
	m.run()
	for range 2 { // what is kept with a limit of the depth depends on the depth of the page
		c, _ = m.run()
		m.verdict(c, m.site.url+"/x/1#a", "ok")
	}
}
