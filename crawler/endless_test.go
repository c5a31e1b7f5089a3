package crawler

import (
	"fmt"
	"hash/fnv"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
)

// TestEndlessSites crawls sites that are made up as they are read: each run ends by itself after
// a bounded number of requests. Package trap tests the limits themselves.
func TestEndlessSites(t *testing.T) {
	page := func(to ...string) (int, http.Header, string) {
		var b strings.Builder
		for _, url := range to {
			fmt.Fprintf(&b, "<a href='%s'>x</a>", url)
		}
		return ok(b.String())
	}
	redirect := func(to string) (int, http.Header, string) {
		return http.StatusFound, http.Header{"Location": {to}}, ""
	}
	as := func(mediaType, body string) (int, http.Header, string) {
		return 200, http.Header{"Content-Type": {mediaType}}, body
	}
	index := func(locations ...string) (int, http.Header, string) {
		return as("application/xml", `<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><sitemap><loc>`+strings.Join(locations, "</loc></sitemap><sitemap><loc>")+"</loc></sitemap></sitemapindex>")
	}
	for _, row := range []struct {
		name   string
		start  string
		answer func(host, path string) (int, http.Header, string)
		most   int    // requests
		ends   string // why it is not complete
	}{
		{"sitemap that lists itself", "/a.xml", func(host, _ string) (int, http.Header, string) {
			return index("http://"+host+"/a.xml", "http://"+host+"/a.xml")
		}, 3, ""},
		{"sitemap cycle", "/a.xml", func(host, _ string) (int, http.Header, string) {
			var all []string
			for i := range 26 {
				all = append(all, fmt.Sprintf("http://%s/%c.xml", host, 'a'+i))
			}
			return index(all...)
		}, 52, ""},
		{"style sheet cycle", "/", func(_, path string) (int, http.Header, string) {
			if path == "/" {
				return ok("<link rel=stylesheet href=/a.css>")
			}
			return as("text/css", strings.Repeat("@import url(/a.css);@import url(/b.css);", 1000))
		}, 6, ""},
		{"endless redirects", "/", func(_, path string) (int, http.Header, string) { return redirect("/" + another(path)) }, 60, ""},
		{"redirects across hosts", "/", func(host, _ string) (int, http.Header, string) {
			return redirect("http://" + another(host) + ".test/")
		}, 60, ""},
		{"growing redirects", "/", func(_, path string) (int, http.Header, string) {
			if path == "/" {
				return page("/a/", "/b/")
			}
			return redirect(path + path[1:])
		}, 60, "trap"},
		{"permutations of percent-encoding", "/", func(_, path string) (int, http.Header, string) {
			var to []string
			for _, c := range another(path) {
				to = append(to, fmt.Sprintf("/%%%02X%%%02x%c", c, c, c))
			}
			return page(to...)
		}, 60, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				cfg := imaginary(imagine(0, row.answer))
				_, sum := crawl(t, cfg, seedOf(t, "http://site.test"+row.start))
				if sum.Requests > row.most || sum.Soundness.StoppedBy != row.ends {
					t.Errorf("%d requests, stopped by %q, want %d at most and %q: %v", sum.Requests, sum.Soundness.StoppedBy, row.most, row.ends, sum.ByCode)
				}
			})
		})
	}
}

// another returns a word that depends on the text.
func another(text string) string {
	h := fnv.New64a()
	fmt.Fprint(h, text)
	n := h.Sum64()
	var b [13]byte
	for i := range b {
		b[i] = 'a' + byte(n%26)
		n /= 26
	}
	return string(b[:])
}
