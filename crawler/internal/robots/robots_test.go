package robots

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// robotsCase is a case of robots-match.json or robots-fetch-rules.json; missing fields are
// zero.
type robotsCase struct {
	ID        string `json:"id"`
	Profile   string `json:"profile"`
	Robots    string `json:"robots"`
	RobotsB64 string `json:"robots_b64"`
	Agent     string `json:"agent"`
	URL       string `json:"url"`
	Allowed   bool   `json:"allowed"`
	Note      string `json:"note"`

	Expect    string `json:"expect"`
	Polite    string `json:"polite"`
	Status    int    `json:"status"`
	Redirects int    `json:"redirects"`
	Network   string `json:"network"`
	Hours     int    `json:"cache_hours"`
	Days      int    `json:"unreachable_days"`
	Bytes     int    `json:"body_bytes"`
}

func robotsCases(t testing.TB, name string) []robotsCase {
	t.Helper()
	data, err := os.ReadFile("../../../testdata/standards/" + name)
	if err != nil {
		t.Fatal(err)
	}
	var cases []robotsCase
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	return cases
}

func (c *robotsCase) body(t testing.TB) []byte {
	if c.RobotsB64 == "" {
		return []byte(c.Robots)
	}
	body, err := base64.StdEncoding.DecodeString(c.RobotsB64)
	if err != nil {
		t.Fatal(c.ID, err)
	}
	return body
}

// pathOf returns the request target of a case's URL as written, because many cases are
// about its spelling.
func pathOf(url string) string {
	_, rest, _ := strings.Cut(url, "://")
	if i := strings.IndexByte(rest, '/'); i >= 0 {
		return rest[i:]
	}
	return "/"
}

// TestRobotsMatch checks the rules of RFC 9309 and lists the deliberate differences
// from Google's extensions.
func TestRobotsMatch(t *testing.T) {
	// Google accepts a missing colon and URLs without a path or scheme, treats
	// index.html like its directory, and compares %62%61%7A and non-ASCII characters as
	// written.
	differs := map[string]bool{
		"match-0003": false, // no URL: the path is "/", and disallowed as by Google
		"match-0007": true,  // no colon
		"match-0041": true,  // the product token of the agent "Foo Bar" is Foo
		"match-0064": true,  // the URL is encoded before the comparison
		"match-0066": true,
		"match-0067": true, // %62%61%7A is baz
		"match-0079": true, // index.html is not its directory
	}
	counted := map[string]int{}
	for _, c := range robotsCases(t, "robots-match.json") {
		got := Parse(c.body(t), c.Agent).Allowed(pathOf(c.URL))
		want := c.Allowed != differs[c.ID]
		if got != want {
			t.Errorf("%s (%s): agent %q, %s: allowed %v, want %v %s\n%q", c.ID, c.Profile, c.Agent, c.URL, got, want, c.Note, c.Robots)
		}
		if differs[c.ID] && c.Profile != "google" {
			t.Errorf("%s: a case of RFC 9309 cannot be a deliberate difference", c.ID)
		}
		counted[c.Profile]++
	}
	if counted["rfc9309"] < 170 {
		t.Errorf("only %d cases of RFC 9309 were read", counted["rfc9309"])
	}
}

func TestRobotsDetails(t *testing.T) {
	long := "User-agent: *\nDisallow: /a\n" + strings.Repeat("# padding\n", maxBytes/10)
	tests := []struct {
		name, robots, agent, path string
		want                      bool
	}{
		{"empty path is the root", "User-agent: *\nDisallow: /$", "x", "", false},
		{"robots.txt is allowed", "User-agent: *\nDisallow: /", "x", "/robots.txt", true},
		{"robots.txt with a query is not", "User-agent: *\nDisallow: /", "x", "/robots.txt?x", false},
		{"agent with version and comment", "User-agent: orbweaver\nDisallow: /", "Orbweaver/1.0 (+https://example.com)", "/x", false},
		{"digits belong to a token", "User-agent: orbweaver2\nDisallow: /", "orbweaver", "/x", true},
		{"one agent twice in a group", "User-agent: a\nUser-agent: a\nDisallow: /x", "a", "/x", false},
		{"a star with a comment is the star group", "User-agent: * # all\nDisallow: /x", "a", "/x", false},
		{"a nameless agent begins a group", "User-agent: a\nDisallow: /x\nUser-agent:\nDisallow: /", "a", "/y", true},
		{"a nameless agent is not the star", "User-agent:\nDisallow: /", "a", "/y", true},
		{"an empty disallow ends the list of agents", "User-agent: a\nDisallow:\nUser-agent: *\nDisallow: /", "a", "/y", true},
		{"crawl-delay does not end a group", "User-agent: a\nCrawl-delay: 1\nUser-agent: b\nDisallow: /", "a", "/y", false},
		{"a rule without a slash", "User-agent: a\nDisallow: x", "a", "/xy", false},
		{"a star alone", "User-agent: a\nDisallow: *", "a", "/xy", false},
		{"a space in a path", "User-agent: a\nDisallow: /x y", "a", "/x%20yz", false},
		{"the part before the space is not a rule", "User-agent: a\nDisallow: /x y", "a", "/xz", true},
		{"Latin-1 is octets", "User-agent: a\nDisallow: /caf\xe9", "a", "/caf%E9/", false},
		{"a control character invalidates its line", "User-agent: a\nDisallow: /\x01\nDisallow: /b", "a", "/b", false},
		{"but not after an agent name", "User-agent: a\nDisallow: /a\nUser-agent: b\x0b\nDisallow: /b", "a", "/b", true},
		{"and not after the star", "User-agent: *\x00\nDisallow: /b", "a", "/b", false},
		{"a name after a control character is invalid", "User-agent: a\nDisallow: /a\nUser-agent: \x0ba\nDisallow: /b", "a", "/b", true},
		{"several stars", "User-agent: a\nDisallow: /a**b", "a", "/axb", false},
		{"a star counts as an octet", "User-agent: a\nDisallow: /a*\nAllow: /ab", "a", "/ab", true},
		{"each of several stars counts", "User-agent: a\nDisallow: /a**\nAllow: /ab", "a", "/ab", false},
		{"dollar after star", "User-agent: a\nDisallow: /a*$", "a", "/abc", false},
		{"dollar dollar", "User-agent: a\nDisallow: /a$$", "a", "/a$", false},
		{"dollar dollar is not a single dollar", "User-agent: a\nDisallow: /a$$", "a", "/a", true},
		{"malformed escape", "User-agent: a\nDisallow: /100%", "a", "/100%x", false},
		{"brackets as encoded by browsers", "User-agent: a\nDisallow: /a[1]", "a", "/a%5B1%5D", false},
		{"quote in a query", "User-agent: a\nDisallow: /a?q='", "a", "/a?q=%27", false},
		{"overlap is not counted twice", "User-agent: a\nDisallow: /ab*ba$", "a", "/aba", true},
		{"the last part is the suffix", "User-agent: a\nDisallow: /*ab$", "a", "/abxab", false},
		{"limit", long + "User-agent: *\nDisallow: /b\n", "a", "/b", true},
		{"before the limit", long + "User-agent: *\nDisallow: /b\n", "a", "/a", false},
		{"html", "<!doctype html><title>User-agent: *</title>\n<p>Disallow: /</p>", "a", "/a", true},
	}
	for _, tt := range tests {
		if got := Parse([]byte(tt.robots), tt.agent).Allowed(tt.path); got != tt.want {
			t.Errorf("%s: %s allowed is %v, want %v", tt.name, tt.path, got, tt.want)
		}
	}
}

// TestRobotsLimit cuts a rule at every position around the limit. Part of a rule must
// never count as the whole rule.
func TestRobotsLimit(t *testing.T) {
	const head, rule = "User-agent: *\n", "Disallow: /private\n"
	for over := range len(rule) + 2 {
		padding := maxBytes - len(head) - len(rule) - 1 + over
		body := head + "#" + strings.Repeat("x", padding-1) + "\n" + rule + "Disallow: /late\n"
		r := Parse([]byte(body), "a")
		// The rule counts if its last character is within the limit.
		if got, want := r.Allowed("/private"), over > 1; got != want {
			t.Errorf("%d octets over the limit: /private allowed is %v, want %v", over, got, want)
		}
		if !r.Allowed("/p") || !r.Allowed("/late") {
			t.Errorf("%d octets over the limit: part of a rule, or a rule beyond the limit, was followed", over)
		}
	}
	if !Parse([]byte(strings.Repeat("Disallow: /", maxBytes/10)), "a").Allowed("/x") {
		t.Error("an endless line was followed")
	}
}

func TestRobotsCrawlDelay(t *testing.T) {
	tests := []struct {
		robots string
		want   time.Duration
	}{
		{"User-agent: *\nCrawl-delay: 5\nDisallow: /a", 5 * time.Second},
		{"User-agent: *\nCrawl-delay: 0.25", 250 * time.Millisecond},
		{"User-agent: *\nDisallow: /*a\nCrawl-delay: 2", 2 * time.Second},
		{"User-agent: a\nCrawl-delay: 3\nUser-agent: *\nDisallow: /", 3 * time.Second},
		{"User-agent: *\nCrawl-delay: 3\nUser-agent: a\nDisallow: /", 0},                                               // only the agents named above it
		{"User-agent: a\nCrawl-delay: 1\n\nUser-agent: b\nCrawl-delay: 9\n\nUser-agent: *\nDisallow: /x", time.Second}, // nor those named below it
		{"User-agent: *\nCrawl-delay: 1\nUser-agent: b\nCrawl-delay: 9\nDisallow: /x", time.Second},
		{"User-agent: b\nUser-agent: a\nCrawl-delay: 2\nUser-agent: c\nDisallow: /x\nCrawl-delay: 9", 2 * time.Second},
		{"User-agent: a\nDisallow: /x\nCrawl-delay: 2\nAllow: /y\nCrawl-delay: 4", 4 * time.Second},
		{"User-agent: a\nCrawl-delay: 3\nDisallow: /x\nUser-agent: a\nCrawl-delay: 1", 3 * time.Second},
		{"User-agent: *\nCrawl-delay: 1e9", 0},
		{"User-agent: *\nCrawl-delay: 99999999999999999999999999", maxCrawlDelay},
		{"User-agent: *\nCrawl-delay: " + strings.Repeat("9", 400), maxCrawlDelay},
		{"User-agent: *\nCrawl-delay: -1", 0},
		{"User-agent: *\nCrawl-delay: inf", 0},
		{"User-agent: *\nCrawl-delay: 1.2.3", 0},
		{"User-agent: *\nCrawl-delay: 5s", 0},
		{"User-agent: *\nCrawl-delay:", 0},
		{"Crawl-delay: 5", 0},
		{"", 0},
	}
	for _, tt := range tests {
		if got := Parse([]byte(tt.robots), "a").CrawlDelay(); got != tt.want {
			t.Errorf("%q: %v, want %v", tt.robots, got, tt.want)
		}
	}
}

func TestRobotsSitemaps(t *testing.T) {
	got := Parse([]byte("Sitemap: https://example.com/a.xml # main\nUser-agent: other\nDisallow: /*x$\n"+
		"SITEMAP : /b.xml\nsitemap:\nSitemap: https://example.com/c d.xml\nSitemap: https://exämple.com/"), "a").Sitemaps()
	want := []string{"https://example.com/a.xml", "/b.xml", "https://example.com/c%20d.xml", "https://exämple.com/"}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestRobotsReason(t *testing.T) {
	tests := []struct{ robots, path, want string }{
		{"User-agent: *\nDisallow: /a b", "/a%20bc", "robots.txt says Disallow: /a b"},
		{"User-agent: *\nDisallow: /*.gif$", "/x.gif", "robots.txt says Disallow: /*.gif$"},
		{"User-agent: *\nDisallow: /", "", "robots.txt says Disallow: /"},
		{"User-agent: *\nDisallow: /a", "/b", ""},
	}
	for _, tt := range tests {
		if got := Parse([]byte(tt.robots), "a").Reason(tt.path); got != tt.want {
			t.Errorf("%q: %q, want %q", tt.robots, got, tt.want)
		}
	}
	if got := fromStatus(503, nil, "a").Reason("/x"); got != "robots.txt is unavailable: the server answered with status 503" {
		t.Error(got)
	}
}

// FuzzRobots checks that the library and this package's matcher agree wherever the
// library is used, and that the library accepts all output of forLibrary.
func FuzzRobots(f *testing.F) {
	for _, c := range robotsCases(f, "robots-match.json") {
		f.Add(c.body(f), c.Agent, pathOf(c.URL))
	}
	f.Add([]byte("User-agent: a\x0b\nUser-agent: *\x00\nDisallow: /\x7f\nSitemap: \x01"), "a", "/")
	f.Add([]byte("User-agent: *\nCrawl-delay: 1\nSitemap: \xff #\nDisallow: /\ufeff\nAllow: x"), "a", "/%zz%")
	f.Fuzz(func(t *testing.T, body []byte, agent, path string) {
		group := readGroup(body, agent)
		r := Parse(body, agent)
		wild := false
		for _, rule := range group.rules {
			wild = wild || rule.parts != nil
		}
		if r.patterns != wild {
			t.Fatalf("the library did not read %q", group.forLibrary(!wild))
		}
		if got := len(r.Sitemaps()); got != len(group.sitemaps) {
			t.Fatalf("%d sitemaps, want %d: %q", got, len(group.sitemaps), group.forLibrary(!wild))
		}
		if difference := r.CrawlDelay() - group.delay; difference < -1 || difference > 1 {
			t.Fatalf("crawl-delay %v, want %v", r.CrawlDelay(), group.delay)
		}
		if path == "" || path[0] != '/' || path == robotsPath {
			return
		}
		rule := r.find(normalize(path))
		if got, want := r.Allowed(path), rule == nil || rule.allow; got != want {
			t.Fatalf("%q: allowed is %v, the matcher of this package returns %v", path, got, want)
		}
	})
}

// robotsFile returns about 5 KB of plain rules, like those of large sites.
func robotsFile(wild bool) []byte {
	var b strings.Builder
	b.WriteString("# comment\nUser-agent: badbot\nDisallow: /\n\nUser-agent: *\nCrawl-delay: 1\n")
	for i := 0; b.Len() < 5300; i++ {
		if wild && i%4 == 0 {
			fmt.Fprintf(&b, "Disallow: /*/section-%d/*.php$\n", i)
			continue
		}
		fmt.Fprintf(&b, "Disallow: /section-%d/private/\n", i)
	}
	b.WriteString("Sitemap: https://example.com/sitemap.xml\n")
	return []byte(b.String())
}

func BenchmarkRobotsParse(b *testing.B) {
	for _, wild := range []bool{false, true} {
		body := robotsFile(wild)
		b.Run(fmt.Sprintf("wildcards=%v", wild), func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				Parse(body, "orbweaver")
			}
		})
	}
}

func BenchmarkRobotsMatch(b *testing.B) {
	for _, wild := range []bool{false, true} {
		r := Parse(robotsFile(wild), "orbweaver")
		b.Run(fmt.Sprintf("wildcards=%v", wild), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				r.Allowed("/docs/guide/installation/linux.html?version=2")
			}
		})
	}
}
