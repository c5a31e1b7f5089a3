package crawler

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/crawlertest"
	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/fetch/disk"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
	"github.com/orbweaver/orbweaver/crawler/internal/references"
	"github.com/orbweaver/orbweaver/crawler/internal/scope"
	"github.com/orbweaver/orbweaver/crawler/internal/sitetest"
	"github.com/orbweaver/orbweaver/crawler/result"
	"github.com/orbweaver/orbweaver/urinorm"
)

// quiet is a Sink that keeps nothing.
type quiet struct{}

func (quiet) Result(*result.Result) error { return nil }
func (quiet) Page(*result.Page) error     { return nil }
func (quiet) Note(result.Note) error      { return nil }
func (quiet) Progress(result.Progress)    {}

// manual writes pages as a documentation tool makes them: the same navigation on
// all pages of a directory, a table of contents of the page itself, and text that
// links to other pages and to places on them.
func manual(page int) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "<!doctype html><html><head><meta charset=utf-8><title>Chapter %d</title><link rel=stylesheet href=\"../style.css\"></head><body>\n<nav>\n", page)
	for i := range 30 {
		fmt.Fprintf(&b, "<a href=\"chapter-%d.html\">Chapter number %d</a>\n", i, i)
	}
	b.WriteString("</nav><ul>\n")
	for i := range 30 {
		fmt.Fprintf(&b, "<li><a href=\"#section-%d\">Section %d</a>\n", i, i)
	}
	b.WriteString("</ul>\n")
	for i := range 30 {
		fmt.Fprintf(&b, "<h2 id=\"section-%d\">Section %d</h2>\n<p>Some words, as many as words take, and <a class=\"internal\" href=\"../part-%d/chapter-%d.html#section-%d\">a place elsewhere</a>.\n",
			i, i, (page*7+i)%20, (page*31+i*17)%500, i)
	}
	b.WriteString("</body></html>\n")
	return b.Bytes()
}

// manualRun is a run over a directory that nothing is read from.
func manualRun(b *testing.B) *run {
	dir := b.TempDir()
	site, err := disk.OpenSite(disk.SiteConfig{Base: mustParse(b, "https://0.site.invalid/"), Dir: dir, Synthetic: true})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { site.Close() })
	cfg := web(b)
	cfg.Sites, cfg.Scope.WorkingDir, cfg.Deliver.Show = []*disk.Site{site}, dir, result.Show{Broken: true, Warning: true}
	return newRun(b.Context(), cfg, []Seed{{URL: site.Base(), Follow: true, Crawl: true}}, quiet{})
}

// BenchmarkReferences is what a page's 91 links cost once they are extracted: resolved,
// keyed, decided on, encoded; the pages of one directory in turn.
func BenchmarkReferences(b *testing.B) {
	r := manualRun(b)
	docs := make([]*extract.Document, 64)
	bases := make([]*urinorm.Base, len(docs))
	links := 0
	for i := range docs {
		docs[i] = extract.Extract(extract.Input{Body: manual(i), ContentType: "text/html"})
		links = len(docs[i].Links)
		base, err := urinorm.NewBase(mustParse(b, fmt.Sprintf("https://0.site.invalid/part-1/chapter-%d.html", i)), "")
		if err != nil {
			b.Fatal(err)
		}
		bases[i] = base
	}
	f := &references.Page{}
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		i := n % len(docs)
		n++
		f.Reset(r.env, scope.HrefOf(bases[i].URL()), 1)
		f.From(references.Source{Base: bases[i], Local: true})
		for k := range docs[i].Links {
			f.Add(&docs[i].Links[k])
		}
		if len(f.Targets()) < 30 || len(f.Encode()) < 100 {
			b.Fatal("links are lost")
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(links), "ns/link")
}

// BenchmarkSettle is what the same page costs the frontier and its store.
func BenchmarkSettle(b *testing.B) {
	r := manualRun(b)
	f := &references.Page{}
	if err := r.seeds.Enter(b.Context()); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		b.StopTimer()
		t, err := r.frontier.Next(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		doc := extract.Extract(extract.Input{Body: manual(n), ContentType: "text/html"})
		n++
		u := mustParse(b, t.URL)
		base, err := urinorm.NewBase(u, "")
		if err != nil {
			b.Fatal(err)
		}
		f.Reset(r.env, scope.HrefOf(u), 1)
		f.Against(base)
		for k := range doc.Links {
			f.Add(&doc.Links[k])
		}
		l := extract.Link{Ref: fmt.Sprintf("next-%d.html", n)} // that there is always one
		f.Add(&l)
		o := &judging.Outcome{Code: check.CodeOK, Status: 200, Content: judging.Content{Read: true}}
		b.StartTimer()
		if _, err := r.frontier.Settle(b.Context(), t, frontier.Settlement{Outcome: o, Found: f.Targets(), Links: f.Encode()}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkBlock encodes and decodes the references of a page.
func BenchmarkBlock(b *testing.B) {
	doc := extract.Extract(extract.Input{Body: manual(1), ContentType: "text/html"})
	var links frontier.Links
	add := func() {
		links.Reset(false)
		for i := range doc.Links {
			l := &doc.Links[i]
			links.Add(&frontier.Link{Target: i % 61, Line: l.Line, Column: l.Column, Element: l.Element, Attribute: l.Attribute, Raw: l.Raw, Text: l.Text})
		}
	}
	var block []byte
	b.Run("add", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			add()
		}
	})
	b.Run("encode", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			block = links.Encode(block[:0])
		}
		b.ReportMetric(float64(len(block))/float64(len(doc.Links)), "B/link")
	})
	b.Run("briefs", func(b *testing.B) {
		b.ReportAllocs()
		var r frontier.BriefReader
		var l frontier.Brief
		for b.Loop() {
			if err := r.Reset(block); err != nil {
				b.Fatal(err)
			}
			for more := true; more; more, _ = r.Next(&l) {
			}
		}
	})
	b.Run("whole", func(b *testing.B) {
		b.ReportAllocs()
		var r frontier.LinkReader
		var l frontier.RawLink
		for b.Loop() {
			if err := r.Reset(block); err != nil {
				b.Fatal(err)
			}
			for more := true; more; more, _ = r.Next(&l) {
			}
		}
	})
}

// BenchmarkJoin is what giving verdicts to a site's 25,000 references and reporting
// them costs, once the crawl is over.
func BenchmarkJoin(b *testing.B) {
	const pages, links = 500, 50
	dir := b.TempDir()
	if err := crawlertest.Generate(1, pages, links).WriteDir(dir); err != nil {
		b.Fatal(err)
	}
	cfg, seeds := onDisk(b, dir)
	cfg.Deliver.Show = result.Show{Broken: true, Warning: true}
	r := newRun(b.Context(), cfg, seeds, quiet{})
	if err := r.seeds.Enter(b.Context()); err != nil {
		b.Fatal(err)
	}
	if err := r.crawl(b.Context()); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		sum, err := r.reports.Give(b.Context(), r.describer.crawl())
		if err != nil || sum.References < pages*links {
			b.Fatal(sum, err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(pages*links), "ns/link")
}

// BenchmarkDirectory checks a directory of 500 manual pages, from the first file to
// the report.
func BenchmarkDirectory(b *testing.B) {
	dir := b.TempDir()
	const pages = 500
	for i := range pages {
		name := filepath.Join(dir, fmt.Sprintf("part-%d", i%20), fmt.Sprintf("chapter-%d.html", i))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(name, manual(i), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		cfg, seeds := onDisk(b, dir)
		cfg.Deliver.Show = result.Show{Broken: true, Warning: true}
		sum, err := Run(b.Context(), cfg, seeds, quiet{})
		if err != nil || sum.Pages != pages {
			b.Fatal(sum, err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/pages, "µs/page")
}

// BenchmarkCrawl crawls a generated site over loopback, server and client in one
// process.
func BenchmarkCrawl(b *testing.B) {
	const pages = 500
	base, _ := sitetest.Serve(b, crawlertest.Generate(1, pages, 50))
	b.ReportAllocs()
	for b.Loop() {
		cfg := web(b)
		cfg.Deliver.Show = result.Show{Broken: true, Warning: true}
		sum, err := Run(b.Context(), cfg, seedOf(b, base+"/"), quiet{})
		if err != nil || sum.Pages != pages {
			b.Fatal(sum, err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/pages, "µs/page")
}
