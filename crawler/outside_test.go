package crawler

import (
	"maps"
	"os"
	"path/filepath"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/fetch/disk"
	"github.com/orbweaver/orbweaver/crawler/result"
)

// TestAboveRoot: a link above the directory stops at its root, as in a browser, unless it enters
// the sources of a site again. What lies outside is never looked at.
func TestAboveRoot(t *testing.T) {
	const page = `<!doctype html><a href="../there.html">1</a><a href="../outside.html#x">2</a><a href="../../outside.html">3</a><a href="/../outside.html">4</a>` +
		`<a href="../site/a.html">5</a><a href="./../outside.html#x">6</a>`
	built := map[string]string{"1": "ok", "2": "file-missing", "3": "file-missing", "4": "file-missing", "5": "file-missing", "6": "file-missing"}
	for name, test := range map[string]struct {
		files map[string]string
		want  map[string]string
	}{
		"a built site": {map[string]string{"index.html": page, "a.html": page, "b.html": page, "there.html": ""}, built},
		"sources": {map[string]string{"a.html": page, "b.html": page, "there.html": ""},
			map[string]string{"1": "ok", "2": "file-missing", "3": "file-missing", "4": "file-missing", "5": "ok", "6": "file-missing"}},
		"a base element": {map[string]string{"index.html": `<!doctype html><base href="x/">` + page[len("<!doctype html>"):]},
			map[string]string{"1": "file-missing", "2": "file-missing", "3": "file-missing", "4": "file-missing", "5": "file-missing", "6": "file-missing"}},
		"what is built in": {map[string]string{"a.rst": ".. include:: ../part.rst\n\n.. image:: ../logo.png\n\n`2 <../outside.html>`_\n"},
			map[string]string{"": "excluded", "2": "file-missing"}},
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
				cfg.Politeness.Concurrency, cfg.Reading.ReadAgain = workers, again
				cfg.Fetch = fetch.Mux{"file": &disk.Files{}}
				cfg.Deliver.Show = result.Show{OK: !again, Skipped: true, Broken: true}
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

// TestOutsideBaseOfExternal: a link to the host of the base URL, but not below the base, has a
// warning even if external links are not checked. It is about the reference.
func TestOutsideBaseOfExternal(t *testing.T) {
	const page = `<!doctype html><a href="/other">1</a><a href="/other#x">2</a><a href="https://example.com/other">3</a>` +
		`<a href="https://elsewhere.example/">4</a><a href="/docs/a.html">5</a>`
	dir := writeFiles(t, map[string]string{"a.html": page, "b.html": page})
	site, err := disk.OpenSite(disk.SiteConfig{Base: mustParse(t, "https://example.com/docs/"), Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer site.Close()
	for _, show := range []result.Show{{Warning: true}, {Warning: true, Skipped: true, OK: true}} {
		for _, stream := range []bool{false, true} {
			var seeds []Seed
			for _, name := range []string{"a.html", "b.html"} {
				u, err := site.URLOf(name)
				if err != nil {
					t.Fatal(err)
				}
				seeds = append(seeds, Seed{URL: u, Follow: true, Crawl: true, Raw: name})
			}
			cfg := web(t)
			cfg.Sites, cfg.Scope.WorkingDir, cfg.Scope.External, cfg.Deliver.Show, cfg.Deliver.Stream = []*disk.Site{site}, dir, SkipExternal, show, stream
			c := &collector{}
			sum, err := Run(t.Context(), cfg, seeds, c)
			if err != nil {
				t.Fatal(err)
			}
			got := map[string]int{}
			for _, r := range c.results {
				if len(r.Warnings) == 0 {
					continue
				}
				if r.Verdict != check.Skipped || r.Code != check.CodeExternal || len(r.Warnings) != 1 || r.Warnings[0].Code != check.CodeOutsideBase {
					t.Errorf("%s: %s %s %v", r.URL, r.Verdict, r.Code, r.Warnings)
				}
				got[r.URL] = len(r.References)
			}
			if want := map[string]int{"https://example.com/other": 4, "https://example.com/other#x": 2}; !maps.Equal(got, want) {
				t.Errorf("warnings at %v, want %v", got, want)
			}
			if sum.Warnings != 2 || sum.Skipped != 3 || sum.ByCode[check.CodeExternal] != 3 || sum.ByCode[check.CodeOutsideBase] != 2 {
				t.Errorf("%+v", sum)
			}
		}
	}
}
