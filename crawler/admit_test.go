package crawler

import (
	"context"
	"crypto/x509"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/orbweaver/orbweaver/crawler/crawlertest"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/result"
)

// otherPorts leads the port 8080 of every host to the answering server, too.
func otherPorts(h *fetch.HTTPConfig) {
	h.ConnectTo = append(h.ConnectTo, fetch.ConnectTo{From: ":8080", To: h.ConnectTo[0].To})
}

// restingStore counts how often each host is told to rest.
type restingStore struct {
	*frontier.Memory
	mu    sync.Mutex
	rests map[string]int
}

func (s *restingStore) SetPace(ctx context.Context, host string, p frontier.Pace) error {
	s.mu.Lock()
	s.rests[host]++
	s.mu.Unlock()
	return s.Memory.SetPace(ctx, host, p)
}

// cookieCycle serves a cycle that a cookie ends: /a, then /b, then /a, which leads on to
// the given address once it gets its cookie.
func cookieCycle(on string, more map[string]func(*exchange)) map[string]func(*exchange) {
	pages := map[string]func(*exchange){
		"site.test/": page("<a href=/a>x</a>"),
		"site.test/a": func(x *exchange) {
			if x.request.Header.Get("Cookie") != "" {
				redirect(302, on)(x)
				return
			}
			redirect(302, "/b")(x)
		},
		"site.test/b": func(x *exchange) { x.say("302 Found", "Location: /a\r\nSet-Cookie: seen=1; Path=/\r\n", "") },
	}
	for at, answer := range more {
		pages[at] = answer
	}
	return pages
}

// Each hop of a cycle that cookies unwind is decided like a link.
func TestRulesWhereCookiesLead(t *testing.T) {
	for _, row := range []struct {
		name   string
		on     string // where the cycle leads with its cookie
		robots string // the robots.txt of the host there
		set    func(*Config)
		want   string // of /a
		asked  int    // requests for where it leads
	}{
		{"no rule", "/in", "", func(*Config) {}, "ok ok", 1},
		{"another host", "http://far.test/in", "", func(*Config) {}, "ok ok", 1},
		{"excluded", "/in", "", func(cfg *Config) { cfg.Scope.Exclude = patterns(`/in`) }, "skipped excluded", 0},
		{"external", "http://far.test/in", "", func(cfg *Config) { cfg.Scope.External = SkipExternal }, "skipped external", 0},
		{"another port", "http://site.test:8080/in", "", func(cfg *Config) { cfg.Scope.External = SkipExternal }, "skipped external", 0},
		{"robots.txt", "/in", "User-agent: *\nDisallow: /in\n", func(cfg *Config) { cfg.Scope.Robots, cfg.Scope.RobotsGiven = RobotsCrawl, true }, "unverified robots-disallowed", 0},
		{"robots.txt of another host", "http://far.test/in", "User-agent: *\nDisallow: /\n", func(cfg *Config) { cfg.Scope.Robots = RobotsStrict }, "unverified robots-disallowed", 0},
		{"sign-out", "/logout", "", func(cfg *Config) { cfg.Scope.Credentials = true }, "skipped excluded", 0},
		{"no page", "ftp://site.test/in", "", func(*Config) {}, "broken redirect-loop", 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			host := "site.test"
			if row.on[0] != '/' {
				host = mustParse(t, row.on).Authority()
			}
			path := "/in"
			if row.name == "sign-out" {
				path = "/logout"
			}
			cfg, server := realWeb(t, at(cookieCycle(row.on, map[string]func(*exchange){
				host + path:          page("in"),
				host + "/robots.txt": func(x *exchange) { x.say("200 OK", "Content-Type: text/plain\r\n", row.robots) },
			})), otherPorts)
			row.set(cfg)
			c, _ := crawl(t, cfg, seedOf(t, "http://site.test/"))
			judged(t, c, map[string]string{"http://site.test/a": row.want})
			if n := server.count("HEAD "+host+path) + server.count("GET "+host+path); n != row.asked {
				t.Errorf("%s was requested %d times, want %d: %v", row.on, n, row.asked, server.order)
			}
		})
	}
}

// The hops of such a cycle keep the pace of their hosts.
func TestPaceWhereCookiesLead(t *testing.T) {
	cfg, server := realWeb(t, at(cookieCycle("http://far.test/in", map[string]func(*exchange){"far.test/in": page("in")})))
	cfg.Politeness.Delay = 20 * time.Millisecond
	store := &restingStore{Memory: frontier.NewMemory(), rests: map[string]int{}}
	cfg.Keep.Store = store
	crawl(t, cfg, seedOf(t, "http://site.test/"))
	if server.count("far.test/in") == 0 || store.rests["far.test"] == 0 || store.rests["site.test"] == 0 {
		t.Errorf("the hosts waited %v times, for the requests %v", store.rests, server.order)
	}
}

// A target that any link calls one that signs out is excluded, whichever link was read first,
// and so is what redirects to it. Once that is known, it is not requested.
func TestSignsOutWhicheverLinkIsFirst(t *testing.T) {
	out, plain := "<a href=/x>Log out</a><a href=/x#part>part</a>", "<a href=/x>Account</a><a href=/to>x</a>"
	for _, row := range []struct {
		name        string
		first, next string // links on the start page, and on the page that it leads to
		asked       int    // the most requests for /x
	}{
		{"text first", out, plain, 0},
		{"address first", plain, out, 1},
		{"on one page", plain + out, "", 0},
		{"on one page, text first", out + plain, "", 0},
	} {
		for _, workers := range []int{1, 8} {
			cfg, server := realWeb(t, at(map[string]func(*exchange){
				"site.test/":     page(row.first + "<a href=/next>x</a>"),
				"site.test/next": page(row.next + "<a href=/last>x</a>"),
				"site.test/last": page("<a href=/to>x</a>"),
				"site.test/to":   redirect(302, "/x"),
				"site.test/x":    page("bye <a href=/only>x</a>"),
				"site.test/only": status("404 Not Found"),
			}))
			cfg.Scope.Credentials, cfg.Politeness.Concurrency, cfg.Deliver.Show = true, workers, result.Show{OK: true, Skipped: true}
			c, _ := crawl(t, cfg, seedOf(t, "http://site.test/"))
			judged(t, c, map[string]string{"http://site.test/x": "skipped excluded", "http://site.test/x#part": "skipped excluded", "http://site.test/to": "skipped excluded", "http://site.test/next": "ok ok"})
			if r := c.find("http://site.test/only"); r != nil {
				t.Errorf("%s, %d workers: a reference of the excluded page is reported: %+v", row.name, workers, r)
			}
			if n := server.count("site.test/x"); n > row.asked {
				t.Errorf("%s, %d workers: requested %d times, want at most %d", row.name, workers, n, row.asked)
			}
		}
	}
}

// The action of a form that a button sends with GET, and that is called a deletion, is not
// requested, nor is what redirects or links lead to there.
func TestFormsThatDelete(t *testing.T) {
	cfg, server := realWeb(t, at(map[string]func(*exchange){
		"site.test/": page(`<form action=/a><button>Delete account</button></form><form action=/b><input type=submit value="Log out"></form>
			<form action=/c><button aria-label="Delete account"><img src=/i.png></button></form><form id=f action=/d></form><button form=f title=Remove>x</button>
			<form action=/e><button>Search</button><button formaction=/f>Delete</button></form><form action=/g aria-label="Delete account"><button>Go</button></form>
			<form action=/h><button type=button>Delete</button><button>Show</button></form><a href=/a>x</a><a href=/to>x</a>
			<form action=/j><button><img alt="Konto l&ouml;schen" src=/i.png></button></form><form action=/k><input type=image src=/i.png alt="Supprimer mon compte"></form>
			<form action=/l><input type=hidden name=_method value=delete><button>Go</button></form><form action=/m><button name=logout>Go</button></form>
			<form action=/n data-method=delete><button>Go</button></form><form action=/o><button data-turbo-method=DELETE>Go</button></form>
			<p id=label>Delete account<form action=/p><button aria-labelledby="none label">Go</button></form><form action=/q aria-labelledby=label><button>Go</button></form>`),
		"site.test/to": redirect(302, "/b"), "site.test/e": page("x"), "site.test/h": page("x"), "site.test/i.png": page("x"),
	}))
	cfg.Scope.Credentials, cfg.Deliver.Show = true, result.Show{OK: true, Skipped: true}
	c, _ := crawl(t, cfg, seedOf(t, "http://site.test/"))
	for _, path := range strings.Fields("/a /b /c /d /f /g /j /k /l /m /n /o /p /q") {
		judged(t, c, map[string]string{"http://site.test" + path: "skipped excluded"})
		if n := server.count("site.test" + path); n != 0 {
			t.Errorf("%s was requested %d times, want 0", path, n)
		}
	}
	judged(t, c, map[string]string{"http://site.test/to": "skipped excluded", "http://site.test/e": "ok ok", "http://site.test/h": "ok ok"})
}

// What is requested beside a target obeys the rules for links: each row turns on what sends
// such a request, and a rule that forbids it.
func TestRulesBesideTargets(t *testing.T) {
	for _, row := range []struct {
		name   string
		asked  string // that must not be requested
		prefix bool
		set    func(*Config)
	}{
		{"probe excluded", "GET site.test/dir/", true, func(cfg *Config) {
			cfg.Judging.SoftNotFound, cfg.Scope.Exclude = true, patterns(`/dir/[a-z0-9]{20,}`)
		}},
		{"probe disallowed", "GET site.test/dir/", true, func(cfg *Config) {
			cfg.Judging.SoftNotFound, cfg.Scope.Robots, cfg.Scope.RobotsGiven = true, RobotsStrict, true
		}},
		{"robots.txt leads to what is excluded", "GET far.test/robots", false, func(cfg *Config) {
			cfg.Scope.Robots, cfg.Scope.RobotsGiven, cfg.Scope.Exclude = RobotsStrict, true, patterns(`/robots$`)
		}},
		{"robots.txt leads away", "GET far.test/robots", false, func(cfg *Config) {
			cfg.Scope.Robots, cfg.Scope.RobotsGiven, cfg.Scope.External = RobotsStrict, true, SkipExternal
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			robots := func(x *exchange) {
				x.say("200 OK", "Content-Type: text/plain\r\n", "User-agent: *\nDisallow: /dir/\nAllow: /dir/page\n")
			}
			if strings.HasPrefix(row.name, "robots.txt leads") {
				robots = redirect(302, "http://far.test/robots")
			}
			cfg, server := realWeb(t, at(map[string]func(*exchange){
				"site.test/": page("<a href=/dir/page>x</a>"), "site.test/dir/page": page("x"), "site.test/robots.txt": robots, "far.test/robots": robots,
			}))
			row.set(cfg)
			c, _ := crawl(t, cfg, seedOf(t, "http://site.test/"))
			judged(t, c, map[string]string{"http://site.test/dir/page": "ok ok"})
			for _, asked := range server.order {
				if asked == row.asked || row.prefix && strings.HasPrefix(asked, row.asked) && !strings.HasSuffix(asked, "/page") {
					t.Errorf("%s was requested: %v", asked, server.order)
				}
			}
		})
	}
}

// A robots.txt is obeyed, even if a rule forbids links to it.
func TestRobotsThatRulesForbid(t *testing.T) {
	for name, set := range map[string]func(*Config){
		"excluded": func(cfg *Config) {
			cfg.Scope.Exclude, cfg.Scope.ExcludeExcept = patterns(`.*`), patterns(`/(dir/.*)?$`)
		},
		"ignored":  func(cfg *Config) { cfg.Scope.Exclude = patterns(`/robots\.txt$`) },
		"sign-out": func(cfg *Config) { cfg.Scope.Credentials = true },
		"external": func(cfg *Config) {
			cfg.Scope.External, cfg.Scope.Include = SkipExternal, patterns(`^http://far\.test/dir/`)
		},
	} {
		txt := page("User-agent: *\nDisallow: /dir/page\n")
		cfg, server := realWeb(t, at(map[string]func(*exchange){
			"site.test/": page("<a href=/dir/page>x</a><a href=http://far.test/dir/page>x</a><a href=/robots.txt>Log out</a>"), "site.test/robots.txt": txt, "far.test/robots.txt": txt,
		}))
		cfg.Scope.Robots, cfg.Scope.RobotsGiven = RobotsStrict, true
		set(cfg)
		c, _ := crawl(t, cfg, seedOf(t, "http://site.test/"))
		want := map[string]string{"http://site.test/dir/page": "unverified robots-disallowed", "http://far.test/dir/page": "unverified robots-disallowed"}
		judged(t, c, want)
		for _, asked := range server.order {
			if strings.HasSuffix(asked, "/dir/page") {
				t.Errorf("%s: %s was requested", name, asked)
			}
		}
	}
}

// A certificate that a server did not send is requested only if a link to it could be. Without
// it, the chain is incomplete.
func TestRulesForIssuers(t *testing.T) {
	root := crawlertest.NewAuthority(t, "root")
	between := root.CA(t, "between")
	for _, row := range []struct {
		name   string
		at     string // of the certificate
		robots string // of its host
		set    func(*Config)
		want   string // of the page
	}{
		{"no rule", "far.test/ca.cer", "", func(*Config) {}, "ok ok+tls-incomplete-chain"},
		{"no such rule", "far.test/ca.cer", "Disallow: /other", func(cfg *Config) {
			cfg.Scope.Robots, cfg.Scope.Exclude, cfg.Scope.Credentials = RobotsStrict, patterns("other"), true
		}, "ok ok+tls-incomplete-chain"},
		{"excluded", "far.test/ca.cer", "", func(cfg *Config) { cfg.Scope.Exclude = patterns(`\.cer$`) }, "broken tls-untrusted"},
		{"external", "far.test/ca.cer", "", func(cfg *Config) { cfg.Scope.External, cfg.Scope.Include = SkipExternal, patterns("^https://secure") }, "broken tls-untrusted"},
		{"robots.txt", "far.test/ca.cer", "Disallow: /ca", func(cfg *Config) { cfg.Scope.Robots = RobotsStrict }, "broken tls-untrusted"},
		{"sign-out", "site.test/logout/ca.cer", "", func(cfg *Config) { cfg.Scope.Credentials = true }, "broken tls-untrusted"},
	} {
		t.Run(row.name, func(t *testing.T) {
			leaf := between.Leaf(t, "secure.test", func(x *x509.Certificate) { x.IssuingCertificateURL = []string{"http://" + row.at} })
			secure := serveFaults(t, tlsOf(leaf), at(map[string]func(*exchange){"secure.test/x": page("x")}))
			cfg, server := realWeb(t, at(map[string]func(*exchange){
				"site.test/":          page("<a href=https://secure.test/x>x</a>"),
				"far.test/robots.txt": func(x *exchange) { x.say("200 OK", "Content-Type: text/plain\r\n", "User-agent: *\n"+row.robots) },
				row.at: func(x *exchange) {
					x.say("200 OK", "Content-Type: application/pkix-cert\r\n", string(between.Cert.Raw))
				},
			}), func(h *fetch.HTTPConfig) {
				h.CAFile = root.File(t)
				h.ConnectTo = append(h.ConnectTo, fetch.ConnectTo{From: "secure.test:443", To: secure.addr})
			})
			row.set(cfg)
			c, sum := crawl(t, cfg, seedOf(t, "http://site.test/"))
			judged(t, c, map[string]string{"https://secure.test/x": row.want})
			want := 0
			if strings.HasPrefix(row.want, "ok") {
				want = 1
			}
			if n := server.count("GET " + row.at); n != want {
				t.Errorf("the certificate was requested %d times, want %d: %v", n, want, server.order)
			}
			if sent := len(server.order) + len(secure.order); want == 1 && sum.Requests != sent {
				t.Errorf("%d requests were counted, want %d", sum.Requests, sent)
			}
		})
	}
}

// A request for a certificate keeps the pace of its host.
func TestPaceOfIssuers(t *testing.T) {
	root := crawlertest.NewAuthority(t, "root")
	between := root.CA(t, "between")
	leaf := between.Leaf(t, "secure.test", func(x *x509.Certificate) { x.IssuingCertificateURL = []string{"http://far.test/ca.cer"} })
	secure := serveFaults(t, tlsOf(leaf), at(map[string]func(*exchange){"secure.test/x": page("x")}))
	cfg, server := realWeb(t, at(map[string]func(*exchange){
		"site.test/": page("<a href=https://secure.test/x>x</a>"),
		"far.test/ca.cer": func(x *exchange) {
			x.say("200 OK", "Content-Type: application/pkix-cert\r\n", string(between.Cert.Raw))
		},
	}), func(h *fetch.HTTPConfig) {
		h.CAFile = root.File(t)
		h.ConnectTo = append(h.ConnectTo, fetch.ConnectTo{From: "secure.test:443", To: secure.addr})
	})
	cfg.Politeness.Delay = 20 * time.Millisecond
	store := &restingStore{Memory: frontier.NewMemory(), rests: map[string]int{}}
	cfg.Keep.Store = store
	crawl(t, cfg, seedOf(t, "http://site.test/"))
	if server.count("far.test/ca.cer") != 1 || store.rests["far.test"] == 0 {
		t.Errorf("the hosts waited %v times, for the requests %v", store.rests, server.order)
	}
}
