package crawler

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/frontier"
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
		{"excluded", "/in", "", func(cfg *Config) { cfg.Exclude = patterns(`/in`) }, "skipped excluded", 0},
		{"external", "http://far.test/in", "", func(cfg *Config) { cfg.External = SkipExternal }, "skipped external", 0},
		{"another port", "http://site.test:8080/in", "", func(cfg *Config) { cfg.External = SkipExternal }, "skipped external", 0},
		{"robots.txt", "/in", "User-agent: *\nDisallow: /in\n", func(cfg *Config) { cfg.Robots, cfg.RobotsGiven = RobotsCrawl, true }, "unverified robots-disallowed", 0},
		{"robots.txt of another host", "http://far.test/in", "User-agent: *\nDisallow: /\n", func(cfg *Config) { cfg.Robots = RobotsStrict }, "unverified robots-disallowed", 0},
		{"sign-out", "/logout", "", func(cfg *Config) { cfg.Credentials = true }, "skipped excluded", 0},
		{"no page", "ftp://site.test/in", "", func(*Config) {}, "broken redirect-loop", 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			host := "site.test"
			if u := mustParse(t, "http://site.test/"); row.on[0] != '/' {
				u = mustParse(t, row.on)
				host = u.Authority()
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
	cfg.Delay = 20 * time.Millisecond
	store := &restingStore{Memory: frontier.NewMemory(), rests: map[string]int{}}
	cfg.Store = store
	crawl(t, cfg, seedOf(t, "http://site.test/"))
	if server.count("far.test/in") == 0 || store.rests["far.test"] == 0 || store.rests["site.test"] == 0 {
		t.Errorf("the hosts waited %v times, for the requests %v", store.rests, server.order)
	}
}
