package crawler

import (
	"fmt"
	"hash/fnv"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/orbweaver/orbweaver/crawler/internal/sitetest"
	"github.com/orbweaver/orbweaver/crawler/store"
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
		{"one page for whatever is asked for", "/", func(_, path string) (int, http.Header, string) {
			if path == "/real/" {
				return page("missing")
			}
			return page("/real/", "a/", "b/", "c/", "d/", "e/")
		}, 1100, "trap"},
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

// Pages that the cache has end a site as those that are read do.
func TestCachedPagesEndASite(t *testing.T) {
	base, _ := sitetest.Serve(t, tagged(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, "<a href=/moved>m</a><a href=a/>a</a><a href=b/>b</a><a href=c/>c</a><a href=d/>d</a><a href=e/>e</a><a href=f/>f</a>")
	})))
	file := filepath.Join(t.TempDir(), "cache.db")
	for run := range 3 {
		cache, err := store.OpenCache(file, store.CacheOptions{})
		if err != nil {
			t.Fatal(err)
		}
		cfg, seeds := overHTTP(t, base+"/")
		cfg.Politeness.Concurrency = 1
		cfg.Keep.Cache, cfg.Keep.Edition = cache, "test"
		_, sum := crawl(t, cfg, seeds)
		if err := cache.Close(); err != nil {
			t.Fatal(err)
		}
		if sum.Pages > 300 || sum.Soundness.StoppedBy != "trap" {
			t.Errorf("run %d: %d pages, stopped by %q, want 300 at most and trap", run+1, sum.Pages, sum.Soundness.StoppedBy)
		}
	}
}

// A crawl that is cut while it reads a calendar says from when on its pages look generated. The same
// pages of a site that ends are nothing to say.
func TestGeneratedPagesAreNoted(t *testing.T) {
	for _, row := range []struct {
		days, most int
		noted      bool
	}{{100_000, 2500, true}, {1500, 0, false}, {100_000, 900, false}} {
		synctest.Test(t, func(t *testing.T) {
			cfg := imaginary(imagine(0, func(_, path string) (int, http.Header, string) {
				var to []string
				first := time.Date(2026, 11, 28, 0, 0, 0, 0, time.UTC)
				switch day, err := time.Parse("/calendar/2006/01/02", path); {
				case path == "/":
					to = append(to, "/about", "/news", first.Format("/calendar/2006/01/02"))
				case err == nil && day.Before(first.AddDate(0, 0, row.days)):
					to = append(to, "/", day.AddDate(0, 0, 1).Format("/calendar/2006/01/02"))
				}
				return ok("<a href='" + strings.Join(to, "'>x</a><a href='") + "'>x</a>")
			}))
			cfg.Limits.MaxPages = row.most
			c, sum := crawl(t, cfg, seedOf(t, "http://site.test/"))
			noted := false
			for _, n := range c.notes {
				noted = noted || strings.HasPrefix(n.Message, "from page 4 on, the pages look generated: ") &&
					strings.Contains(n.Message, " like /calendar/{n}/{n}/{n}, the first of which is http://site.test/calendar/2026/11/28,")
			}
			if noted != row.noted || sum.Soundness.Complete() != (row.most == 0) {
				t.Errorf("%d of %d days, complete %t: notes %v", row.most, row.days, sum.Soundness.Complete(), c.notes)
			}
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

// If a website calls itself another, so that only its start page is read, a note says so.
func TestMovedSiteIsNoted(t *testing.T) {
	const canonical = `<link rel=canonical href=https://www.other.test/>`
	for _, row := range []struct{ name, start, page, to string }{
		{"by its canonical URL", "http://site.test/", canonical + `<a href=https://www.other.test/a>a</a>`, "https://www.other.test"},
		{"by another name of this machine", "http://127.0.0.1:1313/", `<a href=http://localhost:1313/a>a</a><a href=https://other.test/>b</a>`, "http://localhost:1313"},
		{"another port of this machine", "http://127.0.0.1:1313/", `<a href=http://localhost:1314/a>a</a>`, ""},
		{"its canonical URL has www", "http://site.test/", `<link rel=canonical href=http://www.site.test/>`, ""},
		{"it has more pages", "http://site.test/", canonical + `<a href=a>a</a>`, ""},
		{"no canonical URL", "http://site.test/", `<a href=https://www.other.test/a>a</a>`, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				cfg := imaginary(imagine(0, func(string, string) (int, http.Header, string) { return ok(row.page) }))
				c, _ := crawl(t, cfg, seedOf(t, row.start))
				noted := ""
				for _, n := range c.notes {
					if rest, found := strings.CutPrefix(n.Message, "only the start page was read, because it calls its site "); found {
						noted, _, _ = strings.Cut(rest, ": start there, or --remap '^"+row.to+"/="+strings.TrimSuffix(row.start, "/")+"/'")
					}
				}
				if noted != row.to {
					t.Errorf("the note names %q, want %q: %v", noted, row.to, c.notes)
				}
			})
		})
	}
}
