package crawler

import (
	"path/filepath"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/fetch/disk"
	"github.com/orbweaver/orbweaver/crawler/result"
)

// TestSinceOrder: a link of a changed page that nothing is wrong with brings up no finding
// that others have with the same target, whichever is read first.
func TestSinceOrder(t *testing.T) {
	const image, link = `<p>page</p><img src="t.html"><a href="t.html#i">x</a>`, `<p>page</p><a href="t.html">t</a><a href="t.html#i">i</a>`
	for _, c := range []struct {
		name, first, last, changed string
		warnings                   int
	}{
		{"a plain link after the finding", image, link, "z.html", 0},
		{"a plain link before it", link, image, "a.html", 0},
		{"the finding's own page", image, link, "a.html", 1},
		{"both pages", link, image, "*.html", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := writeFiles(t, map[string]string{"a.html": c.first, "t.html": "<p id=i>text</p>", "z.html": c.last})
			cfg, seeds := onDisk(t, dir)
			cfg.Deliver.Show = result.Show{Broken: true, Warning: true}
			cfg.Scope.Changed = &disk.Changes{}
			for _, name := range []string{"a.html", "z.html"} {
				if ok, err := filepath.Match(c.changed, name); ok && err == nil {
					cfg.Scope.Changed.Add(filepath.Join(dir, name))
				}
			}
			sum, err := Run(t.Context(), cfg, seeds, &collector{})
			if err != nil || sum.Warnings != c.warnings || sum.Broken != 0 {
				t.Errorf("%+v, %v", sum, err)
			}
		})
	}
}
