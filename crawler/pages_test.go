package crawler

import (
	"fmt"
	"maps"
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
	cfg.Deliver.Pages = true
	c, sum := crawl(t, cfg, seedOf(t, site.URL+"/"))
	if want := map[string]int{strings.TrimPrefix(site.URL, "http://"): sum.OK}; sum.OK == 0 || !maps.Equal(sum.OKByHost, want) {
		t.Errorf("%d are ok, by host %v", sum.OK, sum.OKByHost)
	}
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

// The targets that are ok are counted by host, whether they are only counted or also reported.
func TestOKByHost(t *testing.T) {
	cfg := web(t)
	cfg.Deliver.Pages = true
	for _, all := range []bool{false, true} {
		cfg.Deliver.Show.OK = all
		mux := http.NewServeMux()
		site, other := httptest.NewServer(mux), httptest.NewServer(http.NewServeMux())
		t.Cleanup(site.Close)
		t.Cleanup(other.Close)
		mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/gone" {
				http.NotFound(w, r)
				return
			}
			fmt.Fprintf(w, `<h1 id=x></h1><a href="/"></a><a href="/#x"></a><a href="/#"></a><a href="/#none"></a><a href="/a#x"></a><a href="/gone"></a><a href="%s/gone"></a><a href="tel:+1201"></a>`, other.URL)
		})
		_, sum := crawl(t, cfg, seedOf(t, site.URL+"/"))
		if want := map[string]int{strings.TrimPrefix(site.URL, "http://"): 4}; !maps.Equal(sum.OKByHost, want) || sum.OK != 4 {
			t.Errorf("%d are ok, by host %v, want %v", sum.OK, sum.OKByHost, want)
		}
	}
}
