package admit

import (
	"context"
	"errors"
	"io"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
	"github.com/orbweaver/orbweaver/crawler/internal/scope"
	"github.com/orbweaver/orbweaver/crawler/internal/versions"
	"github.com/orbweaver/orbweaver/urinorm"
)

// server answers every request, and notes the most that were under way at once.
type server struct {
	bodies map[string]string // by URL
	takes  time.Duration

	mu              sync.Mutex
	order           []string
	underway, crowd int
}

func (s *server) Fetch(ctx context.Context, req *fetch.Request) (*fetch.Response, error) {
	s.mu.Lock()
	s.order = append(s.order, req.URL.String())
	s.underway++
	s.crowd = max(s.crowd, s.underway)
	s.mu.Unlock()
	time.Sleep(s.takes)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.underway--
	body := s.bodies[req.URL.String()]
	return &fetch.Response{Status: 200, Requests: 1, Size: int64(len(body)), Body: io.NopCloser(strings.NewReader(body))}, nil
}

func parse(t *testing.T, s string) urinorm.URL {
	t.Helper()
	u, _, err := urinorm.ParseWeb(s)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// doorTo returns the door of a run that starts at http://site.test/.
func doorTo(t *testing.T, s *server, cfg Config, in scope.Rules) *Door {
	t.Helper()
	seeds := []scope.Seed{{URL: parse(t, "http://site.test/"), Follow: true, Crawl: true}}
	cfg.Fetch, cfg.MaxBody = s, 1<<20
	own := scope.New(scope.Settings{Rules: &in}, seeds)
	d := New(cfg, own, scope.NewTargetRules(own, seeds))
	d.Open(t.Context(), frontier.New(frontier.NewMemory(), d), nil)
	return d
}

// askFor returns an Ask for a purpose, by a visit if one needs such requests.
func askFor(p Purpose, u urinorm.URL) Ask {
	a := Ask{URL: u, For: p}
	switch p {
	case Visit, Hop, Probe, Twin, Icon:
		a.Of = &Target{Target: &frontier.Target{URL: u.String(), Host: u.Authority()}, At: u}
	}
	return a
}

// Each rule applies to requests for each purpose that is not exempt from it.
func TestRules(t *testing.T) {
	rows := map[rule]struct {
		url   string
		want  check.Code
		cfg   Config
		scope scope.Rules
	}{
		ruleExcluded: {url: "http://far.test/x", want: check.CodeExcluded, scope: scope.Rules{Exclude: []*regexp.Regexp{regexp.MustCompile(`/x$`)}}},
		ruleExternal: {url: "http://far.test/x", want: check.CodeExternal, cfg: Config{SkipExternal: true}},
		ruleSignOut:  {url: "http://site.test/logout", want: check.CodeExcluded, scope: scope.Rules{Credentials: true}},
		ruleRobots:   {url: "http://far.test/private", want: judging.CodeRobotsDisallowed, cfg: Config{Robots: scope.RobotsStrict}},
		ruleGivenUp:  {url: "http://dead.test/x", want: check.CodeRateLimited},
	}
	for p := range purposes {
		for r := range ruleCount {
			row, decides := rows[r]
			if !decides && p.applies(r) && !enforcedElsewhere(p, r) {
				t.Errorf("purpose %d: nothing enforces rule %d, and there is no reason not to", p, r)
			}
			if !decides || p == Visit && r < ruleRobots { // links to it are decided about when they are found
				continue
			}
			for _, on := range []bool{false, true} {
				var want check.Code
				cfg, scope := Config{Robots: scope.RobotsIgnore}, scope.Rules{}
				if on {
					cfg, scope = row.cfg, row.scope
				}
				d := doorTo(t, &server{bodies: map[string]string{"http://far.test/robots.txt": "User-agent: *\nDisallow: /private\n"}}, cfg, scope)
				for on && r == ruleGivenUp && !d.hosts.Dead("dead.test") {
					if err := d.hosts.Observe(t.Context(), "dead.test", frontier.Answer{Started: time.Now(), Silent: true, TimedOut: true}); err != nil {
						t.Fatal(err)
					}
				}
				if want = row.want; !on || !p.applies(r) {
					want = ""
				} else if p == Visit && r == ruleGivenUp {
					want = check.CodeTimeout
				}
				by, err := d.Decide(t.Context(), askFor(p, parse(t, row.url)))
				var got check.Code
				if by.Outcome != nil {
					got = by.Outcome.Code
				}
				if err != nil || got != want || by.Admitted() != (want == "") {
					t.Errorf("purpose %d, rule %d, which is set: %v: %q, admitted %v, %v; want %q", p, r, on, got, by.Admitted(), err, want)
				}
			}
		}
	}
}

// enforcedElsewhere reports whether another test proves that a rule that is not Decide's
// applies to requests for a purpose.
func enforcedElsewhere(p Purpose, r rule) bool {
	switch r {
	case rulePages: // TestVisits
		return p == Visit
	case ruleAddress: // the dialer of package fetch, whatever a request is for: TestDenyPrivate
		return true
	case rulePlace, ruleInterval: // TestPlaceAndInterval
		return true
	}
	return false
}

// send decides about a request and sends it. It returns whether it was sent.
func send(ctx context.Context, d *Door, a Ask) (sent bool, err error) {
	req := &fetch.Request{URL: a.URL, Need: fetch.Content}
	if a.For == Issuer {
		sent, _ = d.admitIssuer(ctx, a.URL)
		return sent, nil
	}
	by, err := d.Decide(ctx, a)
	switch {
	case err != nil:
		return false, err
	case a.For == Document || a.For == Subresource:
		return d.Library.Ask(ctx, by, req, false).OK, nil
	case a.For == Unchanged:
		_, requests := d.Library.Unchanged(ctx, by, req, versions.Validators{ETag: `"x"`})
		return requests > 0, nil
	}
	resp, err := d.Send(ctx, by, req)
	return resp.Response != nil, err
}

// Requests wait for a place at their host, and for its interval.
func TestPlaceAndInterval(t *testing.T) {
	for p := range purposes {
		for _, r := range []rule{rulePlace, ruleInterval} {
			if !p.applies(r) {
				continue
			}
			synctest.Test(t, func(t *testing.T) {
				cfg := Config{Renders: true, Pacing: Pacing{PerHost: 1}}
				if r == ruleInterval {
					cfg.Delay = time.Hour
				}
				d := doorTo(t, &server{}, cfg, scope.Rules{})
				defer d.Library.Close()
				var place taken
				if r == rulePlace {
					var err error
					if place, err = d.places.take(t.Context(), "far.test"); err != nil {
						t.Fatal(err)
					}
				} else {
					d.places.begin("far.test")
				}
				a := askFor(p, parse(t, "http://far.test/x"))
				if a.Of != nil {
					a.Of.Host = "site.test" // the frontier keeps the pace of the target's own host
				}
				began, waited := time.Now(), time.Duration(0)
				go func() {
					if sent, err := send(t.Context(), d, a); !sent || err != nil {
						t.Errorf("purpose %d, rule %d: sent: %v, %v", p, r, sent, err)
					}
					waited = time.Since(began)
				}()
				time.Sleep(time.Minute)
				if r == rulePlace {
					d.places.give(place)
				}
				time.Sleep(2 * time.Hour)
				synctest.Wait()
				if want := map[rule]time.Duration{rulePlace: time.Minute, ruleInterval: time.Hour}[r]; waited != want {
					t.Errorf("purpose %d, rule %d: the request waited %s, want %s", p, r, waited, want)
				}
			})
		}
	}
}

// What a page loads in the browser obeys the limit of concurrent requests to a host.
func TestPlacesOfWhatAPageLoads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const files, most = 12, 2
		s := &server{takes: time.Second}
		d := doorTo(t, s, Config{Renders: true, Pacing: Pacing{PerHost: most}}, scope.Rules{})
		defer d.Library.Close()
		for i := range files {
			go func() {
				if sent, err := send(t.Context(), d, Ask{URL: parse(t, "http://far.test/"+string('a'+rune(i))), For: Subresource}); !sent || err != nil {
					t.Errorf("file %d: sent: %v, %v", i, sent, err)
				}
			}()
		}
		time.Sleep(time.Hour)
		synctest.Wait()
		if s.crowd != most || len(s.order) != files {
			t.Errorf("%d requests, %d at once, want %d and %d", len(s.order), s.crowd, files, most)
		}
	})
}

// A pass lets one request through, to the URL that was decided about.
func TestPassServesOnce(t *testing.T) {
	s := &server{}
	d := doorTo(t, s, Config{}, scope.Rules{})
	a := askFor(Hop, parse(t, "http://site.test/x"))
	by, err := d.Decide(t.Context(), a)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		name string
		by   Decision
		url  string
		want error
	}{
		{"no decision", Decision{}, "http://site.test/x", errPass},
		{"another URL", by, "http://site.test/y", errPass},
		{"the URL", by, "http://site.test/x", nil},
		{"again", by, "http://site.test/x", errPass},
	} {
		if _, err := d.Send(t.Context(), row.by, &fetch.Request{URL: parse(t, row.url)}); !errors.Is(err, row.want) {
			t.Errorf("%s: got %v, want %v", row.name, err, row.want)
		}
	}
	if want := []string{"http://site.test/x"}; !slices.Equal(s.order, want) {
		t.Errorf("got the requests %v, want %v", s.order, want)
	}
}

// A target is refused for the first reason that applies.
func TestVisits(t *testing.T) {
	long := "http://site.test/" + strings.Repeat("a", MaxPageURL)
	for _, row := range []struct {
		name string
		url  string
		cfg  Config
		t    frontier.Target
		past frontier.Past
		want string // the message of the outcome
	}{
		{"admitted", "http://site.test/x", Config{}, frontier.Target{Follow: true}, frontier.Past{}, ""},
		{"left", long, Config{LeavesSome: true}, frontier.Target{Follow: true, Left: true}, frontier.Past{}, scope.SignOutReason},
		{"left, without credentials", "http://site.test/x", Config{}, frontier.Target{Left: true}, frontier.Past{}, ""},
		{"silent", "http://dead.test/x", Config{}, frontier.Target{}, frontier.Past{}, "not asked: dead.test let many requests before go without any answer"},
		{"silent, but asked", "http://dead.test/x", Config{}, frontier.Target{}, frontier.Past{Asked: true}, ""},
		{"long", long, Config{MaxPages: 1}, frontier.Target{Follow: true}, frontier.Past{}, "not read, as its URL is longer than 8000 bytes"},
		{"long seed", long, Config{}, frontier.Target{Follow: true, Seed: true}, frontier.Past{}, ""},
		{"long, no page", long, Config{}, frontier.Target{}, frontier.Past{}, ""},
		{"trap", "http://site.test/" + strings.Repeat("a/", 200), Config{}, frontier.Target{Follow: true}, frontier.Past{}, "not read, as its URL looks like one of an endless series: "},
		{"second page", "http://site.test/x", Config{MaxPages: 1}, frontier.Target{Follow: true, Turn: 2}, frontier.Past{}, "the run ended at its limit of pages"},
		{"first page", "http://site.test/x", Config{MaxPages: 1}, frontier.Target{Follow: true, Turn: 1}, frontier.Past{}, ""},
	} {
		d := doorTo(t, &server{}, row.cfg, scope.Rules{})
		for !d.hosts.Dead("dead.test") {
			if err := d.hosts.Observe(t.Context(), "dead.test", frontier.Answer{Started: time.Now(), Silent: true, TimedOut: true}); err != nil {
				t.Fatal(err)
			}
		}
		if row.t.Turn == 2 {
			d.Pages.begin(1)
			d.Pages.End(1)
		}
		u := parse(t, row.url)
		row.t.URL, row.t.Host = row.url, u.Authority()
		by, err := d.Decide(t.Context(), Ask{URL: u, For: Visit, Of: &Target{Target: &row.t, At: u, Past: row.past}})
		got := ""
		if by.Outcome != nil {
			got = by.Outcome.Message
		}
		if err != nil || !strings.HasPrefix(got, row.want) || by.Admitted() != (row.want == "") {
			t.Errorf("%s: got %q, admitted %v, %v, want %q", row.name, got, by.Admitted(), err, row.want)
		}
	}
}

// Every rule that a purpose is exempt from has a reason, and a visit is exempt from none.
func TestExemptions(t *testing.T) {
	for p := range purposes {
		for r := range ruleCount {
			if p == Visit && !p.applies(r) {
				t.Errorf("visits are exempt from rule %d: %s", r, exempt[p][r])
			}
			if r == ruleAddress && !p.applies(r) {
				t.Errorf("purpose %d is exempt from the rules for addresses", p)
			}
		}
	}
}
