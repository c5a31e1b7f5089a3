package crawler

import (
	"strings"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/crawlertest"
	"github.com/orbweaver/orbweaver/crawler/fetch"
)

// suggestionsOf lists what is suggested, by target; what is unique has a "!".
func suggestionsOf(c *collector) map[string]string {
	all := map[string]string{}
	for _, r := range c.results {
		var list []string
		for _, s := range r.Suggestions {
			mark := ""
			if s.Unique {
				mark = "!"
			}
			list = append(list, s.URL+mark)
		}
		if list != nil {
			all[r.URL] = strings.Join(list, " ")
		}
	}
	return all
}

func wantSuggestions(t *testing.T, c *collector, want map[string]string) {
	t.Helper()
	got := suggestionsOf(c)
	for url, s := range want {
		if got[url] != s {
			t.Errorf("%s: %q, want %q", url, got[url], s)
		}
	}
	for url, s := range got {
		if want[url] == "" {
			t.Errorf("%s: %q, want nothing", url, s)
		}
	}
}

// TestSuggestionsInADirectory: what is near is found among the pages, and among the
// files that nothing refers to.
func TestSuggestionsInADirectory(t *testing.T) {
	dir := writeFiles(t, map[string]string{
		"index.html": `<!doctype html><a href="guide/instal.html">a</a> <a href="giude/install.html#step">b</a>
<a href="guide/instal.html#stpe">c</a> <a href="guide/instal.html#nowhere">d</a>
<img src="images/logo.png"> <img src="images/bannner.jpg"> <a href="download.html">e</a> <a href="guide/install.htm?print">f</a>
<a href="Guide/install.html">g</a> <a href="guide/step-3.html">h</a> <a href="guide/setup.html#on">i</a> <a href="guide">fine</a>
<a href="joe@example.com">j</a> <a href="guide/www.example.com/install.html#step">k</a>`,
		"guide/index.html":    "<p>",
		"guide/install.html":  "<p id=step><p id=stop>",
		"guide/step-1.html":   "<p>",
		"guide/setup.html":    "<p id=one><p id=On>",
		"images/Logo.png":     "x",
		"images/banner.jpg":   "x",
		"downloads/tools.zip": "x",
		"download/index.html": "<p>",
	})
	cfg, seeds := onDisk(t, dir)
	c, _ := crawl(t, cfg, seeds)
	wantSuggestions(t, c, map[string]string{
		"guide/instal.html":                       "guide/install.html!",
		"giude/install.html#step":                 "guide/install.html#step!",
		"guide/instal.html#stpe":                  "guide/install.html#step",
		"guide/instal.html#nowhere":               "guide/install.html",
		"guide/install.htm?print":                 "guide/install.html?print!",
		"images/logo.png":                         "images/Logo.png!",
		"images/bannner.jpg":                      "images/banner.jpg!",
		"Guide/install.html":                      "guide/install.html!",
		"download.html":                           "download/!",
		"guide/setup.html#on":                     "guide/setup.html#On!",
		"joe@example.com":                         "mailto:joe@example.com",
		"guide/www.example.com/install.html#step": "https://www.example.com/install.html#step guide/install.html#step",
	})
	for _, r := range c.results {
		if r.URL == "images/logo.png" && (r.Code != check.CodeFileCase || r.Suggestions[0].Why != "same name in different letter case") {
			t.Errorf("%+v", r)
		}
	}
}

// TestSuggestionsOnTheWeb: what has moved permanently is suggested by its new address,
// the same address over https where it is known, and nothing across hosts.
func TestSuggestionsOnTheWeb(t *testing.T) {
	answer := at(map[string]func(*exchange){
		"site.test/": page(`<a href=/guide/instal>a</a><a href=/guide/install>b</a><a href=/gone/for-now>c</a><a href=/gone/fornow>d</a>
			<a href=/old#setup>e</a><a href=/temp#setup>f</a><a href=/page.php?id=1>g</a><a href=/page.html>h</a><a href=//other.test/guide/instal>i</a><a href=/moved#setup>j</a>
			<a href=/twice/instal>k</a><a href=/twice/install>l</a>`),
		"site.test/guide/install":  redirect(301, "/guide/install/"),
		"site.test/guide/install/": page("<p>"),
		"site.test/gone/for-now":   redirect(302, "/"),
		"site.test/old":            redirect(301, "/new"),
		"site.test/temp":           redirect(302, "/new"),
		"site.test/moved":          redirect(301, "/new#stop"),
		"site.test/new":            page("<p id=set-up>"),
		"site.test/page.html":      page("<p>"),
		"site.test/twice/install":  page("<p id=a><p id=a>"), // there, with a warning
	})
	for _, workers := range []int{1, 64} {
		cfg, _ := realWeb(t, answer)
		cfg.Politeness.Concurrency = workers
		c, _ := crawl(t, cfg, seedOf(t, "http://site.test/"))
		wantSuggestions(t, c, map[string]string{
			"http://site.test/guide/instal":  "http://site.test/guide/install/!",
			"http://site.test/twice/instal":  "http://site.test/twice/install!",
			"http://site.test/old#setup":     "http://site.test/new#set-up!",
			"http://site.test/temp#setup":    "http://site.test/temp#set-up!",
			"http://site.test/page.php?id=1": "http://site.test/page.html?id=1",
		})
	}
}

// TestSuggestTwin: an address that is dead over http, and linked over https elsewhere.
func TestSuggestTwin(t *testing.T) {
	pages := at(map[string]func(*exchange){
		"site.test/": page(`<a href=http://other.test/a>a</a><a href=http://other.test/b>b</a><a href=https://other.test/b>b</a>
			<a href=http://other.test/c#x>c</a><a href=http://other.test/c#y>c</a><a href=https://other.test/c#x>c</a>`),
	})
	secure := at(map[string]func(*exchange){
		"other.test/b": page("<p>"),
		"other.test/c": page("<p id=x>"),
	})
	twin := serveFaults(t, tlsOf(crawlertest.NewAuthority(t, "other.test")), secure)
	cfg, _ := realWeb(t, pages, func(c *fetch.HTTPConfig) {
		c.ConnectTo = append(c.ConnectTo, fetch.ConnectTo{From: ":443", To: twin.addr})
		c.Insecure = true
	})
	c, _ := crawl(t, cfg, seedOf(t, "http://site.test/"))
	wantSuggestions(t, c, map[string]string{
		"http://other.test/b":   "https://other.test/b!",
		"http://other.test/c#x": "https://other.test/c#x!",
		"http://other.test/c#y": "https://other.test/c#y",
	})
}

// TestSuggestSpelling: what is suggested does not hang on which spelling of a URL was met
// first.
func TestSuggestSpelling(t *testing.T) {
	for _, refs := range [][]string{{"guide.html", "%67uide.html"}, {"%67uide.html", "guide.html"}} {
		files := map[string]string{"Guide.html": "<p>"}
		for i, ref := range refs {
			files[string("ab"[i])+".html"] = `<a href="` + ref + `">guide</a>`
		}
		cfg, seeds := onDisk(t, writeFiles(t, files))
		cfg.Politeness.Concurrency = 1
		c, _ := crawl(t, cfg, seeds)
		for url, s := range suggestionsOf(c) {
			if !strings.HasSuffix(url, "guide.html") || !strings.HasSuffix(s, "Guide.html!") {
				t.Errorf("%s: %s", url, s)
			}
		}
		if len(suggestionsOf(c)) != 1 {
			t.Errorf("%q: suggested is %q", refs, suggestionsOf(c))
		}
	}
}

// TestSuggestionsOfFilesStayInTheirDirectory tests that a file that nothing refers to is suggested for what is missing
// in its own directory alone, whatever else is missing.
func TestSuggestionsOfFilesStayInTheirDirectory(t *testing.T) {
	dir := writeFiles(t, map[string]string{
		"index.html":       `<!doctype html><img src="a/diagram.png"> <img src="b/diagam.png"> <img src="b/other.png">`,
		"b/diagram.png":    "x",
		"b/deep/other.png": "x",
	})
	cfg, seeds := onDisk(t, dir)
	c, sum := crawl(t, cfg, seeds)
	wantSuggestions(t, c, map[string]string{"b/diagam.png": "b/diagram.png!"})
	if s := sum.Search; s.Paths == 0 || s.IsLimited() {
		t.Errorf("the search for suggestions is told as %+v", s)
	}
}
