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
		fmt.Fprintf(w, "User-agent: *\nDisallow: /private\nSitemap: %s/map.xml\nSitemap: %s/none.xml\n", base, base)
	})
	mux.HandleFunc("/map.xml", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/xml")
		fmt.Fprintf(w, "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'><url><loc>%s/docs/orphan</loc></url></urlset>", base)
	})
	base, _ = crawlertest.Serve(t, mux)
	for _, asked := range []bool{false, true} {
		cfg := web(t)
		cfg.Sitemaps = asked
		c, _ := crawl(t, cfg, seedOf(t, base+"/docs/"))
		for url, code := range map[string]check.Code{"/map.xml": "ok", "/docs/orphan": "ok", "/docs/gone": "http-404", "/none.xml": "http-404"} {
			r := c.find(base + url)
			if asked && (r == nil || r.Code != code) || !asked && r != nil {
				t.Errorf("sitemaps %v: %s = %+v, want %s when they are asked for", asked, url, r, code)
			}
		}
	}
}
