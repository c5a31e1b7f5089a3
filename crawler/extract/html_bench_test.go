package extract

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// realPages returns pages made by various generators, by generator name.
func realPages(tb testing.TB) map[string][]byte {
	tb.Helper()
	files, err := filepath.Glob("testdata/pages/*.html")
	if err != nil || len(files) == 0 {
		tb.Fatal("no pages", err)
	}
	pages := map[string][]byte{"highlighted": benchmarkPage(tb)}
	for _, file := range files {
		body, err := os.ReadFile(file)
		if err != nil {
			tb.Fatal(err)
		}
		pages[strings.TrimSuffix(filepath.Base(file), ".html")] = body
	}
	return pages
}

func benchmarkPage(tb testing.TB) []byte {
	tb.Helper()
	body, err := os.ReadFile("testdata/bench.html")
	if err != nil {
		tb.Fatal(err)
	}
	return body
}

// ways are the ways to read a page: with fast paths, without them, and with them but without what
// only shown links need.
var ways = []struct {
	name       string
	slow, bare bool
}{{name: "fast"}, {name: "slow", slow: true}, {name: "bare", bare: true}}

// BenchmarkPages reads pages in each of the ways.
func BenchmarkPages(b *testing.B) {
	for name, body := range realPages(b) {
		for _, by := range ways {
			b.Run(name+"/"+by.name, func(b *testing.B) {
				in := Input{Body: body, ContentType: "text/html; charset=utf-8", slowPath: by.slow, Bare: by.bare}
				var doc Document
				b.SetBytes(int64(len(body)))
				b.ReportAllocs()
				for b.Loop() {
					ExtractInto(&doc, in)
				}
				b.ReportMetric(float64(len(doc.Links)), "links")
			})
		}
	}
}

// BenchmarkMarkup splits pages into events without using them.
func BenchmarkMarkup(b *testing.B) {
	for name, body := range realPages(b) {
		b.Run(name, func(b *testing.B) {
			var t tokens
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				t.reset(body)
				for t.next() != eventEnd {
				}
			}
		})
	}
}

// BenchmarkDocumentation reads all pages of each directory named in ORBWEAVER_DOCUMENTATION
// once. With many different pages the processor predicts branches less well than with one
// page read repeatedly.
func BenchmarkDocumentation(b *testing.B) {
	for _, root := range filepath.SplitList(os.Getenv(documentation)) {
		var pages []Input
		size, links := 0, 0
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() || !isPageName(d.Name()) {
				return err
			}
			body, err := os.ReadFile(path)
			pages = append(pages, Input{Body: body, Name: d.Name()})
			size += len(body)
			return err
		})
		if err != nil {
			b.Fatal(err)
		}
		for _, by := range ways {
			b.Run(filepath.Base(root)+"/"+by.name, func(b *testing.B) {
				var doc Document
				b.SetBytes(int64(size))
				b.ReportAllocs()
				for b.Loop() {
					links = 0
					for _, in := range pages {
						in.slowPath, in.Bare = by.slow, by.bare
						ExtractInto(&doc, in)
						links += len(doc.Links)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(pages)), "ns/page")
				b.ReportMetric(float64(links)/float64(len(pages)), "links/page")
			})
		}
	}
}
