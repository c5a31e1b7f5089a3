//go:build !race

package crawler

import (
	"testing"

	"github.com/orbweaver/orbweaver/crawler/crawlertest"
	"github.com/orbweaver/orbweaver/crawler/internal/verdicts"
	"github.com/orbweaver/orbweaver/crawler/result"
)

// TestJoinByRanges: a report does not hang on how many anchors are held at once.
func TestJoinByRanges(t *testing.T) {
	dir := t.TempDir()
	if err := crawlertest.Generate(7, 300, 20).WriteDir(dir); err != nil {
		t.Fatal(err)
	}
	for _, show := range []result.Show{{Broken: true, Warning: true}, showAll()} {
		cfg, seeds := onDisk(t, dir)
		cfg.Deliver.Show = show
		want := told(t, cfg, seeds, verdicts.MaxAnchors)
		for _, anchors := range []int{1, 100, 5999} {
			if got := told(t, cfg, seeds, anchors); got != want {
				t.Errorf("with %d anchors at once, the report differs", anchors)
			}
		}
	}
}
