package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"crypto/tls"
	"fmt"
	"hash/fnv"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"

	"github.com/orbweaver/orbweaver/crawler/crawlertest"
)

// quick are flags under which a server that never answers costs little time.
var quick = []string{"--timeout", "300ms", "--retries", "0"}

// bombs is the table of bombs.
func bombs() []bomb {
	var all []bomb
	for _, part := range [][]bomb{sitemapBombs, encodingBombs, headerBombs, redirectBombs, cookieBombs, robotsBombs, trapBombs, documentBombs, archiveBombs, hugeBombs, serverBombs} {
		all = append(all, part...)
	}
	return all
}

var sitemapBombs = []bomb{
	{name: "sitemap index of indexes", short: true, start: "/s.xml", ends: "trap", serve: func(w http.ResponseWriter, r *http.Request) {
		writeSitemap(w, r, "sitemapindex", 1000, func(i uint64) string { return "/" + word(i) + ".xml" })
	}},
	{name: "sitemap index of 50,000 indexes, gzip", start: "/s.xml.gz", ends: "trap", serve: func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/gzip")
		z := gzip.NewWriter(w)
		writeSitemap(z, r, "sitemapindex", 50_000, func(i uint64) string { return "/" + word(i) + ".xml.gz" })
		z.Close()
	}},
	{name: "sitemaps with numbers", start: "/sitemap-1.xml", ends: "trap", serve: func(w http.ResponseWriter, r *http.Request) {
		writeSitemap(w, r, "sitemapindex", 2000, func(i uint64) string { return fmt.Sprintf("/sitemap-%d.xml", i) })
	}},
	{name: "sitemap cycle", start: "/a.xml", ends: "complete", serve: func(w http.ResponseWriter, r *http.Request) {
		writeSitemap(w, r, "sitemapindex", 2, func(i uint64) string { return fmt.Sprintf("/%c.xml", 'a'+i%26) })
	}},
	{name: "sitemap that lists itself", start: "/a.xml", ends: "complete", serve: func(w http.ResponseWriter, r *http.Request) {
		writeSitemap(w, r, "sitemapindex", 1000, func(uint64) string { return "/a.xml" })
	}},
	{name: "sitemap of sitemaps", start: "/s.xml", ends: "trap", serve: func(w http.ResponseWriter, r *http.Request) {
		writeSitemap(w, r, "urlset", 5000, func(i uint64) string { return "/" + word(i) })
	}},
	{name: "sitemap as HTML names", start: "/index.html", ends: "trap", serve: func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/xml")
		writeSitemap(w, r, "sitemapindex", 1000, func(i uint64) string { return "/" + word(i) + ".html" })
	}},
	{name: "sitemap of a million URLs", start: "/maps/s.xml", flags: []string{"--external", "skip"}, ends: "complete", serve: func(w http.ResponseWriter, r *http.Request) {
		writeSitemap(w, r, "urlset", 1_000_000, func(i uint64) string { return "/" + strconv.FormatUint(i%1e6, 36) })
	}},
	{name: "robots.txt with 50,000 sitemaps", flags: []string{"--sitemaps", "--robots", "crawl"}, ends: "trap", serve: func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/robots.txt":
			for i := range 50_000 {
				fmt.Fprintf(w, "Sitemap: http://%s/%x.xml\n", r.Host, i)
			}
		case "/":
			writePage(w)
		default:
			writeSitemap(w, r, "sitemapindex", 1000, func(i uint64) string { return "/" + word(i) + ".xml" })
		}
	}},
}

var encodingBombs = []bomb{
	{name: "gzip", short: true, ends: "complete", serve: encoded("gzip", func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) })},
	{name: "deflate", ends: "complete", serve: encoded("deflate", func(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) })},
	{name: "brotli", ends: "complete", serve: encoded("br", func(w io.Writer) io.WriteCloser { return brotli.NewWriterLevel(w, 2) })},
	{name: "zstd", ends: "complete", serve: encoded("zstd", func(w io.Writer) io.WriteCloser { z, _ := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1)); return z })},
	{name: "gzip in gzip", ends: "complete", serve: encoded("gzip, gzip", func(w io.Writer) io.WriteCloser {
		outer := gzip.NewWriter(w)
		return stacked{gzip.NewWriter(outer), outer}
	})},
	{name: "ten content codings", ends: "complete", serve: encoded(strings.Repeat("gzip, ", 9)+"gzip", func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) })},
	{name: "empty gzip members", ends: "complete", serve: func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			writeLinks(w, 20, func(i uint64) string { return "/" + word(i) })
			return
		}
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("Content-Encoding", "gzip")
		var member strings.Builder
		gzip.NewWriter(&member).Close()
		endless(w, strings.Repeat(member.String(), 1000))
	}},
	{name: "documents in .gz", start: "/a.html.gz", ends: "complete", serve: func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/gzip")
		var layers []io.WriteCloser
		var top io.Writer = w
		for range 8 {
			z := gzip.NewWriter(top)
			layers, top = append(layers, z), z
		}
		io.CopyN(top, repeated("<p>"), 20<<20)
		for i := len(layers) - 1; i >= 0; i-- {
			layers[i].Close()
		}
	}},
	{name: "endless body", short: true, ends: "complete", serve: func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			writeLinks(w, 12, func(i uint64) string { return "/" + word(i) })
			return
		}
		w.Header().Set("Content-Type", "text/html")
		endless(w, strings.Repeat("<p>text that never ends ", 1000))
	}},
	{name: "endless body of links", ends: "trap", serve: func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		out, seed := bufio.NewWriterSize(w, 1<<16), seedOf(r)
		for i := uint64(0); ; i++ {
			if _, err := fmt.Fprintf(out, "<a href=/%s>x</a>", word(mix(seed+i))); err != nil {
				return
			}
		}
	}},
	{name: "slow body", flags: quick, ends: "complete", raw: func(c *net.TCPConn, _ int) {
		request(c)
		io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<a href=/x>x</a>")
		io.Copy(io.Discard, c)
	}},
}

var headerBombs = []bomb{
	{name: "endless header", flags: quick, ends: "complete", raw: func(c *net.TCPConn, _ int) {
		request(c)
		io.WriteString(c, "HTTP/1.1 200 OK\r\n")
		endless(c, "X-A: b\r\n")
	}},
	{name: "endless header line", short: true, flags: quick, ends: "complete", raw: func(c *net.TCPConn, _ int) {
		request(c)
		io.WriteString(c, "HTTP/1.1 200 OK\r\nX: ")
		endless(c, strings.Repeat("x", 1000))
	}},
	{name: "1xx flood", flags: quick, ends: "complete", raw: func(c *net.TCPConn, _ int) {
		request(c)
		endless(c, "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n")
	}},
	{name: "many header fields", ends: "complete", serve: func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			writeLinks(w, 200, func(i uint64) string { return "/" + word(i) })
			return
		}
		for i := range 15_000 {
			w.Header()[strconv.Itoa(i)] = []string{""}
		}
		writePage(w)
	}},
	{name: "large header fields", ends: "complete", serve: func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			writeLinks(w, 200, func(i uint64) string { return "/" + word(i) })
			return
		}
		w.Header().Set("Link", strings.Repeat("<x>, ", 50_000))
		w.Header().Set("Content-Type", "text/html")
	}},
	{name: "chunk extensions", flags: quick, ends: "complete", raw: func(c *net.TCPConn, _ int) {
		request(c)
		io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n")
		endless(c, "1;a="+strings.Repeat("b", 4000)+"\r\nx\r\n")
	}},
	{name: "endless trailer", flags: quick, ends: "complete", raw: func(c *net.TCPConn, _ int) {
		request(c)
		io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n")
		endless(c, "X-A: b\r\n")
	}},
}

var redirectBombs = []bomb{
	{name: "endless redirects", short: true, ends: "complete", serve: func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/"+word(mix(seedOf(r))), http.StatusFound)
	}},
	{name: "redirects across hosts", flags: everyHost, ends: "complete", setup: hosts(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://"+word(mix(seedOf(r)))+".test/", http.StatusFound)
	})},
	{name: "growing redirects", ends: "trap", serve: func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			writeLinks(w, 200, func(i uint64) string { return "/" + word(i) })
			return
		}
		http.Redirect(w, r, r.URL.Path+r.URL.Path, http.StatusFound)
	}},
	{name: "long Location", short: true, ends: "complete", serve: func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			writeLinks(w, 500, func(i uint64) string { return "/" + word(i) })
			return
		}
		w.Header().Set("Location", "/"+word(seedOf(r))+strings.Repeat("x", 200_000))
		w.WriteHeader(http.StatusFound)
	}},
	{name: "redirects with cookies", ends: "complete", serve: func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			writeLinks(w, 500, func(i uint64) string { return "/a" + word(i) })
			return
		}
		http.SetCookie(w, &http.Cookie{Name: "n", Value: word(seedOf(r))})
		http.Redirect(w, r, map[bool]string{true: "/b", false: "/a"}[strings.HasPrefix(r.URL.Path, "/a")]+r.URL.Path[2:], http.StatusFound)
	}},
	{name: "refresh", ends: "trap", serve: func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, "<meta http-equiv=refresh content='0;url=/%s'>", word(mix(seedOf(r))))
	}},
}

var cookieBombs = []bomb{
	{name: "cookies of 200 hosts", short: true, flags: everyHost, ends: "complete", setup: hosts(func(w http.ResponseWriter, r *http.Request) {
		if r.Host == "site.test" {
			writeLinks(w, 200, func(i uint64) string { return "http://" + word(i) + ".test/" })
			return
		}
		setCookies(w, r)
	})},
	{name: "cookies of many paths", ends: "complete", serve: func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			writeLinks(w, 500, func(i uint64) string { return "/" + word(i) })
			return
		}
		setCookies(w, r)
	}},
}

var robotsBombs = []bomb{
	{name: "endless robots.txt", short: true, flags: robotsAsked, ends: "complete", serve: func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			endless(w, "User-agent: *\nDisallow: /x\n")
		}
		writePage(w)
	}},
	{name: "endless line of robots.txt", flags: robotsAsked, ends: "complete", serve: func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			endless(w, strings.Repeat("x", 1000))
		}
		writePage(w)
	}},
	{name: "robots.txt with wildcards", flags: robotsAsked, ends: "complete", serve: func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			io.WriteString(w, "User-agent: *\n")
			for range 9_000 {
				io.WriteString(w, "Disallow: /"+strings.Repeat("*a", 20)+"*b\n")
			}
			return
		}
		if r.URL.Path == "/" {
			writeLinks(w, 20, func(i uint64) string { return "/" + strings.Repeat("a", 1900) + word(i) })
			return
		}
		writePage(w)
	}},
	{name: "robots.txt of 60 hosts", flags: append(robotsAsked, everyHost...), ends: "complete", setup: hosts(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/robots.txt":
			io.WriteString(w, "User-agent: *\n")
			for i := range 20_000 {
				fmt.Fprintf(w, "Disallow: /%x$\n", i)
			}
		case r.Host == "site.test":
			writeLinks(w, 60, func(i uint64) string { return "http://" + word(i) + ".test/" })
		default:
			writePage(w)
		}
	})},
	{name: "robots.txt that redirects", flags: robotsAsked, ends: "complete", serve: func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			writePage(w)
			return
		}
		http.Redirect(w, r, "/"+word(mix(seedOf(r))), http.StatusFound)
	}},
}

var (
	robotsAsked = []string{"--robots", "strict"}
	everyHost   = []string{"--connect-to", "HOST"} // replaced by hosts
)

// links is a page whose links are made by a function of random numbers, which are those of
// the request.
func links(n int, link func(i uint64) string) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, r *http.Request) {
		seed := seedOf(r)
		writeLinks(w, n, func(i uint64) string { return link(mix(seed + i)) })
	}
}

var trapBombs = []bomb{
	{name: "one word", ends: "trap", serve: links(3, func(i uint64) string { return "/" + word(i) })},
	{name: "one word, 20 links", short: true, ends: "trap", serve: links(20, func(i uint64) string { return "/" + word(i) })},
	{name: "UUID", ends: "trap", serve: links(10, func(i uint64) string { return "/" + uuid(i) })},
	{name: "UUID with navigation", ends: "trap", serve: func(w http.ResponseWriter, r *http.Request) {
		seed := seedOf(r)
		writeLinks(w, 20, func(i uint64) string {
			if i < 10 {
				return "/nav/" + word(i)
			}
			return "/item/" + uuid(mix(seed+i))
		})
	}},
	{name: "20,000 random links", ends: "trap", serve: links(20_000, func(i uint64) string { return "/" + word(i) })},
	{name: "20,000 random files", ends: "trap", serve: func(w http.ResponseWriter, r *http.Request) {
		links(20_000, func(i uint64) string { return "/" + word(i) + ".png" })(w, r)
	}},
	{name: "random directories", ends: "trap", serve: links(10, func(i uint64) string { return "/" + word(i) + "/" + word(mix(i)) + "/" })},
	{name: "nested random directories", ends: "trap", serve: links(10, func(i uint64) string { return word(i)[:5] + "/" })},
	{name: "random queries", ends: "trap", serve: links(10, func(i uint64) string { return "/?" + word(i) })},
	{name: "random parameters", ends: "trap", serve: links(10, func(i uint64) string { return "/?" + word(i) + "=" + word(mix(i)) })},
	{name: "case permutations", ends: "trap", serve: links(10, func(i uint64) string { return "/" + cased("a-page-with-a-rather-long-name-of-its-own", i) })},
	{name: "percent-encoding permutations", ends: "complete", serve: links(10, func(i uint64) string { return "/" + encodedWord("~a!page,with(a)rather+long;name@of&its=own", i) })},
	{name: "random titles", ends: "trap", serve: func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		seed := seedOf(r)
		fmt.Fprintf(w, "<title>%s</title>", word(seed))
		for i := range uint64(10) {
			fmt.Fprintf(w, "<p>%s %s <a href=/%s>%s</a>", word(mix(seed+i+100)), word(mix(seed+i+200)), word(mix(seed+i)), word(mix(seed+i+300)))
		}
	}},
	{name: "wildcard hosts", flags: append([]string{"--scope", "domain"}, everyHost...), ends: "trap", setup: hosts(links(5, func(i uint64) string { return "http://" + word(i) + ".site.test/" }))},
	{name: "numbered pages", ends: "trap", serve: links(5, func(i uint64) string { return "/p" + strconv.FormatUint(i, 10) + ".html" })},
	{name: "dates", ends: "trap", serve: links(5, func(i uint64) string {
		return fmt.Sprintf("/%d/%02d/%02d/%s", 1900+i%1000, i>>10%12+1, i>>20%28+1, word(i))
	})},
	{name: "calendar", start: "/calendar/2026/11", flags: []string{"--scope", "host"}, ends: "trap", serve: func(w http.ResponseWriter, r *http.Request) {
		var y, m int
		fmt.Sscanf(r.URL.Path, "/calendar/%d/%d", &y, &m)
		writePage(w, fmt.Sprintf("/calendar/%d/%d", y+m/12, m%12+1), fmt.Sprintf("/calendar/%d/%d", y+1, m))
	}},
	{name: "session IDs", ends: "trap", serve: links(3, func(i uint64) string { return fmt.Sprintf("/p%d;jsessionid=%016x", i%4, i) })},
	{name: "filters", start: "/shop", ends: "trap", serve: func(w http.ResponseWriter, r *http.Request) {
		var to []string
		for _, f := range []string{"a", "b", "c", "d", "e", "f", "g", "h"} {
			for v := range 6 {
				if q := r.URL.Query(); !q.Has(f) {
					q.Set(f, strconv.Itoa(v))
					to = append(to, "/shop?"+q.Encode())
				}
			}
		}
		writePage(w, to...)
	}},
	{name: "relative links", ends: "trap", serve: links(5, func(i uint64) string { return string(rune('a'+i%5)) + "/" })},
	{name: "frames", ends: "trap", serve: func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, "<iframe src=/%s></iframe><iframe src=/%s></iframe>", word(mix(seedOf(r))), word(mix(seedOf(r)+1)))
	}},
	{name: "style sheets", ends: "trap", serve: func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			w.Header().Set("Content-Type", "text/html")
			io.WriteString(w, "<link rel=stylesheet href=/a.css>")
			return
		}
		w.Header().Set("Content-Type", "text/css")
		for i := range uint64(10) {
			fmt.Fprintf(w, "@import url(/%s.css);", word(mix(seedOf(r)+i)))
		}
	}},
	{name: "style sheet cycle", ends: "complete", serve: func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			w.Header().Set("Content-Type", "text/html")
			io.WriteString(w, "<link rel=stylesheet href=/a.css>")
			return
		}
		w.Header().Set("Content-Type", "text/css")
		io.WriteString(w, strings.Repeat("@import url(/a.css);@import url(/b.css);", 1000))
	}},
	{name: "feeds", ends: "trap", serve: func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/rss+xml")
		io.WriteString(w, "<rss><channel>")
		for i := range uint64(10) {
			fmt.Fprintf(w, "<item><link>http://%s/%s</link></item>", r.Host, word(mix(seedOf(r)+i)))
		}
		io.WriteString(w, "</channel></rss>")
	}},
	{name: "manifests", ends: "trap", serve: func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			w.Header().Set("Content-Type", "text/html")
			io.WriteString(w, "<link rel=manifest href=/a.webmanifest>")
			return
		}
		w.Header().Set("Content-Type", "application/manifest+json")
		fmt.Fprintf(w, `{"start_url":"/%s","scope":"/%s"}`, word(mix(seedOf(r))), word(mix(seedOf(r)+1)))
	}},
}

var documentBombs = []bomb{
	{name: "50,000 fragments", ends: "complete", serve: writeLines("text/html", `<a href="#%x">x</a>`, 50_000)},
	{name: "a million ids", short: true, ends: "complete", serve: writeLines("text/html", "<p id=%x>", 1_000_000)},
	{name: "a million links", flags: []string{"--external", "skip"}, ends: "complete", serve: leaves("text/html", "<a href=//external.example/%x>", 1_000_000)},
	{name: "pages of 100,000 links", flags: []string{"--external", "skip"}, ends: "complete", serve: many(20, "text/html", "<a href=//external.example/%x>", 100_000)},
	{name: "a million external hosts", flags: []string{"--external", "skip"}, ends: "complete", serve: writeLines("text/html", "<a href=//h%x.example/>", 1_000_000)},
	{name: "attributes of 9 MB", ends: "complete", serve: func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			writeLinks(w, 10, func(i uint64) string { return "/" + word(i) })
			return
		}
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, `<a href="/`+word(seedOf(r))+`.png?`)
		io.CopyN(w, repeated("x"), 9<<20)
		io.WriteString(w, `">x</a>`)
	}},
	{name: "links of 8 kB", ends: "complete", serve: many(20, "text/html", "<a href='/%x.png?"+strings.Repeat("x", 8000)+"'>", 1000)},
	{name: "a million nested elements", ends: "complete", serve: writeLines("text/html", "<div><b>", 1_000_000)},
	{name: "base elements", ends: "complete", serve: writeLines("text/html", "<base href=/%x/><a href=x>", 200_000)},
	{name: "repeated warnings", ends: "complete", serve: leaves("text/html", `<a href=" \\x.png ?%x"><p id=a><a href=" #a ">`, 10_000)},
	{name: "duplicate ids", ends: "complete", serve: writeLines("text/html", "<p id=a%[1]x><p id=a%[1]x>", 200_000)},
	{name: "srcset", ends: "complete", serve: func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" {
			return
		}
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, `<img src=/0 srcset="`)
		out := bufio.NewWriter(w)
		for i := range 1_000_000 {
			fmt.Fprintf(out, "/%x %dw,", i, i)
		}
		io.WriteString(out, `">`)
		out.Flush()
	}},
	{name: "data URIs", ends: "complete", serve: many(12, "text/html", "<img src='data:image/png;base64,%x"+strings.Repeat("A", 900_000)+"'>", 10)},
	{name: "srcdoc", ends: "complete", serve: writeLines("text/html", `<iframe srcdoc="&lt;iframe srcdoc='&amp;lt;p id=%x>x'>">`, 100_000)},
	{name: "SVG use", ends: "complete", serve: writeLines("image/svg+xml", "<svg xmlns='http://www.w3.org/2000/svg'><use href='#%x'/><g>", 20_000)},
	{name: "JSON nesting", short: true, ends: "unreadable-document", serve: writeLines("application/manifest+json", `{"a":[`, 1_000_000)},
	{name: "linked data", ends: "complete", serve: leaves("text/html", `<script type=application/ld+json>{"url":["/%x.png"`+strings.Repeat(",[", 20)+`</script>`, 1_000)},
	{name: "import maps", ends: "complete", serve: leaves("text/html", `<script type=importmap>{"imports":{"a%[1]x":"/%[1]x.png"}}</script>`, 1_000)},
	{name: "billion laughs", short: true, start: "/a.xml", ends: "complete", serve: func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/xml")
		io.WriteString(w, `<!DOCTYPE urlset [<!ENTITY a0 "http://h/">`)
		for i := 1; i < 10; i++ {
			fmt.Fprintf(w, `<!ENTITY a%d "%s">`, i, strings.Repeat(fmt.Sprintf("&a%d;", i-1), 10))
		}
		io.WriteString(w, "]><urlset><url><loc>&a9;</loc></url></urlset>")
	}},
	{name: "XML nesting", start: "/a.xml", ends: "unreadable-document", serve: writeLines("text/xml", "<urlset><url>", 700_000)},
	{name: "notebook", start: "/a.ipynb", ends: "unreadable-document", serve: writeLines("application/x-ipynb+json", `{"cells":[{"cell_type":"markdown","source":["[a](`, 100_000)},
	{name: "mail", start: "/a.eml", ends: "complete", serve: writeLines("message/rfc822", "Content-Type: multipart/mixed; boundary=b%[1]x\r\n\r\n--b%[1]x\r\n", 100_000)},
	{name: "Markdown", start: "/a.md", ends: "complete", serve: writeLines("text/markdown", "> ", 1_000_000)},
	{name: "a million findings", ends: "complete", serve: func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			writeLinks(w, 100, func(i uint64) string { return "/" + word(i) })
			return
		}
		writeLines("text/html", `<a href="/#%x">x</a>`, 10_000)(w, r)
	}},
}

var serverBombs = []bomb{
	{name: "servers that never answer", short: true, flags: append(quick[:len(quick):len(quick)], everyHost...), ends: "complete", setup: rawHosts(func(c net.Conn, host string) bool {
		if host == "site.test" {
			return false
		}
		io.Copy(io.Discard, c)
		return true
	}, 50)},
	{name: "slow header", flags: quick, ends: "complete", raw: func(c *net.TCPConn, _ int) {
		request(c)
		io.WriteString(c, "HTTP/1.1 200 OK\r\nX-A: ")
		io.Copy(io.Discard, c)
	}},
	{name: "429 for ever", flags: quick, ends: "complete", serve: func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			writeLinks(w, 2000, func(i uint64) string { return "/" + word(i) })
			return
		}
		w.Header().Set("Retry-After", "86400")
		w.WriteHeader(http.StatusTooManyRequests)
	}},
	{name: "resets", flags: quick, ends: "complete", serve: func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			writeLinks(w, 500, func(i uint64) string { return "/" + word(i) })
			return
		}
		if seedOf(r)%2 == 0 {
			writePage(w)
			return
		}
		c, _, _ := w.(http.Hijacker).Hijack()
		c.(*net.TCPConn).SetLinger(0)
		c.Close()
	}},
	{name: "TLS that stalls", flags: quick, ends: "complete", setup: func(t *testing.T, b *bomb) string {
		return "https://" + crawlertest.ServeConns(t, func(c *net.TCPConn, _ int) { io.Copy(io.Discard, c) }).String() + "/"
	}},
	{name: "certificate chain of 8 MB", flags: quick, ends: "complete", setup: func(t *testing.T, b *bomb) string {
		s := httptest.NewUnstartedServer(http.NotFoundHandler())
		s.StartTLS()
		t.Cleanup(s.Close)
		certificate := s.TLS.Certificates[0]
		for range 8000 {
			certificate.Certificate = append(certificate.Certificate, certificate.Certificate[0])
		}
		config := &tls.Config{Certificates: []tls.Certificate{certificate}}
		return "https://" + crawlertest.ServeConns(t, func(c *net.TCPConn, _ int) { tls.Server(c, config).Handshake() }).String() + "/"
	}},
	{name: "HTTP/2 trap", flags: []string{"--insecure"}, ends: "trap", setup: func(t *testing.T, b *bomb) string {
		s := httptest.NewUnstartedServer(http.HandlerFunc(links(100, func(i uint64) string { return "/" + word(i) })))
		s.EnableHTTP2 = true
		s.StartTLS()
		t.Cleanup(s.Close)
		return s.URL + "/"
	}},
	{name: "gopher menus", ends: "trap", setup: func(t *testing.T, b *bomb) string {
		var at string
		at = crawlertest.ServeConns(t, func(c *net.TCPConn, _ int) {
			line, _ := bufio.NewReader(c).ReadString('\n')
			host, port, _ := net.SplitHostPort(at)
			h := fnv.New64a()
			io.WriteString(h, line)
			for i := range uint64(100) {
				fmt.Fprintf(c, "1x\t/%s\t%s\t%s\r\n", word(mix(h.Sum64()+i)), host, port)
			}
			io.WriteString(c, ".\r\n")
		}).String()
		b.flags = append(b.flags, "--allow-port", at[strings.LastIndexByte(at, ':')+1:])
		return "gopher://" + at + "/1/"
	}},
}

// seedOf returns a number that depends on the URL of a request.
func seedOf(r *http.Request) uint64 {
	h := fnv.New64a()
	io.WriteString(h, r.Host+r.RequestURI)
	return h.Sum64()
}

// mix hashes a number (the finalizer of SplitMix64).
func mix(x uint64) uint64 {
	x += 0x9E3779B97F4A7C15
	x = (x ^ x>>30) * 0xBF58476D1CE4E5B9
	x = (x ^ x>>27) * 0x94D049BB133111EB
	return x ^ x>>31
}

// word writes a number with letters.
func word(i uint64) string {
	var b [13]byte
	for at := range b {
		b[at] = 'a' + byte(i%26)
		i /= 26
	}
	return string(b[:])
}

func uuid(i uint64) string {
	j := mix(i)
	return fmt.Sprintf("%08x-%04x-4%03x-8%03x-%012x", uint32(i), uint16(i>>32), i>>48&0xFFF, j&0xFFF, j>>16)
}

// cased returns a name with some letters in upper case.
func cased(name string, i uint64) string {
	b := []byte(name)
	for at := range b {
		if i>>at&1 != 0 && b[at] >= 'a' {
			b[at] -= 'a' - 'A'
		}
	}
	return string(b)
}

// encodedWord returns a name with some characters percent-encoded.
func encodedWord(name string, i uint64) string {
	var b strings.Builder
	for at := range len(name) {
		if i>>at&1 != 0 {
			fmt.Fprintf(&b, "%%%02X", name[at])
		} else {
			b.WriteByte(name[at])
		}
	}
	return b.String()
}

// writePage writes a page with links.
func writePage(w http.ResponseWriter, to ...string) {
	writeLinks(w, len(to), func(i uint64) string { return to[i] })
}

// writeLinks writes a page with a number of links.
func writeLinks(w http.ResponseWriter, n int, link func(i uint64) string) {
	w.Header().Set("Content-Type", "text/html")
	out := bufio.NewWriterSize(w, 1<<16)
	io.WriteString(out, "<!doctype html><title>Page</title>\n")
	for i := range uint64(n) {
		io.WriteString(out, `<a href="`+link(i)+"\">link</a>\n")
	}
	out.Flush()
}

// writeSitemap writes a sitemap or a sitemap index with random locations.
func writeSitemap(w io.Writer, r *http.Request, root string, n int, location func(i uint64) string) {
	out, seed := bufio.NewWriterSize(w, 1<<16), seedOf(r)
	element := map[string]string{"urlset": "url", "sitemapindex": "sitemap"}[root]
	if w, ok := w.(http.ResponseWriter); ok && w.Header().Get("Content-Type") == "" {
		w.Header().Set("Content-Type", "application/xml")
	}
	fmt.Fprintf(out, "<?xml version=\"1.0\"?><%s xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n", root)
	for i := range uint64(n) {
		if _, err := fmt.Fprintf(out, "<%s><loc>http://%s%s</loc></%s>\n", element, r.Host, location(mix(seed+i)), element); err != nil {
			return
		}
	}
	fmt.Fprintf(out, "</%s>\n", root)
	out.Flush()
}

// writeLines returns a handler of one document: a line so many times, with its number.
func writeLines(mediaType, line string, n int) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", mediaType)
		out := bufio.NewWriterSize(w, 1<<16)
		for i := range n {
			text := line
			if strings.Contains(line, "%") {
				text = fmt.Sprintf(line, i)
			}
			if _, err := io.WriteString(out, text); err != nil {
				return
			}
		}
		out.Flush()
	}
}

// leaves is a start page like that of writeLines, whose other URLs are empty files.
func leaves(mediaType, line string, n int) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			writeLines(mediaType, line, n)(w, r)
		}
	}
}

// many is a number of pages like that of writeLines, whose other URLs are empty files.
func many(pages int, mediaType, line string, n int) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/":
			writeLinks(w, pages, func(i uint64) string { return "/page-" + word(i) })
		case strings.HasPrefix(r.URL.Path, "/page-"):
			writeLines(mediaType, line, n)(w, r)
		}
	}
}

// encoded is a page with links to many bombs in a content coding.
func encoded(label string, encoder func(io.Writer) io.WriteCloser) func(http.ResponseWriter, *http.Request) {
	bomb := sync.OnceValue(func() []byte {
		var b bytes.Buffer
		z := encoder(&b)
		io.CopyN(z, repeated("<p>text of a page "), 32<<20)
		z.Close()
		return b.Bytes()
	})
	return func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			writeLinks(w, 10, func(i uint64) string { return "/" + word(i) })
			return
		}
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("Content-Encoding", label)
		w.Write(bomb())
	}
}

// stacked closes two writers.
type stacked struct {
	io.WriteCloser
	outer io.Closer
}

func (s stacked) Close() error { s.WriteCloser.Close(); return s.outer.Close() }

// repeated is an endless text.
type repeated string

func (r repeated) Read(b []byte) (int, error) {
	n := 0
	for n < len(b) {
		n += copy(b[n:], r)
	}
	return n, nil
}

// endless writes a text until the reader closes.
func endless(w io.Writer, text string) {
	text = strings.Repeat(text, 1+32<<10/len(text))
	for {
		if _, err := io.WriteString(w, text); err != nil {
			return
		}
	}
}

// request reads the header of a request.
func request(c net.Conn) { http.ReadRequest(bufio.NewReader(c)) }

// setCookies sets as many large cookies as fit into a header.
func setCookies(w http.ResponseWriter, r *http.Request) {
	value := strings.Repeat("v", 3900)
	for i := range 64 {
		http.SetCookie(w, &http.Cookie{Name: "n" + strconv.Itoa(i), Value: value, Path: r.URL.Path})
	}
}

// hosts is the setup of a server for all hosts.
func hosts(serve func(http.ResponseWriter, *http.Request)) func(*testing.T, *bomb) string {
	return func(t *testing.T, b *bomb) string {
		b.serve = serve
		url := (&bomb{serve: serve}).listen(t)
		b.connect(strings.TrimSuffix(strings.TrimPrefix(url, "http://"), "/"))
		return "http://site.test/"
	}
}

// connect replaces HOST in the flags.
func (b *bomb) connect(address string) {
	b.flags = append([]string{}, b.flags...)
	for i := range b.flags {
		if b.flags[i] == "HOST" {
			b.flags[i] = ":80:" + address
		}
	}
}

// rawHosts is the setup of a server for all hosts, whose first page links to a number of
// them. The function reports whether it has answered.
func rawHosts(answer func(c net.Conn, host string) bool, n int) func(*testing.T, *bomb) string {
	return func(t *testing.T, b *bomb) string {
		b.connect(crawlertest.ServeConns(t, func(c *net.TCPConn, _ int) {
			r, err := http.ReadRequest(bufio.NewReader(c))
			if err != nil || answer(c, r.Host) {
				return
			}
			var body strings.Builder
			for i := range n {
				fmt.Fprintf(&body, "<a href=http://%s.test/>x</a>", word(uint64(i)))
			}
			fmt.Fprintf(c, "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s", body.Len(), body.String())
		}).String())
		return "http://site.test/"
	}
}
