package crawler

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/internal/scope"
	"github.com/orbweaver/orbweaver/crawler/internal/sitetest"
)

// A reference that no server accepts is broken, without a request, and only its beginning
// is kept, as it is of a long data URL.
func TestLongReferences(t *testing.T) {
	long := strings.Repeat("x", scope.MaxReference)
	site := map[string]string{
		"/":  `<a href="/` + long + `">a</a><img src="data:image/gif;base64,` + strings.Repeat("A", 1<<17) + `"><a href="/ok/` + long[:60_000] + `">b</a><a href=/to>c</a>`,
		"/x": "",
	}
	base, _ := sitetest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/to" {
			w.Header().Set("Location", "/"+long)
			w.WriteHeader(http.StatusFound)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, site[r.URL.Path])
	}))
	c, _ := crawl(t, web(t), seedOf(t, base+"/"))
	seen := map[check.Code]int{}
	for _, r := range c.results {
		seen[r.Code]++
		if len(r.URL) > scope.MaxReference || len(r.References) > 0 && len(r.References[0].Raw) > scope.MaxReference {
			t.Errorf("%s: a reference of %d bytes is kept", r.Code, len(r.URL))
		}
	}
	if seen[check.CodeURIInvalid] != 1 || seen[check.CodeSchemeUnchecked] != 1 || seen[check.CodeRedirectInvalid] != 1 {
		t.Errorf("results: %v", seen)
	}
}
