package crawler

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/result"
)

// Redirects: what happens on the way, and where it may lead.

// A cookie set on the way ends what looks like a loop; a true loop stays one, with
// its hops.
func TestCookiesOnTheWay(t *testing.T) {
	has := func(x *exchange) bool { return strings.Contains(x.request.Header.Get("Cookie"), "seen=1") }
	let := func(to string, set bool) func(*exchange) {
		return func(x *exchange) {
			if has(x) {
				page("<p id=in>let in <a href=/inside>x</a>")(x)
				return
			}
			cookie := ""
			if set {
				cookie = "Set-Cookie: seen=1; Path=/\r\n"
			}
			x.say("302 Found", "Location: "+to+"\r\n"+cookie, "")
		}
	}
	answer := at(map[string]func(*exchange){
		"site.test/":       page("<a href=http://self.test/a>x</a><a href=http://circle.test/a>x</a><a href=http://circle.test/a#in>x</a><a href=http://three.test/a>x</a><a href=http://never.test/a>x</a><a href=/door>x</a>"),
		"self.test/a":      let("/a", true),
		"circle.test/a":    let("/b", false),
		"circle.test/b":    func(x *exchange) { x.say("302 Found", "Location: /a\r\nSet-Cookie: seen=1; Path=/\r\n", "") },
		"three.test/a":     let("/b", true),
		"three.test/b":     redirect(302, "/c"),
		"three.test/c":     redirect(302, "/a"),
		"never.test/a":     func(x *exchange) { x.say("302 Found", "Location: /b\r\nSet-Cookie: seen=1; Path=/\r\n", "") },
		"never.test/b":     redirect(302, "/a"),
		"site.test/door":   let("/stamp", false),
		"site.test/stamp":  func(x *exchange) { x.say("303 See Other", "Location: /door\r\nSet-Cookie: seen=1\r\n", "") },
		"site.test/inside": page("<p>inside"),
	})
	for range 5 { // whoever is first
		cfg, _ := realWeb(t, answer)
		c, _ := crawl(t, cfg, seedOf(t, "http://site.test/"))
		judged(t, c, map[string]string{"http://self.test/a": "ok ok", "http://circle.test/a": "ok ok", "http://circle.test/a#in": "ok ok",
			"http://three.test/a": "ok ok", "http://never.test/a": "broken redirect-loop", "http://site.test/door": "ok ok", "http://site.test/inside": "ok ok"})
		if r := c.find("http://never.test/a"); r != nil && len(r.Redirects) != 2 {
			t.Errorf("the loop's hops are %v", r.Redirects)
		}
	}
}

// A chain that is too long is told up to where nobody follows it any more, whatever
// else leads into its middle.
func TestLongChains(t *testing.T) {
	const hops, limit = 40, 10
	pages := map[string]func(*exchange){}
	links := ""
	for i := range hops {
		pages[fmt.Sprintf("site.test/r%d", i)] = redirect(302, fmt.Sprintf("/r%d", i+1))
		links += fmt.Sprintf("<a href=/r%d>x</a>", i)
	}
	pages[fmt.Sprintf("site.test/r%d", hops)] = page("<p>the end")
	told := map[string]*result.Result{}
	for name, body := range map[string]string{"one": "<a href=/r0>x</a>", "all": links} {
		pages["site.test/"] = page(body)
		cfg, _ := realWeb(t, at(pages))
		cfg.Limits.MaxRedirects = limit
		c, _ := crawl(t, cfg, seedOf(t, "http://site.test/"))
		for i := range hops {
			r := c.find(fmt.Sprintf("http://site.test/r%d", i))
			if r == nil {
				if name == "all" {
					t.Errorf("nothing is told of /r%d", i)
				}
				continue
			}
			code, most := check.CodeRedirectLimit, limit+1
			if hops-i <= limit {
				code, most = check.CodeOK, hops-i
			}
			if r.Code != code || len(r.Redirects) != most {
				t.Errorf("%s: %s is %s after %d redirects, want %s after %d", name, r.URL, r.Code, len(r.Redirects), code, most)
			}
		}
		told[name] = c.find("http://site.test/r0")
	}
	if one, all := told["one"], told["all"]; !slices.Equal(one.Redirects, all.Redirects) || one.FinalURL != all.FinalURL || one.Attempts != all.Attempts {
		t.Errorf("alone %+v, beside others %+v", one, all)
	}
}

// Rules hold at every hop, and so does the border of the site.
func TestRulesAtEveryHop(t *testing.T) {
	pages := map[string]func(*exchange){
		"site.test/":         page("<a href=/out>x</a><a href=/banned>x</a><a href=/twice>x</a><a href=/soft>x</a><a href=http://far.test/x>x</a><a href=/harsh>x</a><a href=/mild>x</a>"),
		"site.test/out":      redirect(302, "http://far.test/x"),
		"site.test/twice":    redirect(302, "/out"),
		"site.test/banned":   redirect(301, "/private/x"),
		"site.test/soft":     redirect(302, "/lenient/x"),
		"site.test/lenient/": page("x"), "site.test/lenient/x": status("403 No"),
		"far.test/x": status("403 No"), "site.test/harsh": redirect(302, "/mild"), "site.test/mild": redirect(302, "http://far.test/x"),
	}
	cfg, server := realWeb(t, at(pages))
	cfg.Scope.Exclude = patterns(`/private/`)
	cfg.Scope.External = SkipExternal
	c, _ := crawl(t, cfg, seedOf(t, "http://site.test/"))
	judged(t, c, map[string]string{"http://site.test/out": "skipped external", "http://site.test/twice": "skipped external", "http://far.test/x": "skipped external",
		"http://site.test/banned": "skipped excluded", "http://site.test/soft": "broken http-403"})
	if n := server.count("far.test/x") + server.count("site.test/private/x"); n > 0 {
		t.Errorf("what a rule leaves out was asked behind a redirect")
	}

	cfg, _ = realWeb(t, at(pages)) // checked: external from there on
	accept := new(check.Statuses)
	if err := accept.Add(403, 403); err != nil {
		t.Fatal(err)
	}
	in := func(part string) func(string) bool { return func(u string) bool { return strings.Contains(u, part) } }
	cfg.Judging.Rules = []Rule{{Name: "lenient", Accept: accept, Match: in("/lenient/")},
		{Name: "harsh", Verdict: "broken", Match: in("/harsh")}, {Name: "mild", Verdict: "unverified", Match: in("/mild")}}
	c, _ = crawl(t, cfg, seedOf(t, "http://site.test/"))
	judged(t, c, map[string]string{"http://site.test/out": "unverified http-403", "http://site.test/soft": "ok ok",
		"http://site.test/mild": "unverified http-403", "http://site.test/harsh": "broken http-403"})
	if r := c.find("http://site.test/out"); r != nil && r.Internal {
		t.Errorf("%+v is judged as our own", r)
	}
}

// A rule sees a target with its fragment, as it is printed, or else the document; the
// first one counts.
func TestRulesSeeFragments(t *testing.T) {
	cfg, _ := realWeb(t, at(map[string]func(*exchange){
		"site.test/":  page("<a href=/a>x</a><a href=/a#x>x</a><a href=/a#y>x</a><a href=/a#z>x</a><a href=/b#z>x</a><a href=/c>x</a><a href=/c#y>x</a>"),
		"site.test/a": page("a"), "site.test/b": page("b"), "site.test/c": status("404 No"),
	}))
	exactly := func(url string) func(string) bool { return func(u string) bool { return u == url } }
	cfg.Judging.Rules = []Rule{{Name: "left out", Verdict: "ignore", Match: exactly("http://site.test/a")},
		{Name: "x", Verdict: "unverified", Match: exactly("http://site.test/a#x")},
		{Name: "c", Verdict: "unverified", Match: exactly("http://site.test/c")},
		{Name: "z", Verdict: "unverified", Match: func(u string) bool { return strings.HasSuffix(u, "#z") }},
		{Name: "left out too", Verdict: "ignore", Match: exactly("http://site.test/c#y")}}
	c, _ := crawl(t, cfg, seedOf(t, "http://site.test/"))
	judged(t, c, map[string]string{"http://site.test/a": "skipped excluded", "http://site.test/a#x": "unverified fragment-missing",
		"http://site.test/a#y": "broken fragment-missing", "http://site.test/a#z": "unverified fragment-missing", "http://site.test/b#z": "unverified fragment-missing",
		"http://site.test/c": "unverified http-404", "http://site.test/c#y": "unverified http-404"})
	for _, r := range c.results {
		rule := cfg.Judging.RuleFor(r.URL)
		if said := rule != nil; said != (r.Verdict == check.Unverified || r.Code == check.CodeExcluded) {
			t.Errorf("%s: %s, but the rule is %v", r.URL, r.Verdict, rule)
		}
	}
}

// 200, but hardly what the author meant.
func TestSuspects(t *testing.T) {
	cfg, _ := realWeb(t, at(map[string]func(*exchange){
		"site.test/": page(`<a href=http://old.example/book/chapter>x</a><a href=http://moved.test/deep/page>x</a><a href=http://moved.test/>x</a>
			<a href=http://app.test/report/7>x</a><a href=http://steps.test/a>x</a><a href=http://sold.test/>x</a>`),
		"old.example/book/chapter": redirect(301, "http://www.casino.invalid/"), "moved.test/deep/page": redirect(302, "/"), "moved.test/": page("<p>home"),
		"www.casino.invalid/": page("<p>play"),
		"app.test/report/7":   redirect(302, "/users/sign_in?next=%2Freport%2F7"), "app.test/users/sign_in?next=%2Freport%2F7": page("<form><input type=password></form>"),
		"steps.test/a": redirect(301, "/b"), "steps.test/b": redirect(302, "/c"), "steps.test/c": page("c"),
		"sold.test/": page(`<meta http-equiv=refresh content="0;url=http://parking.invalid/"><p>for sale`), "parking.invalid/": page("buy"),
	}))
	c, sum := crawl(t, cfg, seedOf(t, "http://site.test/"))
	judged(t, c, map[string]string{"http://old.example/book/chapter": "ok ok+redirect-to-other-site", "http://moved.test/deep/page": "ok ok+redirect-to-root",
		"http://app.test/report/7": "ok ok+redirect-to-login", "http://steps.test/a": "ok ok+redirect-permanent"})
	if r := c.find("http://moved.test/"); r == nil || len(r.Warnings) > 0 {
		t.Errorf("a link to a home page: %+v", r)
	}
	if sum.Broken+sum.Unverified > 0 {
		t.Errorf("suspects fail the run: %+v", sum.ByCode)
	}
	for _, w := range c.find("http://steps.test/a").Warnings {
		if w.Code == check.CodeRedirectPermanent && w.Proposal != "http://steps.test/b" {
			t.Errorf("proposed is %s, past a temporary redirect", w.Proposal)
		}
	}
}

// TestFragmentOfRedirect tests that a fragment that a redirect brings is judged on the page
// it leads to, although no link asks for the content of that page. A fragment of the
// Location replaces that of the link (RFC 9110 section 10.2.2).
func TestFragmentOfRedirect(t *testing.T) {
	static := "<!doctype html><p id=there>x"
	answer := at(map[string]func(*exchange){
		"site.test/": page("<a href=http://e.test/gone>1</a><a href=http://e.test/fine>2</a><a href=http://e.test/far>3</a><a href=http://e.test/fine#gone>4</a>" +
			"<a href=http://e.test/plain#gone>5</a><a href=http://e.test/plain#there>6</a><a href=http://e.test/new>7</a><a href=http://e.test/ignored>8</a><a href=http://e.test/script>9</a>"),
		"e.test/gone":    redirect(301, "/new#gone"),
		"e.test/fine":    redirect(302, "/new#there"),
		"e.test/far":     redirect(301, "/middle#far"),
		"e.test/middle":  redirect(301, "/other"),
		"e.test/plain":   redirect(301, "/new"),
		"e.test/ignored": redirect(301, "/new#!route"),
		"e.test/script":  redirect(301, "/scripted#made"),
		"e.test/new":     page(static), "e.test/other": page(static), "e.test/scripted": page(static + "<script src=/x.js></script>"),
	})
	for _, workers := range []int{1, 8} {
		for _, stream := range []bool{false, true} {
			cfg, _ := realWeb(t, answer)
			cfg.Politeness.Concurrency, cfg.Deliver.Stream = workers, stream
			c, _ := crawl(t, cfg, seedOf(t, "http://site.test/"))
			judged(t, c, map[string]string{
				"http://e.test/gone": "broken fragment-missing", "http://e.test/fine": "ok ok", "http://e.test/far": "broken fragment-missing",
				"http://e.test/fine#gone": "ok ok", "http://e.test/plain#gone": "broken fragment-missing", "http://e.test/plain#there": "ok ok",
				"http://e.test/new": "ok ok", "http://e.test/ignored": "ok ok", "http://e.test/script": "unverified fragment-unverified"})
			for url, want := range map[string]string{"http://e.test/gone": `redirected to http://e.test/new#gone: no element has the id "gone"`,
				"http://e.test/far": `redirected to http://e.test/middle#far: no element has the id "far"`, "http://e.test/plain#gone": `no element has the id "gone"`} {
				if r := c.find(url); r != nil && (r.Message != want || len(r.Suggestions) > 0) {
					t.Errorf("%s: %s %v, want %s", url, r.Message, r.Suggestions, want)
				}
			}
		}
	}
}

// TestJudgedLikeALink tests that a seed that is neither read nor crawled is judged like a link of another
// site, and makes no site internal: not its own, nor the one that it redirects to.
func TestJudgedLikeALink(t *testing.T) {
	cfg, _ := realWeb(t, at(map[string]func(*exchange){
		"a.test/moved": redirect(301, "http://b.test/no"), "a.test/no": status("403 No"), "b.test/no": status("403 No"), "c.test/no": status("403 No"),
	}))
	var seeds []Seed
	for _, url := range []string{"http://a.test/moved", "http://a.test/no", "http://b.test/no", "http://c.test/no"} {
		seeds = append(seeds, Seed{URL: seedOf(t, url)[0].URL, Named: true, Raw: url})
	}
	seeds[3].Crawl = true
	c, _ := crawl(t, cfg, seeds)
	judged(t, c, map[string]string{"http://a.test/moved": "unverified http-403", "http://a.test/no": "unverified http-403", "http://b.test/no": "unverified http-403", "http://c.test/no": "broken http-403"})
}
