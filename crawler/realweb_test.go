package crawler

import (
	"crypto/x509"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/crawlertest"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
	"github.com/orbweaver/orbweaver/crawler/result"
)

// What the real web does, each with a server that does it. Hosts under .test are
// led to one server on loopback.

// realWeb are settings under which every host is the answering server.
func realWeb(t testing.TB, answer func(*exchange), change ...func(*fetch.HTTPConfig)) (*Config, *faultServer) {
	t.Helper()
	server := serveFaults(t, nil, answer)
	config := fetch.HTTPConfig{Timeout: time.Minute, ConnectTo: []fetch.ConnectTo{{From: ":80", To: server.addr}}}
	for _, c := range change {
		c(&config)
	}
	client, err := fetch.NewHTTP(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	cfg := web(t)
	cfg.Fetch = fetch.Mux{"http": client, "https": client}
	cfg.Scope.Robots = RobotsIgnore
	cfg.Politeness.SecondPassGiven, cfg.Politeness.SecondPassAfter = true, time.Millisecond
	return cfg, server
}

// at answers by host and path, 404 for anything else.
func at(pages map[string]func(*exchange)) func(*exchange) {
	return func(x *exchange) {
		if answer := pages[x.request.Host+x.request.RequestURI]; answer != nil {
			answer(x)
			return
		}
		status("404 Not Found")(x)
	}
}

// judged fails the test unless the results are these; "code+warning" wants a warning.
func judged(t *testing.T, c *collector, want map[string]string) {
	t.Helper()
	for url, code := range want {
		code, warning, _ := strings.Cut(code, "+")
		verdict, code, given := strings.Cut(code, " ")
		if !given {
			verdict, code = "", verdict
		}
		r := c.find(url)
		if r == nil {
			t.Errorf("%s: no result", url)
			continue
		}
		if string(r.Code) != code || verdict != "" && r.Verdict.String() != verdict || !warns(r, check.Code(warning)) {
			t.Errorf("%s: %v %s %v (%s), want %s %s %s", url, r.Verdict, r.Code, r.Warnings, r.Message, verdict, code, warning)
		}
	}
}

// Two connections are reset, then all is well: ok at the third attempt.
func TestHiccups(t *testing.T) {
	twice := func(fault, then func(*exchange)) func(*exchange) {
		return func(x *exchange) {
			if x.nth <= 2 {
				fault(x)
				return
			}
			then(x)
		}
	}
	fine := status("200 OK")
	cfg, server := realWeb(t, at(map[string]func(*exchange){
		"site.test/":   page("<a href=http://reset.test/x>x</a><a href=http://closed.test/x>x</a><a href=/busy>x</a><a href=/fault>x</a><a href=/cut>x</a><a href=/gone>x</a>"),
		"reset.test/x": twice((*exchange).reset, fine), "closed.test/x": twice((*exchange).quit, fine),
		"site.test/busy": twice(status("503 Busy"), fine), "site.test/fault": twice(status("500 Fault"), fine),
		"site.test/cut": twice(raw("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 100\r\n\r\n<p>"), fine),
	}))
	cfg.Politeness.Retries, cfg.Scope.Include = 2, patterns("reset|closed")
	c, _ := crawl(t, cfg, seedOf(t, "http://site.test/"))
	for _, url := range []string{"http://reset.test/x", "http://closed.test/x", "http://site.test/busy", "http://site.test/fault", "http://site.test/cut"} {
		r := c.find(url)
		if r == nil || r.Verdict != check.OK || r.Attempts != 3 {
			t.Errorf("%s = %+v, want it ok after three requests", url, r)
		}
	}
	if n := server.count("site.test/gone"); n != 1 {
		t.Errorf("a 404 was asked %d times", n)
	}
}

// HEAD lies, GET has the last word.
func TestHeadLies(t *testing.T) {
	pages := map[string]func(*exchange){}
	var start strings.Builder
	lie := func(name string, head func(*exchange)) {
		host := "head-" + name + ".test"
		fmt.Fprintf(&start, "<a href=http://%s/x>x</a>", host)
		pages[host+"/x"] = func(x *exchange) {
			if x.request.Method == http.MethodHead {
				head(x)
				return
			}
			status("200 OK")(x)
		}
		pages[host+"/elsewhere"] = redirect(302, "/x")
	}
	for _, code := range []string{"400", "401", "403", "404", "405", "406", "410", "429", "500", "501", "503", "999", "302"} {
		lie(code, status(code+" No"))
	}
	lie("reset", (*exchange).reset)
	lie("closed", (*exchange).quit)
	lie("noise", raw("no answer\r\n\r\n"))
	lie("loop", redirect(302, "/x"))
	lie("circle", redirect(302, "/elsewhere"))
	pages["site.test/"] = page(start.String())
	cfg, _ := realWeb(t, at(pages))
	c, sum := crawl(t, cfg, seedOf(t, "http://site.test/"))
	for _, r := range c.results {
		if r.Verdict != check.OK {
			t.Errorf("%s: %v %s", r.URL, r.Verdict, r.Code)
		}
	}
	if sum.OK < 19 {
		t.Errorf("%d results", sum.OK)
	}
}

// A page that is the same as a made-up one beside it is a soft 404. Words in a
// page or an address prove nothing, and home pages are left alone.
func TestSoftNotFound(t *testing.T) {
	missing := `<html><title>Sorry</title><h1>Sorry, we can not find what you are looking for</h1><p>Try the search or go back to the home page of this fine shop, please.`
	article := `<html><title>%s</title><h1>%s</h1><p>` + strings.Repeat("this page speaks of other things at length ", 5)
	shop := func(x *exchange) {
		switch x.request.URL.Path {
		case "/", "/index.html":
			page(missing)(x) // the home page is what it shows for all
		case "/docs/error-not-found.html":
			page(fmt.Sprintf(article, "404 not found", "what the error means"))(x)
		case "/docs/changelog.html":
			page(fmt.Sprintf(article, "changelog", "page not found pages are now pretty"))(x)
		default:
			page(missing)(x)
		}
	}
	cfg, server := realWeb(t, func(x *exchange) {
		switch x.request.Host {
		case "site.test":
			page(`<a href=http://shop.test/>x</a><a href=http://shop.test/index.html>x</a><a href=http://shop.test/docs/gone.html>x</a>
				<a href=http://shop.test/docs/gone-too.html>x</a><a href=http://shop.test/docs/changelog.html>x</a><a href=http://shop.test/docs/error-not-found.html>x</a>
				<a href=http://honest.test/docs/x.html>x</a><img src=http://shop.test/docs/x.png>`)(x)
		case "shop.test":
			shop(x)
		default:
			if x.request.URL.Path == "/docs/x.html" {
				page("<p>here")(x)
				return
			}
			status("404 Not Found")(x)
		}
	})
	cfg.Judging.SoftNotFound = true
	c, _ := crawl(t, cfg, seedOf(t, "http://site.test/"))
	judged(t, c, map[string]string{"http://shop.test/docs/gone.html": "ok ok+soft-404", "http://shop.test/docs/gone-too.html": "ok ok+soft-404", "http://honest.test/docs/x.html": "ok ok"})
	for _, url := range []string{"http://shop.test/", "http://shop.test/index.html", "http://shop.test/docs/changelog.html", "http://shop.test/docs/error-not-found.html", "http://honest.test/docs/x.html"} {
		if r := c.find(url); r == nil || r.Verdict != check.OK || len(r.Warnings) > 0 {
			t.Errorf("%s = %+v, want it simply ok", url, r)
		}
	}
	known := map[string]bool{"/": true, "/index.html": true, "/docs/gone.html": true, "/docs/gone-too.html": true, "/docs/changelog.html": true, "/docs/error-not-found.html": true, "/docs/x.png": true}
	probes := 0
	for _, line := range server.order {
		if _, target, _ := strings.Cut(line, " shop.test"); target != "" && !known[target] {
			probes++
		}
	}
	if probes != 1 {
		t.Errorf("%d made-up pages were asked for in one directory", probes)
	}
}

// --check-https asks for the twin of what is linked over http.
func TestSecureTwin(t *testing.T) {
	root := crawlertest.NewAuthority(t, "root")
	leaf := root.Leaf(t, "both.test", func(x *x509.Certificate) { x.DNSNames = append(x.DNSNames, "moved.test") })
	secure := serveFaults(t, tlsOf(leaf), at(map[string]func(*exchange){
		"both.test/x": page("x"), "moved.test/x": redirect(302, "http://moved.test/x"),
	}))
	pages := map[string]func(*exchange){
		"site.test/": page("<a href=http://both.test/x>x</a><a href=http://moved.test/x>x</a><a href=http://plain.test/x>x</a><a href=http://plain.test/y>x</a><a href=http://both.test/gone>x</a>"),
	}
	for _, at := range []string{"both.test/x", "moved.test/x", "plain.test/x", "plain.test/y"} {
		pages[at] = page("x")
	}
	cfg, _ := realWeb(t, at(pages), func(h *fetch.HTTPConfig) {
		h.CAFile = root.File(t)
		h.ConnectTo = append(h.ConnectTo, fetch.ConnectTo{From: "both.test:443", To: secure.addr}, fetch.ConnectTo{From: "moved.test:443", To: secure.addr},
			fetch.ConnectTo{From: ":443", To: closedAddr(t)})
	})
	cfg.Judging.CheckHTTPS = true
	c, sum := crawl(t, cfg, seedOf(t, "http://site.test/"))
	judged(t, c, map[string]string{"http://both.test/x": "ok ok+insecure-http", "http://both.test/gone": "http-404"})
	for _, url := range []string{"http://moved.test/x", "http://plain.test/x", "http://plain.test/y"} {
		if r := c.find(url); r == nil || len(r.Warnings) > 0 {
			t.Errorf("%s = %+v, want no warning", url, r)
		}
	}
	if r := c.find("http://both.test/x"); r != nil && (r.Attempts != 2 || r.Warnings[0].Proposal != "https://both.test/x") {
		t.Errorf("%+v, want two requests and the https address proposed", r)
	}
	if sum.ByCode[judging.CodeInsecureHTTP] != 1 {
		t.Errorf("summary = %v", sum.ByCode)
	}
}

// A start page that a script fills is no success.
func TestShells(t *testing.T) {
	for name, html := range map[string]string{
		"react":   `<!doctype html><html><head><title>App</title><link rel=icon href=/favicon.ico><script type=module src=/app.js></script></head><body><noscript>You need to enable JavaScript to run this app.</noscript><div id="root"></div></body></html>`,
		"vue":     `<!doctype html><html><head><link rel=stylesheet href=/app.css></head><body><div id=app></div><script type="module" src="/app.js"></script></body></html>`,
		"angular": `<!doctype html><html><head><base href="/"></head><body><app-root></app-root><script src="/app.js" type="module"></script></body></html>`,
		"unnamed": `<!doctype html><html><body><div class=x></div><script src="/app.js"></script></body></html>`,
	} {
		cfg, _ := realWeb(t, at(map[string]func(*exchange){"app.test/": page(html), "app.test/app.js": status("200 OK"), "app.test/app.css": status("200 OK"), "app.test/favicon.ico": status("200 OK")}))
		c, sum := crawl(t, cfg, seedOf(t, "http://app.test/"))
		if sum.Soundness.Complete() || sum.Soundness.StoppedBy != "script-rendered" || !noted(c, "because a script renders it; try --render auto, or start from the site's sitemap") {
			t.Errorf("%s: complete %v, stopped by %q, notes %v", name, sum.Soundness.Complete(), sum.Soundness.StoppedBy, c.notes)
		}
	}
	for name, html := range map[string]string{
		"links":  `<div id=root></div><script src=/app.js></script><noscript><a href=/all>all</a></noscript>`,
		"text":   `<body><p>Hello, there are no links here.<script src=/app.js></script>`,
		"static": `<body><div id=root></div>`,
	} {
		cfg, _ := realWeb(t, at(map[string]func(*exchange){"app.test/": page(html), "app.test/app.js": status("200 OK"), "app.test/all": page("all")}))
		if c, sum := crawl(t, cfg, seedOf(t, "http://app.test/")); !sum.Soundness.Complete() || noted(c, "a script renders it") {
			t.Errorf("%s was taken for a page that a script renders", name)
		}
	}
}

// Nor is a directory that holds nothing else; one page that can be read makes it a site.
func TestShellsOfDirectory(t *testing.T) {
	const shell = `<!doctype html><body><div id="root"></div><script src="app.js"></script></body>`
	for name, want := range map[string]struct {
		files map[string]string
		empty bool
	}{
		"application":          {map[string]string{"index.html": shell, "404.html": shell, "app.js": ""}, true},
		"one page beside it":   {map[string]string{"index.html": shell, "about.html": "<!doctype html><p>about", "app.js": ""}, false},
		"a document beside it": {map[string]string{"index.html": shell, "README.md": "x", "app.js": ""}, false},
	} {
		dir := t.TempDir()
		for file, text := range want.files {
			if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		cfg, seeds := onDisk(t, dir)
		c, sum := crawl(t, cfg, seeds)
		if got := sum.Soundness.StoppedBy == "script-rendered"; got != want.empty || sum.Soundness.Complete() == want.empty || noted(c, "scripts render all of them") != want.empty {
			t.Errorf("%s: complete %v, stopped by %q, notes %v", name, sum.Soundness.Complete(), sum.Soundness.StoppedBy, c.notes)
		}
	}
}

// Whoever crawls signed in does not press the buttons that sign out.
func TestSignedIn(t *testing.T) {
	cfg, server := realWeb(t, func(x *exchange) {
		if x.request.URL.Path == "/" && x.request.Host == "site.test" {
			page(`<a href=/logout>x</a><a href="/account/sign-out?next=/">x</a><a href="/wp-login.php?action=logout&amp;_wpnonce=1">x</a><a href=/posts/7/delete>x</a>
				<a href=/docs/logout-guide.html>x</a><a href=http://far.test/logout>x</a><form method=post action=/send></form><a href=/secret>x</a>`)(x)
			return
		}
		status("200 OK")(x)
	}, func(h *fetch.HTTPConfig) {
		h.Credentials, h.Header, h.Origins = "me:secret", http.Header{"X-Token": {"hush"}}, fetch.NewOrigins(mustParse(t, "http://site.test/"))
	})
	cfg.Scope.Credentials = true
	c, _ := crawl(t, cfg, seedOf(t, "http://site.test/"))
	judged(t, c, map[string]string{"http://site.test/logout": "skipped excluded", "http://site.test/account/sign-out?next=/": "skipped excluded",
		"http://site.test/wp-login.php?action=logout&_wpnonce=1": "skipped excluded", "http://site.test/posts/7/delete": "skipped excluded",
		"http://site.test/docs/logout-guide.html": "ok ok", "http://far.test/logout": "ok ok", "http://site.test/secret": "ok ok"})
	for _, target := range []string{"site.test/logout", "site.test/posts/7/delete", "site.test/send"} {
		if n := server.count(target); n > 0 {
			t.Errorf("%s was asked", target)
		}
	}
	if h := server.got("HEAD far.test/logout"); h.Get("Authorization") != "" || h.Get("X-Token") != "" {
		t.Errorf("the other host saw %v", h)
	}
	if h := server.got("GET site.test/secret"); h.Get("Authorization") == "" && h.Get("X-Token") != "hush" {
		t.Errorf("our own host saw %v", h)
	}
}

// robots.txt: for what is crawled; in strict mode for every request, at every hop;
// the page a user starts from is his own business.
func TestRobots(t *testing.T) {
	pages := map[string]func(*exchange){
		"site.test/robots.txt": page("User-agent: *\nDisallow: /"),
		"site.test/":           page("<a href=/a>x</a><a href=http://far.test/x>x</a><a href=http://hop.test/x>x</a><img src=/logo.png>"),
		"site.test/logo.png":   status("200 OK"),
		"far.test/robots.txt":  page("User-agent: *\nDisallow: /x"),
		"far.test/x":           page("x"),
		"hop.test/x":           redirect(302, "http://far.test/x"),
		"down.test/":           page("<a href=http://dead.test/x>x</a>"),
		"nofollow.test/":       page("<a href=/a>x</a>"),
		"nofollow.test/a": func(x *exchange) {
			x.say("200 OK", "Content-Type: text/html\r\nX-Robots-Tag: noindex, nofollow\r\n", "<a href=/b>x</a>")
		},
		"nofollow.test/b": page("<a href=/c>x</a>"),
		"nofollow.test/c": page("c"),
		"other.test/":     page("<a href=/a>x</a>"),
		"other.test/a": func(x *exchange) {
			x.say("200 OK", "Content-Type: text/html\r\nX-Robots-Tag: otherbot: nofollow\r\n", "<a href=/b>x</a>")
		},
		"other.test/b":             page("<a href=/c>x</a>"),
		"other.test/c":             page("c"),
		"nofollow.test/robots.txt": status("404 No"), "other.test/robots.txt": status("404 No"),
	}
	run := func(url string, mode RobotsMode, given bool) (*collector, *result.Summary, *faultServer) {
		cfg, server := realWeb(t, at(pages))
		cfg.Scope.Robots, cfg.Scope.RobotsGiven = mode, given
		c, sum := crawl(t, cfg, seedOf(t, url))
		return c, sum, server
	}
	t.Run("crawl", func(t *testing.T) {
		c, sum, server := run("http://site.test/", RobotsCrawl, false)
		judged(t, c, map[string]string{"http://site.test/": "ok ok", "http://site.test/a": "unverified robots-disallowed", "http://far.test/x": "ok ok",
			"http://hop.test/x": "ok ok", "http://site.test/logo.png": "ok ok"})
		if n := server.count("far.test/robots.txt"); n > 0 || len(sum.StartFailed) > 0 {
			t.Errorf("a click asked robots.txt %d times; failed starts: %v", n, sum.StartFailed)
		}
		if !noted(c, "robots.txt") {
			t.Errorf("nothing is told of what was left out: %v", c.notes)
		}
	})
	t.Run("crawl given", func(t *testing.T) {
		c, sum, _ := run("http://site.test/", RobotsCrawl, true)
		judged(t, c, map[string]string{"http://site.test/": "unverified robots-disallowed"})
		if len(sum.StartFailed) != 1 {
			t.Errorf("the start page was refused, failed starts: %v", sum.StartFailed)
		}
	})
	t.Run("strict", func(t *testing.T) {
		cfg, server := realWeb(t, at(pages))
		cfg.Scope.Robots = RobotsStrict
		c, _ := crawl(t, cfg, append(seedOf(t, "http://nofollow.test/"), Seed{URL: mustParse(t, "http://hop.test/x"), Named: true, Raw: "hop"}))
		judged(t, c, map[string]string{"http://hop.test/x": "unverified robots-disallowed", "http://nofollow.test/a": "ok ok"})
		if n := server.count("far.test/x"); n > 0 {
			t.Errorf("the second hop was asked")
		}
	})
	t.Run("ignore", func(t *testing.T) {
		c, _, server := run("http://site.test/", RobotsIgnore, true)
		judged(t, c, map[string]string{"http://site.test/a": "broken http-404"})
		if n := server.count("site.test/robots.txt"); n > 0 {
			t.Errorf("robots.txt was asked")
		}
	})
	t.Run("X-Robots-Tag", func(t *testing.T) {
		c, _, server := run("http://nofollow.test/", RobotsCrawl, false)
		judged(t, c, map[string]string{"http://nofollow.test/b": "ok ok"})
		if n := server.count("nofollow.test/c"); n > 0 {
			t.Errorf("links of a page were followed that says nofollow")
		}
		c, _, _ = run("http://other.test/", RobotsCrawl, false)
		judged(t, c, map[string]string{"http://other.test/c": "ok ok"})
	})
}

// A host that is not there is not there; that its robots.txt can't be had either is no news.
func TestRobotsOfADeadHost(t *testing.T) {
	cfg, _ := realWeb(t, at(map[string]func(*exchange){"site.test/": page("<a href=http://www.site.test:81/x>x</a><a href=http://docs.site.test:81/x>x</a>")}),
		func(h *fetch.HTTPConfig) {
			h.ConnectTo = append(h.ConnectTo, fetch.ConnectTo{From: ":81", To: closedAddr(t)})
		})
	cfg.Scope.Robots, cfg.Scope.Include, cfg.Politeness.Retries = RobotsCrawl, patterns(`:81/`), 1
	c, _ := crawl(t, cfg, seedOf(t, "http://site.test/"))
	judged(t, c, map[string]string{"http://docs.site.test:81/x": "broken connect-refused", "http://www.site.test:81/x": "broken connect-refused"})
}

// A robots.txt that fails once costs nothing; one that fails for good is a reason not
// to crawl, and no evidence against the pages.
func TestRobotsThatFail(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		robots func(*exchange)
		want   string
	}{
		"reset once": {func(x *exchange) {
			if x.nth <= 1 {
				x.reset()
				return
			}
			status("404 No")(x)
		}, "ok ok"},
		"reset always": {(*exchange).reset, "unverified robots-disallowed"},
		"cut always":   {raw("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nUser-"), "unverified robots-disallowed"},
		"503":          {status("503 Busy"), "unverified robots-disallowed"},
		"503 once": {func(x *exchange) {
			if x.nth <= 1 {
				status("503 Busy")(x)
				return
			}
			status("404 No")(x)
		}, "ok ok"},
	} {
		t.Run(name, func(t *testing.T) {
			cfg, server := realWeb(t, at(map[string]func(*exchange){
				"site.test/robots.txt": row.robots, "site.test/": page(links(20, "/%d")), "site.test/7": page("7"), "site.test/8": page("8"),
			}))
			cfg.Scope.Robots, cfg.Politeness.Retries, cfg.Politeness.Backoff = RobotsCrawl, 2, 300*time.Millisecond
			c, _ := crawl(t, cfg, seedOf(t, "http://site.test/"))
			judged(t, c, map[string]string{"http://site.test/7": row.want, "http://site.test/8": row.want})
			if n := server.count("site.test/robots.txt"); n > 5 { // two retries, the second pass, and one on a new connection at once
				t.Errorf("robots.txt was requested %d times", n)
			}
		})
	}
}

// An endless file costs its headers and little more.
func TestEndlessBody(t *testing.T) {
	sent := make(chan int, 10)
	cfg, _ := realWeb(t, func(x *exchange) {
		if x.request.Host == "site.test" {
			page("<a href=http://big.test/x>x</a><a href=http://big.test/x#part>x</a><a href=/own.bin>x</a>")(x)
			return
		}
		x.send("HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\n\r\n")
		n := 0
		for x.request.Method == http.MethodGet && !x.closed && n < 64<<20 {
			x.send(strings.Repeat("x", 4096))
			n += 4096
		}
		sent <- n
		x.quit()
	})
	c, _ := crawl(t, cfg, seedOf(t, "http://site.test/"))
	judged(t, c, map[string]string{"http://big.test/x": "ok ok"})
	if n := <-sent; n >= 16<<20 {
		t.Errorf("%d bytes went out before the connection was closed", n) // most of them into the kernel's buffers
	}
}

// Requests look like a browser's and say honestly who asks.
func TestRequestHeaders(t *testing.T) {
	cfg, server := realWeb(t, at(map[string]func(*exchange){"site.test/": page("<a href=http://far.test/x>x</a><link rel=preconnect href=http://cdn.test/><link rel=dns-prefetch href=//dns.test>"), "far.test/x": page("x")}))
	cfg.Politeness.Retries = -1
	crawl(t, cfg, seedOf(t, "http://site.test/"))
	h := server.got("GET site.test/")
	agent := strings.ToLower(h.Get("User-Agent"))
	for _, word := range []string{"link", "check", "crawl", "bot", "spider", "go-http-client", "curl", "python", "java"} {
		if strings.Contains(agent, word) {
			t.Errorf("the agent %q has a word firewalls block: %s", agent, word)
		}
	}
	if !strings.Contains(agent, "orbweaver") || !strings.HasPrefix(h.Get("Accept"), "text/html") || h.Get("Accept-Language") == "" || !strings.Contains(h.Get("Accept-Encoding"), "br") {
		t.Errorf("header = %v", h)
	}
	if n := server.count("cdn.test/") + server.count("dns.test/"); n > 0 {
		t.Errorf("a host to be ready for was asked for a page")
	}
}

// Some servers turn away whoever does not look like a browser. They are asked once
// more with other headers, and that is counted.
func TestSecondProfile(t *testing.T) {
	wants := func(name string, fine func(http.Header) bool) (string, func(*exchange)) {
		return name + ".test/x", func(x *exchange) {
			if fine(x.request.Header) {
				status("200 OK")(x)
				return
			}
			status("403 Forbidden")(x)
		}
	}
	pages := map[string]func(*exchange){}
	var start strings.Builder
	for name, fine := range map[string]func(http.Header) bool{
		"html":     func(h http.Header) bool { return strings.Contains(h.Get("Accept"), "text/html") },
		"encoding": func(h http.Header) bool { return strings.Contains(h.Get("Accept-Encoding"), "gzip") },
		"language": func(h http.Header) bool { return h.Get("Accept-Language") != "" },
		"referer":  func(h http.Header) bool { return h.Get("Referer") == "" },
		"click":    func(h http.Header) bool { return h.Get("Sec-Fetch-Mode") == "navigate" },
		"agent":    func(h http.Header) bool { return !strings.Contains(h.Get("User-Agent"), "compatible") },
	} {
		at, answer := wants(name, fine)
		pages[at] = answer
		fmt.Fprintf(&start, "<a href=http://%s>x</a>", at)
	}
	pages["site.test/"] = page(start.String())
	cfg, _ := realWeb(t, at(pages))
	c, sum := crawl(t, cfg, seedOf(t, "http://site.test/"))
	if sum.OK != len(pages) {
		t.Errorf("%d of %d are ok: %v", sum.OK, len(pages), sum.ByCode)
	}
	if r := c.find("http://click.test/x"); r == nil || r.Attempts != 3 {
		t.Errorf("%+v, want HEAD, GET, and GET with the other headers", r)
	}
}

// What is one resource and what is two: only what RFC 3986 calls equal is merged.
func TestOneKeyOneRequest(t *testing.T) {
	cfg, server := realWeb(t, func(x *exchange) {
		if x.request.Host == "site.test" && x.request.RequestURI == "/" {
			page(`<a href=http://SITE.test/a>x</a><a href=http://site.test:80/a>x</a><a href=/b/../a>x</a><a href=/%61>x</a>
				<a href=/a/>x</a><a href="/q?x=1&amp;y=2">x</a><a href="/q?y=2&amp;x=1">x</a><a href="/%e4">x</a><a href="/%E4">x</a>
				<a href="/s%2Ft">x</a><a href="/s/t">x</a><a href="/p%25q">x</a><a href=" /a ">x</a>`)(x)
			return
		}
		status("200 OK")(x)
	})
	crawl(t, cfg, seedOf(t, "http://site.test/"))
	for target, want := range map[string]int{"site.test/a": 1, "site.test/a/": 1, "site.test/q?x=1&y=2": 1, "site.test/q?y=2&x=1": 1,
		"site.test/%e4": 1, "site.test/%E4": 0, "site.test/s%2Ft": 1, "site.test/s/t": 1, "site.test/p%25q": 1, "site.test/%61": 0} {
		if n := server.count(target); n != want {
			t.Errorf("%s was asked %d times, want %d", target, n, want)
		}
	}
}

// An interrupted run reports what it knows without waiting for what hangs: that would
// end as a timeout.
func TestInterruptedRealWeb(t *testing.T) {
	stop := make(chan struct{})
	var once sync.Once
	cfg, _ := realWeb(t, func(x *exchange) {
		switch x.request.URL.Path {
		case "/":
			page("<a href=/gone>x</a>" + links(50, "http://silent.test/%d"))(x)
		case "/gone":
			status("404 No")(x)
		default:
			once.Do(func() { close(stop) })
			x.hang()
		}
	})
	cfg.Stop, cfg.Limits.Grace = stop, 0
	c := &collector{}
	sum, err := Run(t.Context(), cfg, seedOf(t, "http://site.test/"), c)
	if err != nil || sum.Soundness.StoppedBy != "interrupt" || sum.Soundness.Complete() {
		t.Errorf("%v: %+v", err, sum)
	}
	judged(t, c, map[string]string{"http://site.test/gone": "broken http-404", "http://silent.test/7": "skipped interrupted"})
}
