package rendertest

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/orbweaver/orbweaver/crawler"
	"github.com/orbweaver/orbweaver/crawler/internal/sitetest"
)

// What a link of a page calls signing out is not requested by what that page loads and by its
// scripts, in whatever spelling.
func TestSignOutsThatPagesLoad(t *testing.T) {
	t.Parallel()
	root, log := serve(t, map[string]string{
		"/": `<!doctype html><title>t</title><img src=/bye><iframe src=/bye></iframe><form action=/gone><button>Delete account</button></form>
<script>for (const at of ["/bye", "/%62ye", "/gone"]) fetch(at).catch(() => {}); location.hash = "x"</script><a href=/bye id=out>Log out</a>
<script>fetch("/other").finally(() => out.click()) // which ends what is under way</script>`,
		"/bye": "x", "/gone": "x", "/other": "x",
	})
	crawlURL(t, root, crawler.Config{Scope: crawler.ScopeRules{Credentials: true}, Render: crawler.Render{Mode: crawler.RenderAlways, Renderer: newCounted(t, 1)}})
	for path, want := range map[string]int{"/bye": 0, "/%62ye": 0, "/gone": 0, "/other": 1} {
		if n := log.Count("GET", path) + log.Count("HEAD", path); n != want {
			t.Errorf("%s was requested %d times, want %d: %q", path, n, want, log.Lines())
		}
	}
}

// A view whose route signs out, or that a link calls so, is not opened; the document is a page like others.
func TestViewsThatSignOut(t *testing.T) {
	t.Parallel()
	root, log := serve(t, map[string]string{
		"/": `<!doctype html><title>t</title><a href="#/logout">x</a><a href="#/bye">Log out</a><a href="#!/delete?x=1">x</a><a href="#/fine">fine</a><p id=at>
<script>function go() { fetch("/at-" + location.hash.replace(/\W/g, "")).catch(() => {}) } addEventListener("hashchange", go); go()</script>`,
	})
	s, _ := crawlURL(t, root, crawler.Config{Scope: crawler.ScopeRules{Credentials: true}, Render: crawler.Render{Mode: crawler.RenderAlways, Renderer: newCounted(t, 1)}})
	if log.Count("GET", "/at-fine") == 0 || log.Count("GET", "/at-logout")+log.Count("GET", "/at-bye")+log.Count("GET", "/at-deletex1") > 0 {
		t.Errorf("requests: %q", log.Lines())
	}
	for _, line := range []string{"/ ok ok", "/#/logout skipped excluded", "/#/bye skipped excluded", "/#!/delete?x=1 skipped excluded"} {
		if !s.has(line) {
			t.Errorf("no line %q in\n%s", line, strings.Join(s.lines, "\n"))
		}
	}
}

// What a page loads is remapped as its links are.
func TestRemappedLoads(t *testing.T) {
	t.Parallel()
	elsewhere, other := sitetest.Serve(t, http.NotFoundHandler())
	elsewhere = strings.TrimSuffix(elsewhere, "/")
	root, log := serve(t, map[string]string{
		"/":      "<!doctype html><title>t</title><img src=" + elsewhere + "/i.txt><iframe src=" + elsewhere + "/f.html></iframe><script>fetch('" + elsewhere + "/d.json').catch(() => {})</script>",
		"/i.txt": "x", "/f.html": "<title>f</title>", "/d.json": "{}",
	})
	s, _ := crawlURL(t, root, crawler.Config{
		Scope:  crawler.ScopeRules{Remaps: []crawler.Remap{{Pattern: regexp.MustCompile("^" + regexp.QuoteMeta(elsewhere) + "/"), Replacement: root}}},
		Render: crawler.Render{Mode: crawler.RenderAlways, Renderer: newCounted(t, 1)}})
	if lines := other.Lines(); len(lines) > 0 {
		t.Errorf("the host that is remapped got %q", lines)
	}
	for _, path := range []string{"/i.txt", "/f.html", "/d.json"} {
		if n := log.Count("GET", path); n != 1 || !s.has(path+" ok ok") {
			t.Errorf("%s was requested with GET %d times, want 1: %q\n%s", path, n, log.Lines(), strings.Join(s.lines, "\n"))
		}
	}
}
