package crawler

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/crawlertest"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/result"
)

// fixture is one row of the table of evidence: what a target does, and what is to
// be said of it when it is one of our own pages and when it is not. Its name is
// the first label of its hosts, "int-NAME.test" and "ext-NAME.test".
type fixture struct {
	name     string
	url      string // what is linked to; "" means "http://HOST/page", HOST stands for the host
	answer   func(*exchange)
	internal want
	external want
	row      string // of the contract's table, where the name does not say it
}

// want is a verdict: its code, and how many requests it took; 0 is any number.
type want struct {
	verdict  check.Verdict
	code     check.Code
	attempts int
	warning  check.Code // that must be there
}

// Of a fault that lasts, a page is asked four times: at first, twice again, and in
// the second pass. A leaf is asked by HEAD and GET each time.
const (
	fourTimes  = 4
	eightTimes = 8
)

func status(code string) func(*exchange) {
	return func(x *exchange) { x.say(code, "Content-Type: text/html\r\n", "<p>"+code) }
}

func page(html string) func(*exchange) {
	return func(x *exchange) { x.say("200 OK", "Content-Type: text/html\r\n", html) }
}

func redirect(code int, to string) func(*exchange) {
	return func(x *exchange) {
		if x.request.URL.Path == "/there" {
			x.say("200 OK", "Content-Type: text/html\r\n", "<p>there")
			return
		}
		x.say(fmt.Sprint(code, " Moved"), "Location: "+to+"\r\n", "")
	}
}

func raw(answer string) func(*exchange) {
	return func(x *exchange) { x.send(answer); x.quit() }
}

// fixtures are all faults that a server, a name or a reference can have.
func fixtures() []fixture {
	ok := want{check.OK, "ok", 0, ""}
	broken := func(code check.Code, attempts int) want { return want{check.Broken, code, attempts, ""} }
	unverified := func(code check.Code, attempts int) want { return want{check.Unverified, code, attempts, ""} }
	warned := func(code check.Code) want { return want{check.OK, "ok", 0, code} }
	var table []fixture
	add := func(f fixture) { table = append(table, f) }
	both := func(name string, answer func(*exchange), w want) {
		add(fixture{name: name, answer: answer, internal: w, external: w})
	}

	// 2xx, or 304 to a conditional request
	for _, s := range []string{"200 OK", "201 Created", "202 Accepted", "203 Non-Authoritative Information", "206 Partial Content", "299 Odd"} {
		add(fixture{name: "s" + s[:3], answer: status(s), internal: want{check.OK, "ok", 1, ""}, external: want{check.OK, "ok", 1, ""}})
	}
	both("s204", raw("HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n"), ok)
	both("s304", raw("HTTP/1.1 304 Not Modified\r\nConnection: close\r\n\r\n"), broken("http-304", 0))

	// 400, 404, 405 to GET, 410, other 4xx. Where the headers may be to blame, others'
	// pages are asked once more with other headers.
	for _, s := range []string{"402", "405", "409", "410", "411", "414", "422", "423", "426", "431", "444", "498"} {
		code := check.Code("http-" + s)
		add(fixture{name: "s" + s, answer: status(s + " No"), internal: broken(code, 1), external: broken(code, 2)})
	}
	for _, s := range []string{"400", "404", "406", "412", "415"} {
		code := check.Code("http-" + s)
		add(fixture{name: "s" + s, answer: status(s + " No"), internal: broken(code, 1), external: broken(code, 3)})
	}
	// refusals
	for _, s := range []string{"401", "407", "418", "451", "999"} {
		code := check.Code("http-" + s)
		add(fixture{name: "s" + s, answer: status(s + " No"), internal: broken(code, 1), external: unverified(code, 2)})
	}
	add(fixture{name: "s403", answer: status("403 No"), internal: broken("http-403", 1), external: unverified("http-403", 3)})

	// bot walls, by header and by body, whatever the status
	for _, s := range []string{"200 OK", "403 Forbidden", "503 Busy"} {
		both("wall-cf-"+s[:3], func(x *exchange) {
			x.say(s, "cf-mitigated: challenge\r\nContent-Type: text/html\r\n", "<p>Just a moment")
		},
			unverified("bot-wall", 0))
	}
	both("wall-body", func(x *exchange) {
		x.say("403 Forbidden", "Content-Type: text/html\r\n", "<html><script>window._pxAppId='x'</script><div id=px-captcha>")
	}, unverified("bot-wall", 0))
	add(fixture{name: "wall-anubis", answer: page(`<script src="/.within.website/x/cmd/anubis/static/js/main.mjs"></script><script id="anubis_challenge">{}</script>`),
		internal: unverified("bot-wall", 1), external: ok})

	// after retries
	for _, s := range []string{"408", "425"} {
		code := check.Code("http-" + s)
		add(fixture{name: "s" + s, answer: status(s + " Later"), internal: unverified(code, fourTimes), external: unverified(code, eightTimes)})
	}
	add(fixture{name: "s429", answer: status("429 Too Many"), internal: unverified("rate-limited", fourTimes), external: unverified("rate-limited", eightTimes)})
	for _, s := range []string{"500", "501", "505", "506", "511", "530", "599"} {
		code := check.Code("http-" + s)
		add(fixture{name: "s" + s, answer: status(s + " Fault"), internal: broken(code, fourTimes), external: broken(code, eightTimes)})
	}
	for _, s := range []string{"502", "503", "504", "520", "521", "522", "523", "524", "525", "526", "527"} {
		code := check.Code("http-" + s)
		add(fixture{name: "s" + s, answer: status(s + " Fault"), internal: broken(code, fourTimes), external: unverified(code, eightTimes)})
	}

	// redirects
	for _, s := range []int{301, 302, 303, 307, 308} {
		both(fmt.Sprint("to", s), redirect(s, "/there"), ok)
	}
	both("to300", redirect(300, "/there"), ok)
	for _, s := range []string{"300", "301", "302", "303", "307", "308", "305", "306", "310", "399"} {
		both("bare"+s, status(s+" Elsewhere"), broken("redirect-invalid", 0))
	}
	both("to-script", redirect(302, "javascript:alert(1)"), broken("redirect-invalid", 0))
	both("to-nothing", redirect(302, "http://[::bad/"), broken("redirect-invalid", 0))
	both("to-file", redirect(302, "file:///etc/passwd"), broken("redirect-invalid", 0))
	both("loop", func(x *exchange) {
		to := "/other"
		if x.request.URL.Path == to {
			to = "/page"
		}
		x.say("302 Found", "Location: "+to+"\r\n", "")
	}, broken("redirect-loop", 0))
	both("self", redirect(302, "/page"), broken("redirect-loop", 0))
	both("endless", func(x *exchange) { x.say("302 Found", "Location: "+x.request.RequestURI+"x\r\n", "") }, broken("redirect-limit", 0))

	// names
	add(fixture{name: "nxdomain", url: "http://HOST:8081/", internal: broken("dns-not-found", 0), external: broken("dns-not-found", 0)})
	add(fixture{name: "noaddress", url: "http://HOST:8081/", internal: broken("dns-not-found", 0), external: broken("dns-not-found", 0)})
	add(fixture{name: "servfail", url: "http://HOST:8081/", internal: unverified("dns-failure", fourTimes), external: unverified("dns-failure", fourTimes)})

	// connections
	add(fixture{name: "refused", url: "http://HOST:81/", internal: broken("connect-refused", fourTimes), external: broken("connect-refused", fourTimes)})
	add(fixture{name: "reset", answer: (*exchange).reset, internal: broken("connection-reset", 0), external: unverified("connection-reset", 0)})
	add(fixture{name: "closed", answer: (*exchange).quit, internal: broken("connection-reset", 0), external: unverified("connection-reset", 0)})

	// certificates; the authority's file is given
	for name, code := range map[string]check.Code{"expired": "tls-expired", "early": "tls-expired", "hostname": "tls-hostname", "selfsigned": "tls-untrusted", "unknown": "tls-untrusted"} {
		add(fixture{name: "tls-" + name, url: "https://HOST/", internal: broken(code, 0), external: broken(code, 0)})
	}
	add(fixture{name: "tls-good", url: "https://HOST/", internal: ok, external: ok})
	add(fixture{name: "tls-incomplete", url: "https://HOST/", internal: warned("tls-incomplete-chain"), external: warned("tls-incomplete-chain")})
	add(fixture{name: "tls-soon", url: "https://HOST/", internal: warned("tls-expires-soon"), external: warned("tls-expires-soon")})
	add(fixture{name: "tls-plain", url: "https://HOST:8443/", internal: broken("tls-error", 0), external: broken("tls-error", 0)})
	add(fixture{name: "tls-cut", url: "https://HOST:8444/", internal: broken("tls-error", fourTimes), external: broken("tls-error", fourTimes)})

	// not HTTP, malformed
	for name, text := range map[string]string{
		"ssh": "SSH-2.0-OpenSSH_9.9\r\n", "noise": "\x00\x01\x02\x03\r\n\r\n", "status": "HTTP/1.1 abc Strange\r\n\r\n", "version": "HTTP/x.y 200 OK\r\n\r\n",
		"field": "HTTP/1.1 200 OK\r\n bad: folded\r\nno colon here\r\n\r\n", "length": "HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n",
		"lengths": "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
		"coding":  "HTTP/1.1 200 OK\r\nTransfer-Encoding: strange\r\n\r\n",
		"huge":    "HTTP/1.1 200 OK\r\nX-Huge: " + strings.Repeat("x", 1<<20+4096) + "\r\n\r\n",
	} {
		both("not-http-"+name, raw(text), broken("protocol-error", 0))
	}
	add(fixture{name: "chunks", url: "http://HOST/page#there", answer: raw("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n<p>\r\n"),
		internal: broken("protocol-error", 1), external: unverified("fragment-unverified", 1), row: "bad chunking of a page"})
	both("gzip", func(x *exchange) {
		x.say("200 OK", "Content-Type: text/html\r\nContent-Encoding: gzip\r\n", "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03this is no deflate stream")
	}, want{check.Broken, "protocol-error", 1, ""})
	table[len(table)-1].external = ok // its body is not read

	// the body ends early
	cut := "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 1000\r\n\r\n<p id=there>cut"
	add(fixture{name: "cut", url: "http://HOST/page#there", answer: raw(cut), internal: unverified("body-truncated", fourTimes), external: warned("body-truncated")})

	// fragments
	add(fixture{name: "fragment-there", url: "http://HOST/page#x", answer: page("<p id=x>"), internal: ok, external: ok})
	add(fixture{name: "fragment-static", url: "http://HOST/page#gone", answer: page("<p id=x>"), internal: broken("fragment-missing", 1), external: broken("fragment-missing", 1)})
	add(fixture{name: "fragment-script", url: "http://HOST/page#gone", answer: page("<p id=x><script src=/app.js></script>"),
		internal: broken("fragment-missing", 1), external: unverified("fragment-unverified", 1)})
	add(fixture{name: "fragment-range", url: "http://HOST/page#L3-L5", answer: page("<p id=L3><p id=L5>"), internal: ok, external: ok})
	add(fixture{name: "fragment-known", url: "http://github.com/HOST#L10-L20", answer: page("<p id=x>"), internal: ok, external: ok})
	add(fixture{name: "fragment-top", url: "http://HOST/page#ToP", answer: page("<p id=x>"), internal: ok, external: ok})
	add(fixture{name: "fragment-text", url: "http://HOST/page#:~:text=x", answer: page("<p id=x>"), internal: ok, external: ok})

	add(fixture{name: "fragment-route", url: "http://HOST/page#/settings", answer: page("<div id=app></div>"), internal: ok, external: ok})
	add(fixture{name: "fragment-bang", url: "http://HOST/page#!settings", answer: page("<div id=app></div>"), internal: ok, external: ok})
	add(fixture{name: "fragment-user", url: "http://HOST/page#setup", answer: page("<p id=user-content-setup>"), internal: ok, external: ok})
	add(fixture{name: "fragment-encoded", url: "http://HOST/page#%C3%BCber", answer: page("<p id=über>"), internal: ok, external: ok})
	add(fixture{name: "fragment-error", url: "http://HOST/page#x", answer: status("410 Gone"), internal: broken("http-410", 1), external: broken("http-410", 1)})
	add(fixture{name: "fragment-pdf", url: "http://HOST/page#page=3", answer: func(x *exchange) { x.say("200 OK", "Content-Type: application/pdf\r\n", "%PDF-1.7") }, internal: ok, external: ok})

	// references that need no request
	for name, row := range map[string]struct {
		url     string
		verdict check.Verdict
		code    check.Code
	}{
		"uri":     {"http://[HOST/", check.Broken, "uri-invalid"},
		"typo":    {"htpp://HOST/", check.Broken, "scheme-unknown"},
		"tel":     {"tel:+1-201-555-0123", check.Skipped, "scheme-unchecked"},
		"script":  {"javascript:void(0)", check.Skipped, "scheme-unchecked"},
		"data":    {"data:text/plain,x", check.Skipped, "scheme-unchecked"},
		"urn":     {"urn:isbn:9780141036144", check.Skipped, "scheme-unchecked"},
		"file":    {"file:///etc/passwd", check.Broken, "file-from-web"},
		"port":    {"http://HOST:25/", check.Broken, "port-blocked"},
		"exclude": {"http://HOST/excluded", check.Skipped, "excluded"},
	} {
		w := want{row.verdict, row.code, 0, ""}
		add(fixture{name: "reference-" + name, url: row.url, internal: w, external: w})
	}
	return table
}

// stage is where the fixtures play: servers, names and authorities.
type stage struct {
	server, secure *faultServer
	config         fetch.HTTPConfig
	client         *fetch.HTTP
	fixtures       map[string]*fixture
}

// label takes the name of a fixture out of a host.
func label(host string) (name string, internal bool) {
	name, _, _ = strings.Cut(host, ".")
	if rest, ok := strings.CutPrefix(name, "int-"); ok {
		return rest, true
	}
	return strings.TrimPrefix(name, "ext-"), false
}

func newStage(t testing.TB, table []fixture, timeout time.Duration) *stage {
	t.Helper()
	s := &stage{fixtures: map[string]*fixture{}}
	for i := range table {
		if s.fixtures[table[i].name] != nil {
			t.Fatalf("two fixtures are named %s", table[i].name)
		}
		s.fixtures[table[i].name] = &table[i]
	}
	answer := func(x *exchange) {
		name, _ := label(x.request.Host)
		if x.request.Host == "start.test" || x.request.Host == "github.com" {
			name = ""
		}
		f := s.fixtures[name]
		switch {
		case x.request.Host == "start.test":
			s.start(x)
		case x.request.Host == "github.com":
			page("<p id=x>")(x)
		case f == nil || f.answer == nil:
			status("200 OK")(x)
		default:
			f.answer(x)
		}
	}
	s.server = serveFaults(t, nil, answer)
	authorities := newCertificates(t)
	s.secure = serveFaults(t, &tls.Config{GetCertificate: authorities.choose}, answer)
	plain := serveHandshakes(t, func(c net.Conn) { fmt.Fprint(c, "HTTP/1.1 400 Bad Request\r\n\r\n") })
	cut := serveHandshakes(t, func(net.Conn) {})
	s.config = fetch.HTTPConfig{Timeout: timeout, CAFile: authorities.root.File(t), DNSServer: crawlertest.ServeNames(t, func(name string) ([4]byte, dnsmessage.RCode) {
		switch name, _ := label(name); name {
		case "servfail":
			return [4]byte{}, dnsmessage.RCodeServerFailure
		case "noaddress":
			return [4]byte{}, dnsmessage.RCodeSuccess
		}
		return [4]byte{}, dnsmessage.RCodeNameError
	}), ConnectTo: []fetch.ConnectTo{
		{From: ":80", To: s.server.addr}, {From: ":443", To: s.secure.addr}, {From: ":81", To: closedAddr(t)},
		{From: ":8443", To: plain}, {From: ":8444", To: cut},
	}}
	var err error
	if s.client, err = fetch.NewHTTP(s.config); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.client.Close)
	return s
}

// start is the page that links to everything, once as our own and once as others'.
func (s *stage) start(x *exchange) {
	var b strings.Builder
	for _, f := range s.fixtures {
		for _, side := range []string{"int-", "ext-"} {
			fmt.Fprintf(&b, "<a href=%q>x</a>\n", f.link(side))
		}
	}
	page(b.String())(x)
}

func (f *fixture) link(side string) string {
	url := f.url
	if url == "" {
		url = "http://HOST/page"
	}
	return strings.ReplaceAll(url, "HOST", side+f.name+".test")
}

// settings are those under which the table is played.
func (s *stage) settings(t testing.TB) *Config {
	cfg := web(t)
	cfg.Fetch = fetch.Mux{"http": s.client, "https": s.client}
	cfg.Politeness.Retries, cfg.Politeness.SecondPassGiven, cfg.Politeness.SecondPassAfter = 2, true, time.Millisecond
	cfg.Scope.Robots = RobotsIgnore
	cfg.Scope.Include = patterns(`^https?://int-`)
	cfg.Scope.Exclude = patterns(`/excluded$`)
	return cfg
}

func TestEvidence(t *testing.T) {
	table := fixtures()
	s := newStage(t, table, 10*time.Second)
	play(t, s, table)
	t.Logf("%d fixtures, each as a page of ours and as another's", len(table))
}

// Faults of time have a stage of their own, so that its limit may be short.
func TestEvidenceOfTime(t *testing.T) {
	timeouts := func(x *exchange) { x.hang() }
	stall := func(x *exchange) {
		x.send("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p id=there>")
		x.hang()
	}
	table := []fixture{
		{name: "silent", answer: timeouts, internal: want{check.Broken, "timeout", fourTimes, ""}, external: want{check.Unverified, "timeout", 0, ""}},
		{name: "head-only", answer: func(x *exchange) { x.send("HTTP/1.1 200 OK\r\nContent-"); x.hang() },
			internal: want{check.Broken, "timeout", fourTimes, ""}, external: want{check.Unverified, "timeout", 0, ""}},
		{name: "stalled", url: "http://HOST/page#there", answer: stall, internal: want{check.Broken, "timeout", fourTimes, ""},
			external: want{check.OK, "ok", 1, "body-truncated"}, row: "timeout within the body of a page, and of a leaf"},
		{name: "handshake", url: "https://HOST:8445/", internal: want{check.Broken, "timeout", fourTimes, ""}, external: want{check.Unverified, "timeout", fourTimes, ""}},
		{name: "head-hangs", answer: func(x *exchange) {
			if x.request.Method == http.MethodHead {
				x.hang()
				return
			}
			status("200 OK")(x)
		}, internal: want{check.OK, "ok", 1, ""}, external: want{check.OK, "ok", 2, ""}},
		{name: "stalled-error", answer: func(x *exchange) {
			if x.request.Method == http.MethodHead {
				status("404 No")(x)
				return
			}
			x.send("HTTP/1.1 404 No\r\nContent-Type: text/html\r\n\r\n<p>")
			x.hang()
		},
			internal: want{check.Broken, "http-404", 1, ""}, external: want{check.Broken, "http-404", 0, ""}},
	}
	s := newStage(t, table, 400*time.Millisecond)
	silent := serveHandshakes(t, func(c net.Conn) { c.Read(make([]byte, 1)) })
	config := s.config
	config.ConnectTo = append(config.ConnectTo, fetch.ConnectTo{From: ":8445", To: silent})
	client, err := fetch.NewHTTP(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	s.client = client
	play(t, s, table)
}

func play(t *testing.T, s *stage, table []fixture) {
	t.Helper()
	c := &collector{}
	if _, err := Run(context.Background(), s.settings(t), seedOf(t, "http://start.test/"), c); err != nil {
		t.Fatal(err)
	}
	found := map[string]*result.Result{}
	for _, r := range c.results {
		for _, ref := range r.References {
			found[ref.Raw] = r
		}
	}
	for i := range table {
		f := &table[i]
		for side, w := range map[string]want{"int-": f.internal, "ext-": f.external} {
			r := found[f.link(side)]
			if r == nil {
				t.Errorf("%s%s: no result", side, f.name)
				continue
			}
			if r.Verdict != w.verdict || r.Code != w.code || w.attempts != 0 && r.Attempts != w.attempts || !warns(r, w.warning) {
				t.Errorf("%s%s: %v %s after %d requests %v (%s), want %v %s %d %s", side, f.name,
					r.Verdict, r.Code, r.Attempts, r.Warnings, r.Message, w.verdict, w.code, w.attempts, w.warning)
			}
			if r.Code != "ok" && (strings.Contains(r.Message, "net/http") || strings.Contains(r.Message, "dial tcp") || strings.Contains(r.Message, "x509:")) {
				t.Errorf("%s%s: the message is the library's: %s", side, f.name, r.Message)
			}
		}
	}
}

func warns(r *result.Result, code check.Code) bool {
	if code == "" {
		return true
	}
	for _, w := range r.Warnings {
		if w.Code == code {
			return true
		}
	}
	return false
}

// certificates are those of the TLS rows, chosen by the name that is asked for.
type certificates struct {
	root   *crawlertest.Authority
	leaves map[string]*tls.Certificate
}

func newCertificates(t testing.TB) *certificates {
	c := &certificates{root: crawlertest.NewAuthority(t, "root"), leaves: map[string]*tls.Certificate{}}
	between := c.root.CA(t, "between")
	aia := serveFaults(t, nil, func(x *exchange) {
		x.say("200 OK", "Content-Type: application/pkix-cert\r\n", string(between.Cert.Raw))
	})
	issue := func(a *crawlertest.Authority, name string, change ...func(*x509.Certificate)) {
		both := func(x *x509.Certificate) { x.DNSNames = []string{"int-" + name + ".test", "ext-" + name + ".test"} }
		leaf := a.Leaf(t, "int-"+name+".test", append([]func(*x509.Certificate){both}, change...)...).Chain()
		c.leaves[name] = &leaf
	}
	issue(c.root, "tls-good")
	issue(c.root, "tls-expired", func(x *x509.Certificate) {
		x.NotBefore, x.NotAfter = time.Now().Add(-48*time.Hour), time.Now().Add(-24*time.Hour)
	})
	issue(c.root, "tls-early", func(x *x509.Certificate) { x.NotBefore = time.Now().Add(24 * time.Hour) })
	issue(c.root, "tls-hostname", func(x *x509.Certificate) { x.DNSNames = []string{"another.test"} })
	issue(c.root, "tls-soon", func(x *x509.Certificate) { x.NotAfter = time.Now().Add(5 * 24 * time.Hour) })
	issue(between, "tls-incomplete", func(x *x509.Certificate) { x.IssuingCertificateURL = []string{"http://" + aia.addr + "/between.cer"} })
	issue(nil, "tls-selfsigned")
	issue(crawlertest.NewAuthority(t, "nobody knows"), "tls-unknown")
	return c
}

func (c *certificates) choose(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	name, _ := label(hello.ServerName)
	if leaf := c.leaves[name]; leaf != nil {
		return leaf, nil
	}
	return nil, fmt.Errorf("no certificate for %s", hello.ServerName)
}
