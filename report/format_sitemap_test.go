package report

import (
	"bytes"
	"compress/gzip"
	"encoding/xml"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/result"
)

// goodPages are pages, some of which belong in a sitemap.
func goodPages() []*result.Page {
	const base = "https://example.com/docs/"
	modified := time.Date(2026, 1, 2, 3, 4, 5, 0, time.FixedZone("", 3600))
	return []*result.Page{
		{URL: base + "z?a=1&b=2", Format: "html", Depth: 2, Modified: modified},
		{URL: base, Format: "html", Links: []result.Edge{{URL: base + "linked/index.html#x"}}},
		{URL: base + "é", Format: "html", Depth: 1, Canonical: base + "é"},
		{URL: base + "copy", Format: "html", Depth: 1, Canonical: base},
		{URL: base + "moved", Format: "html", Depth: 1, Canonical: "file:///usr/share/doc/moved"},
		{URL: base + "hidden", Format: "html", Depth: 1, NoIndex: true},
		{URL: base + "paper", Format: "pdf", Depth: 1},
		{URL: base + "sub/index.html", Format: "html", Depth: 1},
		{URL: base + "linked/index.html", Format: "html", Depth: 1},
		{URL: base + "fragment", Format: "html", Depth: 1},
		{URL: base + "soft", Format: "html", Depth: 1},
		{URL: base + "broken", Format: "html", Depth: 1},
		{URL: base + strings.Repeat("long", 600), Format: "html", Depth: 1},
		{URL: "https://other.example/", Format: "html", Depth: 1},
		{URL: "http://example.com/docs/", Format: "html", Depth: 1},
		{URL: "docs/local.html", Format: "html", Depth: 1},
	}
}

func sitemapRun() *Report {
	run := contractRun()
	const base = "https://example.com/docs/"
	run.Results = []*result.Result{
		{URL: base + "fragment#x", Verdict: check.Broken, Code: check.CodeFragmentMissing},
		{URL: base + "soft", Warnings: []check.Warning{{Code: check.CodeSoft404}}},
		{URL: base + "broken", Verdict: check.Unverified, Code: "body-truncated"},
	}
	return run
}

// locations returns the URLs in a sitemap or a sitemap index.
func locations(t testing.TB, document string) (all []string) {
	t.Helper()
	var m struct {
		URLs []struct {
			Loc string `xml:"loc"`
		} `xml:"url"`
		Parts []struct {
			Loc string `xml:"loc"`
		} `xml:"sitemap"`
	}
	if err := xml.Unmarshal([]byte(document), &m); err != nil {
		t.Fatal(err)
	}
	for _, e := range slices.Concat(m.URLs, m.Parts) {
		all = append(all, e.Loc)
	}
	return all
}

func TestSitemap(t *testing.T) {
	got := renderPages(t, "sitemap", Options{}, sitemapRun(), goodPages())
	const want = `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
  <url>
    <loc>https://example.com/docs/</loc>
  </url>
  <url>
    <loc>https://example.com/docs/%C3%A9</loc>
  </url>
  <url>
    <loc>https://example.com/docs/fragment</loc>
  </url>
  <url>
    <loc>https://example.com/docs/linked/index.html</loc>
  </url>
  <url>
    <loc>https://example.com/docs/moved</loc>
  </url>
  <url>
    <loc>https://example.com/docs/sub/</loc>
  </url>
  <url>
    <loc>https://example.com/docs/z?a=1&amp;b=2</loc>
    <lastmod>2026-01-02T02:04:05Z</lastmod>
  </url>
</urlset>
`
	if got != want {
		t.Errorf("got %s", got)
	}
	xmllint(t, got, schemaFile("sitemap.xsd"))
}

// Without pages, the sitemap lists the saved results.
func TestSitemapOfSavedReport(t *testing.T) {
	run := fullRun()
	run.Results = append(run.Results,
		&result.Result{URL: "https://example.com/guide", Internal: true, ContentType: "text/html"},
		&result.Result{URL: "https://example.com/guide#ok", Internal: true, ContentType: "text/html"},
		&result.Result{URL: "https://example.com/i.png", Internal: true, ContentType: "image/png"})
	got := locations(t, render(t, "sitemap", Options{Show: ShowAll}, run))
	if want := []string{"https://example.com/", "https://example.com/guide"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	// If there are no pages, standard output gets a comment, and no file is created.
	const want = `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
  <!-- there is no page to list: a sitemap lists HTML pages with http or https URLs, so check a directory with base-url, and save a report with show all -->
</urlset>
`
	if got := render(t, "sitemap", Options{Show: ShowBroken}, fullRun()); got != want {
		t.Errorf("got %s", got)
	}
	m, err := Open([]Output{{Format: &sitemapFormat, File: filepath.Join(t.TempDir(), "sitemap.xml")}}, io.Discard, Options{Show: ShowBroken})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	if err := fullRun().Write(m); err == nil || !strings.Contains(err.Error(), "save a report with --show all") {
		t.Errorf("got %v", err)
	}
}

func manyPages(n int) (pages []*result.Page) {
	for i := range n {
		pages = append(pages, &result.Page{URL: fmt.Sprintf("https://example.com/docs/%06d/page", i), Format: "html", Depth: min(i, 1)})
	}
	return pages
}

// writeFile writes a run and its pages to a file and returns its directory.
func writeFile(t *testing.T, output string, run *Report, pages []*result.Page) string {
	t.Helper()
	dir := t.TempDir()
	out, err := ParseOutput(output)
	if err != nil {
		t.Fatal(err)
	}
	m, err := Open([]Output{out}, &bytes.Buffer{}, Options{workingDir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	if err := writePages(m, run, pages); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestSitemapIsSplit(t *testing.T) {
	dir := t.TempDir()
	f, err := createFile("sitemap.xml", dir)
	if err != nil {
		t.Fatal(err)
	}
	write := func(w io.Writer) {
		s := sitemapFormat.New(w, Options{}).(*sitemapWriter)
		if s.most != 50_000 || s.size != 52_428_800 {
			t.Errorf("limits %d, %d", s.most, s.size)
		}
		s.most = 10
		if err := writePages(s, contractRun(), manyPages(25)); err != nil {
			t.Fatal(err)
		}
	}
	write(f)
	if err := f.commit(); err != nil {
		t.Fatal(err)
	}
	names, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(names) != 4 {
		t.Fatal(names, err)
	}
	index := read(t, filepath.Join(dir, "sitemap.xml"))
	want := []string{"https://example.com/docs/sitemap-1.xml", "https://example.com/docs/sitemap-2.xml", "https://example.com/docs/sitemap-3.xml"}
	if got := locations(t, index); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	var all []string
	for i := range 3 {
		part := read(t, filepath.Join(dir, fmt.Sprintf("sitemap-%d.xml", i+1)))
		xmllint(t, part, schemaFile("sitemap.xsd"))
		all = append(all, locations(t, part)...)
	}
	if len(all) != 25 || !slices.IsSorted(all) {
		t.Errorf("%d addresses", len(all))
	}
	// Output that is not a file cannot become several files.
	var single strings.Builder
	write(&single)
	if len(locations(t, single.String())) != 25 || !strings.Contains(single.String(), "<!-- too many pages for one sitemap: in a file, this report becomes 3 sitemaps and an index -->") {
		t.Errorf("%.300s", single.String())
	}
}

func TestSitemapIsCompressed(t *testing.T) {
	for name, want := range map[string][]string{
		"sitemap.xml.gz":   {"sitemap.xml.gz"},
		"a.sitemap.xml.GZ": {"a.sitemap.xml.GZ"},
	} {
		dir := writeFile(t, name, sitemapRun(), goodPages())
		z, err := gzip.NewReader(strings.NewReader(read(t, filepath.Join(dir, want[0]))))
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(z)
		if err != nil {
			t.Fatal(err)
		}
		if len(locations(t, string(text))) != 7 {
			t.Errorf("%s: %s", name, text)
		}
	}
}

// Files are split before either limit is exceeded.
func TestSitemapLimits(t *testing.T) {
	entries := make([][]byte, 10)
	for i := range entries {
		entries[i] = make([]byte, 100)
	}
	frame := len(sitemapOpen) + len(sitemapClose)
	for _, test := range []struct {
		most, size int
		want       []int
	}{
		{100, 1 << 20, []int{10}},
		{10, 1 << 20, []int{10}},
		{4, 1 << 20, []int{4, 4, 2}},
		{100, frame + 1000, []int{10}},
		{100, frame + 999, []int{9, 1}},
		{3, frame + 200, []int{2, 2, 2, 2, 2}},
	} {
		s := sitemapWriter{most: test.most, size: test.size}
		var got []int
		for _, part := range s.split(entries) {
			got = append(got, len(part))
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%d entries, %d bytes: got %v, want %v", test.most, test.size, got, test.want)
		}
	}
}

func TestPartName(t *testing.T) {
	for name, want := range map[string]string{
		"sitemap.xml": "sitemap-1.xml", "sitemap.xml.gz": "sitemap-1.xml.gz", "v1.2.sitemap.xml": "v1.2-1.sitemap.xml",
		"map": "map-1", "a.XML": "a-1.XML", ".xml": "-1.xml",
	} {
		if got := partName(name, 1); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
}

// A run that fails leaves no files behind.
func TestSitemapPartsAreWrittenTogether(t *testing.T) {
	dir := t.TempDir()
	f, err := createFile("sitemap.xml", dir)
	if err != nil {
		t.Fatal(err)
	}
	other, err := f.createSibling("sitemap-1.xml")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := other.Write([]byte("x")); err != nil {
		t.Fatal(err)
	}
	f.discard()
	if names, err := os.ReadDir(dir); err != nil || len(names) > 0 {
		t.Errorf("%v, %v", names, err)
	}
}

func TestCommonDirectory(t *testing.T) {
	for _, test := range [][3]string{
		{"https://a/b/c", "https://a/b/d", "https://a/b/"},
		{"https://a/b/c", "https://a/b/c", "https://a/b/"},
		{"https://a/", "https://a/b/d", "https://a/"},
		{"https://a/b?x/y/z", "https://a/b?x/y/w", "https://a/"},
		{"https://a/bc/", "https://a/bd/", "https://a/"},
	} {
		if got := commonDirectory(test[0], test[1]); got != test[2] {
			t.Errorf("%s, %s: got %s", test[0], test[1], got)
		}
	}
}
