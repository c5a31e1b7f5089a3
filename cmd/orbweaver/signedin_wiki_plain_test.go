//go:build !race

package main

import (
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// TestWiki crawls a DokuWiki while its sessions end: the report is that of a crawl whose
// session lasts. A page for members proves the session, or the start page, which everybody
// may read.
func TestWiki(t *testing.T) {
	s, wiki := serveWiki(t)
	check := []string{"--login-check", s.url + "/doku.php?id=members:start"}
	s.begin()
	s.run(1, s.check(append(s.login, check...)...)...) // pages change when the wiki has shown them once
	s.begin()
	want := wikiReport(t, s.run(1, s.check(append(s.login, check...)...)...))
	for page, code := range map[string]string{"page1": "ok", "members:start": "ok", "members:page8": "ok", "missing": "http-404"} {
		if r := wikiResult(want, page); r == nil || r["code"] != code {
			t.Errorf("%s: %v", page, r)
		}
	}
	if s.asked < 2*dokuWikiPages || s.logins != 1 || want["complete"] != true {
		t.Fatalf("%d pages, %d sign-ins, %v", s.asked, s.logins, want["summary"])
	}
	for _, row := range []struct {
		flags []string
		cuts  []int
	}{{append(check, "--concurrency", "1"), []int{9}}, {append(check, "--concurrency", "16"), []int{4, 24}}, {nil, []int{9}}} {
		s.begin(row.cuts...)
		got := wikiReport(t, s.run(1, s.check(append(s.login, row.flags...)...)...))
		if !reflect.DeepEqual(got, want) {
			t.Errorf("cut at %d with %q:\n%s", row.cuts, row.flags, difference(got, want))
		}
		if s.logins != 1+len(row.cuts) {
			t.Errorf("cut at %d with %q: %d sign-ins", row.cuts, row.flags, s.logins)
		}
	}
	checkWikiLog(t, wiki)
}

// TestWikiActions follows every link of a few pages, for editing, administration and others.
// Nothing is changed, and nobody is signed out.
func TestWikiActions(t *testing.T) {
	s, wiki := serveWiki(t)
	s.crawl = []string{s.url + "/doku.php?id=page1", "--external", "skip", "--exclude", "id=(page[2-9]|members|wiki:|playground:)|/lib/|&(rev|idx|ns|tab_files)="}
	s.begin()
	report := reportOf(t, s.run(0, s.check(s.login...)...))
	for _, action := range []string{"profile", "admin", "admin&page=revert", "edit", "revisions", "backlink"} {
		if r := wikiResult(report, "page1&do="+action); r == nil || r["code"] != "ok" {
			t.Errorf("%s: %v", action, r)
		}
	}
	ways := slices.DeleteFunc(report["results"].([]any), func(r any) bool {
		return !strings.Contains(r.(map[string]any)["url"].(string), "do=logout")
	})
	for _, r := range ways {
		if r := r.(map[string]any); r["verdict"] != "skipped" || r["code"] != "excluded" {
			t.Errorf("%s: %s %s", r["url"], r["verdict"], r["code"])
		}
	}
	if len(ways) < 2 || s.logins != 1 {
		t.Errorf("%d links for signing out, %d sign-ins", len(ways), s.logins)
	}
	checkWikiLog(t, wiki)
}

// TestWikiRefusesThePassword signs in with a wrong password, at first or after the session
// has ended. The wiki refuses at most two sign-ins.
func TestWikiRefusesThePassword(t *testing.T) {
	s, wiki := serveWiki(t)
	end := s.endSessions
	s.endSessions = func() {
		wiki.setPassword("another one")
		end()
	}
	for _, row := range []struct {
		cuts   []int
		code   string
		logins int // at most
	}{{[]int{5}, "login-lost", 3}, {nil, "login-failed", 1}} {
		s.begin(row.cuts...)
		report := reportOf(t, s.run(3, s.check(s.login...)...))
		if report["stopped_by"] != row.code || report["complete"] != false || s.logins > row.logins {
			t.Errorf("stopped by %v, complete %v, %d sign-ins", report["stopped_by"], report["complete"], s.logins)
		}
		if row.cuts == nil {
			r := report["results"].([]any)[0].(map[string]any)
			if r["verdict"] != "unverified" || !strings.Contains(r["message"].(string), "username or password was wrong") {
				t.Errorf("%v", r)
			}
		}
	}
	checkWikiLog(t, wiki)
}

// TestWikiWithCookies crawls with cookies, which nobody can renew. The pages that everybody
// may read do not tell that the session has ended.
func TestWikiWithCookies(t *testing.T) {
	s, wiki := serveWiki(t)
	cookies := filepath.Join(t.TempDir(), "cookies.txt")
	s.run(0, append([]string{"login", "save", s.crawl[0], "-o", cookies, "--no-config"}, s.login...)...)
	s.begin(9)
	report := reportOf(t, s.run(3, s.check("--cookies", cookies, "--concurrency", "1")...))
	if r := wikiResult(report, "members:start"); r == nil || r["verdict"] != "unverified" || r["code"] != "login-lost" {
		t.Errorf("%v", r)
	}
	if report["complete"] != false || report["stopped_by"] != "login-lost" || s.logins > 0 {
		t.Errorf("complete %v, stopped by %v, %d sign-ins", report["complete"], report["stopped_by"], s.logins)
	}
	checkWikiLog(t, wiki)
}
