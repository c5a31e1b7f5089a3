package trap

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/orbweaver/orbweaver/urinorm"
)

var trapLinks = regexp.MustCompile(`(?:href="|<loc>)([^"<]*)`)

// walkTrap crawls a site breadth first as far as the guards allow, but at most giveUp
// pages.
func walkTrap(t *testing.T, handler http.Handler, start string, guards *Guards, giveUp int) (pages int, patterns map[string]int, found map[string]bool) {
	t.Helper()
	type item struct {
		url    urinorm.URL
		clicks int
	}
	first := parseURL(t, "http://site.example"+start)
	queue := []item{{first, 0}}
	seen := map[urinorm.Key]bool{urinorm.KeyOf(first): true}
	patterns, found = map[string]int{}, map[string]bool{}
	for len(queue) > 0 && pages < giveUp {
		next := queue[0]
		queue = queue[1:]
		pattern, trapped := guards.CheckClicks(next.clicks)
		if !trapped {
			pattern, trapped = guards.Check(next.url)
		}
		if trapped {
			patterns[pattern]++
			continue
		}
		pages++
		found[next.url.Path()] = true
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequest("GET", next.url.RequestTarget(), nil))
		base, err := urinorm.NewBase(next.url, "")
		if err != nil {
			t.Fatal(err)
		}
		for _, link := range trapLinks.FindAllStringSubmatch(w.Body.String(), -1) {
			target := strings.ReplaceAll(link[1], "&amp;", "&")
			target = strings.TrimPrefix(target, "http://example.com") // the Host of httptest requests
			u, _, err := base.Resolve(target)
			if err != nil {
				t.Fatal(err)
			}
			if key := urinorm.KeyOf(u); !seen[key] {
				seen[key] = true
				queue = append(queue, item{u, next.clicks + 1})
			}
		}
	}
	return pages, patterns, found
}

// TestTrapsEnd walks every endless site to its end. The limits are those of a normal
// run, except for the largest budgets, which only affect the duration.
func TestTrapsEnd(t *testing.T) {
	// The pattern that ends each site, and the most pages to read.
	ends := map[string]struct {
		pattern string
		most    int
	}{
		"calendar":                       {"more than 5000 pages with months like /calendar/{n}/{n}", 13_500}, // CheckClicks ends the years before 1900
		"calendar in the query":          {"more than 10000 pages with parameters like /calendar?*", 10_100},
		"growing path":                   {`"guide" occurs 4 times in the path`, 10},
		"growing path, many links":       {`"about" occurs 4 times in the path`, 60_000},
		"session id in the query":        {"more than 32 URLs of one page (different session IDs or order of parameters) at /one.html", 200},
		"session id in the path":         {"more than 32 URLs of one page (different session IDs or order of parameters) at /one.html{session}", 200},
		"nameless session id":            {"more than 1000 pages with parameters like /one.html?*", 4_100},
		"repeated segments":              {`"a" occurs 4 times in the path`, 100},
		"repeated parameters":            {`parameter "tag=new" occurs 4 times`, 100},
		"faceted search":                 {"more than 2000 pages with three parameters or more like /shop?*", 10_000},
		"numbered pages":                 {"more than 10000 clicks away from the start", 10_100},
		"random names":                   {"more than 10000 pages with IDs like /words/{id}.html", 10_100},
		"login that returns to itself":   {"percent-encoded four times", 10},
		"self-feeding sitemap":           {"more than 10000 clicks away from the start", 10_100},
		"self-feeding sitemap, no count": {"more than 5000 sitemaps like /sitemap-{n}.xml", 5_100},
	}
	for _, trap := range trapSites() {
		limits := []Limits{{}}
		switch trap.name {
		case "nameless session id":
			limits[0].Queries = 1_000
		case "random names":
			limits[0].Identified = 10_000
		case "self-feeding sitemap":
			limits = append(limits, Limits{Clicks: -1, Sitemaps: 5_000})
		}
		for i, limits := range limits {
			name := trap.name + strings.Repeat(", no count", i)
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				end := ends[name]
				pages, patterns, found := walkTrap(t, trap.serve(), trap.start, New(limits), 200_000)
				if pages > end.most {
					t.Errorf("%d pages were read, want at most %d", pages, end.most)
				}
				if patterns[end.pattern] == 0 {
					t.Errorf("the pattern %q is not among %v", end.pattern, patterns)
				}
				if !found["/gone.html"] {
					t.Error("the real page was not read")
				}
				t.Logf("%d pages", pages)
			})
		}
	}
}

// TestTrapsLeaveRealSites checks that the pages of large documentation sites are never
// left out.
func TestTrapsLeaveRealSites(t *testing.T) {
	sites := []struct {
		name  string
		pages int
		path  func(i int) string
	}{
		{"javadoc", 50_000, func(i int) string { return fmt.Sprintf("/api/java.base/java/util/Class%dImpl.html", i) }},
		{"names in one directory", 50_000, func(i int) string { return "/wiki/" + strings.Repeat("Article-", i%7+1) + letters(i) }},
		{"numbered pages", 200_000, func(i int) string { return fmt.Sprintf("/bugs/%d", i) }},
		{"versions", 100_000, func(i int) string { return fmt.Sprintf("/docs/v%d.%d/guide/chapter-%d.html", i%10, i/10%10, i/100) }},
		{"doxygen", 50_000, func(i int) string { return fmt.Sprintf("/html/d%x/d%02x/class%s.html", i%16, i/16%256, letters(i)) }},
		{"blog", 18_250, func(i int) string { return fmt.Sprintf("/%d/%02d/%02d/", 1975+i/365, i/31%12+1, i%31+1) }},
		{"posts", 60_000, func(i int) string {
			return fmt.Sprintf("/%d/%02d/%02d/%s.html", 1975+i/1200, i/31%12+1, i%31+1, letters(i))
		}},
		{"commits", 90_000, func(i int) string { return fmt.Sprintf("/commit/%016x%016x", i, i*31) }},
		{"tiles", 100_000, func(i int) string { return fmt.Sprintf("/tiles/en/map/%d/%d/%d", i/10000, i/100%100, i%100) }},
		{"shards", 100_000, func(i int) string {
			return fmt.Sprintf("/objects/%x/%x/%x/%s", i&15, i>>4&15, i>>8&15, letters(i))
		}},
		{"languages", 20_000, func(i int) string {
			return fmt.Sprintf("/%s/latest/%s/reference/%s/", letters(i%30), letters(i/30%20), letters(i/600))
		}},
		{"articles by number", 9_000, func(i int) string { return fmt.Sprintf("/article.php?id=%d", i) }},
		{"views", 1_900, func(i int) string { return fmt.Sprintf("/view?repo=a&file=%s&rev=%d", letters(i), i) }},
		{"arrays in a query", 1_000, func(i int) string { return fmt.Sprintf("/list?f[]=a&f[]=b&f[]=c&f[]=d&p=%d", i) }},
	}
	for _, site := range sites {
		guards := New(Limits{})
		for i := range site.pages {
			if pattern, trapped := guards.Check(parseURL(t, "https://docs.example.com"+site.path(i))); trapped {
				t.Errorf("%s: page %d, %s: %s", site.name, i, site.path(i), pattern)
				break
			}
		}
	}
}

// letters writes a number without digits.
func letters(i int) string {
	return strings.Map(func(r rune) rune { return r - '0' + 'k' }, fmt.Sprint(i))
}

func TestTrapsInOneURL(t *testing.T) {
	tests := []struct{ url, want string }{
		{"/", ""},
		{"/a/b/c/d/e/f/g/h/i/j/k/l/m/n/o/p/q/r/s/t", ""},
		{"/a/b/c/d/e/f/g/h/i/j/k/l/m/n/o/p/q/r/s/t/", ""},
		{"/a/b/c/d/e/f/g/h/i/j/k/l/m/n/o/p/q/r/s/t/u", "more than 20 path segments"},
		{"/" + strings.Repeat("x", 8000), ""},
		{"/docs/docs/docs/", ""},
		{"/docs/docs/docs/docs/", `"docs" occurs 4 times in the path`},
		{"/docs/x/docs/y/docs/z/docs", `"docs" occurs 4 times in the path`},
		{"/1/0/1/0/1/0/1/0", ""},
		{"/1/1/1/1", `"1" occurs 4 times in the path`},
		{"/a//b///c", ""},
		{"/a/////b", `"" occurs 4 times in the path`},
		{"/?a=1&a=1&a=1", ""},
		{"/?a=1&a=1&a=1&a=1", `parameter "a=1" occurs 4 times`},
		{"/?sfx=?sfx=?sfx=?sfx=", ""},
		{"/?sfx=?sfx=?sfx=?sfx=?sfx=", `"sfx=?" occurs 4 times in a row in the query`},
		{"/login?to=/login%3Fto=/login%3Fto=/login%3Fto=/", ""},
		{"/login?to=/login%3Fto=/login%3Fto=/login%3Fto=/login%3Fto=/", `"to=/login?" occurs 4 times in a row in the query`},
		{"/?box=0,0,0,0,0,0&tile=1/1/1/1/1/1/1/1&data=QQ======================", ""},
		{"/?q=yes+yes+yes+yes+yes+yes", ""},
		{"/?" + strings.Repeat("a&", 3) + "a", `parameter "a" occurs 4 times`},
		{"/?" + numberedParameters(50), ""},
		{"/?" + numberedParameters(51), "more than 50 parameters"},
		{"/?" + valuesOf("tag", 20), ""},
		{"/?" + valuesOf("tag", 21), `more than 20 parameters "tag"`},
		{"/login?next=%2525252Fa", "percent-encoded four times"},
		{"/login?next=%25252Fa", ""},
		{"/?", ""},
		{"/?&", ""},
	}
	for _, tt := range tests {
		if got, trapped := New(Limits{}).Check(parseURL(t, "http://example.com"+tt.url)); got != tt.want || trapped != (tt.want != "") {
			t.Errorf("%.80s: %q (%v), want %q", tt.url, got, trapped, tt.want)
		}
		if got, trapped := New(noTrapLimits).Check(parseURL(t, "http://example.com"+tt.url)); trapped && got != "percent-encoded four times" {
			t.Errorf("%.80s: %q without limits", tt.url, got)
		}
	}
}

// noTrapLimits disables every limit.
var noTrapLimits = Limits{-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1}

func numberedParameters(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "&p%d=x", i)
	}
	return b.String()[1:]
}

func valuesOf(name string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "&%s=%d", name, i)
	}
	return b.String()[1:]
}

func TestTrapTemplate(t *testing.T) {
	tests := []struct{ path, want string }{
		{"/", "/"},
		{"/calendar/2026/11/21", "/calendar/{n}/{n}/{n}"},
		{"/docs/v1.22/page-7.html", "/docs/v{n}.{n}/page-{n}.html"},
		{"/item/550e8400-e29b-41d4-a716-446655440000/x", "/item/{id}/x"},
		{"/commit/4f2a9c81", "/commit/{id}"},
		{"/commit/deadbeef", "/commit/deadbeef"},
		{"/utf8/mp3/h264", "/utf{n}/mp{n}/h{n}"},
		{"/2fast", "/{n}fast"},
		{"/s/aZ3k9Q/", "/s/{id}/"},
		{"/caf%C3%A9", "/caf%C{n}%A{n}"},
		{"/page.html;jsessionid=8F0A", "/page.html{session}"},
		{"/(S(abc123))/page.aspx", "/{session}/page.aspx"},
		{"/a;v=1/b", "/a;v={n}/b"},
	}
	for _, tt := range tests {
		var p pathShape
		p.read(tt.path, &defaultLimits)
		if got := p.template(); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.path, got, tt.want)
		}
	}
}

func TestTrapDates(t *testing.T) {
	tests := map[datePart][]string{
		dateMonth: {"/2026/11", "/cal/2026/1/", "/2026_11", "/1999/12", "/2999/12", "/2026/11/x", "/2026-11-agenda", "/2026.11"},
		dateDay:   {"/2026/11/21/x", "/2026/1/2", "/2026-11-21", "/events/20261121", "/2026.11.21.html", "/2026-11-21-post"},
		dateNone: {"/2026", "/2026/13", "/2026/0", "/rfc/3986/1", "/1234/12", "/2026/x/11", "/2026/nov", "/20261321",
			"/202611211", "/v2/2026", "/2026-x", "/2026--"},
	}
	for want, paths := range tests {
		for _, path := range paths {
			var p pathShape
			p.read(path, &defaultLimits)
			if p.date != want {
				t.Errorf("%s: date %d, want %d", path, p.date, want)
			}
		}
	}
}

// TestTrapBudgetsAreExact checks that counts are exact while there are few keys: even
// with concurrent calls, as many pages pass as the budget allows.
func TestTrapBudgetsAreExact(t *testing.T) {
	guards := New(Limits{Queries: 100, Spellings: 7})
	count := func(urls ...string) (passed int) {
		var mu sync.Mutex
		var wait sync.WaitGroup
		for part := range 4 {
			wait.Go(func() {
				for i := part; i < len(urls); i += 4 {
					u, _, err := urinorm.ParseWeb(urls[i])
					if _, trapped := guards.Check(u); err == nil && !trapped {
						mu.Lock()
						passed++
						mu.Unlock()
					}
				}
			})
		}
		wait.Wait()
		return passed
	}
	var pages, sessions, others []string
	for i := range 1000 {
		pages = append(pages, fmt.Sprintf("http://example.com/a?id=%d", i))
		sessions = append(sessions, fmt.Sprintf("http://example.com/b?x=1&PHPSESSID=%d", i))
		others = append(others, fmt.Sprintf("http://other.example/a?id=%d", i))
	}
	for name, passed := range map[string][2]int{
		"pages": {count(pages...), 100}, "sessions": {count(sessions...), 7}, "another host": {count(others...), 100},
	} {
		if passed[0] != passed[1] {
			t.Errorf("%s: %d pass, not %d", name, passed[0], passed[1])
		}
	}
}

func FuzzTraps(f *testing.F) {
	for _, s := range []string{"/a/b?c=d&e=f", "/2026/11/21", "/(S(x))/;sid=1", "/%25%25?&&=&", "/550e8400-e29b-41d4-a716-446655440000"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, target string) {
		u, _, err := urinorm.ParseWeb("http://example.com/" + target)
		if err != nil {
			return
		}
		one, two := New(Limits{}), New(Limits{Names: 1, Numbered: 1, Identified: 1, Days: 1, Months: 1, Sitemaps: 1, Queries: 1, Facets: 1})
		pattern, trapped := one.Check(u)
		if (pattern != "") != trapped {
			t.Errorf("%s: pattern %q, trapped %v", u, pattern, trapped)
		}
		if trapped {
			return
		}
		if pattern, trapped := two.Check(u); trapped {
			t.Errorf("%s: the first page exceeds a budget of one: %s", u, pattern)
		}
		if _, trapped := two.Check(u); !trapped {
			t.Errorf("%s: the second page does not exceed a budget of one", u)
		}
	})
}

func BenchmarkTraps(b *testing.B) {
	for _, url := range []string{
		"https://docs.example.com/en/latest/reference/functions/string-handling.html",
		"https://docs.example.com/api/java.base/java/util/concurrent/locks/ReentrantReadWriteLock.ReadLock.html",
		"https://docs.example.com/2026/11/21/550e8400-e29b-41d4-a716-446655440000?page=2&sort=name&order=asc",
	} {
		u := parseURL(b, url)
		b.Run(u.Path()[:12], func(b *testing.B) {
			limits := noTrapLimits
			limits.Segments, limits.Repeats = 20, 3
			guards := New(limits)
			b.ReportAllocs()
			for b.Loop() {
				guards.Check(u)
			}
		})
	}
}

// TestTrapCounts checks that counts are exact while there are few keys, that they are
// never too low with more keys, and that switching to sketches loses nothing.
func TestTrapCounts(t *testing.T) {
	var pages pageCounts
	var spellings spellingCounts
	strangers := 0
	for round := 1; round <= maxSpellings+3; round++ {
		for key := range uint64(100) {
			n, m := pages.add(key), spellings.add(key)
			if n < round || m < min(round, maxSpellings+1) || m > maxSpellings+1 {
				t.Fatalf("key %d, round %d: counted %d and %d", key, round, n, m)
			}
			if strangers <= maxExactKeys-100 && (n != round || m != min(round, maxSpellings+1)) {
				t.Fatalf("key %d, round %d, %d other keys: counted %d and %d", key, round, strangers, n, m)
			}
		}
		for range 40 {
			strangers++
			pages.add(1000 + uint64(strangers))
			spellings.add(1000 + uint64(strangers))
		}
	}
	if pages.exact != nil || spellings.exact != nil || strangers < 2*maxExactKeys {
		t.Errorf("%d keys still have exact counts", len(pages.exact))
	}
}

func parseURL(t testing.TB, s string) urinorm.URL {
	t.Helper()
	u, _, err := urinorm.ParseWeb(s)
	if err != nil {
		t.Fatal(err)
	}
	return u
}
