package crawler

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"
)

// Pages are told with what a sitemap and a graph want to know of them.
func TestPages(t *testing.T) {
	modified := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	mux := http.NewServeMux()
	page := func(path, body string, header ...string) {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
			for i := 0; i < len(header); i += 2 {
				w.Header().Set(header[i], header[i+1])
			}
			fmt.Fprint(w, "<!doctype html>"+body)
		})
	}
	page("/{$}", `<title>Home</title><a href="/a">to a</a><a href="/a">again</a><a href="/old"></a><a href="/gone#x">gone</a><a href="/hidden"></a>`,
		"Last-Modified", modified.Format(http.TimeFormat))
	page("/a", `<base href="/x/"><link rel=canonical href="b?c#d"><meta name=robots content=noindex>`)
	page("/hidden", `h`, "X-Robots-Tag", "noindex")
	page("/new", `n`)
	mux.Handle("/old", http.RedirectHandler("/new", http.StatusMovedPermanently))
	site := httptest.NewServer(mux)
	t.Cleanup(site.Close)

	cfg := web(t)
	cfg.Pages = true
	c, _ := crawl(t, cfg, seedOf(t, site.URL+"/"))
	var got []string
	for _, p := range c.pages {
		line := fmt.Sprintf("%s %q %s depth %d", p.URL, p.Title, p.Format, p.Depth)
		if !p.Modified.IsZero() {
			line += p.Modified.UTC().Format(" 2006-01-02T15:04:05Z")
		}
		if p.NoIndex {
			line += " noindex"
		}
		line += " " + p.Canonical
		for _, l := range p.Links {
			line += fmt.Sprintf(" [%s](%s)", l.Text, l.URL)
		}
		got = append(got, strings.TrimSpace(strings.ReplaceAll(line, site.URL, "")))
	}
	slices.Sort(got)
	want := []string{
		`/ "Home" html depth 0 2026-01-02T03:04:05Z  [to a](/a) [again](/a) [](/old) [gone](/gone#x) [](/hidden)`,
		`/a "" html depth 1 noindex /x/b?c#d [canonical](/x/b?c#d)`,
		`/hidden "" html depth 1 noindex`,
		`/new "" html depth 1`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
