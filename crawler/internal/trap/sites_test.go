package trap

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// trapSite is a site with an endless series of pages.
type trapSite struct {
	name string
	// start is the path of the page to start from.
	start string
	// serve makes the site, with no memory of earlier requests.
	serve func() http.Handler
}

// trapSites returns traps of the kinds that real sites have. Each also has the page /real.html
// with a link to /gone.html, which does not exist. A crawl must end and must have found
// that link.
func trapSites() []trapSite {
	return []trapSite{
		{"calendar", "/calendar/2026/11", func() http.Handler { return trap(calendar) }},
		{"calendar in the query", "/calendar?month=2026-11", func() http.Handler { return trap(queryCalendar) }},
		{"growing path", "/guide/", func() http.Handler { return trap(growingPath) }},
		{"growing path, many links", "/", func() http.Handler { return trap(growingNavigation) }},
		{"session id in the query", "/", func() http.Handler { return sessions("?PHPSESSID=") }},
		{"session id in the path", "/", func() http.Handler { return sessions(";jsessionid=") }},
		{"nameless session id", "/", func() http.Handler { return sessions("?k=") }},
		{"repeated segments", "/a/b/", func() http.Handler { return trap(repeatedSegments) }},
		{"repeated parameters", "/list?tag=new", func() http.Handler { return trap(repeatedParameters) }},
		{"faceted search", "/shop", func() http.Handler { return trap(facets) }},
		{"numbered pages", "/page/1.html", func() http.Handler { return trap(numbered) }},
		{"random names", "/", func() http.Handler { return trap(randomNames) }},
		{"login that returns to itself", "/login", func() http.Handler { return trap(login) }},
		{"self-feeding sitemap", "/sitemap-1.xml", func() http.Handler { return trap(sitemap) }},
	}
}

// trap serves pages whose links depend on the request.
func trap(links func(r *http.Request) []string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/gone.html":
			http.NotFound(w, r)
		case "/real.html":
			trapPage(w, []string{"/gone.html"})
		default:
			if strings.HasSuffix(r.URL.Path, ".xml") {
				trapSitemap(w, r, links(r))
				return
			}
			trapPage(w, append([]string{"/real.html"}, links(r)...))
		}
	})
}

func trapPage(w http.ResponseWriter, links []string) {
	w.Header().Set("Content-Type", "text/html")
	var b strings.Builder
	b.WriteString("<!doctype html><meta charset=utf-8><title>Trap</title>\n")
	for _, link := range links {
		fmt.Fprintf(&b, "<a href=\"%s\">link</a>\n", strings.ReplaceAll(link, "&", "&amp;"))
	}
	_, _ = w.Write([]byte(b.String())) // the client may have disconnected
}

// calendar links to the month before and the month after.
func calendar(r *http.Request) []string {
	month, err := time.Parse("/calendar/2006/01", r.URL.Path)
	if err != nil {
		return nil
	}
	return []string{month.AddDate(0, -1, 0).Format("/calendar/2006/01"), month.AddDate(0, 1, 0).Format("/calendar/2006/01")}
}

// queryCalendar links to the next month and the next year.
func queryCalendar(r *http.Request) []string {
	month, err := time.Parse("2006-01", r.FormValue("month"))
	if err != nil {
		return nil
	}
	return []string{month.AddDate(0, 1, 0).Format("/calendar?month=2006-01"), month.AddDate(1, 0, 0).Format("/calendar?month=2006-01")}
}

// growingPath has a link that lacks the slash at its start, and answers all paths.
func growingPath(*http.Request) []string { return []string{"guide/"} }

// growingNavigation has the same mistake in a menu.
func growingNavigation(*http.Request) []string {
	return []string{"about/", "contact/", "docs/", "help/", "news/", "team/"}
}

// repeatedSegments adds the same two segments to its path.
func repeatedSegments(*http.Request) []string { return []string{"a/b/", "b/a/"} }

// repeatedParameters adds to its own query.
func repeatedParameters(r *http.Request) []string {
	return []string{r.RequestURI + "&tag=new", r.RequestURI + "&page=1"}
}

// sessions adds a new session id to every link.
func sessions(mark string) http.Handler {
	var issued atomic.Uint64
	return trap(func(*http.Request) []string {
		var links []string
		for _, page := range []string{"/index.html", "/one.html", "/two.html", "/three.html"} {
			links = append(links, fmt.Sprintf("%s%s%016x%016x", page, mark, mix(issued.Add(1)), mix(issued.Load()^1<<40)))
		}
		return links
	})
}

// facets is a shop whose filters can be combined in any order.
func facets(r *http.Request) []string {
	var links []string
	for _, facet := range []string{"color", "size", "brand", "price", "sort", "view", "sale", "stars"} {
		for _, value := range []string{"a", "b", "c", "d", "e", "f"} {
			separator := "&"
			if r.URL.RawQuery == "" {
				separator = "?"
			}
			if !r.URL.Query().Has(facet) {
				links = append(links, r.RequestURI+separator+facet+"="+value)
			}
		}
	}
	return links
}

// numbered always has a next page.
func numbered(r *http.Request) []string {
	n, _ := strconv.Atoi(strings.TrimSuffix(strings.TrimPrefix(r.URL.Path, "/page/"), ".html"))
	return []string{fmt.Sprintf("/page/%d.html", n+1)}
}

// randomNames links to random names, as scripts do that keep robots busy.
func randomNames(r *http.Request) []string {
	h := mix(uint64(len(r.RequestURI)))
	for _, c := range []byte(r.RequestURI) {
		h = mix(h ^ uint64(c))
	}
	links := make([]string, 3)
	for i := range links {
		links[i] = fmt.Sprintf("/words/%x.html", mix(h+uint64(i)))
	}
	return links
}

// login links to itself with its own URL in the query.
func login(r *http.Request) []string {
	return []string{"/login?next=" + strings.NewReplacer("%", "%25", "/", "%2F", "?", "%3F", "=", "%3D").Replace(r.RequestURI)}
}

// sitemap lists the next sitemap.
func sitemap(r *http.Request) []string {
	n, _ := strconv.Atoi(strings.TrimSuffix(strings.TrimPrefix(r.URL.Path, "/sitemap-"), ".xml"))
	return []string{fmt.Sprintf("/sitemap-%d.xml", n+1), "/real.html"}
}

// trapSitemap writes a sitemap index with absolute locations.
func trapSitemap(w http.ResponseWriter, r *http.Request, links []string) {
	w.Header().Set("Content-Type", "text/xml")
	fmt.Fprint(w, `<?xml version="1.0" encoding="UTF-8"?>`+"\n"+`<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">`+"\n")
	for _, link := range links {
		fmt.Fprintf(w, "<sitemap><loc>http://%s%s</loc></sitemap>\n", r.Host, link)
	}
	fmt.Fprint(w, "</sitemapindex>\n")
}

// TestTrapSites tests that the pages of each trap link to further pages and to /real.html.
func TestTrapSites(t *testing.T) {
	links := regexp.MustCompile(`(?:href="|<loc>http://example.com)([^"<]*)`)
	for _, trap := range trapSites() {
		site := trap.serve()
		ask := func(target string) (status int, body string) {
			w := httptest.NewRecorder()
			site.ServeHTTP(w, httptest.NewRequest("GET", target, nil))
			return w.Code, w.Body.String()
		}
		status, body := ask(trap.start)
		found := links.FindAllStringSubmatch(body, -1)
		if status != 200 || len(found) < 2 || !strings.Contains(body, "/real.html") {
			t.Errorf("%s: status %d, %q", trap.name, status, body)
			continue
		}
		for _, link := range found {
			target := strings.ReplaceAll(link[1], "&amp;", "&")
			if !strings.HasPrefix(target, "/") {
				target = trap.start + target
			}
			if status, body := ask(target); status != 200 || target != "/real.html" && !links.MatchString(body) {
				t.Errorf("%s: %s: status %d, %q", trap.name, target, status, body)
			}
		}
		if status, _ := ask("/gone.html"); status != 404 {
			t.Errorf("%s: /gone.html exists", trap.name)
		}
	}
}
