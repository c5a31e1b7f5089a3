//go:build !race

package crawler

import (
	"fmt"
	"net/http"
	"strconv"
	"testing"
)

// One worker, ten thousand links on a page, and pages that link in a circle.
func TestEndsWithOneWorker(t *testing.T) {
	many := links(10_000, "/%d")
	w := imagine(0, func(host, path string) (int, http.Header, string) {
		if path == "/" {
			return ok(many)
		}
		n, _ := strconv.Atoi(path[1:])
		return ok(fmt.Sprintf("<a href=/%d>x</a><a href=/>x</a>", (n+1)%10_000))
	})
	cfg := imaginary(w)
	cfg.Politeness.Concurrency = 1
	_, sum := crawl(t, cfg, seedOf(t, "http://127.0.0.1:1/"))
	if sum.Pages != 10_001 || sum.Requests != 10_001 {
		t.Errorf("%d pages by %d requests", sum.Pages, sum.Requests)
	}
}
