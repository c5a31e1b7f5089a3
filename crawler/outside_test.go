package crawler

import (
	"maps"
	"os"
	"path/filepath"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/fetch/disk"
)

// TestAboveRoot: a link out of the directory is told as that, unless the root has what a
// browser would ask for. What lies outside is never looked at.
func TestAboveRoot(t *testing.T) {
	const page = `<!doctype html><a href="../there.html">1</a><a href="../outside.html#x">2</a><a href="../../outside.html">3</a><a href="/../outside.html">4</a>` +
		`<a href="../site/a.html">5</a><a href="./../outside.html#x">6</a>`
	built := map[string]string{"1": "ok", "2": "file-outside-root", "3": "file-outside-root", "4": "file-missing", "5": "file-missing", "6": "file-outside-root"}
	for name, test := range map[string]struct {
		files map[string]string
		want  map[string]string
	}{
		"a built site": {map[string]string{"index.html": page, "a.html": page, "b.html": page, "there.html": ""}, built},
		"sources": {map[string]string{"a.html": page, "b.html": page, "there.html": ""},
			map[string]string{"1": "ok", "2": "file-outside-root", "3": "file-outside-root", "4": "file-missing", "5": "ok", "6": "file-outside-root"}},
		"a base element": {map[string]string{"index.html": `<!doctype html><base href="x/">` + page[len("<!doctype html>"):]},
			map[string]string{"1": "file-missing", "2": "file-missing", "3": "file-missing", "4": "file-missing", "5": "file-missing", "6": "file-missing"}},
		"what is built in": {map[string]string{"a.rst": ".. include:: ../part.rst\n\n.. image:: ../logo.png\n\n`2 <../outside.html>`_\n"},
			map[string]string{"": "excluded", "2": "file-outside-root"}},
	} {
		above := t.TempDir()
		dir := filepath.Join(above, "site")
		if err := os.Rename(writeFiles(t, test.files), dir); err != nil {
			t.Fatal(err)
		}
		for _, outside := range []string{"outside.html", "part.rst", "logo.png"} {
			if err := os.WriteFile(filepath.Join(above, outside), []byte(`<!doctype html><p id=x><a href="secret.html">7</a>`), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		for _, workers := range []int{1, 8} {
			for _, again := range []bool{false, true} {
				cfg, seeds := onDisk(t, dir)
				cfg.Concurrency, cfg.ReadAgain = workers, again
				cfg.Fetch = fetch.Mux{"file": &disk.Files{}}
				cfg.Show = Show{OK: !again, Skipped: true, Broken: true}
				c := &collector{}
				if _, err := Run(t.Context(), cfg, seeds, c); err != nil {
					t.Fatal(err)
				}
				got := map[string]string{}
				for _, r := range c.results {
					for _, ref := range r.References {
						if before, met := got[ref.Text]; met && before != string(r.Code) {
							t.Errorf("%s: %s is %s and %s", name, ref.Text, before, r.Code)
						}
						got[ref.Text] = string(r.Code)
					}
				}
				want := maps.Clone(test.want)
				if again { // ok is not shown
					maps.DeleteFunc(want, func(_, code string) bool { return code == "ok" })
				}
				if !maps.Equal(got, want) {
					t.Errorf("%s, %d workers, %v: %v, want %v", name, workers, again, got, want)
				}
			}
		}
	}
}
