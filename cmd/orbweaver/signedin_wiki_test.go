package main

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const wikiPassword = "pass-w0rd of älice"

// serveWiki serves a DokuWiki.
func serveWiki(t *testing.T) (*memberSite, *dokuWiki) {
	wiki := serveDokuWiki(t, wikiPassword)
	s := serveMembers(t, wiki.URL)
	s.login = []string{"--login", s.url + "/doku.php?id=start&do=login", "--login-user", "alice", "--login-password-file", passwordFile(t, wikiPassword)}
	s.crawl = []string{s.url + "/doku.php?id=start", "--external", "skip",
		"--exclude", "[?&]do=([^lp]|$)", "--exclude", "/lib/|/feed[.]php|[?&]idx="}
	s.isPage = func(r *http.Request) bool { return r.URL.Path == "/doku.php" }
	s.endSessions = wiki.endSessions
	s.begin()
	return s, wiki
}

// wikiReport reads a report without the links that are different in each session, or at each
// time. None of them is requested.
func wikiReport(t *testing.T, p *process) map[string]any {
	report := reportOf(t, p)
	report["results"] = slices.DeleteFunc(report["results"].([]any), func(result any) bool {
		r := result.(map[string]any)
		url := r["url"].(string)
		return r["verdict"] == "skipped" && (strings.Contains(url, "sectok=") || strings.Contains(url, "taskrunner.php"))
	})
	summary := report["summary"].(map[string]any)
	delete(summary, "targets")
	delete(summary, "skipped")
	delete(summary["by_code"].(map[string]any), "excluded")
	return report
}

// wikiResult returns the result of a page, which may be missing.
func wikiResult(report map[string]any, page string) map[string]any {
	for _, r := range report["results"].([]any) {
		if r := r.(map[string]any); strings.HasSuffix(r["url"].(string), "/doku.php?id="+page) {
			return r
		}
	}
	return nil
}

// checkWikiLog checks that nothing but sign-ins was posted, and that no request signed out
// or had a token that allows to change something.
func checkWikiLog(t *testing.T, wiki *dokuWiki) {
	t.Helper()
	unsafe := regexp.MustCompile(`sectok=.|[?&]do(%5B|\[|=)(logout|save|delete|remove|purge|revert|draftdel|subscribe|unsubscribe|profile_delete)`)
	for _, request := range wiki.requests() {
		method, target, _ := strings.Cut(request, " ")
		if unsafe.MatchString(target) || method != "GET" && method != "HEAD" && request != "POST /doku.php?id=start 302" && request != "POST /doku.php?id=start 403" {
			t.Errorf("%s was requested", request)
		}
	}
}
