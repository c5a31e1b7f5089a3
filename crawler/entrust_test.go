package crawler

import (
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/orbweaver/orbweaver/crawler/crawlertest"
	"github.com/orbweaver/orbweaver/crawler/fetch"
)

// TestSecretsStayWithTheNamedHosts: what is given for the internal hosts goes to those
// that the user has named. One that a start page is redirected to is crawled, and
// gets none of it; nor do a page's links and redirects carry it there, nor robots.txt.
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
	other, _ := crawlertest.Serve(t, note(there))
	here := http.NewServeMux()
	here.HandleFunc("/moved", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, other+"/", http.StatusFound) })
	here.HandleFunc("/stays/{$}", linking("/stays/out", other+"/page"))
	here.HandleFunc("/stays/out", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, other+"/page", http.StatusFound) })
	base, _ := crawlertest.Serve(t, note(here))

	for _, start := range []string{"/moved", "/stays/"} {
		clear(secrets)
		client, err := fetch.NewHTTP(fetch.HTTPConfig{Timeout: 5 * time.Second, Credentials: "me:s3cret", Header: http.Header{"X-Token": {"t0ken"}}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(client.Close)
		cfg := web(t)
		cfg.Fetch, cfg.Robots, cfg.RobotsGiven, cfg.SoftNotFound = fetch.Mux{"http": client}, RobotsCrawl, true, true
		crawl(t, cfg, seedOf(t, base+start))
		if !secrets[strings.TrimPrefix(base, "http://")+start] {
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
