package crawler

import (
	"net/http"
	"slices"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/internal/sitetest"
	"github.com/orbweaver/orbweaver/crawler/result"
)

// A staging site asks robots not to follow its links: what was left unread for that
// is told, so that nobody takes one page for the whole site.
func TestNoFollowIsTold(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("/meta", func(w http.ResponseWriter, r *http.Request) {
		w.Write([]byte(`<!doctype html><meta name="robots" content="noindex,nofollow"><a href="/deep">deep</a><a href="/alone">alone</a>`))
	})
	mux.HandleFunc("/header", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Robots-Tag", "nofollow")
		w.Write([]byte(`<!doctype html><a href="/deep">deep</a>`))
	})
	mux.HandleFunc("/alone", func(w http.ResponseWriter, r *http.Request) {
		w.Write([]byte(`<!doctype html><meta name="robots" content="nofollow"><link rel="icon" href="/deep">`))
	})
	mux.HandleFunc("/deep", linking("/gone"))
	base, _ := sitetest.Serve(t, mux)
	const told = "the links of 1 page were checked but not followed, because a robots meta element or X-Robots-Tag says nofollow; --robots ignore follows them"
	for _, test := range []struct {
		start string
		set   func(*Config)
		gone  bool // its link's links were looked at
		told  bool
	}{
		{"/meta", func(c *Config) {}, false, true},
		{"/header", func(c *Config) {}, false, true},
		{"/meta", func(c *Config) { c.Scope.Robots = RobotsIgnore }, true, false},
		{"/meta", func(c *Config) { c.Scope.Depth = -1 }, false, false},
		{"/meta", func(c *Config) { c.Scope.RobotsGiven = false }, true, false}, // a loopback host
		{"/alone", func(c *Config) {}, false, false},
	} {
		cfg := web(t)
		cfg.Scope.RobotsGiven = true
		test.set(cfg)
		c := crawlFrom(t, cfg, base+test.start)
		gone := slices.ContainsFunc(c.results, func(r *result.Result) bool { return r.URL == base+"/gone" })
		if got := slices.ContainsFunc(c.notes, func(n result.Note) bool { return n.Message == told }); got != test.told || gone != test.gone {
			t.Errorf("%s: told %v, followed %v; want %v, %v; notes: %v", test.start, got, gone, test.told, test.gone, c.notes)
		}
	}
}
