package crawler_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/orbweaver/orbweaver/crawler"
	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/fetch/disk"
	"github.com/orbweaver/orbweaver/crawler/inspect"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier/diskstore"
	"github.com/orbweaver/orbweaver/crawler/result"
	"github.com/orbweaver/orbweaver/crawler/store"
)

// keptFiles checks a directory again and again, with what the runs before have kept.
type keptFiles struct {
	*testing.T
	dir, kept string
	state     bool // in a state, or else in a cache alone
	checks    string
	random    *rand.Rand
	store     *diskstore.Store
	copies    int // crawls that began as a copy of the one before
	stopAfter int // pages after which a run that keeps its state is stopped and resumed; 0 for none
	web       *elsewhere
	maxAge    time.Duration // of what is kept of the web
	client    *fetch.HTTP
	url       string   // of a server for the directory; "" for none
	moved     sync.Map // where the server says that its paths have moved
}

// serve serves the directory. All files but Markdown have an entity tag.
func (k *keptFiles) serve() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if to, moved := k.moved.Load(r.URL.Path); moved {
			w.Header().Set("Location", to.(string))
			w.WriteHeader(http.StatusMovedPermanently)
			return
		}
		name := r.URL.Path
		if strings.HasSuffix(name, "/") {
			name += "index.html"
		}
		text, err := os.ReadFile(k.path("." + name))
		if err != nil {
			http.NotFound(w, r)
			return
		}
		if path.Ext(name) != ".md" {
			w.Header().Set("ETag", fmt.Sprintf(`"%x"`, sha256.Sum256(text)))
		}
		http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(text))
	}))
	k.Cleanup(server.Close)
	k.url = server.URL
	var err error
	k.client, err = fetch.NewHTTP(fetch.HTTPConfig{Timeout: time.Minute, Secrets: fetch.Secrets{Origins: fetch.NewOrigins(parseURL(k.T, k.url+"/"))}})
	k.must(err)
	k.Cleanup(func() { k.client.Close() })
}

// editServer changes something about a file, or lets the server move a path or forget that, and says what.
func (k *keptFiles) editServer() string {
	k.Helper()
	switch from := "/" + k.name(); k.random.IntN(6) {
	case 0:
		to := k.link()
		k.moved.Store(from, to)
		return "move " + from + " to " + to
	case 1, 2:
		k.moved.Clear()
		return "move nothing"
	}
	return k.edit()
}

// stopping is a sink that stops its run after some pages.
type stopping struct {
	result.Func
	after int
	stop  chan struct{}
}

func (s *stopping) Page(*result.Page) error {
	if s.after--; s.after == 0 {
		close(s.stop)
	}
	return nil
}

// stop begins a run, stops it, and opens its state again.
func (k *keptFiles) stop(cfg *crawler.Config, seeds []crawler.Seed) {
	k.Helper()
	own := *cfg
	sink := &stopping{func(*result.Result) error { return nil }, k.stopAfter, make(chan struct{})}
	own.Stop, own.Deliver.Pages = sink.stop, true
	_, err := crawler.Run(k.Context(), &own, seeds, sink)
	k.must(err)
	k.must(k.store.Close())
	k.store, err = diskstore.Open(filepath.Join(k.kept, "crawl"))
	k.must(err)
	cfg.Keep.Store = k.store
}

// keptTree are the names that files of the tree may have.
var keptTree = func() (names []string) {
	for _, dir := range []string{"", "a/", "a/b/", "c/"} {
		names = append(names, dir+"index.html", dir+"style.css", dir+"notes.md", dir+"map.xml", dir+"image.png")
		for i := range 6 {
			names = append(names, fmt.Sprintf("%sp%d.html", dir, i))
		}
	}
	return names
}()

func (k *keptFiles) path(name string) string { return filepath.Join(k.dir, filepath.FromSlash(name)) }

func (k *keptFiles) name() string { return keptTree[k.random.IntN(len(keptTree))] }

// link returns a reference to a file that may exist.
func (k *keptFiles) link() string {
	if k.web != nil && k.random.IntN(4) == 0 {
		return k.web.link(k.random)
	}
	up := []string{"", "/", "../", "./a/../", "../../../"}[k.random.IntN(5)]
	return up + k.name() + []string{"", "", "#s1", "#s9", "?q"}[k.random.IntN(5)]
}

// write writes a file with random content, of the form that its name says.
func (k *keptFiles) write(name string) {
	k.Helper()
	var b strings.Builder
	n := k.random.IntN(8)
	switch filepath.Ext(name) {
	case ".html":
		fmt.Fprintf(&b, "<!doctype html><html lang=en><title>%d</title>", k.random.IntN(5))
		if k.random.IntN(3) == 0 {
			fmt.Fprintf(&b, "<link rel=canonical href='https://published.test/docs/%s'>", name)
		}
		for i := range n {
			fmt.Fprintf(&b, "\n<p id=s%d><a href='%s'>x</a><img src='%s'>", i, k.link(), k.link())
		}
	case ".css":
		for range n {
			fmt.Fprintf(&b, "p { background: url('%s') }\n", k.link())
		}
	case ".md":
		for range n {
			fmt.Fprintf(&b, "## s\n\n[x](%s) [[p%d]]\n", k.link(), k.random.IntN(9))
		}
	case ".xml":
		b.WriteString(`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">`)
		for range n {
			fmt.Fprintf(&b, "<url><loc>https://published.test/%s</loc></url>", k.name())
		}
		b.WriteString("</urlset>")
	default:
		fmt.Fprint(&b, n)
	}
	k.must(os.MkdirAll(filepath.Dir(k.path(name)), 0o777))
	k.must(os.RemoveAll(k.path(name)))
	k.must(os.WriteFile(k.path(name), []byte(b.String()), 0o666))
}

func (k *keptFiles) must(err error) {
	if k.Helper(); err != nil {
		k.Fatal(err)
	}
}

// edit changes something about a file, and says what.
func (k *keptFiles) edit() string {
	k.Helper()
	name, other := k.name(), k.name()
	info, err := os.Lstat(k.path(name))
	if err != nil || !info.Mode().IsRegular() {
		k.write(name)
		return "create " + name
	}
	switch k.random.IntN(7) {
	case 0:
		k.must(os.Remove(k.path(name)))
		return "remove " + name
	case 1:
		k.must(os.MkdirAll(filepath.Dir(k.path(other)), 0o777))
		k.must(os.Rename(k.path(name), k.path(other)))
		return "move " + name + " to " + other
	case 2:
		if name == other {
			return ""
		}
		k.must(os.MkdirAll(filepath.Dir(k.path(other)), 0o777))
		_ = os.Remove(k.path(other))
		k.must(os.Link(k.path(name), k.path(other)))
		return "link " + other + " to " + name
	case 3: // neither the size nor the modification time changes
		text, err := os.ReadFile(k.path(name))
		k.must(err)
		changed := strings.NewReplacer("p1", "p2", "p2", "p3", "s1", "s2", "s2", "s1").Replace(string(text))
		k.must(os.WriteFile(k.path(name), []byte(changed), 0o666))
		k.must(os.Chtimes(k.path(name), time.Time{}, info.ModTime()))
		return "change a few letters of " + name
	case 4:
		if name == other {
			return ""
		}
		k.must(os.MkdirAll(filepath.Dir(k.path(other)), 0o777))
		_ = os.Remove(k.path(other))
		k.must(os.Symlink(k.path(name), k.path(other)))
		return "lead " + other + " to " + name
	}
	k.write(name)
	return "write " + name
}

// awaitTick returns when a change of a file has another time than all before.
func (k *keptFiles) awaitTick() {
	k.Helper()
	file := filepath.Join(k.kept, "tick")
	var first time.Time
	for {
		k.must(os.WriteFile(file, nil, 0o666))
		info, err := os.Stat(file)
		k.must(err)
		if first.IsZero() {
			first = info.ModTime()
		} else if info.ModTime().After(first) {
			return
		}
	}
}

// open opens the directory, and lists the pages in it.
func (k *keptFiles) open() (site *disk.Site, seeds []crawler.Seed) {
	k.Helper()
	if k.url != "" {
		return nil, []crawler.Seed{{URL: parseURL(k.T, k.url+"/"), Follow: true, Crawl: true, Named: true}}
	}
	site, err := disk.OpenSite(disk.SiteConfig{Base: parseURL(k.T, "https://0.site.invalid/"), Dir: k.dir, Synthetic: true})
	k.must(err)
	k.must(site.Walk(nil, func(rel string, _ fs.DirEntry) error {
		u, err := site.URLOf(rel)
		if _, ok := extract.Readable("", filepath.Base(rel), nil); ok && err == nil {
			seeds = append(seeds, crawler.Seed{URL: u, Follow: true, Crawl: true, Raw: rel})
		}
		return err
	}))
	return site, seeds
}

// config returns the configuration of a run.
func (k *keptFiles) config(site *disk.Site) *crawler.Config {
	cfg := &crawler.Config{Fetch: fetch.Mux{}, Deliver: crawler.Deliver{Show: showAll}, Politeness: crawler.Politeness{Retries: -1}}
	if k.url != "" {
		cfg.Fetch = fetch.Mux{"http": k.client}
	} else {
		cfg.Sites, cfg.Scope.WorkingDir = []*disk.Site{site}, k.dir
	}
	if k.web != nil {
		cfg.Fetch = fetch.Mux{"http": k.web}
		cfg.Judging.Rules = []crawler.Rule{k.web.rule()}
	}
	return cfg
}

// run checks the directory, with what is kept or afresh, and returns the report.
func (k *keptFiles) run(fresh bool) string {
	k.Helper()
	site, seeds := k.open()
	if site != nil {
		defer site.Close()
	}
	cfg := k.config(site)
	if k.checks != "" {
		groups, err := inspect.ParseGroups(k.checks)
		k.must(err)
		cfg.Judging.Inspector, err = inspect.Open(k.Context(), inspect.Config{Groups: groups})
		k.must(err)
		defer cfg.Judging.Inspector.Close()
	}
	if !fresh {
		defer k.keep(cfg)()
	}
	if k.stopAfter > 0 && !fresh && k.state {
		k.stop(cfg, seeds)
	}
	return reportOf(k.T, k.aside(), func(ctx context.Context, sink result.Sink) (*result.Summary, error) {
		return crawler.Run(ctx, cfg, seeds, sink)
	})
}

// aside is what may differ between the report of a fresh run and another one.
func (k *keptFiles) aside() aside {
	switch {
	case k.url != "":
		return unequalCounts // a file that must be read for its anchors may be requested before that is known
	case k.web == nil:
		return aside{}
	case k.maxAge == 0:
		return unequalCounts // a redirect may be read before a page that needs more of its target
	}
	return fromCache
}

// reportAgain returns the report on the state of the last run.
func (k *keptFiles) reportAgain() string {
	k.Helper()
	site, seeds := k.open()
	if site != nil {
		defer site.Close()
	}
	file, err := diskstore.OpenReadOnly(filepath.Join(k.kept, "crawl"))
	k.must(err)
	defer file.Close()
	cfg := k.config(site)
	cfg.Keep.Store = file
	return reportOf(k.T, k.aside(), func(ctx context.Context, sink result.Sink) (*result.Summary, error) {
		return crawler.Report(ctx, cfg, seeds, sink)
	})
}

// keep lets a run use what is kept, and keep it for the next one. The caller ends that.
func (k *keptFiles) keep(cfg *crawler.Config) (end func()) {
	k.Helper()
	memory, err := store.OpenCache(filepath.Join(k.kept, "cache.db"), store.CacheOptions{})
	k.must(err)
	cfg.Keep = crawler.Keep{Cache: memory, MaxAge: k.maxAge, Edition: "test", Pages: k.state}
	if !k.state {
		return func() { k.must(memory.Close()) }
	}
	file, before := filepath.Join(k.kept, "crawl"), filepath.Join(k.kept, "previous")
	if _, err := os.Stat(file); err == nil {
		k.must(diskstore.Move(file, before))
	}
	var err1 error
	if k.store, err1 = diskstore.CreateFrom(before, file, frontier.Narrow, memory.FingerprintKey(), nil); err1 == nil {
		k.copies++
	} else {
		k.store, err = diskstore.CreateWithKey(file, frontier.Narrow, memory.FingerprintKey(), nil)
	}
	k.must(err)
	cfg.Keep.Store = k.store
	previous, err := diskstore.OpenPages(before)
	if err == nil {
		cfg.Keep.Previous = previous
	}
	return func() {
		if k.must(k.store.Close()); previous != nil {
			k.must(previous.Close())
		}
		k.must(memory.Close())
	}
}

// read returns how many pages were read since a time.
func (k *keptFiles) read(since time.Time) (n int) {
	k.Helper()
	db, err := sql.Open("sqlite", filepath.Join(k.kept, "cache.db"))
	k.must(err)
	defer db.Close()
	k.must(db.QueryRow("SELECT count(*) FROM entry WHERE kind = 'page' AND run >= ?", since.UnixNano()).Scan(&n))
	return n
}

// A file is read again if it was changed less than two seconds before the run that read it, as it
// may have changed later with the same times.
func TestKeptFileThatWasNew(t *testing.T) {
	k := &keptFiles{T: t, dir: t.TempDir(), kept: t.TempDir(), random: rand.New(rand.NewPCG(1, 0))}
	k.write("p1.html")
	for range 2 {
		began := time.Now()
		k.must(os.Chtimes(k.path("p1.html"), time.Time{}, began))
		k.run(false)
		if n := k.read(began); n != 0 {
			t.Errorf("%d pages are kept, although they have just changed", n)
		}
	}
}
