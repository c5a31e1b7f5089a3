package crawler

import (
	"cmp"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/inspect"
	"github.com/orbweaver/orbweaver/crawler/result"
)

// TestOrderOfResults tests that results are delivered in the order of their URLs, whether all or
// few targets are shown, and findings about a page after the page.
func TestOrderOfResults(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		switch r.URL.Path {
		case "/":
			io.WriteString(w, `<!doctype html><html lang="en"><title>t</title>`)
			for i := range 100 {
				fmt.Fprintf(w, `<a href="/%d">%d</a> <a href="/gone/%d">gone</a> <a href="/#%d">name</a>`, (i*37)%100, i, i%3, i%5)
			}
		case "/gone/0", "/gone/1", "/gone/2":
			http.NotFound(w, r)
		default:
			io.WriteString(w, `<!doctype html><html lang="en"><title>t</title><h3>x</h3>`)
		}
	}))
	defer server.Close()
	groups, err := inspect.ParseGroups("seo")
	if err != nil {
		t.Fatal(err)
	}
	for name, show := range map[string]result.Show{"all": showAll(), "few": {Broken: true}} {
		inspector, err := inspect.Open(t.Context(), inspect.Config{Groups: groups})
		if err != nil {
			t.Fatal(err)
		}
		cfg := web(t)
		cfg.Judging.Inspector, cfg.Deliver.Show = inspector, show
		c, _ := crawl(t, cfg, seedOf(t, server.URL+"/"))
		inspector.Close()
		targets, findings := 0, 0
		for _, r := range c.results {
			if r.Kind == result.KindPage {
				findings++
			} else {
				targets++
			}
		}
		byURL := func(a, b *result.Result) int { return cmp.Or(cmp.Compare(a.URL, b.URL), cmp.Compare(a.Kind, b.Kind)) }
		if !slices.IsSortedFunc(c.results, byURL) {
			t.Errorf("%s: the results are not sorted", name)
		}
		if want := map[string]int{"all": 1 + 5 + 100 + 3, "few": 5 + 3}[name]; targets != want || (findings > 0) != show.Warning {
			t.Errorf("%s: %d targets and %d findings, want %d targets", name, targets, findings, want)
		}
		for i, r := range c.results {
			if r.Kind == result.KindPage && i > 0 && c.results[i-1].URL != r.URL {
				t.Errorf("%s: the first finding about %s does not follow its target", name, r.URL)
			}
			if r.Verdict == check.Broken && len(r.References) == 0 {
				t.Errorf("%s: %s has no references", name, r.URL)
			}
		}
	}
}
