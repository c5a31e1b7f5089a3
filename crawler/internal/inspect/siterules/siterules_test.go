package siterules

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/internal/inspect/facts"
	"github.com/orbweaver/orbweaver/crawler/internal/inspect/pagerules"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
)

const everything = pagerules.SEO | pagerules.Images | pagerules.Security | pagerules.I18n | pagerules.Duplicates

// site is a Site for tests. The URLs of its pages are their only addresses, apart from targets.
type site struct {
	pages   []sitePage
	targets map[string]Target // by URL
	entries []Entry
	starts  []Start
}

type sitePage struct {
	facts.Page
	linked bool
}

// id returns the number of a page, from 1.
func (s *site) id(url string) ID {
	return ID(slices.IndexFunc(s.pages, func(p sitePage) bool { return p.URL == url }) + 1)
}

func (s *site) Pages(each func(*Page) error) error {
	for i := range s.pages {
		p := &s.pages[i]
		if err := each(&Page{ID: s.id(p.URL), URL: p.URL, Facts: facts.AppendPage(nil, &p.Page), Linked: p.linked}); err != nil {
			return err
		}
	}
	return nil
}

func (s *site) Target(url string) (Target, error) {
	t, ok := s.targets[url]
	if !ok {
		t = Target{State: OK, URL: url}
	}
	if id := s.id(cmp.Or(t.URL, url)); id > 0 {
		t.ID = id
	} else if !ok {
		return Target{}, nil
	}
	return t, nil
}

func (s *site) Sitemaps(each func(*Entry) error) error {
	for i := range s.entries {
		if err := each(&s.entries[i]); err != nil {
			return err
		}
	}
	return nil
}

func (s *site) Starts() []Start { return s.starts }

// findings judges a site and returns what is found, with the address of the page:
// "/a title-duplicate".
func (s *site) findings(t testing.TB, groups pagerules.Groups) (lines []string, all []Finding) {
	t.Helper()
	err := Judge(s, Config{Groups: groups, ImageMax: 500}, func(f Finding) error {
		url := fmt.Sprint(f.ID)
		if int(f.ID) <= len(s.pages) && f.ID > 0 {
			url = strings.TrimPrefix(s.pages[f.ID-1].URL, "https://example.com")
		}
		lines = append(lines, url+" "+string(f.Code))
		all = append(all, f)
		if f.Message == "" || f.Verdict != check.OK || f.Line > 0 && f.Element == "" {
			t.Errorf("%s: %+v", url, f)
		}
		if _, known := check.Lookup(f.Code); !known {
			t.Errorf("unknown code %s", f.Code)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(lines)
	return lines, all
}

// expect compares what is found with lines.
func (s *site) expect(t *testing.T, name string, groups pagerules.Groups, want ...string) []Finding {
	t.Helper()
	got, all := s.findings(t, groups)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("%s: found %q, want %q", name, got, want)
	}
	return all
}

func url(path string) string { return "https://example.com" + path }

func aPage(path string, change ...func(*sitePage)) sitePage {
	p := sitePage{Page: facts.Page{URL: url(path)}}
	for _, c := range change {
		c(&p)
	}
	return p
}

func aTitle(hash uint64) func(*sitePage) {
	return func(p *sitePage) {
		p.Title = facts.Text{Place: facts.Place{Line: 1, Column: 2}, Hash: hash, Excerpt: "T", Raw: "T!"}
	}
}

func aDescription(hash uint64) func(*sitePage) {
	return func(p *sitePage) {
		p.Description = facts.Text{Place: facts.Place{Line: 3, Column: 4}, Hash: hash, Excerpt: "D", Raw: "D!"}
	}
}

func aBody(hash uint64, words int, similar uint64) func(*sitePage) {
	return func(p *sitePage) { p.Body = facts.Fingerprint{Hash: hash, Words: words, Similar: similar} }
}

func noindex(p *sitePage) {
	p.NoIndex, p.NoIndexPlace, p.NoIndexRaw = true, facts.Place{Line: 5, Column: 6}, "N"
}
func linked(p *sitePage) { p.linked = true }

func link(to string) facts.Link {
	return facts.Link{Place: facts.Place{Line: 7, Column: 8}, URL: to, Raw: "raw"}
}

func canonical(to string) func(*sitePage) {
	return func(p *sitePage) {
		p.Canonicals = append(p.Canonicals, facts.Canonical{Link: link(to), Self: to == p.URL})
	}
}

func hreflang(paths ...string) func(*sitePage) {
	return func(p *sitePage) {
		for _, path := range paths {
			p.Alternates = append(p.Alternates, facts.Alternate{Link: link(url(path)), Language: "de"})
		}
	}
}

func TestEqualPages(t *testing.T) {
	s := &site{pages: []sitePage{
		aPage("/c", aTitle(1), aDescription(9)), aPage("/a", aTitle(1)), aPage("/b", aTitle(1)), aPage("/d", aTitle(2), aDescription(9)), aPage("/e"), aPage("/f"),
		aPage("/noindex", aTitle(1), noindex), aPage("/elsewhere", aTitle(2), canonical(url("/d"))),
		aPage("/self", aTitle(3), canonical(url("/self"))), aPage("/http", aTitle(3), canonical("http://example.com/http")),
	}, targets: map[string]Target{"http://example.com/http": {State: OK, URL: url("/http"), Redirects: true}}}
	all := s.expect(t, "titles", pagerules.SEO, "/a title-duplicate", "/b title-duplicate", "/c title-duplicate", "/c description-duplicate", "/d description-duplicate",
		"/self title-duplicate", "/http title-duplicate", "/http canonical-chain")
	messages := map[string]string{}
	for _, f := range all {
		messages[fmt.Sprint(f.ID, " ", f.Code)] = fmt.Sprintf("%d:%d %s %s %q %q: %s", f.Line, f.Column, f.Element, f.Attribute, f.Text, f.Raw, f.Message)
	}
	for key, want := range map[string]string{
		"1 title-duplicate":       `1:2 title  "T" "T!": 2 other pages have the same title, such as https://example.com/a`,
		"2 title-duplicate":       `1:2 title  "T" "T!": 2 other pages have the same title, such as https://example.com/b`,
		"4 description-duplicate": `3:4 meta content "D" "D!": the page https://example.com/c has the same description`,
	} {
		if messages[key] != want {
			t.Errorf("%s: %s, want %s", key, messages[key], want)
		}
	}
	s.expect(t, "another group", pagerules.Images|pagerules.I18n|pagerules.Duplicates|pagerules.Security)
}

func TestDuplicateContent(t *testing.T) {
	s := &site{pages: []sitePage{
		aPage("/a", aBody(1, 20, 0)), aPage("/b", aBody(1, 20, 0)), aPage("/short1", aBody(2, 19, 0)), aPage("/short2", aBody(2, 19, 0)),
		aPage("/noindex", aBody(1, 20, 0), noindex), aPage("/other", aBody(1, 20, 0), canonical(url("/a"))),
		// The second differs from the first in three bits, the third in four; the fourth is too short.
		aPage("/n1", aBody(11, 50, 0xF000)), aPage("/n2", aBody(12, 50, 0xF007)), aPage("/n3", aBody(13, 50, 0xF0F0)), aPage("/n4", aBody(14, 49, 0xF000)),
		aPage("/same1", aBody(21, 50, 1<<40-1)), aPage("/same2", aBody(22, 60, 1<<40-1)),
		aPage("/eq1", aBody(31, 50, 0x5555)), aPage("/eq2", aBody(31, 50, 0x5555)),
	}}
	all := s.expect(t, "texts", pagerules.Duplicates, "/a duplicate-content", "/b duplicate-content", "/eq1 duplicate-content", "/eq2 duplicate-content",
		"/n1 near-duplicate", "/n2 near-duplicate", "/same1 near-duplicate", "/same2 near-duplicate")
	for _, f := range all {
		if f.ID == s.id(url("/n2")) && f.Message != "the page https://example.com/n1 has nearly the same text" ||
			f.ID == s.id(url("/same1")) && f.Message != "the page https://example.com/same2 has nearly the same text" {
			t.Errorf("%+v", f)
		}
	}
	s.expect(t, "another group", everything&^pagerules.Duplicates)
}

func TestCanonicals(t *testing.T) {
	s := &site{pages: []sitePage{
		aPage("/broken", canonical(url("/404"))), aPage("/redirects", canonical(url("/moved"))), aPage("/chain", canonical(url("/other"))),
		aPage("/other", canonical(url("/end"))), aPage("/end", canonical(url("/end"))), aPage("/unknown", canonical("https://example.net/")),
		aPage("/loop1", canonical(url("/loop2"))), aPage("/loop2", canonical(url("/loop1"))),
		aPage("/both", canonical(url("/404")), canonical(url("/moved"))),
	}, targets: map[string]Target{url("/404"): {State: Broken}, url("/moved"): {State: OK, URL: url("/end"), Redirects: true}}}
	all := s.expect(t, "canonicals", pagerules.SEO, "/broken canonical-broken", "/redirects canonical-chain", "/chain canonical-chain", "/loop1 canonical-chain", "/loop2 canonical-chain",
		"/both canonical-broken", "/both canonical-chain")
	if f := all[0]; f.Line != 7 || f.Column != 8 || f.Element != "link" || f.Attribute != "href" || f.Raw != "raw" {
		t.Errorf("%+v", f)
	}
	s.expect(t, "another group", everything&^pagerules.SEO)
}

func TestNoindexLinked(t *testing.T) {
	header := func(p *sitePage) { p.NoIndexPlace = facts.Place{} }
	s := &site{pages: []sitePage{aPage("/a", noindex, linked), aPage("/b", noindex), aPage("/c", linked), aPage("/d", noindex, linked, header)}}
	all := s.expect(t, "noindex", pagerules.SEO, "/a noindex-linked", "/d noindex-linked")
	if a, d := all[0], all[1]; a.Element != "meta" || a.Line != 5 || a.Raw != "N" || d.Element != "header" || d.Attribute != "x-robots-tag" {
		t.Errorf("%+v, %+v", a, d)
	}
}

func TestHreflang(t *testing.T) {
	s := &site{pages: []sitePage{
		// All name all.
		aPage("/en", hreflang("/en", "/de", "/fr")), aPage("/de", hreflang("/de", "/en", "/fr")), aPage("/fr", hreflang("/fr", "/de", "/en", "/en")),
		// Not all are named, but those that are answer.
		aPage("/1", hreflang("/1", "/2", "/3")), aPage("/2", hreflang("/1", "/2")), aPage("/3", hreflang("/1")),
		// The page does not answer, has no such links, answers by a redirect, was not read.
		aPage("/x", hreflang("/x", "/y", "/none", "/moved", "/unread", "/404")), aPage("/y", hreflang("/y")), aPage("/none"), aPage("/z", hreflang("/to-x")),
		aPage("/p", hreflang("/p", "/q", "/q")), aPage("/q", hreflang("/p", "/q"), canonical(url("/r"))), aPage("/r"),
	}, targets: map[string]Target{url("/moved"): {State: OK, URL: url("/z"), Redirects: true}, url("/to-x"): {State: OK, URL: url("/x"), Redirects: true},
		url("/unread"): {State: OK, ID: 1000, URL: "-"}, url("/404"): {State: Broken, ID: 1001, URL: "-"}}}
	all := s.expect(t, "hreflang", pagerules.I18n, "/x hreflang-not-reciprocal", "/x hreflang-not-reciprocal", "/p hreflang-not-canonical")
	for _, f := range all {
		if f.Code == judging.CodeHreflangNotReciprocal && f.In == s.id(url("/x")) && f.Line == 7 && f.Raw == "raw" &&
			(strings.Contains(f.Message, url("/y")) || strings.Contains(f.Message, url("/none"))) {
			continue
		}
		if f.Code != judging.CodeHreflangNotCanonical {
			t.Errorf("%+v", f)
		}
	}
	s.expect(t, "another group", everything&^pagerules.I18n)
}

func TestImages(t *testing.T) {
	image := func(path string, width, height int) facts.Image {
		return facts.Image{Link: link(url(path)), Width: width, Height: height}
	}
	size := facts.AppendTarget(nil, &facts.Target{Width: 400, Height: 300})
	s := &site{pages: []sitePage{
		aPage("/a", func(p *sitePage) {
			p.Images = []facts.Image{image("/large", 0, 0), image("/large", 10, 10), image("/500", 0, 0), image("/404", 0, 0), image("/unknown", 1, 1)}
		}),
		aPage("/b", func(p *sitePage) {
			p.Images = []facts.Image{image("/400", 200, 150), image("/400", 201, 150), image("/400", 200, 151), image("/400", 400, 300), image("/400", 0, 0), image("/svg", 1, 1)}
		}),
	}, targets: map[string]Target{url("/large"): {State: OK, Size: 501}, url("/500"): {State: OK, Size: 500}, url("/404"): {State: Broken, Size: 1000},
		url("/400"): {State: OK, Size: 10, Facts: size}, url("/svg"): {State: OK, Facts: facts.AppendTarget(nil, &facts.Target{})}}}
	all := s.expect(t, "images", pagerules.Images, "/a image-large", "/b image-scaled")
	if f := all[1]; f.Message != "the image has 400 by 300 pixels and is shown with 200 by 150" || f.Element != "img" || f.Attribute != "src" || f.Line != 7 {
		t.Errorf("%+v", f)
	}
	s.expect(t, "another group", everything&^pagerules.Images)
}

func TestFavicon(t *testing.T) {
	icon := func(p *sitePage) { p.HasIcon = true }
	s := &site{pages: []sitePage{aPage("/b"), aPage("/a"), aPage("/icon", icon), aPage("/directory"), aPage("/not-a-start")},
		starts: []Start{{1, "https://example.com", false}, {2, "https://example.com", false}, {3, "https://example.net", false}, {4, "https://site", true}}}
	all := s.expect(t, "icons", pagerules.Images, "/a favicon-missing", "/directory favicon-missing")
	for i, want := range []string{"the page names no icon, and its host has no /favicon.ico", "the page names no icon, and its directory has no favicon.ico"} {
		if all[i].Message != want {
			t.Errorf("message %q, want %q", all[i].Message, want)
		}
	}
	s.expect(t, "another group", everything&^pagerules.Images)
}

func TestIntegrity(t *testing.T) {
	right, wrong := sha256.Sum256([]byte("right")), sha256.Sum256([]byte("wrong"))
	target, err := facts.TargetOf(strings.NewReader("right"), 100)
	if err != nil {
		t.Fatal(err)
	}
	expecting := func(path, digests string, script bool) func(*sitePage) {
		return func(p *sitePage) {
			p.Integrities = append(p.Integrities, facts.Integrity{Link: link(url(path)), Script: script, Algorithm: facts.SHA256, Digests: digests})
		}
	}
	s := &site{pages: []sitePage{
		aPage("/right", expecting("/a.js", string(right[:]), true)), aPage("/one-of-two", expecting("/a.js", string(wrong[:])+string(right[:]), true)),
		aPage("/wrong", expecting("/a.js", string(wrong[:]), true), expecting("/a.js", string(wrong[:])+string(wrong[:]), false)),
		aPage("/short", expecting("/a.js", "", true)),
		aPage("/unknown", expecting("/b.js", string(wrong[:]), true), expecting("/404", string(wrong[:]), true), expecting("/long.js", string(wrong[:]), true)),
	}, targets: map[string]Target{url("/a.js"): {State: OK, Facts: facts.AppendTarget(nil, &target)}, url("/404"): {State: Broken, Facts: facts.AppendTarget(nil, &target)},
		url("/long.js"): {State: OK, Facts: facts.AppendTarget(nil, &facts.Target{})}}}
	all := s.expect(t, "integrity", pagerules.Security, "/wrong sri-mismatch", "/wrong sri-mismatch", "/short sri-mismatch")
	if script, sheet := all[0], all[1]; script.Element != "script" || script.Attribute != "src" || sheet.Element != "link" || sheet.Attribute != "href" || script.VerdictOf() != check.Broken {
		t.Errorf("%+v, %+v", script, sheet)
	}
	s.expect(t, "another group", everything&^pagerules.Security)
}

// Browsers refuse what they load from another origin without CORS, whatever its hash is. Chromium
// does so even if the answer has Access-Control-Allow-Origin.
func TestIntegrityWithoutCORS(t *testing.T) {
	target, err := facts.TargetOf(strings.NewReader("right"), 100)
	if err != nil {
		t.Fatal(err)
	}
	right := sha256.Sum256([]byte("right"))
	opaque := func(path string) func(*sitePage) {
		return func(p *sitePage) {
			p.Integrities = append(p.Integrities, facts.Integrity{Link: link(url(path)), Script: true, Algorithm: facts.SHA256, Digests: string(right[:]), Opaque: true})
		}
	}
	s := &site{pages: []sitePage{aPage("/right", opaque("/a.js")), aPage("/unknown", opaque("/b.js")), aPage("/broken", opaque("/404"))},
		targets: map[string]Target{url("/a.js"): {State: OK, Facts: facts.AppendTarget(nil, &target)}, url("/404"): {State: Broken}}}
	all := s.expect(t, "integrity", pagerules.Security, "/right sri-mismatch")
	if want := "browsers refuse the script: it is from another origin, and without a crossorigin attribute they cannot compare its hash"; all[0].Message != want {
		t.Errorf("message %q, want %q", all[0].Message, want)
	}
}

// With CORS, browsers refuse what does not allow the origin of the page. Only the answer to a request
// that named this origin shows that.
func TestIntegrityWithCORS(t *testing.T) {
	const page = "https://example.com"
	right := sha256.Sum256([]byte("right"))
	for _, row := range []struct {
		sent, allowed string
		redirects     bool
		want          string // part of the message
	}{
		{page, "*", false, ""},
		{page, page, false, ""},
		{page, "", false, "its answer has no Access-Control-Allow-Origin"},
		{page, "https://example.net", false, "its answer allows https://example.net in Access-Control-Allow-Origin, not https://example.com"},
		{page, "*, *", false, "its answer allows *, *"},
		{page, "null", false, "its answer allows null"},
		{page, "", true, ""},
		{"", "", false, ""},
		{"https://www.example.com", "https://www.example.com", false, ""},
	} {
		target, err := facts.TargetOf(strings.NewReader("right"), 100)
		if err != nil {
			t.Fatal(err)
		}
		target.Origin, target.AllowOrigin = row.sent, row.allowed
		s := &site{pages: []sitePage{aPage("/p", func(p *sitePage) {
			p.Integrities = append(p.Integrities, facts.Integrity{Link: link(url("/a.js")), Script: true, Algorithm: facts.SHA256, Digests: string(right[:]), Origin: page})
		})}, targets: map[string]Target{url("/a.js"): {State: OK, Redirects: row.redirects, Facts: facts.AppendTarget(nil, &target)}}}
		if row.want == "" {
			s.expect(t, "integrity", pagerules.Security)
			continue
		}
		if all := s.expect(t, "integrity", pagerules.Security, "/p sri-mismatch"); len(all) == 1 && !strings.Contains(all[0].Message, row.want) {
			t.Errorf("message %q, want %q", all[0].Message, row.want)
		}
	}
}

func TestSitemaps(t *testing.T) {
	const sitemap = 500
	s := &site{pages: []sitePage{aPage("/ok"), aPage("/noindex", noindex), aPage("/elsewhere", canonical(url("/ok"))), aPage("/self", canonical(url("/self")))}}
	for i, e := range []Entry{
		{Target: Target{State: OK, ID: 1}, Linked: true},                            // 0
		{Target: Target{State: OK, ID: 1}},                                          // 1: an orphan
		{Target: Target{State: OK, ID: 1}, Start: true},                             // 2
		{Target: Target{State: Broken}, Linked: true},                               // 3
		{Target: Target{State: OK, ID: 1, URL: "/ok", Redirects: true}},             // 4
		{Target: Target{State: OK, ID: 2}, Linked: true},                            // 5
		{Target: Target{State: OK, ID: 3}, Linked: true},                            // 6
		{Target: Target{State: Unknown}},                                            // 7
		{Target: Target{State: OK, ID: 4}, Linked: true},                            // 8
		{Target: Target{State: OK, ID: 99}, Linked: true}, {Target: Target{ID: 98}}, // not pages
	} {
		e.Sitemap, e.Listed, e.Place, e.Raw = sitemap, ID(100+i), facts.Place{Line: 10 + i, Column: 9}, "loc"
		s.entries = append(s.entries, e)
	}
	all := s.expect(t, "sitemaps", pagerules.SEO, "101 orphan", "103 sitemap-not-ok", "104 sitemap-not-ok", "105 sitemap-not-ok", "106 sitemap-not-ok")
	if f := all[0]; f.In != sitemap || f.Line != 11 || f.Column != 9 || f.Element != "loc" || f.Raw != "loc" {
		t.Errorf("%+v", f)
	}
	s.expect(t, "another group", everything&^pagerules.SEO)
}

// TestOrder tells that findings do not depend on the order of the pages.
func TestOrder(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	s := &site{targets: map[string]Target{}}
	for i := range 300 {
		s.pages = append(s.pages, aPage(fmt.Sprintf("/%03d", i), aTitle(uint64(1+random.IntN(100))), aBody(uint64(1+random.IntN(150)), 60, uint64(random.IntN(1<<10))),
			hreflang(fmt.Sprintf("/%03d", random.IntN(300)), fmt.Sprintf("/%03d", i))))
		if i%7 == 0 {
			canonical(url(fmt.Sprintf("/%03d", random.IntN(300))))(&s.pages[i])
		}
	}
	byURL := func() map[string]int {
		found := map[string]int{}
		_, all := s.findings(t, everything)
		for _, f := range all {
			found[s.pages[f.ID-1].URL+" "+string(f.Code)+" "+f.Message]++
		}
		return found
	}
	want := byURL()
	if len(want) < 300 {
		t.Fatalf("only %d findings", len(want))
	}
	for range 5 {
		random.Shuffle(len(s.pages), func(i, j int) { s.pages[i], s.pages[j] = s.pages[j], s.pages[i] })
		if got := byURL(); !reflect.DeepEqual(got, want) {
			for _, k := range slices.Sorted(maps.Keys(want)) {
				if got[k] != want[k] {
					t.Errorf("%s: %d, want %d", k, got[k], want[k])
				}
			}
		}
	}
}

func TestErrors(t *testing.T) {
	failing := errors.New("store")
	s := &site{pages: []sitePage{aPage("/a", aTitle(1)), aPage("/b", aTitle(1))}}
	if err := Judge(s, Config{Groups: everything}, func(Finding) error { return failing }); !errors.Is(err, failing) {
		t.Errorf("emit: %v", err)
	}
	if err := Judge(brokenSite{s}, Config{Groups: everything}, func(Finding) error { return nil }); !errors.Is(err, facts.ErrMalformed) {
		t.Errorf("malformed facts: %v", err)
	}
}

type brokenSite struct{ *site }

func (s brokenSite) Pages(each func(*Page) error) error { return each(&Page{Facts: []byte("x")}) }

func TestMemoryOfAPage(t *testing.T) {
	if n := unsafe.Sizeof(known{}); n > 64 {
		t.Errorf("%d bytes", n)
	}
}
