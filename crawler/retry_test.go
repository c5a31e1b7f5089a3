package crawler

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/internal/sitetest"
)

// A page that is cut off and read once more is one page: to the summary, to whoever is
// told the pages, and to a limit of them.
func TestPagesReadAgainCountOnce(t *testing.T) {
	const body = "<!doctype html><title>t</title><meta name=robots content=nofollow><a href=/>start</a><p>"
	for _, c := range []struct {
		name     string
		cut      int // answers that are
		maxPages int
		code     check.Code
	}{
		{"once", 1, 0, check.CodeOK},
		{"once, at the limit", 1, 2, check.CodeOK},
		{"twice, at the limit", 2, 2, check.CodeOK},
		{"always", 9, 0, check.CodeBodyTruncated},
		{"always, at the limit", 9, 2, check.CodeBodyTruncated},
	} {
		s := serveFaults(t, nil, func(x *exchange) {
			switch path := x.request.URL.Path; {
			case path == "/":
				x.say("200 OK", "Content-Type: text/html\r\n", "<!doctype html><title>t</title><a href=page>page</a>")
			case path == "/page" && x.nth <= c.cut:
				x.send("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 4000\r\n\r\n" + body)
				x.quit()
			case path == "/page":
				x.say("200 OK", "Content-Type: text/html\r\n", body+strings.Repeat("x", 3000))
			default:
				x.say("404 Not Found", "", "")
			}
		})
		cfg := web(t)
		cfg.Politeness.Retries, cfg.Deliver.Pages, cfg.Limits.MaxPages, cfg.Scope.RobotsAgent = 2, true, c.maxPages, "orbweaver"
		sink, sum := crawl(t, cfg, seedOf(t, "http://"+s.addr+"/"))
		if sum.Pages != 2 || len(sink.pages) != 2 || sum.Soundness.StoppedBy != "" {
			t.Errorf("%s: %d pages, %d told, stopped by %q", c.name, sum.Pages, len(sink.pages), sum.Soundness.StoppedBy)
		}
		r := sink.find("http://" + s.addr + "/page")
		if r == nil || r.Code != c.code {
			t.Errorf("%s: the page is %+v, want %s", c.name, r, c.code)
		}
		for _, p := range sink.pages {
			if len(p.Links) != 1 {
				t.Errorf("%s: %d links of %s", c.name, len(p.Links), p.URL)
			}
		}
	}
}

// The beginning of a start page may look like one that a script fills: its end tells.
func TestCutStartPageIsNoShell(t *testing.T) {
	const begun = "<!doctype html><body><div id=root></div><script src=/app.js></script>"
	s := serveFaults(t, nil, func(x *exchange) {
		switch {
		case x.request.URL.Path != "/":
			x.say("200 OK", "", "")
		case x.nth == 1:
			x.send("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 4000\r\n\r\n" + begun)
			x.quit()
		default:
			x.say("200 OK", "Content-Type: text/html\r\n", begun+"<a href=/page>page</a>")
		}
	})
	cfg := web(t)
	cfg.Politeness.Retries = 1
	if _, sum := crawl(t, cfg, seedOf(t, "http://"+s.addr+"/")); !sum.Soundness.Complete() || sum.OK != 3 {
		t.Errorf("the run was stopped by %q, and %d targets are there, want 3", sum.Soundness.StoppedBy, sum.OK)
	}
}

// A status that the user names is retried, as a store may not show yet what it has. A target that
// stays away gets as many requests as one of a busy server.
func TestStatusesThatAreRetried(t *testing.T) {
	s := serveFaults(t, nil, func(x *exchange) {
		switch path := x.request.URL.Path; {
		case path == "/":
			x.say("200 OK", "Content-Type: text/html\r\n", "<!doctype html><title>t</title><a href=late>a</a> <a href=gone>b</a> <a href=denied>c</a>")
		case path == "/late" && x.nth > 2:
			x.say("200 OK", "", "")
		case path == "/denied":
			x.say("403 Forbidden", "", "")
		default:
			x.say("404 Not Found", "", "")
		}
	})
	cfg := web(t)
	cfg.Politeness.Retries, cfg.Politeness.RetryStatus = 2, &check.Statuses{}
	if err := cfg.Politeness.RetryStatus.Add(404, 404); err != nil {
		t.Fatal(err)
	}
	sink, _ := crawl(t, cfg, seedOf(t, "http://"+s.addr+"/"))
	for _, want := range []struct {
		path     string
		code     check.Code
		requests int
	}{{"late", check.CodeOK, 3}, {"gone", "http-404", 3}, {"denied", "http-403", 1}} {
		r := sink.find("http://" + s.addr + "/" + want.path)
		if r == nil || r.Code != want.code || r.Attempts != want.requests {
			t.Errorf("%s is %+v, want %s after %d requests", want.path, r, want.code, want.requests)
		}
	}
}

// A page whose request always resets the connection is asked once for each try, however
// many other connections there are.
func TestResetsAreCounted(t *testing.T) {
	var asked atomic.Int32
	links := []string{"/reset"}
	for i := range 40 {
		links = append(links, fmt.Sprintf("/page%d", i))
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/{$}", linking(links...))
	mux.HandleFunc("/", linking())
	mux.HandleFunc("/reset", func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		panic(http.ErrAbortHandler)
	})
	base, _ := sitetest.Serve(t, mux)
	for retries, want := range map[int]int32{-1: 1, 2: 3, 4: 5} {
		asked.Store(0)
		cfg := web(t)
		cfg.Politeness.Retries = retries
		sink, _ := crawl(t, cfg, seedOf(t, base+"/"))
		r := sink.find(base + "/reset")
		if r == nil || r.Code != check.CodeConnectionReset || r.Attempts != int(want) || asked.Load() != want {
			t.Errorf("retries %d: %+v after %d requests, want %d", retries, r, asked.Load(), want)
		}
	}
}
