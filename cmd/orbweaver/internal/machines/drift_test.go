//go:build linux

package machines

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
)

// seen is when a text was seen, to the second.
var seen = regexp.MustCompile(`"(first_seen|last_same)": "[^"]*"`)

// A shared crawl remembers texts in the coordinator's state, and tells the same of them as one process.
func TestDrift(t *testing.T) {
	var changed atomic.Bool
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		switch {
		case strings.HasPrefix(r.Host, "127."):
			for n := range 8 {
				fmt.Fprintf(w, "<a href=%s/%d>cited</a>\n", strings.Replace("http://"+r.Host, "127.0.0.1", "localhost", 1), n)
			}
		case changed.Load() && strings.ContainsAny(r.URL.Path, "135"):
			fmt.Fprint(w, "<title>Casino</title><p>Play now and win big with the best casino bonus of the year, deposit ten and get one hundred free spins with no questions asked.")
		default:
			fmt.Fprint(w, "<title>River</title><p>Every spring the river rises above the meadow and leaves its mud on the path, so the people walk along the hill until the summer.")
		}
	}))
	t.Cleanup(web.Close)
	redis, dir := startServer(t), t.TempDir()
	settings := []string{"check", web.URL + "/", "--no-config", "-f", "json", "--delay", "0", "--drift", "--max-age", "0"}
	for i, drifted := range []int{0, 3} {
		changed.Store(drifted > 0)
		address := redis.address(fmt.Sprint("c", i))
		shared := run(t, append(settings, "--state", filepath.Join(dir, "shared"), "--frontier", address, "--workers-here", "0")...)
		worker := run(t, "worker", "--frontier", address, "--name", "w")
		alone := run(t, append(settings, "--state", filepath.Join(dir, "alone"))...)
		for _, p := range []*process{shared, worker, alone} {
			if code := p.wait(); code != 0 {
				t.Fatalf("a process ended with %d\n%s", code, p.err.Bytes())
			}
		}
		want, got := without(elapsed, alone.out.Bytes()), without(elapsed, shared.out.Bytes())
		if n := strings.Count(got, `"code": "content-drift"`); n != drifted {
			t.Errorf("%d of %d targets have drifted:\n%s", n, drifted, got)
		}
		want, got = seen.ReplaceAllString(want, ""), seen.ReplaceAllString(got, "")
		if got != want {
			t.Errorf("the shared crawl has another report:\n%s", firstDifference(want, got))
		}
	}
}
