package crawlertest

import (
	"fmt"
	"iter"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
)

// indexName is the file of a directory.
const indexName = "index.html"

// Generated is a synthetic site with known faults. Page 0 is index.html, and all other
// pages can be reached from it. It may have millions of pages, because none is in memory.
// It is safe for concurrent use.
//
// Every page links to its children in a tree, and to random pages, half of them with a
// fragment that exists. Every 97th page has a link to a page that does not exist, and every
// 101st one to a fragment that does not exist.
type Generated struct {
	seed         uint64
	pages, links int
}

const (
	missingEvery  = 97  // pages with a link to a page that does not exist
	fragmentEvery = 101 // pages with a link to a fragment that does not exist
	pagesPerDir   = 1000
	anchors       = 8        // ids of a page: s0 … s7
	pageSize      = 64 << 10 // bytes of a buffer for a page
)

// Generate makes a site with a number of pages and a number of links on each page, not
// counting faulty ones. Both are at least 2. Equal arguments make equal sites.
func Generate(seed uint64, pages, links int) *Generated {
	return &Generated{seed: seed, pages: max(pages, 2), links: max(links, 2)}
}

// path returns the path of the file of a page, without a leading slash. Links to page 0 are
// to "/", so that it has one URL on a server.
func (g *Generated) path(page int) string {
	if page == 0 {
		return indexName
	}
	return string(appendPath(nil, page))
}

func appendPath(b []byte, page int) []byte {
	b = append(b, 'd')
	b = strconv.AppendInt(b, int64(page/pagesPerDir), 10)
	b = append(b, "/p"...)
	b = strconv.AppendInt(b, int64(page), 10)
	return append(b, ".html"...)
}

// page returns the number of the page with a path, -1 if there is none.
func (g *Generated) page(path string) int {
	if path == "" || path == indexName {
		return 0
	}
	_, number, _ := strings.Cut(path, "/p")
	n, err := strconv.Atoi(strings.TrimSuffix(number, ".html"))
	if err != nil || n < 1 || n >= g.pages || g.path(n) != path {
		return -1
	}
	return n
}

// ServeHTTP implements http.Handler.
func (g *Generated) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	page := g.page(strings.TrimPrefix(r.URL.Path, "/"))
	if page < 0 {
		http.NotFound(w, r)
		return
	}
	buffer := bodies.Get().(*[]byte)
	defer bodies.Put(buffer)
	*buffer = g.appendPage((*buffer)[:0], page)
	w.Header().Set("Content-Type", "text/html")
	w.Header().Set("Content-Length", strconv.Itoa(len(*buffer)))
	if r.Method != http.MethodHead {
		_, _ = w.Write(*buffer) // the client may have disconnected
	}
}

var bodies = sync.Pool{New: func() any { b := make([]byte, 0, pageSize); return &b }}

// appendPage appends the HTML of a page: a line for the head and a line for each link.
func (g *Generated) appendPage(b []byte, page int) []byte {
	b = append(b, `<!doctype html><html lang="en"><meta charset="utf-8"><title>Page `...)
	b = strconv.AppendInt(b, int64(page), 10)
	b = append(b, "</title>\n"...)
	for i := range g.links {
		to, fragment := g.link(page, i)
		b = append(b, `<p id="s`...)
		b = strconv.AppendInt(b, int64(i), 10)
		b = append(b, `">What leads from here to there: <a href="/`...)
		if to > 0 {
			b = appendPath(b, to)
		}
		if fragment >= 0 {
			b = append(b, "#s"...)
			b = strconv.AppendInt(b, int64(fragment), 10)
		}
		b = append(b, `">a page</a>, and some words that take as much room as words do.</p>`...)
		b = append(b, '\n')
	}
	for fault := range g.faults(page) {
		b = append(b, `<p><a href="/`...)
		b = append(b, fault.url...)
		b = append(b, `">a fault</a></p>`...)
		b = append(b, '\n')
	}
	return b
}

// link returns the target of link i on a page. The first half of the links are to the
// children, which are p*c+1 … p*c+c for page p, the others to random pages.
func (g *Generated) link(page, i int) (to, fragment int) {
	children := g.links / 2
	if to = page*children + i + 1; i < children && to < g.pages {
		return to, -1
	}
	h := mix(g.seed ^ uint64(page)<<20 ^ uint64(i))
	to = int(h % uint64(g.pages))
	if fragment = int(h >> 32 % 16); fragment >= min(anchors, g.links) {
		fragment = -1
	}
	return to, fragment
}

// fault is a finding that a crawl of the site over HTTP must report.
type fault struct {
	page         string // with its path, without a leading slash
	line, column int
	code, url    string
}

// faults yields the faults of a page as findings over HTTP.
func (g *Generated) faults(page int) iter.Seq[fault] {
	return func(yield func(fault) bool) {
		want := fault{page: g.path(page), line: 2 + g.links, column: len(`<p><a href="`) + 1}
		if page%missingEvery == 0 {
			want.code, want.url = "http-404", "missing/"+strconv.Itoa(page)+".html"
			if !yield(want) {
				return
			}
			want.line++
		}
		if page%fragmentEvery == 0 {
			// Not page 0, whose path differs between server and directory.
			to := 1 + int(mix(g.seed^uint64(page))%uint64(g.pages-1))
			want.code, want.url = "fragment-missing", g.path(to)+"#none"
			yield(want)
		}
	}
}

// wants yields the findings over HTTP in the order of the pages.
func (g *Generated) wants() iter.Seq[fault] {
	return func(yield func(fault) bool) {
		for page := range g.pages {
			for want := range g.faults(page) {
				if !yield(want) {
					return
				}
			}
		}
	}
}

// Broken returns the number of broken targets, which are distinct URLs with fragments.
func (g *Generated) Broken() int {
	targets := map[string]bool{}
	for want := range g.wants() {
		targets[want.url] = true
	}
	return len(targets)
}

// WriteDir writes the site into an existing directory.
func (g *Generated) WriteDir(dir string) error {
	var b []byte
	for page := range g.pages {
		b = g.appendPage(b[:0], page)
		name := filepath.Join(dir, filepath.FromSlash(g.path(page)))
		if page == 0 || page == 1 || page%pagesPerDir == 0 {
			if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
				return fmt.Errorf("write site: %w", err)
			}
		}
		if err := os.WriteFile(name, b, 0o644); err != nil {
			return fmt.Errorf("write site: %w", err)
		}
	}
	return nil
}

// mix hashes a number (the finalizer of SplitMix64).
func mix(x uint64) uint64 {
	x += 0x9E3779B97F4A7C15
	x = (x ^ x>>30) * 0xBF58476D1CE4E5B9
	x = (x ^ x>>27) * 0x94D049BB133111EB
	return x ^ x>>31
}
