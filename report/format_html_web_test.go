package report

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/result"
)

// site makes pages from lines "url depth link link …".
func site(lines ...string) (pages []*result.Page) {
	for _, line := range lines {
		f := strings.Fields(line)
		p := &result.Page{URL: f[0], Depth: int(f[1][0] - '0')}
		for _, l := range f[2:] {
			p.Links = append(p.Links, result.Edge{URL: l})
		}
		pages = append(pages, p)
	}
	slices.SortFunc(pages, func(a, b *result.Page) int { return strings.Compare(a.URL, b.URL) })
	return pages
}

// describeGraph lists the nodes of a graph with their rings and parents, then the broken links
// and the number of cross links.
func describeGraph(w *webGraph) string {
	var b strings.Builder
	for i, k := range w.nodes {
		name := k.url
		if name == "" {
			name = "(hub)"
		}
		fmt.Fprintf(&b, "%d %s", k.ring, name)
		if k.parent >= 0 {
			up := w.nodes[k.parent].url
			if up == "" {
				up = "(hub)"
			}
			fmt.Fprintf(&b, " on %s", up)
		}
		if i >= w.firstUnreached {
			b.WriteString(" unreached")
		}
		if k.broken+k.doubtful > 0 {
			fmt.Fprintf(&b, " %d broken %d doubtful", k.broken, k.doubtful)
		}
		b.WriteByte('\n')
	}
	for _, t := range w.crossLinks {
		fmt.Fprintf(&b, "%s - %s\n", w.nodes[t.from].url, w.nodes[t.to].url)
	}
	return b.String()
}

func TestWebGraphOfSite(t *testing.T) {
	broken := func(url string, pages ...string) *result.Result {
		r := &result.Result{URL: url, Verdict: check.Broken, Code: "http-404", Internal: true}
		for _, p := range pages {
			r.References = append(r.References, result.Reference{Page: p, Line: 1}, result.Reference{Page: p, Line: 2})
		}
		return r
	}
	named := &result.Result{URL: "s/index.html", Internal: true, ContentType: "text/html", References: []result.Reference{{Page: result.CommandLine}}}
	for _, test := range []struct {
		name    string
		targets []string
		pages   []*result.Page
		results []*result.Result
		want    string
	}{
		{"nothing", nil, nil, nil, "0 (hub)\n"},
		{"a crawl, and the nearest address of those that link first", []string{"https://a/"},
			site("https://a/ 0 https://a/all https://a/d/ https://a/d/#x https://a/ https://other/",
				"https://a/all 1 https://a/d/p https://a/q https://a/",
				"https://a/d/ 1 https://a/d/p https://a/q https://a/d/p#y",
				"https://a/d/p 2 https://a/all", "https://a/q 2"),
			[]*result.Result{broken("https://a/gone", "https://a/q", "https://a/d/p"), broken("https://a/lost", "https://a/q"), broken("https://a/start", result.CommandLine)},
			`0 https://a/
1 https://a/all on https://a/
1 https://a/d/ on https://a/
2 https://a/d/p on https://a/d/ 1 broken 0 doubtful
2 https://a/q on https://a/all 2 broken 0 doubtful
https://a/all - https://a/
https://a/all - https://a/d/p
https://a/d/ - https://a/q
https://a/d/p - https://a/all
`},
		{"a directory begins at its index, and tells what is not linked to", []string{"./s/"},
			site("s/index.html 0 s/a.html s/d/", "s/a.html 0", "s/d/index.html 0 s/a.html", "s/lost.html 0 s/a.html s/deep.html", "s/deep.html 0"), nil,
			`0 s/index.html
1 s/a.html on s/index.html
1 s/d/index.html on s/index.html
2 s/deep.html unreached
2 s/lost.html unreached
s/d/index.html - s/a.html
s/lost.html - s/a.html
s/lost.html - s/deep.html
`},
		{"a published directory", []string{"out"}, site("https://a/x/index.html 0 https://a/x/b.html", "https://a/x/b.html 0", "https://a/x/y/index.html 0"), nil,
			"0 https://a/x/index.html\n1 https://a/x/b.html on https://a/x/index.html\n2 https://a/x/y/index.html unreached\n"},
		{"several starts hang on a hub", []string{"https://a/", "https://b/"}, site("https://a/ 0 https://b/", "https://b/ 0 https://b/c", "https://b/c 1"), nil,
			"0 (hub)\n1 https://a/ on (hub)\n1 https://b/ on (hub)\n2 https://b/c on https://b/\nhttps://a/ - https://b/\n"},
		{"documents without an index", []string{"a.md", "b.md"}, site("a.md 0", "b.md 0 a.md"), nil,
			"0 (hub)\n1 a.md on (hub)\n1 b.md on (hub)\nb.md - a.md\n"},
		{"redirects are followed", []string{"https://a/"}, site("https://a/ 0 https://a/old", "https://a/new 1"),
			[]*result.Result{{URL: "https://a/old#x", FinalURL: "https://a/new", Redirects: []result.Hop{{URL: "https://a/old", Status: 301}}, Warnings: []check.Warning{{Code: "redirect-permanent"}},
				References: []result.Reference{{Page: "https://a/"}}}},
			"0 https://a/ 0 broken 1 doubtful\n1 https://a/new on https://a/\n"},
		{"a saved report with all of it", []string{"s"}, nil,
			[]*result.Result{named, {URL: "s/a.html", Internal: true, ContentType: "text/html", References: []result.Reference{{Page: "s/index.html"}}}, broken("s/b.html", "s/a.html")},
			"0 s/index.html\n1 s/a.html on s/index.html 1 broken 0 doubtful\n"},
		{"a saved report with the findings alone", []string{"s"}, nil,
			[]*result.Result{broken("s/x", "s/index.html", "s/d/index.html", "s/d/e/f.html", "t.html")},
			`0 s/index.html 1 broken 0 doubtful
1 t.html on s/index.html 1 broken 0 doubtful
1 s/d/index.html on s/index.html 1 broken 0 doubtful
2 s/d/e/f.html on s/d/index.html 1 broken 0 doubtful
`},
		{"a file is named as its links' places name it", []string{"s"},
			site("s/index.html 0 s/a%20b.html", "s/a%20b.html 0 s/%C3%A9.html#x", "s/%C3%A9.html 0"), []*result.Result{broken("s/gone%20now", "s/a b.html")},
			"0 s/index.html\n1 s/a b.html on s/index.html 1 broken 0 doubtful\n2 s/é.html on s/a b.html\n"},
		{"and in a saved report", []string{"s"}, nil,
			[]*result.Result{named, {URL: "s/a%20b.html", Internal: true, ContentType: "text/html", References: []result.Reference{{Page: "s/index.html"}}}, broken("s/gone", "s/a b.html")},
			"0 s/index.html\n1 s/a b.html on s/index.html 1 broken 0 doubtful\n"},
	} {
		w := newWebGraph(&Head{Targets: test.targets}, test.pages, test.results)
		if got := describeGraph(w); got != test.want {
			t.Errorf("%s: got\n%swant\n%s", test.name, got, test.want)
		}
	}
}

// TestWebGraph tests the invariants of the graphs of random sites.
func TestWebGraph(t *testing.T) {
	for seed := range 20 {
		var pages []*result.Page
		n := 1 + seed*seed*7
		next := uint32(seed)*2654435761 + 1
		random := func(n int) int {
			next = next*1664525 + 1013904223
			return int(next>>8) % n
		}
		url := func(i int) string { return fmt.Sprintf("https://a/%d/%d", i%7, i) }
		for i := range n {
			p := &result.Page{URL: url(i), Depth: min(i, 1)}
			for range random(8) {
				p.Links = append(p.Links, result.Edge{URL: url(random(n))})
			}
			pages = append(pages, p)
		}
		slices.SortFunc(pages, func(a, b *result.Page) int { return strings.Compare(a.URL, b.URL) })
		w := newWebGraph(&Head{}, pages, nil)
		if len(w.nodes) != n || w.omitted.pages+w.omitted.crossLinks != 0 {
			t.Fatalf("seed %d: %d nodes of %d pages, omitted %v", seed, len(w.nodes), n, w.omitted)
		}
		ring := map[int][]webNode{}
		spokes := 0
		for i, k := range w.nodes {
			ring[k.ring] = append(ring[k.ring], k)
			if k.angle < 0 || k.angle >= fullTurn || k.radius < 0 {
				t.Fatalf("seed %d: node %d at angle %d, radius %d", seed, i, k.angle, k.radius)
			}
			if k.parent < 0 {
				continue
			}
			spokes++
			up := w.nodes[k.parent]
			if k.parent >= i || up.ring != k.ring-1 || up.radius >= k.radius {
				t.Fatalf("seed %d: node %d of ring %d has parent %d of ring %d", seed, i, k.ring, k.parent, up.ring)
			}
		}
		links := 0
		for i := range w.nodes {
			links += w.nodes[i].out
		}
		if spokes+len(w.crossLinks) != links {
			t.Errorf("seed %d: %d tree links and %d cross links for %d links", seed, spokes, len(w.crossLinks), links)
		}
		for r, all := range ring {
			for i, a := range all {
				for _, b := range all[:i] {
					// A hundredth is lost to rounding, and a row is slightly narrower than a node.
					if d := distance(a, b); d < nodeRoom*0.6 && n < 1500 {
						t.Fatalf("seed %d, ring %d of %d: %.0f hundredths between two nodes (%d at %d, %d at %d)", seed, r, len(all), d, a.radius, a.angle, b.radius, b.angle)
					}
				}
			}
		}
	}
}

func distance(a, b webNode) float64 {
	x, y := 2*math.Pi*float64(a.angle)/fullTurn, 2*math.Pi*float64(b.angle)/fullTurn
	return math.Hypot(float64(a.radius)*math.Cos(x)-float64(b.radius)*math.Cos(y), float64(a.radius)*math.Sin(x)-float64(b.radius)*math.Sin(y))
}

// TestWebGraphIsBounded uses a site in which every page links to every other.
func TestWebGraphIsBounded(t *testing.T) {
	const n = 1000
	var pages []*result.Page
	res := &result.Result{URL: "https://a/gone", Verdict: check.Broken}
	for i := range n {
		p := &result.Page{URL: fmt.Sprintf("https://a/%04d", i), Depth: min(i, 1)}
		for k := range n {
			p.Links = append(p.Links, result.Edge{URL: fmt.Sprintf("https://a/%04d#%d", k, i)})
		}
		pages = append(pages, p)
		res.References = append(res.References, result.Reference{Page: p.URL})
	}
	few := &result.Result{URL: "https://a/lost", Verdict: check.Broken, References: res.References[:3]}
	w := newWebGraph(&Head{}, pages, []*result.Result{res, few})
	if len(w.crossLinks) != maxCrossLinks || w.omitted.crossLinks != n*(n-1)-(n-1)-maxCrossLinks {
		t.Errorf("%d cross links, %d omitted", len(w.crossLinks), w.omitted.crossLinks)
	}
	if w.siteWide != 1 || len(w.broken) != 3 || w.nodes[0].broken != 1 || w.nodes[5].broken != 0 {
		t.Errorf("%d site-wide, broken %v", w.siteWide, w.broken)
	}
	pages = chainedPages(maxWebPages + 50)
	w = newWebGraph(&Head{}, pages, nil)
	if len(w.nodes) != maxWebPages || w.omitted.pages != 50 {
		t.Errorf("%d nodes, %d omitted", len(w.nodes), w.omitted.pages)
	}
	// The longest possible chain of pages causes no deep recursion and no endless loop.
	pages = pages[:0]
	for i := range 20_000 {
		pages = append(pages, &result.Page{URL: fmt.Sprintf("https://a/%05d", i), Depth: min(i, 1), Links: []result.Edge{{URL: fmt.Sprintf("https://a/%05d", i+1)}}})
	}
	if w = newWebGraph(&Head{}, pages, nil); w.rings != 19_999 {
		t.Errorf("%d rings", w.rings)
	}
}

func TestBrokenLinksAreBounded(t *testing.T) {
	pages := []*result.Page{{URL: "https://a/"}}
	var results []*result.Result
	for i := range 100 {
		results = append(results, &result.Result{URL: fmt.Sprintf("https://b/%d", i), Verdict: check.Broken, References: []result.Reference{{Page: "https://a/"}, {Page: "style.css"}}})
	}
	w := newWebGraph(&Head{}, pages, results)
	if len(w.broken) != maxBrokenOfPage || w.omitted.broken != 100-maxBrokenOfPage+100 || w.nodes[0].broken != 100 {
		t.Errorf("%d broken, %d omitted, %d on the page", len(w.broken), w.omitted.broken, w.nodes[0].broken)
	}
}

// chainedPages returns pages that each link to ten others.
func chainedPages(n int) []*result.Page {
	url := func(i int) string { return fmt.Sprintf("https://example.com/p/%05d.html", i) }
	pages := make([]*result.Page, n)
	for i := range pages {
		p := &result.Page{URL: url(i), Title: fmt.Sprintf("Page %d", i), Depth: min(i, 5)}
		for k := 1; k <= 10; k++ {
			p.Links = append(p.Links, result.Edge{URL: url((i*7 + k) % n)})
		}
		pages[i] = p
	}
	return pages
}
