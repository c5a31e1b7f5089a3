package crawler

import (
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/internal/scope"
	"github.com/orbweaver/orbweaver/crawler/result"
)

// TestIgnoredFragments: a link with an inline mark is skipped, even if others lead to the
// same document or the same fragment; a link without the mark is checked.
func TestIgnoredFragments(t *testing.T) {
	dir := writeFiles(t, map[string]string{
		"index.html": `<!doctype html><a href="page.html">1</a><a href="page.html#gone" data-orbweaver-ignore>2</a>` +
			`<a href="gone.html">3</a><a href="gone.html#x" data-orbweaver-ignore>4</a>` +
			`<a href="page.html#both" data-orbweaver-ignore>5</a><a href="page.html#there" data-orbweaver-ignore>6</a>`,
		"page.html":  `<!doctype html><p id=there><a href="index.html">7</a>`,
		"other.html": `<!doctype html><a href="page.html#both">8</a>`,
	})
	want := map[string]string{"1": "ok", "2": "excluded", "3": "file-missing", "4": "excluded", "5": "excluded", "6": "excluded", "7": "ok", "8": "fragment-missing"}
	for _, stream := range []bool{false, true} {
		for _, workers := range []int{1, 8} {
			cfg, seeds := onDisk(t, dir)
			cfg.Politeness.Concurrency, cfg.Deliver.Stream = workers, stream
			c := &collector{}
			if _, err := Run(t.Context(), cfg, seeds, c); err != nil {
				t.Fatal(err)
			}
			got := map[string]string{}
			for _, r := range c.results {
				for _, ref := range r.References {
					got[ref.Text] = string(r.Code)
				}
			}
			if !maps.Equal(got, want) {
				t.Errorf("stream %v, %d workers: %v, want %v", stream, workers, got, want)
			}
		}
	}
}

// TestIgnoreMarkBelongsToReference: a target with references with and without an inline
// mark has two results. A target whose references all have one is not requested.
func TestIgnoreMarkBelongsToReference(t *testing.T) {
	var requested sync.Map
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requested.Store(r.URL.Path, true)
		w.Header().Set("Content-Type", "text/html")
		switch r.URL.Path {
		case "/":
			io.WriteString(w, `<!doctype html><a href="/b">0</a><a href="/gone" data-orbweaver-ignore>1</a><a href="/only" data-orbweaver-ignore>2</a>`+
				`<a href="/ok" data-orbweaver-ignore>3</a><a href="/b#x" data-orbweaver-ignore>4</a><a href="http:///" data-orbweaver-ignore>5</a>`+
				`<a href="/gone" data-orbweaver-ignore>6</a><a href="http://other.example/" data-orbweaver-ignore>7</a>`)
		case "/b":
			io.WriteString(w, `<!doctype html><a href="/gone">a</a><a href="/ok">b</a><a href="/b#x">c</a><a href="http:///">d</a>`+
				`<a href="/only#x" data-orbweaver-ignore>e</a><a href="http://other.example/">f</a>`)
		case "/ok":
		default:
			http.NotFound(w, r)
		}
	}))
	defer server.Close()
	want := []string{"/b ok 0", "/b#x broken c", "/b#x skipped 4", "/gone broken a", "/gone skipped 1 6", "/ok ok b", "/ok skipped 3",
		"/only skipped 2", "/only#x skipped e", "http:/// broken d", "http:/// skipped 5", "http://other.example/ skipped 7", "http://other.example/ skipped f"}
	for _, stream := range []bool{false, true} {
		for _, workers := range []int{1, 64} {
			cfg := web(t)
			cfg.Politeness.Concurrency, cfg.Deliver.Stream, cfg.Scope.External, cfg.Deliver.Show = workers, stream, SkipExternal, result.Show{OK: true, Broken: true, Unverified: true, Skipped: true}
			c := &collector{}
			sum, err := Run(t.Context(), cfg, []Seed{{URL: mustParse(t, server.URL+"/"), Follow: true, Crawl: true}}, c)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, r := range c.results {
				line := strings.TrimPrefix(r.URL, server.URL) + " " + r.Verdict.String()
				for _, ref := range r.References {
					line += " " + ref.Text
				}
				got = append(got, line)
				if ignored := r.Message == scope.IgnoredInline; ignored != (r.Verdict == check.Skipped && r.Code == check.CodeExcluded) {
					t.Errorf("%s: %s %s", line, r.Code, r.Message)
				}
			}
			if !stream {
				if !slices.IsSortedFunc(c.results, func(a, b *result.Result) int { return strings.Compare(a.URL, b.URL) }) {
					t.Errorf("not sorted: %q", got)
				}
			}
			slices.Sort(got)
			if !slices.Equal(got, want) {
				t.Errorf("stream %v, %d workers:\ngot  %q\nwant %q", stream, workers, got, want)
			}
			if sum.Results != len(want) || sum.Broken != 3 || sum.OK != 2 || sum.Skipped != 8 || sum.ByCode[check.CodeExcluded] != 7 || sum.ByCode[check.CodeExternal] != 1 {
				t.Errorf("%+v", sum)
			}
			if _, asked := requested.Load("/only"); asked {
				t.Error("a target with only marked references was requested")
			}
		}
	}
}
