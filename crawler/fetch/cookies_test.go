package fetch

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestCookieFile(t *testing.T) {
	later := time.Now().Add(time.Hour).Unix()
	file := filepath.Join(t.TempDir(), "cookies.txt")
	text := strings.ReplaceAll(fmt.Sprintf(`# Netscape HTTP Cookie File
# a comment

example.com|FALSE|/|FALSE|%[1]d|host|1
.example.com|TRUE|/|FALSE|%[1]d|domain|2
#HttpOnly_example.com|FALSE|/deep|FALSE|0|session|3
example.com|FALSE|/|TRUE|0|secure|4
example.com|FALSE|/|FALSE|1|expired|5
example.org|FALSE|/|FALSE|0|other|6
example.com|FALSE|/|FALSE|0|empty|
com|TRUE|/|FALSE|0|public|7
`, later), "|", "\t")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	server, rec := serve(t, func(w http.ResponseWriter, r *http.Request) {})
	h := newHTTP(t, HTTPConfig{Secrets: Secrets{Cookies: file}, ConnectTo: toLoopback(server)})
	for url, want := range map[string]string{
		"http://example.com/":        "host=1 domain=2 empty=",
		"http://example.com/deep/x":  "session=3 host=1 domain=2 empty=",
		"http://www.example.com/":    "domain=2",
		"http://example.org/":        "other=6",
		"http://example.net/":        "",
		"http://notexample.com/deep": "",
	} {
		if _, _, err := ask(t, h, &Request{URL: mustParse(t, url), Need: Content}); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, c := range rec.last().Cookies() {
			got = append(got, c.Name+"="+c.Value)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %q, want %q", url, got, want)
		}
	}
	for line, want := range map[string]string{
		"a b c": "1 fields instead of 7", "x\tTRUE\t/\tFALSE\tsoon\tname\ts3cret": "the expiry is not a number", "\tTRUE\t/\tFALSE\t0\tname\ts3cret": "the domain or the name is empty",
	} {
		if err := os.WriteFile(file, []byte("# c\n"+line+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := NewHTTP(HTTPConfig{Secrets: Secrets{Cookies: file}}); err == nil || !strings.HasSuffix(err.Error(), "line 2: "+want) {
			t.Errorf("%q: %v", line, err)
		}
	}
	if _, err := NewHTTP(HTTPConfig{Secrets: Secrets{Cookies: file + "x"}}); err == nil {
		t.Error("a missing file was read")
	}
}

func TestCookiesStayWithTheirHost(t *testing.T) {
	server, rec := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/set" {
			w.Header().Add("Set-Cookie", "own=1; Path=/")
			w.Header().Add("Set-Cookie", "foreign=1; Path=/; Domain=example.org")
			w.Header().Add("Set-Cookie", "public=1; Path=/; Domain=com")
			w.Header().Add("Set-Cookie", "huge="+strings.Repeat("x", 5000)+"; Path=/")
			w.Header().Add("Set-Cookie", "=;;; not a cookie")
		}
	})
	h := newHTTP(t, HTTPConfig{ConnectTo: toLoopback(server)})
	for _, row := range []struct{ url, want string }{
		{"http://example.com/set", ""}, {"http://example.com/", "own=1"}, {"http://www.example.com/", ""}, {"http://example.org/", ""},
	} {
		if _, _, err := ask(t, h, &Request{URL: mustParse(t, row.url), Need: Content}); err != nil {
			t.Fatal(err)
		}
		if got := rec.last().Header.Get("Cookie"); got != row.want {
			t.Errorf("%s: %q, want %q", row.url, got, row.want)
		}
	}
}

// Another port is another site and does not receive its cookies. Only the default ports
// of http and https share cookies.
func TestCookiesStayWithTheirPort(t *testing.T) {
	server, rec := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if name := r.URL.Query().Get("set"); name != "" {
			w.Header().Add("Set-Cookie", name+"=1; Path=/")
		}
	})
	file := filepath.Join(t.TempDir(), "cookies.txt")
	if err := os.WriteFile(file, []byte("example.com\tFALSE\t/\tFALSE\t0\tgiven\t1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	h := newHTTP(t, HTTPConfig{Secrets: Secrets{Cookies: file, Origins: NewOrigins(mustParse(t, "http://example.com:8080/"))}, ConnectTo: toLoopback(server)})
	for _, row := range []struct{ url, want string }{
		{"http://example.com:8080/?set=a", "given=1"},
		{"http://example.com:8081/", ""},
		{"http://example.com/?set=b", "given=1"},
		{"http://example.com:8080/", "given=1; a=1"},
		{"http://example.com/", "given=1; b=1"},
		{"http://example.com:8080/?set=given", "given=1; a=1"},
		{"http://example.com:8080/", "given=1; a=1"},
	} {
		if _, _, err := ask(t, h, &Request{URL: mustParse(t, row.url), Need: Content}); err != nil {
			t.Fatal(err)
		}
		if got := rec.last().Header.Get("Cookie"); got != row.want {
			t.Errorf("%s: %q, want %q", row.url, got, row.want)
		}
	}
	secure := mustParse(t, "https://example.com/")
	header := http.Header{}
	if h.cookies.addTo(secure, header); header.Get("Cookie") != "given=1; b=1" {
		t.Errorf("over TLS: %q", header.Get("Cookie"))
	}
}

// TestCookiesStayWithTLS checks that no cookie goes from https to http, neither the
// user's nor one that a host has set, and that http cannot replace the latter.
func TestCookiesStayWithTLS(t *testing.T) {
	file := filepath.Join(t.TempDir(), "cookies.txt")
	if err := os.WriteFile(file, []byte(".example.com\tTRUE\t/\tFALSE\t0\tgiven\t1\n.example.org\tTRUE\t/\tFALSE\t0\tgiven\t2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	h := newHTTP(t, HTTPConfig{Secrets: Secrets{Cookies: file, Origins: NewOrigins(mustParse(t, "https://www.example.com/"))}})
	set := func(u, cookie string) {
		h.cookies.store(mustParse(t, u), &http.Response{Header: http.Header{"Set-Cookie": {cookie}}})
	}
	set("https://example.com/", "own=tls")
	set("http://example.com/", "own=plain")
	set("http://example.com/", "up=1")
	for url, want := range map[string]string{
		"https://example.com/":      "given=1; own=tls; up=1",
		"https://img.example.com/":  "given=1",
		"http://example.com/":       "up=1",
		"http://img.example.com/":   "",
		"http://example.org/":       "given=2",
		"https://example.org:8443/": "",
	} {
		header := http.Header{}
		if h.cookies.addTo(mustParse(t, url), header); header.Get("Cookie") != want {
			t.Errorf("%s: %q, want %q", url, header.Get("Cookie"), want)
		}
	}
}

func TestCookiesAreBounded(t *testing.T) {
	n := 0
	server, rec := serve(t, func(w http.ResponseWriter, r *http.Request) {
		for range 100 {
			n++
			w.Header().Add("Set-Cookie", fmt.Sprintf("c%d=1; Path=/", n))
		}
		w.Header().Add("Set-Cookie", "c1=again; Path=/")
	})
	h := newHTTP(t, HTTPConfig{})
	for range 6 {
		if _, _, err := ask(t, h, &Request{URL: mustParse(t, server.URL), Need: Content}); err != nil {
			t.Fatal(err)
		}
	}
	if got := len(rec.last().Cookies()); got != maxCookiesHost {
		t.Errorf("%d cookies are stored", got)
	}
}

// Cookies that were removed or have expired leave room for others.
func TestExpiredCookiesDoNotCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, err := newCookies("", nil)
		if err != nil {
			t.Fatal(err)
		}
		u := mustParse(t, "http://example.com/dir/page")
		set := func(first, n int, attributes string) {
			for i := range n {
				c.store(u, &http.Response{Header: http.Header{"Set-Cookie": {fmt.Sprintf("c%d=1%s", first+i, attributes)}}})
			}
		}
		check := func(when string, want int, last string) {
			t.Helper()
			header := http.Header{}
			c.addTo(u, header)
			cookies := (&http.Request{Header: header}).Cookies()
			if len(cookies) != want || want > 0 && !strings.Contains(header.Get("Cookie"), last+"=") {
				t.Errorf("%s: %d cookies are sent, want %d with %s", when, len(cookies), want, last)
			}
		}
		set(0, maxCookiesHost, "; Max-Age=60")
		set(1000, 1, "")
		check("a full host", maxCookiesHost, "c0")
		set(0, 10, "; Max-Age=0; Path=/dir") // the default path
		set(2000, 20, "; Domain=.Example.com; Path=/")
		check("after ten were removed", maxCookiesHost, "c2009")
		set(2000, 5, "; Domain=example.com; Path=/; Expires=Thu, 01 Jan 1970 00:00:01 GMT")
		set(3000, 10, "")
		check("after five of the domain were removed", maxCookiesHost, "c3004")
		time.Sleep(time.Minute)
		set(4000, maxCookiesHost, "; Expires="+time.Now().Add(time.Hour).UTC().Format(http.TimeFormat))
		check("after a minute", maxCookiesHost, "c4164")
		time.Sleep(2 * time.Hour)
		set(5000, maxCookiesHost, "; Max-Age=60")
		check("after two hours", maxCookiesHost, "c5164")
		set(5000, maxCookiesHost, "; Max-Age=0")
		for _, i := range []int{2005, 3000} {
			set(i, 5, "; Max-Age=0")
			set(i, 5, "; Max-Age=0; Domain=example.com; Path=/")
		}
		check("after all were removed", 0, "")
		if n := len(c.hosts["example.com"]); n != 0 || c.bytes != 0 {
			t.Errorf("after all were removed: %d cookies and %d bytes count", n, c.bytes)
		}
	})
}

// The default path of a cookie depends on the page that sets it.
func TestCookiesOfDefaultPathsAreBounded(t *testing.T) {
	c, err := newCookies("", nil)
	if err != nil {
		t.Fatal(err)
	}
	for dir := range 2 * maxCookiesHost {
		c.store(mustParse(t, fmt.Sprintf("http://example.com/%d/", dir)), &http.Response{Header: http.Header{"Set-Cookie": {"n=1"}}})
	}
	if n := len(c.hosts["example.com"]); n != maxCookiesHost {
		t.Errorf("a host stores %d cookies, want %d", n, maxCookiesHost)
	}
}

// The cookies of all hosts together are limited, and so are those of one host, whose names,
// paths and ports may differ.
func TestCookiesOfAllHostsAreBounded(t *testing.T) {
	c, err := newCookies("", nil)
	if err != nil {
		t.Fatal(err)
	}
	stored := 0
	for host := range 1000 {
		u := mustParse(t, fmt.Sprintf("http://h%d.example:%d/", host, 8000+host%100))
		header := http.Header{}
		for i := range maxCookiesAnswer {
			header.Add("Set-Cookie", fmt.Sprintf("n=%s; Path=/%d", strings.Repeat("x", 3900), i))
		}
		c.store(u, &http.Response{Header: header})
		stored = max(stored, c.bytes)
	}
	if stored > maxCookieBytes || stored < maxCookieBytes/2 {
		t.Errorf("%d bytes are stored, want almost %d", stored, maxCookieBytes)
	}
	one, _ := newCookies("", nil)
	for path := range 1000 {
		header := http.Header{"Set-Cookie": {fmt.Sprintf("n=1; Path=/%d", path)}}
		one.store(mustParse(t, "http://one.example/"), &http.Response{Header: header})
	}
	if n := len(one.hosts["one.example"]); n != maxCookiesHost {
		t.Errorf("a host stores %d cookies under one name, want %d", n, maxCookiesHost)
	}
}
