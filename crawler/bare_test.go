package crawler

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/result"
)

// variedSite writes pages that link to each other, to what is missing and to what is
// written badly, in every way that decides whether a link may be bare.
func variedSite(random *rand.Rand, pages int) map[string]string {
	refs := []string{"p%d.html", "p%d.html#i1", "p%d.html#gone", "p%d.html#secton", "p%d.html#x%%20y", "p%d.html#x&amp;y", "p%d.html#i1-i2", "p%d.html#7-9", "p%d.html#7-33", "p%d.html#",
		"gone%d.html", "gone%d.html#f", "p%d.html ", `p%d.html\x`, "P%d.html", "../p%d.html", "http://[%d", "p%d.html#é", "i%d.png", "i%d.png#part", "#i1", "#gone%d", "", "?q=%d", "%%zz%d"}
	around := []string{`<a href="%s">t</a>`, `<a class="c" href="%s" title="a  title"></a>`, `<a href="%s">one <b>two</b> &amp; three</a>`, "<a href='%s'>single</a>",
		`<a href="%s"><img src="%[1]s" alt="in &lt; it"></a>`, `<img src="%s">`, `<a href="%s" rel="nofollow">n</a>`, `<a href="%s">¶</a>`, `<script src="%s"></script>`, `<link rel="next" href="%s">`,
		`<a title="x" href="%s"> </a>`, `<a data-orbweaver-ignore href="%s">left out</a>`, `<a href="%s">never closed `}
	between := []string{"\n", "\r\n", "<p>text é</p>", "\t", `<b id="i1">`, `<b id="section">`, `<i id="i2" name="7">`, `<i id="7">`, `<i id="9">`, "<!-- orbweaver-ignore-next-line -->\n", "<noscript>", "</noscript>"}
	files := map[string]string{"i1.png": "no image", "i2.png": "<html>"}
	for n := range pages {
		var b strings.Builder
		b.WriteString("<!doctype html><html><head><link rel=\"next\" href=\"gone1.html\">\n<link rel=stylesheet href=gone2.html></head><body>")
		for range random.IntN(60) {
			ref := refs[random.IntN(len(refs))]
			if strings.Contains(ref, "%d") {
				ref = fmt.Sprintf(ref, random.IntN(pages))
			}
			fmt.Fprintf(&b, around[random.IntN(len(around))], ref)
			b.WriteString(between[random.IntN(len(between))])
		}
		b.WriteString(strings.Repeat("<p>that goes on</p>\n", 4))
		files[fmt.Sprintf("p%d.html", n)] = b.String()
	}
	return files
}

// countBare counts the bare references that a store was given.
func countBare(t *testing.T, s frontier.Store) (n int) {
	t.Helper()
	err := s.Scan(t.Context(), frontier.PartLinks, func(rec *frontier.Record) error {
		var r frontier.LinkReader
		var l frontier.RawLink
		if err := r.Reset(rec.Links); err != nil {
			return err
		}
		for {
			if more, err := r.Next(&l); err != nil || !more {
				return err
			}
			if l.Tag != 0 {
				n++
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestReadAgainKnown: what is known to be missing when a page is read is not read again.
func TestReadAgainKnown(t *testing.T) {
	files := map[string]string{}
	for n := range 50 {
		files[fmt.Sprintf("p%02d.html", n)] = fmt.Sprintf(`<body><p>page</p><a href="gone.html">gone</a><a href="p%02d.html">next</a>`, (n+1)%50) + strings.Repeat("<p>that goes on</p>\n", 4)
	}
	cfg, seeds := onDisk(t, writeFiles(t, files))
	store := &watchedStore{Memory: frontier.NewMemory()}
	cfg.Keep.Store, cfg.Deliver.Show, cfg.Reading.ReadAgain, cfg.Politeness.Concurrency = store, result.Show{Broken: true}, true, 1
	c, _ := crawl(t, cfg, seeds)
	if len(c.results) != 1 || len(c.results[0].References) != 50 || c.results[0].References[49].Text != "gone" || c.results[0].References[49].Column == 0 {
		t.Fatalf("results %+v", c.results)
	}
	if n := countBare(t, store); n < 50 || n > 60 {
		t.Errorf("%d of 100 references are bare", n)
	}
}

// TestReadAgainOutside: pages are not read again because a link to another site, which most of them
// have in their footer, turns out to be broken after they were read. Links that few pages have are
// read again.
func TestReadAgainOutside(t *testing.T) {
	gone := httptest.NewServer(http.NotFoundHandler())
	defer gone.Close()
	files := map[string]string{}
	for n := range 50 {
		files[fmt.Sprintf("p%02d.html", n)] = fmt.Sprintf(`<body><p>page</p><a href="%s/own/%d">own</a><a href="%s/all#top">footer</a>`, gone.URL, n, gone.URL) + strings.Repeat("<p>that goes on</p>\n", 4)
	}
	cfg, seeds := onDisk(t, writeFiles(t, files))
	store := &watchedStore{Memory: frontier.NewMemory()}
	cfg.Keep.Store, cfg.Deliver.Show, cfg.Reading.ReadAgain, cfg.Politeness.Concurrency = store, result.Show{Broken: true}, true, 1
	c, _ := crawl(t, cfg, seeds)
	if len(c.results) != 51 || len(c.results[0].References) != 50 || c.results[0].References[49].Text != "footer" || c.results[0].References[49].Column == 0 {
		t.Fatalf("results %+v", c.results)
	}
	if n, want := countBare(t, store), 50+16; n != want {
		t.Errorf("%d of 100 references are bare, want %d", n, want)
	}
}

// TestReadAgainRemarked: where there is much to say of the pages, the links to them are
// not read again either.
func TestReadAgainRemarked(t *testing.T) {
	files := map[string]string{}
	for n := range 100 {
		files[fmt.Sprintf("p%02d.html", n)] = `<body><p id=i>page<p id=i>`
	}
	for n := range 50 {
		files[fmt.Sprintf("p%02d.html", n)] += `<p><a href="p99.html">last</a><a href="p99.html#i">its part</a>` + strings.Repeat("<p>that goes on</p>\n", 4)
	}
	cfg, seeds := onDisk(t, writeFiles(t, files))
	store := &watchedStore{Memory: frontier.NewMemory()}
	cfg.Keep.Store, cfg.Deliver.Show, cfg.Reading.ReadAgain, cfg.Politeness.Concurrency = store, result.Show{Warning: true}, true, 1
	c, _ := crawl(t, cfg, seeds)
	if r := c.find("p99.html"); r == nil || len(r.References) != 50 || r.References[49].Text != "last" {
		t.Fatalf("the last page: %+v", r)
	}
	if n := countBare(t, store); n < 50 || n > 80 {
		t.Errorf("%d of 100 references are bare", n)
	}
}

// TestReadAgainChanged: of a file that changes before it is read again, no place is
// told that may be wrong, and no fragment that nobody knows.
func TestReadAgainChanged(t *testing.T) {
	end := strings.Repeat("<p>that goes on</p>\n", 4)
	page := `<body><p>page</p><a href="gone.html">gone</a>` + end
	part := strings.Replace(page, "gone.html", "p.html#gone", 1)
	const placeless = "a file changed during the check: the positions of reported links there are unknown"
	for _, c := range []struct {
		name, page, then, other, note string
		references                    []result.Reference
	}{
		{"other text", page, "<p>longer than it was</p>" + page, "", placeless, []result.Reference{{Page: "p.html"}}},
		{"the same length", page, strings.Replace(page, "page", "home", 1), "", placeless, []result.Reference{{Page: "p.html"}}},
		{"removed", page, "", "", placeless, []result.Reference{{Page: "p.html"}}},
		{"a fragment", part, page, "", "a file changed during the check: links from there to 1 target with a fragment are left out of the report", nil},
		{"a fragment that another names", part, page, part, placeless,
			[]result.Reference{{Page: "p.html"}, {Page: "q.html", Line: 1, Column: 27, Element: "a", Attribute: "href", Raw: "p.html#gone", Text: "gone"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			files := map[string]string{"p.html": c.page}
			if c.other != "" {
				files["q.html"] = c.other
			}
			dir := writeFiles(t, files)
			file := filepath.Join(dir, "p.html")
			cfg, seeds := onDisk(t, dir)
			cfg.Deliver.Show, cfg.Reading.ReadAgain = result.Show{Broken: true}, true
			cfg.Keep.Store = &watchedStore{Memory: frontier.NewMemory(), sealed: func() {
				err := os.WriteFile(file, []byte(c.then), 0o666)
				if c.then == "" {
					err = os.Remove(file)
				} else if err == nil {
					err = os.Chtimes(file, time.Time{}, time.Unix(1e9, 0))
				}
				if err != nil {
					t.Error(err)
				}
			}}
			sink := &collector{}
			sum, err := Run(t.Context(), cfg, seeds, sink)
			if err != nil {
				t.Fatal(err)
			}
			var got []result.Reference
			for _, r := range sink.results {
				got = append(got, r.References...)
			}
			if !slices.Equal(got, c.references) || sum.Broken != min(1, len(got)) || sum.Soundness.Complete() != (len(got) > 0) || sum.Soundness.Complete() != (sum.Soundness.StoppedBy == "") {
				t.Errorf("references %+v, summary %+v", got, sum)
			}
			if len(sink.notes) != 1 || sink.notes[0].Message != c.note {
				t.Errorf("notes %v", sink.notes)
			}
		})
	}
}

// TestBareFiles: only what is sure to be read again as it is may have bare links.
func TestBareFiles(t *testing.T) {
	cfg, seeds := onDisk(t, t.TempDir())
	cfg.Reading.ReadAgain, cfg.Deliver.Show = true, result.Show{Broken: true}
	r := newRun(t.Context(), cfg, seeds, &collector{})
	defer r.cfg.Keep.Store.Close()
	body := []byte("<p>")
	for _, c := range []struct {
		what string
		resp fetch.Response
		want bool
	}{
		{"a file", fetch.Response{Path: "p.html", Size: 3}, true},
		{"one of /proc", fetch.Response{Path: "p.html"}, false},
		{"one that grew", fetch.Response{Path: "p.html", Size: 2}, false},
		{"standard input", fetch.Response{Path: "-", Size: 3}, false},
		{"an answer", fetch.Response{Size: 3}, false},
		{"one with a header", fetch.Response{Path: "p.html", Size: 3, Header: http.Header{"Link": {"<x>"}}}, false},
	} {
		if got := r.env.MayBeBare(&c.resp, body); got != c.want {
			t.Errorf("%s: %v", c.what, got)
		}
	}
}

// TestNamesAgain: for a suggestion the names of a file's anchors are read again, unless it
// has changed; what was fetched over the network is not fetched once more.
func TestNamesAgain(t *testing.T) {
	end := strings.Repeat("<p>that goes on</p>\n", 4)
	dir := writeFiles(t, map[string]string{
		"p.html": `<p id="section">page</p>` + end, "q.html": `<p id="chapter">page</p>` + end,
		"r.html": `<p>page</p><a href="p.html#secton">p</a><a href="q.html#chaptr">q</a><a href="p.html#sectio">p</a>` + end,
	})
	cfg, seeds := onDisk(t, dir)
	cfg.Deliver.Show, cfg.Reading.ReadAgain = result.Show{Broken: true}, true
	cfg.Keep.Store = &watchedStore{Memory: frontier.NewMemory(), sealed: func() {
		if err := os.Chtimes(filepath.Join(dir, "q.html"), time.Time{}, time.Unix(1e9, 0)); err != nil {
			t.Error(err)
		}
	}}
	sink := &collector{}
	if _, err := Run(t.Context(), cfg, seeds, sink); err != nil {
		t.Fatal(err)
	}
	suggested := map[string]string{}
	for _, r := range sink.results {
		for _, s := range r.Suggestions {
			suggested[r.URL] = s.URL
		}
	}
	if len(sink.results) != 3 || len(suggested) != 2 || suggested["p.html#secton"] != "p.html#section" || suggested["p.html#sectio"] != "p.html#section" {
		t.Errorf("of %d findings are suggested %q", len(sink.results), suggested)
	}

	fetched := 0
	long := `<p id="` + strings.Repeat("x", 300) + `">page</p>`
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/long.html" {
			fetched++
		}
		w.Header().Set("Content-Type", "text/html")
		if r.URL.Path == "/" {
			fmt.Fprint(w, `<a href="long.html#a">a</a><a href="long.html#b">b</a>`)
			return
		}
		fmt.Fprint(w, long)
	}))
	defer server.Close()
	cfg = web(t)
	cfg.Deliver.Show, cfg.Reading.ReadAgain = result.Show{Broken: true}, true
	sink = &collector{}
	if _, err := Run(t.Context(), cfg, seedOf(t, server.URL+"/"), sink); err != nil || len(sink.results) != 2 || fetched != 1 {
		t.Errorf("%d findings, %d requests, %v", len(sink.results), fetched, err)
	}
}
