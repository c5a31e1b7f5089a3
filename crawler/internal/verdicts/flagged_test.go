package verdicts_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/orbweaver/orbweaver/crawler"
	"github.com/orbweaver/orbweaver/crawler/fetch/disk"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/scope"
	"github.com/orbweaver/orbweaver/crawler/internal/verdicts"
	"github.com/orbweaver/orbweaver/crawler/result"
	"github.com/orbweaver/orbweaver/urinorm"
)

// quiet is a sink that wants nothing.
type quiet struct{}

func (quiet) Result(*result.Result) error { return nil }
func (quiet) Page(*result.Page) error     { return nil }
func (quiet) Note(result.Note) error      { return nil }
func (quiet) Progress(result.Progress)    {}

// TestWarnedIsNotFlagged: references to the anchors of a page with warnings of its own
// cost no more than others.
func TestWarnedIsNotFlagged(t *testing.T) {
	dir := t.TempDir()
	page := "<!doctype html><title>x</title><p id=a></p><p id=a></p>"
	page += strings.Repeat("<a href='#'>x</a>", 3)
	for i := range 200 {
		page += fmt.Sprintf("<p id=i%d></p><a href='#i%d'>x</a>", i, i)
	}
	if err := os.WriteFile(filepath.Join(dir, "index.html"), []byte(page), 0o600); err != nil {
		t.Fatal(err)
	}
	base, _, err := urinorm.ParseWeb("http://directory.invalid/")
	if err != nil {
		t.Fatal(err)
	}
	site, err := disk.OpenSite(disk.SiteConfig{Dir: dir, Base: base, Synthetic: true})
	if err != nil {
		t.Fatal(err)
	}
	defer site.Close()
	cfg := &crawler.Config{Sites: []*disk.Site{site}, Keep: crawler.Keep{Store: frontier.NewMemory()}, Deliver: crawler.Deliver{Show: result.Show{Broken: true, Warning: true}}}
	index, err := site.URLOf("index.html")
	if err != nil {
		t.Fatal(err)
	}
	seeds := []crawler.Seed{{URL: index, Follow: true, Crawl: true}}
	if _, err := crawler.Run(t.Context(), cfg, seeds, quiet{}); err != nil {
		t.Fatal(err)
	}
	scope := scope.New(scope.Settings{Rules: &scope.Rules{}, Sites: cfg.Sites}, seeds)
	flagged, ok, err := verdicts.Flagged(t.Context(), &verdicts.Crawl{Settings: verdicts.Settings{Show: cfg.Deliver.Show, MaxRedirects: 10}, Judging: &scope.Judging, Scope: scope, Print: scope.Print, Store: cfg.Keep.Store, Sink: quiet{}})
	if err != nil {
		t.Fatal(err)
	}
	if flagged != 1 || ok != 201 {
		t.Errorf("%d pairs are looked at closely, and %d are simply ok; want 1 and 201", flagged, ok)
	}
}
