package verdicts_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/orbweaver/orbweaver/crawler"
	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/fetch/disk"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/scope"
	"github.com/orbweaver/orbweaver/crawler/internal/verdicts"
	"github.com/orbweaver/orbweaver/crawler/result"
	"github.com/orbweaver/orbweaver/urinorm"
)

// collected is a sink that keeps the codes of results by URL.
type collected struct {
	quiet
	codes map[string]check.Code
}

func (c collected) Result(r *result.Result) error {
	c.codes[r.URL] = r.Code
	return nil
}

// queuedAgain is a store in which a target is queued again between the scan of all targets and
// the reading of this one, as a redirect to one of its fragments does.
type queuedAgain struct {
	frontier.Store
	id frontier.ID
}

func (s queuedAgain) Get(ctx context.Context, id frontier.ID, parts frontier.Parts) (frontier.Record, error) {
	rec, err := s.Store.Get(ctx, id, parts)
	if id == s.id {
		rec.Settled = false
	}
	return rec, err
}

// TestStreamLeavesQueuedTargets tests that the stream reports nothing about a target that the
// frontier queued again unseen, and that the report at the end has it.
func TestStreamLeavesQueuedTargets(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"index.html": "<!doctype html><title>x</title><a href=a.txt>a</a><a href=b.txt>b</a>", "a.txt": "a", "b.txt": "b"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	base, _, err := urinorm.ParseWeb("http://directory.invalid/")
	if err != nil {
		t.Fatal(err)
	}
	site, err := disk.OpenSite(disk.SiteConfig{Dir: dir, Base: base})
	if err != nil {
		t.Fatal(err)
	}
	defer site.Close()
	store := frontier.NewMemory()
	cfg := &crawler.Config{Sites: []*disk.Site{site}, Keep: crawler.Keep{Store: store}}
	index, err := site.URLOf("index.html")
	if err != nil {
		t.Fatal(err)
	}
	seeds := []crawler.Seed{{URL: index, Follow: true, Crawl: true}}
	if _, err := crawler.Run(t.Context(), cfg, seeds, quiet{}); err != nil {
		t.Fatal(err)
	}
	var id frontier.ID
	if err := store.Scan(t.Context(), frontier.PartJob, func(rec *frontier.Record) error {
		if job, err := frontier.DecodeJob(rec.Job); err != nil {
			return err
		} else if string(job.URL) == "http://directory.invalid/a.txt" {
			id = rec.ID
		}
		return nil
	}); err != nil || id == 0 {
		t.Fatalf("a.txt is target %d: %v", id, err)
	}

	sink := collected{codes: map[string]check.Code{}}
	scope := scope.New(scope.Settings{Rules: &scope.Rules{}, Sites: cfg.Sites}, seeds)
	c := &verdicts.Crawl{Settings: verdicts.Settings{Show: result.Show{OK: true, Skipped: true, Broken: true}, MaxRedirects: 10}, Judging: &scope.Judging,
		Scope: scope, Print: scope.Print, Store: queuedAgain{store, id}, Sink: sink}
	stream, err := verdicts.NewStream(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	if code, is := sink.codes["http://directory.invalid/a.txt"]; is || sink.codes["http://directory.invalid/b.txt"] != check.CodeOK {
		t.Errorf("streamed are %v (%q for the target that is queued again)", sink.codes, code)
	}
	c.Store = store
	if _, err := verdicts.Report(t.Context(), c, stream); err != nil {
		t.Fatal(err)
	}
	if sink.codes["http://directory.invalid/a.txt"] != check.CodeOK {
		t.Errorf("at the end: %v", sink.codes)
	}
}
