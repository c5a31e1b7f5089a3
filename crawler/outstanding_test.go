package crawler

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/crawlertest"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/fetch/disk"
	"github.com/orbweaver/orbweaver/crawler/result"
)

// TestStreamSuggestsTheSame: what was meant by a page that is gone may be a leaf,
// which is asked when the stream has begun, and a dead address may answer over https.
func TestStreamSuggestsTheSame(t *testing.T) {
	answer := at(map[string]func(*exchange){
		"site.test/":               page(`<a href=/a>a</a><a href=/guide/instal>b</a><a href=/giude/setup/index.html>c</a><a href=/far>d</a>`),
		"site.test/a":              page(`<a href=/guide/install>b</a><a href=/guide/setup/>c</a><a href=/guide/setup/index.html>c</a><a href=http://other.test/x>x</a><a href=https://other.test/x>x</a>`),
		"site.test/guide/install":  redirect(301, "/guide/install/"),
		"site.test/guide/install/": page("<p>"),
		"site.test/guide/setup/":   page("<p>"),
	})
	twin := serveFaults(t, tlsOf(crawlertest.NewAuthority(t, "other.test")), at(map[string]func(*exchange){"other.test/x": page("<p>")}))
	results := func(stream bool) (map[string]string, []string) {
		cfg, _ := realWeb(t, answer, func(c *fetch.HTTPConfig) {
			c.ConnectTo = append(c.ConnectTo, fetch.ConnectTo{From: ":443", To: twin.addr})
			c.Insecure = true
		})
		cfg.Scope.Depth, cfg.Deliver.Stream = 1, stream
		c, _ := crawl(t, cfg, seedOf(t, "http://site.test/"))
		var order []string
		for _, r := range c.results {
			order = append(order, r.URL)
		}
		return suggestionsOf(c), order
	}
	want, _ := results(false)
	if len(want) != 4 {
		t.Fatalf("suggested at the end: %q", want)
	}
	got, order := results(true)
	if !reflect.DeepEqual(got, want) {
		t.Errorf("streamed: %q, at the end: %q", got, want)
	}
	if slices.Index(order, "http://site.test/far") > slices.Index(order, "http://site.test/guide/install") {
		t.Errorf("what nothing can be suggested for waits for the leaves: %q", order)
	}
}

// TestStreamTellsTheSame: what is told while leaves are out is told in full: which of its
// references a warning is not about, the files beside a leaf that may have been meant,
// and whether a changed page has the finding.
func TestStreamTellsTheSame(t *testing.T) {
	dir := writeFiles(t, map[string]string{
		"a.html": `<img src=" leaf.png"><img src="leaf.png"><a href="unnamed">u</a>`, "b.html": `<img src="leaf.png"><a href="unnamed">u</a>`,
		"leaf.png": "", "deep.html": `<img src="deep/missing.png">`,
	})
	if err := os.Mkdir(filepath.Join(dir, "deep"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "deep", "unnamed"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, changed := range []string{"", "a.html", "b.html"} {
		results := func(stream bool) []*result.Result {
			cfg, seeds := onDisk(t, dir)
			cfg.Deliver.Stream, cfg.Politeness.Concurrency, cfg.Deliver.Show = stream, 1, result.Show{Broken: true, Warning: true}
			if changed != "" {
				cfg.Scope.Changed = &disk.Changes{}
				cfg.Scope.Changed.Add(filepath.Join(dir, changed))
			}
			c, _ := crawl(t, cfg, seeds)
			for _, r := range c.results {
				r.Elapsed = 0
			}
			slices.SortFunc(c.results, func(a, b *result.Result) int { return strings.Compare(a.URL, b.URL) })
			return c.results
		}
		want, got := results(false), results(true)
		if len(want) == 0 || !reflect.DeepEqual(got, want) {
			for _, r := range want {
				t.Logf("%s: at the end: %+v", changed, r)
			}
			for _, r := range got {
				t.Errorf("%s: streamed: %+v", changed, r)
			}
		}
	}
}
