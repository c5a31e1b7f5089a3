//go:build linux

package machines

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// A shared crawl renders what one process renders; a process without a browser leaves pages to
// the others, and cannot work when each page needs a browser.
func TestRenderedCrawl(t *testing.T) {
	t.Parallel()
	redis := startServer(t)
	if _, err := exec.LookPath("chromium"); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		switch r.URL.Path {
		case "/":
			fmt.Fprint(w, "<!doctype html><title>start</title><p>words<a href=/shell.html>shell</a><a href=/late.html#made>made</a><a href=/late.html#never>never</a><a href=/gone>gone</a>")
		case "/shell.html":
			fmt.Fprint(w, "<!doctype html><title>shell</title><div id=root></div><script>root.innerHTML='<a href=/made-by-script>x</a>'</script>")
		case "/late.html":
			fmt.Fprint(w, "<!doctype html><title>late</title><p>words<a href=/>1</a><a href=/?2>2</a><a href=/?3>3</a><script>document.body.append(Object.assign(document.createElement('p'),{id:'made'}))</script>")
		default:
			http.NotFound(w, r)
		}
	}))
	defer site.Close()
	flags := []string{"check", site.URL + "/", "--show", "all", "-f", "json", "--render"}
	one := run(t, append(flags, "auto")...)
	if code := one.wait(); code != 1 {
		t.Fatalf("one process: exit status %d\n%s", code, one.err.Bytes())
	}
	shared := func(crawl, mode string) []string {
		return append(flags, mode, "--frontier", redis.address(crawl), "--state", filepath.Join(t.TempDir(), crawl))
	}
	coordinator := run(t, append(shared("auto", "auto"), "--workers-here", "2")...)
	blind := runWith(t, []string{"PATH=" + t.TempDir()}, "worker", "--frontier", redis.address("auto"), "--name", "blind")
	if code := coordinator.wait(); code != 1 {
		t.Fatalf("exit status %d\n%s", code, coordinator.err.Bytes())
	}
	if got, want := without(afterFault, coordinator.out.Bytes()), without(afterFault, one.out.Bytes()); got != want {
		t.Errorf("the report differs: %s", firstDifference(got, want))
	}
	if code := blind.wait(); code != 0 {
		t.Errorf("the worker without a browser ended with %d\n%s", code, blind.err.Bytes())
	}
	coordinator = run(t, append(shared("always", "always"), "--workers-here", "0")...)
	blind = runWith(t, []string{"PATH=" + t.TempDir()}, "worker", "--frontier", redis.address("always"))
	if code := blind.wait(); code != 2 {
		t.Errorf("--render always: the worker without a browser ended with %d\n%s", code, blind.err.Bytes())
	}
	worker := run(t, "worker", "--frontier", redis.address("always"))
	if code := worker.wait(); code != 0 {
		t.Errorf("the worker ended with %d\n%s", code, worker.err.Bytes())
	}
	if code := coordinator.wait(); code != 1 {
		t.Errorf("exit status %d\n%s", code, coordinator.err.Bytes())
	}
}
