package crawler

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/inspect"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
	"github.com/orbweaver/orbweaver/crawler/internal/sitetest"
	"github.com/orbweaver/orbweaver/crawler/result"
)

// Scripts and style sheets of another origin are requested once, with the origin of the pages, as
// browsers do for those with integrity and crossorigin. What does not allow it is refused by browsers.
// Chromium 156 refuses the same ones. Other targets are requested without an origin.
func TestIntegrityWithCORS(t *testing.T) {
	const body = "/**/"
	sum := sha256.Sum256([]byte(body))
	hash := "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
	var mu sync.Mutex
	origins := map[string][]string{}
	cdn, _ := sitetest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		origins[r.URL.Path] = append(origins[r.URL.Path], r.Header.Get("Origin"))
		mu.Unlock()
		origin := r.Header.Get("Origin")
		allow := map[string]string{"/all.js": "*", "/reflects.js": origin, "/reflects.css": origin, "/other.js": "https://example.org"}[r.URL.Path]
		if allow != "" {
			w.Header().Set("Access-Control-Allow-Origin", allow)
		}
		switch {
		case strings.HasSuffix(r.URL.Path, ".js"):
			w.Header().Set("Content-Type", "text/javascript")
		case strings.HasSuffix(r.URL.Path, ".css"):
			w.Header().Set("Content-Type", "text/css")
		default:
			w.Header().Set("Content-Type", "text/html")
		}
		io.WriteString(w, body)
	}))
	base, _ := sitetest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, "<!doctype html><title>t</title><a href='%s/page#x'>x</a>", cdn)
		for _, path := range []string{"/all.js", "/reflects.js", "/other.js", "/none.js"} {
			fmt.Fprintf(w, "\n<script src='%s%s' crossorigin integrity='%s'></script>", cdn, path, hash)
		}
		for _, path := range []string{"/reflects.css", "/none.css"} {
			fmt.Fprintf(w, "\n<link rel=stylesheet href='%s%s' crossorigin=anonymous integrity='%s'>", cdn, path, hash)
		}
	}))
	inspector, err := inspect.Open(t.Context(), inspect.Config{Groups: inspect.Security})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(inspector.Close)
	cfg, seeds := overHTTP(t, base+"/")
	cfg.Judging.Inspector, cfg.Scope.Robots, cfg.Deliver.Show = inspector, RobotsIgnore, result.Show{Broken: true}
	c, _ := crawl(t, cfg, seeds)
	var refused []string
	for _, r := range c.results {
		if r.Code == judging.CodeSRIMismatch {
			for _, ref := range r.References {
				refused = append(refused, strings.TrimPrefix(ref.Raw, cdn))
			}
			if !strings.Contains(r.Message, "Access-Control-Allow-Origin") {
				t.Errorf("%s", r.Message)
			}
		}
	}
	slices.Sort(refused)
	if want := []string{"/none.css", "/none.js", "/other.js"}; !slices.Equal(refused, want) {
		t.Errorf("refused are %v, want %v", refused, want)
	}
	for path, sent := range origins {
		want := []string{base}
		if path == "/page" {
			want = []string{""}
		}
		if !slices.Equal(sent, want) {
			t.Errorf("%s was requested with the origins %q, want %q", path, sent, want)
		}
	}
}
