package crawler

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
	"github.com/orbweaver/orbweaver/crawler/result"
)

// watchedStore is a store in memory that holds its callers to the contract, and tells
// when the crawl is over.
type watchedStore struct {
	*frontier.Memory
	scanning atomic.Bool
	sealed   func()
}

func (s *watchedStore) Scan(ctx context.Context, parts frontier.Parts, fn func(*frontier.Record) error) error {
	s.scanning.Store(true)
	defer s.scanning.Store(false)
	return s.Memory.Scan(ctx, parts, fn)
}

func (s *watchedStore) Get(ctx context.Context, id frontier.ID, parts frontier.Parts) (frontier.Record, error) {
	if s.scanning.Load() {
		return frontier.Record{}, fmt.Errorf("get target %d: called within a scan", id)
	}
	return s.Memory.Get(ctx, id, parts)
}

func (s *watchedStore) Seal() {
	s.Memory.Seal()
	if s.sealed != nil {
		s.sealed()
	}
}

// writeFiles writes pages into a new directory.
func writeFiles(t testing.TB, files map[string]string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, content := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestManyMismatches: each of many pages is linked to, and taken for an image, too. The
// places of each are told apart although not all that is known of the pages is at hand.
func TestManyMismatches(t *testing.T) {
	const pages = 612 // more than are kept at once
	var index strings.Builder
	files := map[string]string{}
	for n := range pages {
		fmt.Fprintf(&index, "<img src=p%d.html><a href=p%[1]d.html></a>\n", n)
		files[fmt.Sprintf("p%d.html", n)] = "<p>page</p>"
	}
	files["index.html"] = index.String()
	cfg, seeds := onDisk(t, writeFiles(t, files))
	cfg.Deliver.Show, cfg.Keep.Store = result.Show{Warning: true}, &watchedStore{Memory: frontier.NewMemory()}
	c, _ := crawl(t, cfg, seeds)
	if len(c.results) != pages {
		t.Fatalf("%d results", len(c.results))
	}
	for _, r := range c.results {
		if len(r.References) != 2 || r.References[0].Concerns(judging.CodeContentTypeMismatch) == r.References[1].Concerns(judging.CodeContentTypeMismatch) {
			t.Fatalf("references %+v", r.References)
		}
	}
}
