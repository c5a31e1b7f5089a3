package crawler

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/internal/sitetest"
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
	base, _ = sitetest.Serve(t, mux)
	for _, asked := range []bool{false, true} {
		cfg := web(t)
		cfg.Scope.Sitemaps = asked
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

// A sitemap that robots.txt names is recognized by its content, whatever its server declares,
// and is read outside the scope, also if the name redirects to it.
func TestSitemapTypes(t *testing.T) {
	xml := func(base string) string {
		return "<?xml version='1.0'?><urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'><url><loc>" + base + "/docs/page?a=1&amp;b=2</loc></url></urlset>"
	}
	text := func(base string) string { return base + "/docs/page?a=1&b=2\n" }
	packed := func(base string) string {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		fmt.Fprint(z, xml(base))
		_ = z.Close() // a bytes.Buffer accepts everything
		return b.String()
	}
	for _, tt := range []struct {
		name, contentType string
		body              func(base string) string
	}{
		{"map.xml", "text/plain", xml},
		{"map.php", "text/html; charset=utf-8", xml},
		{"map", "application/x-sitemap", xml},
		{"map.xml.gz", "application/gzip", xml},
		{"map.xml.gz", "text/xml", packed},
		{"map", "application/x-list", text},
		{"old?to=map.txt", "text/plain", text},
		{"old?to=map.xml", "text/plain", xml},
	} {
		var base string
		mux := http.NewServeMux()
		mux.HandleFunc("/docs/{$}", linking())
		mux.HandleFunc("/docs/page", linking())
		mux.HandleFunc("/robots.txt", func(w http.ResponseWriter, r *http.Request) { fmt.Fprintf(w, "Sitemap: %s/%s\n", base, tt.name) })
		mux.HandleFunc("/old", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/"+r.FormValue("to"), http.StatusFound)
		})
		mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", tt.contentType)
			fmt.Fprint(w, tt.body(base))
		})
		base, _ = sitetest.Serve(t, mux)
		cfg := web(t)
		cfg.Scope.Sitemaps = true
		c, _ := crawl(t, cfg, seedOf(t, base+"/docs/"))
		var found []string
		for _, r := range c.results {
			found = append(found, fmt.Sprintf("%s %s", r.Code, strings.TrimPrefix(r.URL, base)))
		}
		want := []string{"ok /docs/", "ok /docs/page?a=1&b=2", "ok /" + tt.name}
		if slices.Sort(found); !slices.Equal(found, want) {
			t.Errorf("%s as %s: %q, want %q", tt.name, tt.contentType, found, want)
		}
	}
}
