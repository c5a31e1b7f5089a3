package report_test

import (
	"context"
	"io/fs"
	"log"
	"os"

	"github.com/orbweaver/orbweaver/crawler"
	"github.com/orbweaver/orbweaver/crawler/fetch/disk"
	"github.com/orbweaver/orbweaver/crawler/result"
	"github.com/orbweaver/orbweaver/report"
	"github.com/orbweaver/orbweaver/urinorm"
)

// textSink passes results on to a report and ignores notes and progress.
type textSink struct{ *report.Multi }

func (textSink) Note(result.Note) error   { return nil }
func (textSink) Progress(result.Progress) {}

// Example_crawl checks every document of a directory and prints the broken links as
// text.
func Example_crawl() {
	base, _, _ := urinorm.ParseWeb("https://example.com/") // where the directory is published
	site, err := disk.OpenSite(disk.SiteConfig{Base: base, Dir: "testdata/site"})
	must(err)
	defer site.Close()
	var seeds []crawler.Seed
	must(site.Walk(nil, func(file string, _ fs.DirEntry) error {
		u, err := site.URLOf(file)
		seeds = append(seeds, crawler.Seed{URL: u, Follow: true, Crawl: true})
		return err
	}))
	text, err := report.ByName("text")
	must(err)
	out, err := report.Open([]report.Output{{Format: text, File: report.Stdout}}, os.Stdout, report.Options{})
	must(err)
	defer out.Close()
	must(out.Begin(&report.Head{}))
	config := &crawler.Config{Sites: []*disk.Site{site}, Deliver: crawler.Deliver{Show: result.Show{Broken: true}}}
	summary, err := crawler.Run(context.Background(), config, seeds, textSink{out})
	must(err)
	summary.Elapsed = 0 // so that the output is always the same
	must(out.End(summary))
	// Output:
	// testdata/site/guide.html
	//   4:13   broken      fragment-missing  https://example.com/index.html#news  "News"
	//
	// testdata/site/index.html
	//   3:45   broken      file-missing      https://example.com/prices.html      "Prices"
	//
	// 2 broken · 4 links to 4 targets on 2 pages · 0.0 s
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
