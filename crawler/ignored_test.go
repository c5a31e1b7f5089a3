package crawler

import (
	"maps"
	"testing"
)

// TestIgnoredFragments: a link that bears the mark to be left out is not told for its
// Fragment because others lead to the same document; one without the mark is.
func TestIgnoredFragments(t *testing.T) {
	dir := writeFiles(t, map[string]string{
		"index.html": `<!doctype html><a href="page.html">1</a><a href="page.html#gone" data-orbweaver-ignore>2</a>` +
			`<a href="gone.html">3</a><a href="gone.html#x" data-orbweaver-ignore>4</a>` +
			`<a href="page.html#both" data-orbweaver-ignore>5</a><a href="page.html#there" data-orbweaver-ignore>6</a>`,
		"page.html":  `<!doctype html><p id=there><a href="index.html">7</a>`,
		"other.html": `<!doctype html><a href="page.html#both">8</a>`,
	})
	want := map[string]string{"1": "ok", "2": "excluded", "3": "file-missing", "4": "excluded", "5": "fragment-missing", "6": "ok", "7": "ok", "8": "fragment-missing"}
	for _, stream := range []bool{false, true} {
		for _, workers := range []int{1, 8} {
			cfg, seeds := onDisk(t, dir)
			cfg.Concurrency, cfg.Stream = workers, stream
			c := &collector{}
			if _, err := Run(t.Context(), cfg, seeds, c); err != nil {
				t.Fatal(err)
			}
			got := map[string]string{}
			for _, r := range c.results {
				for _, ref := range r.References {
					got[ref.Text] = string(r.Code)
				}
			}
			if !maps.Equal(got, want) {
				t.Errorf("stream %v, %d workers: %v, want %v", stream, workers, got, want)
			}
		}
	}
}
