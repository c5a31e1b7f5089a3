package crawler

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/crawlertest"
)

// The sitemaps of robots.txt are read on request, and what only they know is crawled.
func TestSitemapsOfRobots(t *testing.T) {
	var base string
	mux := http.NewServeMux()
	mux.HandleFunc("/docs/{$}", linking("a"))
	mux.HandleFunc("/docs/a", linking())
	mux.HandleFunc("/docs/orphan", linking("gone"))
	mux.HandleFunc("/robots.txt", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "User-agent: *\nDisallow: /private\nSitemap: %s/map.xml\nSitemap: %s/none.xml\nSitemap: %s/map.txt\n", base, base, base)
	})
	mux.HandleFunc("/map.xml", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/xml")
		fmt.Fprintf(w, "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'><url><loc>%s/docs/orphan</loc></url></urlset>", base)
	})
	mux.HandleFunc("/docs/other.txt", func(w http.ResponseWriter, r *http.Request) { fmt.Fprintf(w, "%s/docs/unread\n", base) })
	mux.HandleFunc("/map.txt", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "%s/docs/listed\n%s/docs/other.txt\n", base, base)
	})
	mux.HandleFunc("/docs/listed", linking("missing"))
	base, _ = crawlertest.Serve(t, mux)
	for _, asked := range []bool{false, true} {
		cfg := web(t)
		cfg.Sitemaps = asked
		c, _ := crawl(t, cfg, seedOf(t, base+"/docs/"))
		for url, code := range map[string]check.Code{"/map.xml": "ok", "/docs/orphan": "ok", "/docs/gone": "http-404", "/none.xml": "http-404",
			"/map.txt": "ok", "/docs/listed": "ok", "/docs/missing": "http-404", "/docs/other.txt": "ok"} {
			r := c.find(base + url)
			if asked && (r == nil || r.Code != code) || !asked && r != nil {
				t.Errorf("sitemaps %v: %s = %+v, want %s when they are asked for", asked, url, r, code)
			}
		}
		if c.find(base+"/docs/unread") != nil {
			t.Errorf("a text that is no sitemap was read for links")
		}
	}
}
