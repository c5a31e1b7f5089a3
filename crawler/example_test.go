package crawler_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"

	"github.com/orbweaver/orbweaver/crawler"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/fetch/disk"
	"github.com/orbweaver/orbweaver/crawler/result"
	"github.com/orbweaver/orbweaver/urinorm"
)

// printer is a Sink that prints each result.
type printer struct{ root string }

func (p printer) Result(r *result.Result) error {
	fmt.Println(r.Verdict, strings.TrimPrefix(r.URL, p.root), r.Code)
	return nil
}
func (printer) Page(*result.Page) error  { return nil }
func (printer) Note(result.Note) error   { return nil }
func (printer) Progress(result.Progress) {}

// Check the documents of a directory and print the broken links.
func ExampleRun() {
	dir, err := os.MkdirTemp("", "site")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	page := []byte(`<a href="index.html#top">top</a> <a href="gone.html">gone</a>`)
	if err := os.WriteFile(filepath.Join(dir, "index.html"), page, 0o600); err != nil {
		log.Fatal(err)
	}
	base, _, _ := urinorm.ParseWeb("http://directory.invalid/")
	site, err := disk.OpenSite(disk.SiteConfig{Dir: dir, Base: base, Synthetic: true})
	if err != nil {
		log.Fatal(err)
	}
	defer site.Close()
	start, _ := site.URLOf("index.html")
	config := &crawler.Config{Sites: []*disk.Site{site}, Scope: crawler.ScopeRules{WorkingDir: dir}, Deliver: crawler.Deliver{Show: result.Show{Broken: true}}}
	seeds := []crawler.Seed{{URL: start, Follow: true, Crawl: true}}
	if _, err := crawler.Run(context.Background(), config, seeds, printer{}); err != nil {
		log.Fatal(err)
	}
	// Output: broken gone.html file-missing
}

// Crawl a server and receive its results in a Sink.
func ExampleSink() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" {
			http.NotFound(w, r)
			return
		}
		fmt.Fprint(w, `<!doctype html><a href="/">home</a> <a href="/gone">gone</a>`)
	}))
	defer server.Close()
	client, _ := fetch.NewHTTP(fetch.HTTPConfig{})
	defer client.Close()
	config := &crawler.Config{Fetch: fetch.Mux{"http": client}, Deliver: crawler.Deliver{Show: result.Show{OK: true, Broken: true}}}
	start, _, _ := urinorm.ParseWeb(server.URL + "/")
	seeds := []crawler.Seed{{URL: start, Follow: true, Crawl: true}}
	summary, err := crawler.Run(context.Background(), config, seeds, printer{root: server.URL})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(summary.Pages, "page")
	// Output:
	// ok / ok
	// broken /gone http-404
	// 1 page
}
