package crawler_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"

	"github.com/orbweaver/orbweaver/crawler"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/fetch/disk"
	"github.com/orbweaver/orbweaver/crawler/result"
	"github.com/orbweaver/orbweaver/urinorm"
)

// Check a site and print its broken links, each with the page that it is on.
func Example() {
	site := exampleSite()
	defer site.Close()

	client, err := fetch.NewHTTP(fetch.HTTPConfig{})
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	start, _, err := urinorm.ParseWeb(site.URL + "/")
	if err != nil {
		log.Fatal(err)
	}
	seeds := []crawler.Seed{{URL: start, Follow: true, Crawl: true}}
	config := &crawler.Config{Fetch: client}
	config.Deliver.Show.Broken = true
	summary, err := crawler.Run(context.Background(), config, seeds, result.Func(func(r *result.Result) error {
		for _, ref := range r.References {
			fmt.Printf("%s:%d: %s: %s\n", path.Base(ref.Page), ref.Line, path.Base(r.URL), r.Code)
		}
		return nil
	}))
	if err != nil {
		log.Fatal(err) // the run could not continue; broken links are results
	}
	fmt.Println(summary.Pages, "pages,", summary.Broken, "broken link")
	// Output:
	// guide:1: gone: http-404
	// 2 pages, 1 broken link
}

// exampleSite serves two pages, of which one has a broken link.
func exampleSite() *httptest.Server {
	pages := map[string]string{
		"/":      `<!doctype html><title>Home</title><a href="guide">Guide</a>`,
		"/guide": `<!doctype html><title>Guide</title><a href="/">Home</a> <a href="gone">Gone</a>`,
	}
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if pages[r.URL.Path] == "" {
			http.NotFound(w, r)
			return
		}
		fmt.Fprint(w, pages[r.URL.Path])
	}))
}

// Check one URL, without reading the page for links.
func ExampleRun_oneURL() {
	site := exampleSite()
	defer site.Close()
	client, err := fetch.NewHTTP(fetch.HTTPConfig{})
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	target, _, err := urinorm.ParseWeb(site.URL + "/guide#install")
	if err != nil {
		log.Fatal(err)
	}
	config := &crawler.Config{Fetch: client}
	config.Deliver.Show.OK, config.Deliver.Show.Broken, config.Deliver.Show.Unverified = true, true, true
	seeds := []crawler.Seed{{URL: target, Named: true}}
	_, err = crawler.Run(context.Background(), config, seeds, result.Func(func(r *result.Result) error {
		fmt.Println(r.Verdict, r.Code, r.Status)
		return nil
	}))
	if err != nil {
		log.Fatal(err)
	}
	// Output: broken fragment-missing 200
}

// counter is a Sink that prints results and counts pages.
type counter struct{ pages int }

func (*counter) Result(r *result.Result) error {
	fmt.Println(r.Verdict, r.URL, r.Code)
	return nil
}
func (c *counter) Page(*result.Page) error { c.pages++; return nil }
func (*counter) Note(n result.Note) error  { fmt.Println(n.Message); return nil }
func (*counter) Progress(result.Progress)  {}

// Check the documents of a directory, with a Sink that receives pages as well.
func ExampleRun_directory() {
	dir, err := os.MkdirTemp("", "site")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	page := []byte(`<a href="index.html#top">top</a> <a href="gone.html">gone</a>`)
	if err := os.WriteFile(filepath.Join(dir, "index.html"), page, 0o600); err != nil {
		log.Fatal(err)
	}

	base, _, err := urinorm.ParseWeb("http://directory.invalid/") // where it will be published
	if err != nil {
		log.Fatal(err)
	}
	site, err := disk.OpenSite(disk.SiteConfig{Dir: dir, Base: base, Synthetic: true})
	if err != nil {
		log.Fatal(err)
	}
	defer site.Close()
	start, err := site.URLOf("index.html")
	if err != nil {
		log.Fatal(err)
	}
	config := &crawler.Config{Sites: []*disk.Site{site}, Scope: crawler.ScopeRules{WorkingDir: dir}}
	config.Deliver = crawler.Deliver{Show: result.Show{Broken: true}, Pages: true}
	seeds := []crawler.Seed{{URL: start, Follow: true, Crawl: true}}
	sink := &counter{}
	if _, err := crawler.Run(context.Background(), config, seeds, sink); err != nil {
		log.Fatal(err)
	}
	fmt.Println(sink.pages, "page")
	// Output:
	// broken gone.html file-missing
	// 1 page
}
