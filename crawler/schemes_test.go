package crawler

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/urinorm"
)

// shelf answers for a scheme from a table: "-> URL" is a redirect, what ends in
// "!" a fault of that kind, all else a page.
type shelf map[string]string

func (s shelf) Fetch(_ context.Context, req *fetch.Request) (*fetch.Response, error) {
	address := req.URL.WithoutFragment().String()
	text, ok := s[address]
	switch {
	case !ok:
		return nil, &fetch.Fault{Kind: "file-missing", Op: "fetch", Target: address, Err: errors.New("the server has no such file"), Requests: 1}
	case strings.HasSuffix(text, "!"):
		return nil, &fetch.Fault{Kind: strings.TrimSuffix(text, "!"), Op: "fetch", Target: address, Err: errors.New("no"), Requests: 1}
	case strings.HasPrefix(text, "-> "):
		return &fetch.Response{Status: 301, Location: text[3:], Size: -1, Requests: 1}, nil
	}
	resp := &fetch.Response{ContentType: "text/html;charset=utf-8", Size: -1, Requests: 1}
	if req.Need == fetch.Content {
		resp.Body = io.NopCloser(strings.NewReader(text))
	}
	return resp, nil
}

// TestOtherSchemes: what has a fetcher is asked, an FTP tree or a gopher hole that
// a run starts at is crawled, and no page leads the crawl from one scheme's site
// into another's.
func TestOtherSchemes(t *testing.T) {
	pages := shelf{
		"ftp://h.test/pub/":              `<a href="sub/">x</a><a href="file">x</a><a href="gone">x</a><a href="/above/">x</a><a href="http://h.test/">x</a><a href="dir">x</a>`,
		"ftp://h.test/pub/sub/":          `<a href="deep.html#there">x</a>`,
		"ftp://h.test/pub/sub/deep.html": `<p id="there">`,
		"ftp://h.test/pub/file":          "x",
		"ftp://h.test/pub/dir":           "-> ftp://h.test/pub/dir/",
		"ftp://h.test/pub/dir/":          `<a href="in-dir">x</a>`,
		"ftp://h.test/above/":            `<a href="never-read">x</a>`,
		"gopher://h.test/1":              `<a href="gopher://h.test/0/text">x</a><a href="gopher://h.test/1/menu">x</a><a href="gopher://other.test/1">x</a>`,
		"gopher://h.test/0/text":         "x",
		"gopher://h.test/1/menu":         `<a href="gopher://h.test/0/gone">x</a>`,
		"gopher://other.test/1":          `<a href="gopher://other.test/0/never-read">x</a>`,
		"telnet://h.test":                "x",
		"news:a.b":                       "scheme-unchecked!",
		"ldap://h.test/dc=closed":        "file-unreadable!",
	}
	for _, row := range []struct {
		seed string
		want map[string]string
	}{
		{"ftp://h.test/pub/", map[string]string{
			"ftp://h.test/pub/": "ok", "ftp://h.test/pub/sub/": "ok", "ftp://h.test/pub/sub/deep.html#there": "ok", "ftp://h.test/pub/file": "ok",
			"ftp://h.test/pub/gone": "file-missing", "ftp://h.test/above/": "ok", "ftp://h.test/above/never-read": "",
			"ftp://h.test/pub/dir": "ok", "ftp://h.test/pub/dir/in-dir": "file-missing",
		}},
		{"gopher://h.test/1", map[string]string{
			"gopher://h.test/0/text": "ok", "gopher://h.test/1/menu": "ok", "gopher://h.test/0/gone": "file-missing",
			"gopher://other.test/1": "ok", "gopher://other.test/0/never-read": "",
		}},
	} {
		cfg := web(t)
		cfg.Fetch = fetch.Mux{"http": pages, "ftp": pages, "gopher": pages}
		found := crawlFrom(t, cfg, row.seed)
		for url, want := range row.want {
			got := ""
			if r := found.find(url); r != nil {
				got = string(r.Code)
			}
			if got != want {
				t.Errorf("%s: %q, want %q", url, got, want)
			}
		}
	}

	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		if r.URL.Path == "/to-ftp" {
			http.Redirect(w, r, "ftp://h.test/pub/", http.StatusFound)
			return
		}
		fmt.Fprint(w, `<a href="ftp://h.test/pub/">x</a><a href="telnet://h.test">x</a><a href="news:a.b">x</a><a href="ldap://h.test/dc=closed">x</a>`+
			`<a href="snews:a.b">x</a><a href="/to-ftp">x</a><link rel=preconnect href="https://alive.test/"><link rel=dns-prefetch href="//dead.test/">`)
	}))
	defer server.Close()
	cfg := web(t)
	mux := cfg.Fetch.(fetch.Mux)
	mux["ftp"], mux["telnet"], mux["news"], mux["ldap"] = pages, pages, pages, pages
	mux["dns"] = shelf{"dns:alive.test": "x", "dns:dead.test": "dns-not-found!"}
	found := crawlFrom(t, cfg, server.URL+"/")
	for url, want := range map[string]string{
		"ftp://h.test/pub/": "ok ok", "ftp://h.test/pub/gone": "", "telnet://h.test": "ok ok", "news:a.b": "skipped scheme-unchecked",
		"snews:a.b": "skipped scheme-unchecked", "ldap://h.test/dc=closed": "unverified file-unreadable", server.URL + "/to-ftp": "broken redirect-invalid",
		"dns:alive.test": "ok ok", "dns:dead.test": "broken dns-not-found", "https://alive.test/": "",
	} {
		got := ""
		if r := found.find(url); r != nil {
			got = r.Verdict.String() + " " + string(r.Code)
		}
		if got != want {
			t.Errorf("%s: %q, want %q", url, got, want)
		}
	}
}

// TestNoNames: names that do not exist are dead links only if the name server knows any name.
func TestNoNames(t *testing.T) {
	const gone = "dns-not-found!"
	for name, row := range map[string]struct {
		others  shelf // besides the page, which leads to all of them
		want    string
		unsound bool
	}{
		"one name":                 {shelf{"http://a.net/": gone}, "broken dns-not-found", false},
		"the same name":            {shelf{"http://a.net/": gone, "http://a.net/b": gone}, "broken dns-not-found", false},
		"two names":                {shelf{"http://a.net/": gone, "http://b.net/": gone}, "unverified dns-failure", true},
		"another one exists":       {shelf{"http://a.net/": gone, "http://b.net/": gone, "http://c.net/": "x"}, "broken dns-not-found", false},
		"another one is looked up": {shelf{"http://a.net/": gone, "http://b.net/": gone, "dns:c.net": "x"}, "broken dns-not-found", false},
		"another address":          {shelf{"http://a.net/": gone, "http://b.net/": gone, "http://192.0.2.7/": "x"}, "unverified dns-failure", true},
		"reserved names":           {shelf{"http://a.net/": gone, "http://b.invalid/": gone, "http://c.test/": gone}, "broken dns-not-found", false},
	} {
		page := ""
		for url := range row.others {
			if rest, is := strings.CutPrefix(url, "dns:"); is {
				page += "<link rel=dns-prefetch href='//" + rest + "'>"
			} else {
				page += "<a href='" + url + "'>x</a>"
			}
		}
		row.others["http://192.0.2.1/"] = page
		cfg := web(t)
		cfg.Fetch = fetch.Mux{"http": row.others, "dns": row.others}
		found := &collector{}
		sum, err := Run(t.Context(), cfg, []Seed{{URL: mustParse(t, "http://192.0.2.1/"), Follow: true, Crawl: true, Named: true}}, found)
		if err != nil {
			t.Fatal(err)
		}
		r := found.find("http://a.net/")
		if r == nil {
			t.Errorf("%s: no result", name)
			continue
		}
		if got := r.Verdict.String() + " " + string(r.Code); got != row.want || sum.Soundness.IsSound() == row.unsound {
			t.Errorf("%s: %s, %q; want %s, not sound: %v", name, got, sum.Soundness.Why, row.want, row.unsound)
		}
	}
}

// noMailbox is a mail server without a mailbox of that name.
type noMailbox string

func (m noMailbox) ProbeMail(_ context.Context, a urinorm.Address) error {
	if a.Local == string(m) {
		return &fetch.Fault{Kind: "file-missing", Op: "probe", Target: a.String(), Err: errors.New("no such mailbox")}
	}
	return nil
}

// TestMailProbe: mail servers are asked only where that is wanted, and never about
// what is broken already.
func TestMailProbe(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<a href="mailto:joe@[192.0.2.1]">x</a><a href="mailto:joe@[192.0.2.1],gone@[192.0.2.1]">x</a><a href="mailto:x">x</a>`)
	}))
	defer server.Close()
	for _, probing := range []bool{false, true} {
		cfg := web(t)
		if probing {
			cfg.Judging.MailProbe = noMailbox("gone")
		}
		found := crawlFrom(t, cfg, server.URL+"/")
		want := map[string]check.Code{"mailto:joe@[192.0.2.1]": check.CodeOK, "mailto:x": check.CodeURIInvalid, "mailto:joe@[192.0.2.1],gone@[192.0.2.1]": check.CodeOK}
		if probing {
			want["mailto:joe@[192.0.2.1],gone@[192.0.2.1]"] = check.CodeFileMissing
		}
		for url, code := range want {
			if r := found.find(url); r == nil || r.Code != code {
				t.Errorf("probing %v, %s: %+v, want %s", probing, url, r, code)
			}
		}
	}
}
