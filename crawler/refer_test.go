package crawler

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/fetch/disk"
	"github.com/orbweaver/orbweaver/crawler/internal/seeds"
	"github.com/orbweaver/orbweaver/crawler/internal/stored"
	"github.com/orbweaver/orbweaver/crawler/result"
)

// Every seed is known by the number that its target has, in whatever step it was
// entered, and one without a URL by none.
func TestReferInSteps(t *testing.T) {
	const count = 2*seeds.AtOnce + 10
	site, err := disk.OpenSite(disk.SiteConfig{Base: mustParse(t, "https://0.site.invalid/"), Dir: t.TempDir(), Synthetic: true})
	if err != nil {
		t.Fatal(err)
	}
	defer site.Close()
	cfg := web(t)
	cfg.Sites = []*disk.Site{site}
	given := make([]Seed, count)
	for i := range given {
		given[i] = Seed{URL: mustParse(t, fmt.Sprintf("https://0.site.invalid/%d.html", i)), Follow: true, Crawl: true}
	}
	again, part, none, other := seeds.AtOnce+5, seeds.AtOnce+6, 7, 8
	given[again] = given[3]
	given[part] = Seed{URL: mustParse(t, "https://0.site.invalid/part.html#x"), Follow: true}
	given[none] = Seed{Raw: "missing/"}
	given[other] = Seed{URL: mustParse(t, "https://example.com/"), Follow: true}

	r := newRun(t.Context(), cfg, given, &collector{})
	defer r.cfg.Keep.Store.Close()
	if err := r.seeds.Enter(t.Context()); err != nil {
		t.Fatal(err)
	}
	got := r.seeds.IDs
	found, err := stored.SeedIDs(t.Context(), r.frontier, given)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got, found) || got[again] != got[3] || got[none] != 0 || slices.Index(got, 0) != none {
		t.Errorf("the store knows the seeds by other numbers: %v and %v of the first", got[:10], found[:10])
	}
	if c, err := r.frontier.Count(t.Context()); err != nil || c.Known != count-2 {
		t.Errorf("%d targets, %v; want %d", c.Known, err, count-2)
	}
	for url, want := range map[string]bool{"0.html": true, "part.html": true, fmt.Sprintf("%d.html", count-1): true, "7.html": false} {
		if got := r.seeds.Documents.Has(mustParse(t, "https://0.site.invalid/"+url)); got != want {
			t.Errorf("%s is a seed: %v", url, got)
		}
	}
	if r.seeds.Documents.Has(given[other].URL) {
		t.Error("a seed on the network counts as a document of a directory")
	}
}

// TestNamedAside: what becomes of a target says a link to it, not what only names it: one
// that is to be left out, or a hint to connect. Which page is read first does not matter.
func TestNamedAside(t *testing.T) {
	targets := []string{"htp://example.com/", "file:///etc/passwd", "mailto:a b", "https://example.com/", "urn:", "http://["}
	var aside, links strings.Builder
	for _, url := range targets {
		fmt.Fprintf(&aside, `<p>page</p><a data-orbweaver-ignore href="%s">x</a><link rel=preconnect href="%[1]s">`, url)
		fmt.Fprintf(&links, `<p>page</p><a href="%s">x</a>`, url)
	}
	for _, files := range []map[string]string{
		{"a.html": aside.String(), "b.html": links.String()}, {"a.html": links.String(), "b.html": aside.String()},
		{"a.html": aside.String() + links.String()}, {"a.html": links.String() + aside.String()},
	} {
		for _, again := range []bool{false, true} {
			cfg, seeds := onDisk(t, writeFiles(t, files))
			cfg.Scope.External, cfg.Politeness.Concurrency, cfg.Reading.ReadAgain, cfg.Deliver.Show = SkipExternal, 1, again, result.Show{Broken: true}
			c, sum := crawl(t, cfg, seeds)
			var codes []string
			for _, r := range c.results {
				codes = append(codes, fmt.Sprintf("%s %s %t", r.URL, r.Code, r.Internal))
			}
			want := []string{"file:///etc/passwd file-outside-root true", "htp://example.com/ scheme-unknown false", "http://[ uri-invalid false", "mailto:a b uri-invalid false", "urn: uri-invalid false"}
			if !slices.Equal(codes, want) || sum.ByCode[check.CodeExternal] != 1 || sum.ByCode[check.CodeExcluded] != len(targets) || sum.Skipped != 1+len(targets) {
				t.Errorf("%q: %q, want %q; %+v", files, codes, want, sum)
			}
		}
	}
	cfg, seeds := onDisk(t, writeFiles(t, map[string]string{"a.html": `<p>page</p><a data-orbweaver-ignore href="http://[">x</a>`}))
	if _, sum := crawl(t, cfg, seeds); sum.ByCode[check.CodeExcluded] != 1 || sum.Broken != 0 {
		t.Errorf("of what is to be left out it is told that it is no URL: %+v", sum)
	}
}

// TestNamedHostOfDirectory: nobody looks up the host that stands for a directory.
func TestNamedHostOfDirectory(t *testing.T) {
	const page = `<p>page</p><a href="a.html" ping="/seen">x</a><link rel=preconnect href="/"><link rel=dns-prefetch href="https://example.com/">`
	cfg, seeds := onDisk(t, writeFiles(t, map[string]string{"a.html": page}))
	cfg.Fetch = fetch.Mux{"dns": shelf{"dns:example.com": ""}}
	c, sum := crawl(t, cfg, seeds)
	var urls []string
	for _, r := range c.results {
		urls = append(urls, r.URL+" "+string(r.Code))
	}
	if want := []string{"./ scheme-unchecked", "a.html ok", "dns:example.com ok", "seen scheme-unchecked"}; !slices.Equal(urls, want) || sum.Broken != 0 {
		t.Errorf("%q, want %q; %+v", urls, want, sum)
	}
}
