package crawler

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/crawlertest"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/frontier"
	"github.com/orbweaver/orbweaver/crawler/inspect"
	"github.com/orbweaver/orbweaver/crawler/internal/recall"
	"github.com/orbweaver/orbweaver/crawler/render"
	"github.com/orbweaver/orbweaver/crawler/rules"
	"github.com/orbweaver/orbweaver/urinorm"
)

// silent makes a host one that never answered.
func silent(t *testing.T, r *run, host string) {
	t.Helper()
	for range 1000 {
		if r.frontier.Hosts().Dead(host) {
			return
		}
		if err := r.frontier.Hosts().Observe(t.Context(), host, frontier.Answer{Started: time.Now(), Silent: true, TimedOut: true}); err != nil {
			t.Fatal(err)
		}
	}
	t.Fatalf("%s is not given up", host)
}

// Each rule of the door applies to requests for each purpose that is not exempt from it.
func TestDoor(t *testing.T) {
	rows := map[admission]struct {
		url  string
		want check.Code
		set  func(*Config)
	}{
		ruleExcluded: {"http://far.test/x", check.CodeExcluded, func(cfg *Config) { cfg.Exclude = patterns(`/x$`) }},
		ruleExternal: {"http://far.test/x", check.CodeExternal, func(cfg *Config) { cfg.External = SkipExternal }},
		ruleSignOut:  {"http://site.test/logout", check.CodeExcluded, func(cfg *Config) { cfg.Credentials = true }},
		ruleRobots:   {"http://far.test/private", check.CodeRobotsDisallowed, func(cfg *Config) { cfg.Robots = RobotsStrict }},
		ruleGivenUp:  {"http://dead.test/x", check.CodeRateLimited, func(*Config) {}},
	}
	for p := range purposes {
		for a := range admissions {
			row, decides := rows[a]
			switch {
			case !decides && p.applies(a) && !enforcedElsewhere(p, a):
				t.Errorf("purpose %d: nothing enforces rule %d, and there is no reason not to", p, a)
				continue
			case !decides:
				continue
			}
			for _, on := range []bool{false, true} {
				cfg, _ := realWeb(t, at(map[string]func(*exchange){
					"far.test/robots.txt": func(x *exchange) {
						x.say("200 OK", "Content-Type: text/plain\r\n", "User-agent: *\nDisallow: /private\n")
					},
				}))
				if on {
					row.set(cfg)
				}
				r := newRun(t.Context(), cfg, seedOf(t, "http://site.test/"), discard{})
				if on && a == ruleGivenUp {
					silent(t, r, "dead.test")
				}
				var want check.Code
				if on && p.applies(a) {
					want = row.want
				}
				o, _, err := r.door.refused(t.Context(), ask{purpose: p, url: mustParse(t, row.url)})
				var got check.Code
				if o != nil {
					got = o.Code
				}
				if err != nil || got != want {
					t.Errorf("purpose %d, rule %d, which is set: %v: %q, %v; want %q", p, a, on, got, err, want)
				}
			}
		}
	}
}

// enforcedElsewhere reports whether another test proves that a rule that is not the door's
// applies to requests for a purpose.
func enforcedElsewhere(p purpose, a admission) bool {
	switch a {
	case rulePages: // TestSessionsShareLimits
		return p == forTarget
	case ruleAddress: // the dialer of package fetch, whatever a request is for: TestDenyPrivate
		return true
	case rulePlace, ruleInterval: // TestPlaceAndInterval
		return senders[p] != nil
	}
	return false
}

// senders send a request for each purpose that needs a place or keeps the interval of its host.
var senders = [purposes]func(context.Context, *run, *line, urinorm.URL) error{
	forTarget:      sendOnLine,
	forHop:         sendOnLine,
	forProbe:       sendBeside(forProbe),
	forTwin:        sendBeside(forTwin),
	forIcon:        sendBeside(forIcon),
	forDocument:    sendForBrowser,
	forSubresource: sendForBrowser,
	forUnchanged: func(ctx context.Context, r *run, l *line, u urinorm.URL) error {
		lib := newLibrary(ctx, r.cfg.Fetch, 1<<20, r.places)
		defer lib.close()
		lib.Unchanged(ctx, &fetch.Request{URL: u, Need: fetch.Content}, fetch.Validators{ETag: `"x"`})
		return nil
	},
	forIssuer: func(ctx context.Context, r *run, l *line, u urinorm.URL) error {
		if ok, _ := r.door.admitIssuer(ctx, u); ok {
			return errors.New("the request was admitted")
		}
		return nil
	},
}

func sendOnLine(ctx context.Context, r *run, l *line, u urinorm.URL) error {
	_, err := l.fetch(ctx, &fetch.Request{URL: u, Need: fetch.Content})
	return ignoreCanceled(err)
}

func sendBeside(what purpose) func(context.Context, *run, *line, urinorm.URL) error {
	return func(ctx context.Context, r *run, l *line, u urinorm.URL) error {
		_, err := l.beside(ctx, what, &fetch.Request{URL: u, Need: fetch.Content})
		return ignoreCanceled(err)
	}
}

func sendForBrowser(ctx context.Context, r *run, l *line, u urinorm.URL) error {
	lib := newLibrary(ctx, r.cfg.Fetch, 1<<20, r.places)
	defer lib.close()
	lib.Ask(ctx, &fetch.Request{URL: u, Need: fetch.Content}, false)
	return nil
}

func ignoreCanceled(err error) error {
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// Requests wait for a place at their host, and for its interval.
func TestPlaceAndInterval(t *testing.T) {
	for p := range purposes {
		for _, a := range []admission{rulePlace, ruleInterval} {
			if !p.applies(a) || senders[p] == nil {
				continue
			}
			cfg, server := realWeb(t, page("x"))
			r := newRun(t.Context(), cfg, seedOf(t, "http://site.test/"), discard{})
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			pace := frontier.Pace{Concurrency: 1}
			if a == ruleInterval {
				pace.Interval = time.Hour
			}
			r.places.pace = func(string) frontier.Pace { return pace }
			waited := false
			r.places.rest = func(context.Context, string, time.Time) error {
				waited = true
				cancel() // instead of waiting for an hour
				return nil
			}
			l := &line{door: r.door, frontier: r.frontier, places: r.places, target: &frontier.Target{Host: "site.test"}, tally: &tally{cfg: cfg}, release: func() {}}
			over := make(chan error, 1)
			if a == rulePlace {
				if err := r.places.take(ctx, "far.test"); err != nil {
					t.Fatal(err)
				}
			} else {
				r.places.begin("far.test")
			}
			go func() { over <- senders[p](ctx, r, l, mustParse(t, "http://far.test/x")) }()
			err := error(nil)
			for done := false; !done; runtime.Gosched() {
				select {
				case err = <-over:
					done = true
				default:
				}
				r.places.mu.Lock()
				if h := r.places.hosts["far.test"]; a == rulePlace && h != nil && len(h.waiting) > 0 {
					waited = true
					cancel()
				}
				r.places.mu.Unlock()
			}
			if err != nil || !waited || len(server.order) > 0 {
				t.Errorf("purpose %d, rule %d: waited: %v, %v; requests %v", p, a, waited, err, server.order)
			}
		}
	}
}

// What a run requests beside targets is not requested if it is excluded, and is otherwise.
func TestExclusionsBesideTargets(t *testing.T) {
	root := crawlertest.NewAuthority(t, "root")
	for _, row := range []struct {
		name  string
		asked string // on the host site.test
		set   func(*testing.T, *Config)
	}{
		{"sitemap", "GET site.test/map.xml", func(_ *testing.T, cfg *Config) {
			cfg.Sitemaps, cfg.Robots, cfg.RobotsGiven = true, RobotsCrawl, true
		}},
		{"twin", "HEAD site.test/twin", func(_ *testing.T, cfg *Config) { cfg.CheckHTTPS = true }},
		{"icon", "GET site.test/favicon.ico", func(t *testing.T, cfg *Config) {
			groups, err := inspect.ParseGroups("images")
			if err != nil {
				t.Fatal(err)
			}
			if cfg.Inspector, err = inspect.Open(t.Context(), inspect.Config{Groups: groups}); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(cfg.Inspector.Close)
		}},
	} {
		for _, excluded := range []bool{false, true} {
			t.Run(fmt.Sprint(row.name, excluded), func(t *testing.T) {
				pages := at(map[string]func(*exchange){
					"site.test/": page("<a href=/twin>x</a>"), "site.test/twin": page("x"),
					"site.test/robots.txt": func(x *exchange) {
						x.say("200 OK", "Content-Type: text/plain\r\n", "Sitemap: http://site.test/map.xml\n")
					},
					"site.test/map.xml": func(x *exchange) { x.say("200 OK", "Content-Type: application/xml\r\n", "<urlset/>") },
				})
				secure := serveFaults(t, tlsOf(root.Leaf(t, "site.test")), pages)
				cfg, server := realWeb(t, pages, func(h *fetch.HTTPConfig) {
					h.CAFile = root.File(t)
					h.ConnectTo = append(h.ConnectTo, fetch.ConnectTo{From: "site.test:443", To: secure.addr})
				})
				row.set(t, cfg)
				asked := server
				if row.name == "twin" {
					asked = secure
				}
				if excluded {
					_, path, _ := strings.Cut(row.asked, "site.test")
					scheme := "http"
					if row.name == "twin" {
						scheme = "https"
					}
					cfg.Exclude = patterns("^" + scheme + "://site.test" + path + "$")
				}
				crawl(t, cfg, seedOf(t, "http://site.test/"))
				if n := asked.count(row.asked); (n == 0) != excluded {
					t.Errorf("%s was requested %d times: %v, %v", row.asked, n, server.order, secure.order)
				}
			})
		}
	}
}

// What the browser asks for, and what is asked whether it is unchanged, is not requested if it
// is excluded, and is otherwise.
func TestExclusionsInTheBrowser(t *testing.T) {
	for name, send := range map[string]func(context.Context, *rendering){
		"frame": func(ctx context.Context, g *rendering) {
			g.answer(ctx, &render.Ask{URL: "http://far.test/x", Type: render.Frame})
		},
		"navigation": func(ctx context.Context, g *rendering) {
			g.answer(ctx, &render.Ask{URL: "http://far.test/x", Type: render.Navigation})
		},
		"stream": func(ctx context.Context, g *rendering) {
			g.answer(ctx, &render.Ask{URL: "http://far.test/x", Type: render.Stream})
		},
		"unchanged": func(ctx context.Context, g *rendering) {
			g.unchanged(ctx, &recall.Loaded{URL: "http://far.test/x", Validators: fetch.Validators{ETag: `"x"`}})
		},
	} {
		for _, excluded := range []bool{false, true} {
			cfg, server := realWeb(t, page("x"))
			cfg.Render = rules.RenderAlways
			if excluded {
				cfg.Exclude = patterns("^http://far.test/x$")
			}
			r := newRun(t.Context(), cfg, seedOf(t, "http://site.test/"), discard{})
			send(t.Context(), r.rendering)
			r.rendering.close()
			if n := server.count("far.test/x"); (n == 0) != excluded {
				t.Errorf("%s: requested %d times, excluded: %v", name, n, excluded)
			}
		}
	}
}
