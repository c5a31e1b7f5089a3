package crawler

import (
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/internal/scope"
	"github.com/orbweaver/orbweaver/crawler/internal/sitetest"
)

// TestSecretsStayWithTheNamedHosts: what is given for the start targets goes to their
// scheme, host and port. A host that a start page is redirected to, or that --include
// matches, is crawled, and gets none of it; nor do a page's links and redirects carry it
// there, nor robots.txt.
func TestSecretsStayWithTheNamedHosts(t *testing.T) {
	var mu sync.Mutex
	secrets := map[string]bool{} // by host and path
	note := func(handler http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			mu.Lock()
			secrets[r.Host+r.URL.Path] = r.Header.Get("X-Token") != "" || r.Header.Get("Authorization") != ""
			mu.Unlock()
			handler.ServeHTTP(w, r)
		})
	}
	there := http.NewServeMux()
	there.HandleFunc("/{$}", linking("/page", "/again"))
	there.HandleFunc("/page", linking("/leaf.png"))
	there.HandleFunc("/again", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/page?x", http.StatusFound) })
	other, _ := sitetest.Serve(t, note(there))
	here := http.NewServeMux()
	here.HandleFunc("/moved", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, other+"/", http.StatusFound) })
	here.HandleFunc("/stays/{$}", linking("/stays/out", other+"/page"))
	here.HandleFunc("/stays/out", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, other+"/page", http.StatusFound) })
	base, _ := sitetest.Serve(t, note(here))

	for _, start := range []string{"/moved", "/stays/", "/stays/?include"} {
		clear(secrets)
		client, err := fetch.NewHTTP(fetch.HTTPConfig{Timeout: time.Minute, Secrets: fetch.Secrets{Origins: fetch.NewOrigins(seedOf(t, base+start)[0].URL), Credentials: "me:s3cret", Header: http.Header{"X-Token": {"t0ken"}}}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(client.Close)
		cfg := web(t)
		cfg.Fetch, cfg.Scope.Robots, cfg.Scope.RobotsGiven, cfg.Judging.SoftNotFound = fetch.Mux{"http": client}, RobotsCrawl, true, true
		if strings.HasSuffix(start, "include") {
			cfg.Scope.Include = []*regexp.Regexp{regexp.MustCompile(`^http://`)}
		}
		crawl(t, cfg, seedOf(t, base+start))
		path, _, _ := strings.Cut(start, "?")
		if !secrets[strings.TrimPrefix(base, "http://")+path] {
			t.Errorf("%s: what was given did not go to the host that was named: %v", start, secrets)
		}
		if len(secrets) < 4 {
			t.Errorf("%s: too little was asked: %v", start, secrets)
		}
		for asked, secret := range secrets {
			if secret && strings.HasPrefix(asked, strings.TrimPrefix(other, "http://")) {
				t.Errorf("%s: what was given went to %s", start, asked)
			}
		}
	}
}

// TestRuleHeaderStaysWithTLS: the headers of a rule go to what its pattern matches. A
// pattern that leaves the scheme open may be meant for https, so that only a start
// target gets them over http.
func TestRuleHeaderStaysWithTLS(t *testing.T) {
	glob := func(pattern string) Rule {
		return Rule{Match: regexp.MustCompile(pattern).MatchString, Header: http.Header{"Authorization": {"Bearer s3cret"}}}
	}
	for _, test := range []struct {
		start, pattern, url string
		want                bool
	}{
		{"https://example.com/", "example.com", "https://example.com/a", true},
		{"https://example.com/", "example.com", "http://example.com/a", false},
		{"https://example.com/", "example.org", "https://example.org/", true},
		{"https://example.com/", "example.org", "http://example.org/", false},
		{"https://example.com/", "^http://example.org", "http://example.org/", true},
		{"http://example.com:8080/", "example.com", "http://example.com:8080/", true},
		{"http://example.com:8080/", "example.com", "http://example.com/", false},
	} {
		cfg := web(t)
		cfg.Judging.Rules = []Rule{glob(test.pattern)}
		header, _ := scope.NewTargetRules(cfg.newScope(seedOf(t, test.start)), seedOf(t, test.start)).Header(mustParse(t, test.url))
		if got := header != nil; got != test.want {
			t.Errorf("start %s, rule %s: %s gets the header: %t", test.start, test.pattern, test.url, got)
		}
	}
}
