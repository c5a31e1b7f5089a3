package crawler

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/internal/scope"
	"github.com/orbweaver/orbweaver/crawler/internal/sitetest"
	"github.com/orbweaver/orbweaver/crawler/result"
)

// With credentials, links whose address, text or method says that they sign out or delete
// are not requested, also outside the directory that is crawled.
func TestActionsAreLeftAlone(t *testing.T) {
	var mu sync.Mutex
	var asked []string
	mux := http.NewServeMux()
	mux.HandleFunc("/start/{$}", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, `<!doctype html><a href=/bye>Abmelden</a> <a href=/item>Item</a> <a href=/item/7 data-method=delete>Item</a>
<a href=/x title="Log out">x</a> <a href=/logout>x</a> <a href=/named>x</a> <a href=/two>Two</a> <a href=/start/second/>Second</a>
<a href=/turbo data-turbo-method=POST>x</a> <a href=/get data-method=get>x</a> <a href=/label aria-label="D&eacute;connexion">x</a> <a href=/nested><i></i> <b>Log</b> out</a>
<a href="/nonce?_wpnonce=1">x</a> <a href="/token?id=1&amp;csrf_token=2">x</a> <a href="/moved">x</a> <a href=/more><img src=/out.png alt="">Mehr</a>`)
	})
	mux.HandleFunc("/moved", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/session/destroy", http.StatusFound)
	})
	mux.HandleFunc("/start/second/{$}", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, `<!doctype html><meta http-equiv=refresh content="9;url=/signoff"><a href=/item>Item</a> <a href=/two>Two</a> <a href=/bye>Abmelden</a>`)
	})
	base, _ := sitetest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		asked = append(asked, r.URL.Path)
		mu.Unlock()
		w.Header().Set("Content-Type", "text/html")
		mux.ServeHTTP(w, r)
	}))
	for _, row := range []struct {
		credentials, unsafe bool
		left                string
	}{
		{true, false, "/bye /item/7 /label /logout /named /nested /nonce /session/destroy /signoff /token /turbo /x"}, {true, true, ""}, {false, false, ""},
	} {
		asked = nil
		cfg := web(t)
		cfg.Scope.Credentials, cfg.Scope.AllowUnsafe, cfg.Scope.LeaveAlone = row.credentials, row.unsafe, map[string]bool{base + "/named": true}
		crawl(t, cfg, seedOf(t, base+"/start/"))
		var left []string
		for _, path := range strings.Fields("/bye /get /item /item/7 /label /logout /moved /more /named /nested /nonce /session/destroy /signoff /start/second/ /token /turbo /two /x") {
			if !slices.Contains(asked, path) {
				left = append(left, path)
			}
		}
		if got := strings.Join(left, " "); got != row.left {
			t.Errorf("credentials %t, unsafe %t: %q was left alone, want %q", row.credentials, row.unsafe, got, row.left)
		}
	}
}

// Sign-outs are left alone wherever requests have credentials, of whatever kind, and nowhere else.
func TestSignOutsWhereCredentialsGo(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	cookies := write("cookies", "far.test\tTRUE\t/\tFALSE\t0\tid\t1\nother.test\tFALSE\t/\tFALSE\t0\tid\t1\n")
	netrc := write("netrc", "machine far.test login me password secret\nmachine other.test login me password secret\n")
	header := func(match string) func(*Config) {
		return func(cfg *Config) {
			cfg.Judging.Rules = []Rule{{Name: "r", Match: func(printed string) bool { return strings.HasPrefix(printed, match) }, Header: http.Header{"Authorization": {"Bearer x"}}}}
		}
	}
	const site, far, other, below = "http://site.test/logout", "http://far.test/logout", "http://other.test/logout", "http://www.far.test/?do=logout"
	for name, row := range map[string]struct {
		set  func(*Config)
		web  func(*fetch.HTTPConfig)
		left []string
	}{
		"nothing":                    {nil, nil, nil},
		"start targets":              {func(cfg *Config) { cfg.Scope.Credentials = true }, nil, []string{site}},
		"header of a rule":           {header("http://site.test/"), nil, []string{site}},
		"header of a rule elsewhere": {header("http://far.test/"), nil, []string{far}},
		"cookies":                    {func(cfg *Config) { cfg.Scope.Credentials = true }, func(h *fetch.HTTPConfig) { h.Cookies = cookies }, []string{site, far, other, below}},
		"netrc":                      {func(cfg *Config) { cfg.Scope.Credentials = true }, func(h *fetch.HTTPConfig) { h.Netrc = netrc }, []string{site, far, other}},
	} {
		cfg, server := realWeb(t, at(map[string]func(*exchange){
			"site.test/":       page("<a href=/logout>x</a><a href=" + far + ">x</a><a href=" + other + ">x</a><a href='" + below + "'>x</a>"),
			"site.test/logout": page("x"), "far.test/logout": page("x"), "other.test/logout": page("x"), "www.far.test/?do=logout": page("x"),
		}), func(h *fetch.HTTPConfig) {
			if row.web != nil {
				row.web(h)
			}
		})
		if row.set != nil {
			row.set(cfg)
		}
		cfg.Deliver.Show = result.Show{OK: true, Skipped: true}
		c, _ := crawl(t, cfg, seedOf(t, "http://site.test/"))
		for _, url := range []string{site, far, other, below} {
			want, asked := "ok ok", strings.TrimPrefix(url, "http://")
			left := slices.Contains(row.left, url)
			if left {
				want = "skipped excluded"
			}
			judged(t, c, map[string]string{url: want})
			if r := c.find(url); left && r.Message != scope.SignOutReason {
				t.Errorf("%s: %s was left alone because of %q", name, url, r.Message)
			}
			if n := server.count("GET "+asked) + server.count("HEAD "+asked); (n == 0) != left {
				t.Errorf("%s: %s was requested %d times", name, url, n)
			}
		}
	}
}

// A page whose links sign out by a script is a page like others.
func TestSignOutsByScript(t *testing.T) {
	cfg, server := realWeb(t, at(map[string]func(*exchange){
		"site.test/":  page("<a href='#'>Log out</a><a href=''>Delete</a><a href=/a#/logout>Log out</a><a href=/a>a</a><a href=/b>b</a>"),
		"site.test/a": page("<a id=menu href='/a#menu'>Log out</a><a href=/c>c</a>"),
		"site.test/b": page("<a href='#' data-method=delete>x</a><a href=/b>Delete</a><a href=/d>d</a>"),
		"site.test/c": page("x"), "site.test/d": page("x"),
	}))
	cfg.Scope.Credentials, cfg.Deliver.Show = true, result.Show{OK: true, Skipped: true}
	c, sum := crawl(t, cfg, seedOf(t, "http://site.test/"))
	for _, path := range []string{"/", "/a", "/b", "/c", "/d"} {
		judged(t, c, map[string]string{"http://site.test" + path: "ok ok"})
	}
	if !sum.Soundness.IsSound() {
		t.Errorf("the run is not sound: %+v, %v", sum, server.order)
	}
}
