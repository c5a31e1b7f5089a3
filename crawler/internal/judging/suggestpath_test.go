package judging

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// asked returns the suggestions for missing URLs of https://e.test/ on a site with others.
func asked(broken []string, site ...string) map[string][]PathGuess {
	var g PathGuesser
	questions := map[string]*PathQuestion{}
	for _, u := range broken {
		questions[u] = g.Ask("https://e.test/" + u)
	}
	for i, u := range site {
		g.Consider("https://e.test/"+u, uint32(i+1))
	}
	all := map[string][]PathGuess{}
	for u, q := range questions {
		all[u] = q.Guesses(func(id uint32, url string) (string, bool) {
			return url, url == "https://e.test/"+site[id-1]
		})
	}
	return all
}

func TestSuggestPath(t *testing.T) {
	site := []string{
		"index.html", "guide/install.html", "guide/setup.html", "guide/index.html", "guide/", "guide/step-1.html", "guide/step-2.html",
		"reference/commands/", "reference/options.html", "images/Logo.png", "images/banner.png", "images/banner.svg",
		"blog/2024/hello-world/index.html", "blog/2023/hello-world/", "docs/quickstart.html", "a/changelog.md", "b/changelog.md",
		"README.md", "docs/contributing.md", "caf%C3%A9/menu.html", "v1/migration-guide.html", "docs/changes.html.gz", "api/setItem.html", "old/page", "old/page.html", "short/i.html", "short/faq.html",
		"man/git-am.html", "man/git-log.html", "man/git-bisect-run.html",
	}
	tests := []struct{ broken, want string }{
		// letter case and hyphens
		{"images/logo.png", "images/Logo.png! same name in different letter case"},
		{"Guide/Install.html", "guide/install.html! same name in different letter case"},
		{"docs/quick-start.html", "docs/quickstart.html! same name with different hyphens"},
		{"readme.md", "README.md! same name in different letter case"},
		// forms
		{"guide/install", "guide/install.html! same page in another form"},
		{"guide/install/", "guide/install.html! same page in another form"},
		{"guide/install.md", "guide/install.html same page in another form"},
		{"guide.html", "guide/! same page in another form"},
		{"reference/commands.html", "reference/commands/! same page in another form"},
		{"reference/commands/index.html", "reference/commands/! same page in another form"},
		{"docs/contributing/", "docs/contributing.md same page in another form"}, // which it may be published as
		{"docs/contributing.html", "docs/contributing.md! same page in another form"},
		{"old/page.htm", "old/page same page in another form, old/page.html same page in another form"},
		{"images/banner.html", ""},
		// a few letters
		{"guide/instal.html", "guide/install.html! closest path"},
		{"giude/install.html", "guide/install.html! closest path"},
		{"giude/", "guide/! closest path"},
		{"giude/index.html", "guide/! closest path"},
		{"referense/options.html", "reference/options.html! closest path"},
		{"reference/comands/", "reference/commands/! closest path"},
		{"images/baner.png", "images/banner.png! closest path"},
		{"images/baner.pn", "images/banner.png closest path"},
		{"images/banner.pgn", "images/banner.png closest path"}, // another extension is most often another file
		{"docs/changes.html", "docs/changes.html.gz closest path"},
		{"api/getItem.html", "api/setItem.html closest path"},
		{"guide/step-3.html", ""},
		{"short/a.html", ""}, // an extension that they share makes no names alike
		{"short/nix.html", ""},
		{"short/fax.html", "short/faq.html! closest path"},
		{"short/faqs.html", "short/faq.html closest path"}, // a plural is most often another page
		{"man/git-p4.html", ""},                            // its second word has nothing in common with another
		{"man/git-lgo.html", "man/git-log.html! closest path"},
		{"man/git-bisekt-run.html", "man/git-bisect-run.html! closest path"},
		{"blog/2022/hello-world/", "blog/2023/hello-world/ same name elsewhere, blog/2024/hello-world/ same name elsewhere"},
		{"caf%C3%A8/menu.html", "caf%C3%A9/menu.html! closest path"},
		// elsewhere
		{"install.html", "guide/install.html same name elsewhere"},
		{"v2/migration-guide.html", "v1/migration-guide.html same name elsewhere"},
		{"c/changelog.md", "a/changelog.md same name elsewhere, b/changelog.md same name elsewhere"},
		{"entirely/different", ""},
		{"", ""},
		{"guide/install.html?x", ""},
	}
	var broken []string
	for _, test := range tests {
		broken = append(broken, test.broken)
	}
	all := asked(broken, site...)
	for _, test := range tests {
		var got []string
		for _, g := range all[test.broken] {
			mark := ""
			if g.Unique {
				mark = "!"
			}
			got = append(got, strings.TrimPrefix(g.URL, "https://e.test/")+mark+" "+g.Why)
		}
		if s := strings.Join(got, ", "); s != test.want {
			t.Errorf("%s: %s\nwant %s", test.broken, s, test.want)
		}
	}
	var g PathGuesser
	q := g.Ask("https://f.test/guide/instal.html")
	g.Consider("https://e.test/guide/install.html", 1)
	if got := q.Guesses(func(_ uint32, url string) (string, bool) { return url, true }); got != nil {
		t.Errorf("another host: %v", got)
	}
}

func TestSuggestPathIsUniqueOnlyAlone(t *testing.T) {
	got := asked([]string{"guide/instal.html"}, "guide/install.html", "guide/installs.html")["guide/instal.html"]
	if len(got) != 2 || got[0].Unique || got[0].URL != "https://e.test/guide/install.html" || got[0].ID != 1 {
		t.Errorf("%+v", got)
	}
	if got := asked([]string{"guide/a.html"}, "Guide/a.html", "guide/A.html")["guide/a.html"]; len(got) != 2 || got[0].Unique {
		t.Errorf("%+v", got)
	}
	many := make([]string, 3*maxCandidates)
	for i := range many {
		many[i] = fmt.Sprintf("guide/overvie%c%c.html", 'a'+i%26, 'a'+i/26)
	}
	got = asked([]string{"guide/overview.html"}, many...)["guide/overview.html"]
	if len(got) != maxPathGuesses || got[0].Unique {
		t.Errorf("%+v", got)
	}
}

func TestSuggestPathFollowsWhatMoved(t *testing.T) {
	moved := map[string]string{"guide/install": "guide/install/", "about": "company", "gone": ""}
	for broken, want := range map[string]string{"guide/instal": "guide/install/", "abuot": "company", "goen": ""} {
		var g PathGuesser
		q := g.Ask("https://e.test/" + broken)
		for _, u := range []string{"guide/install", "guide/install/", "about", "company", "gone"} {
			g.Consider("https://e.test/"+u, 1)
		}
		got := q.Guesses(func(_ uint32, url string) (string, bool) {
			to, other := moved[strings.TrimPrefix(url, "https://e.test/")]
			if !other {
				return url, true
			}
			return "https://e.test/" + to, to != ""
		})
		if want == "" && got != nil || want != "" && (len(got) != 1 || !got[0].Unique || got[0].URL != "https://e.test/"+want) {
			t.Errorf("%s: %+v, want %s", broken, got, want)
		}
	}
}

// TestSuggestPathNeedsNoOrder: the order of the targets makes no difference.
func TestSuggestPathNeedsNoOrder(t *testing.T) {
	urls := []string{"docs/alpha-1.html", "docs/alphas.html", "docs/alpha.html", "docs/alphb.html", "dosc/alphabet.html", "docs/alphabets.html"}
	for i := range 2 * maxCandidates {
		urls = append(urls, fmt.Sprintf("docs/alphabe%c%c.html", 'a'+i%26, 'a'+i/26))
	}
	const broken = "docs/alphabet.html"
	var want string
	for i := range 20 {
		var list []string
		for _, g := range asked([]string{broken}, urls...)[broken] {
			list = append(list, g.URL)
		}
		if got := fmt.Sprint(list); i == 0 {
			want = got
		} else if got != want {
			t.Fatalf("%s, then %s", want, got)
		}
		rand.Shuffle(len(urls), func(i, j int) { urls[i], urls[j] = urls[j], urls[i] })
	}
}

// largeSite is n targets, all in one directory or spread.
func largeSite(n int, flat bool) []string {
	words := []string{"install", "configure", "reference", "tutorial", "overview", "network", "storage", "security", "release", "migrate"}
	urls := make([]string, n)
	for i := range urls {
		dir := "docs"
		if !flat {
			dir = fmt.Sprintf("%s/%s-%d", words[i/7%10], words[i/3%10], i/100)
		}
		urls[i] = fmt.Sprintf("https://e.test/%s/%s-%s-%x.html", dir, words[i%10], words[i/10%10], uint32(i)*2654435761)
	}
	return urls
}

// misspelt returns n URLs of a site with one extra letter.
func misspelt(site []string, n int) []string {
	broken := make([]string, n)
	for i := range broken {
		u := site[i*len(site)/n]
		at := strings.LastIndexByte(u, '/') + 2
		broken[i] = u[:at] + "x" + u[at:]
	}
	return broken
}

// guessAll asks for suggestions for all broken targets and counts those that have any.
func guessAll(g *PathGuesser, site, broken []string) (found int) {
	var questions []*PathQuestion
	for _, u := range broken {
		questions = append(questions, g.Ask(u))
	}
	for i, u := range site {
		g.Consider(u, uint32(i+1))
	}
	for _, q := range questions {
		if len(q.Guesses(func(_ uint32, url string) (string, bool) { return url, true })) > 0 {
			found++
		}
	}
	return found
}

// TestSuggestPathIsBounded: the worst case takes limited time.
func TestSuggestPathIsBounded(t *testing.T) {
	site := largeSite(20_000, true)
	broken := misspelt(site, 200)
	var g PathGuesser
	if found := guessAll(&g, site, broken); found != len(broken) {
		t.Errorf("something for %d of %d", found, len(broken))
	}
	g = PathGuesser{work: maxPathWork - 1000*len(broken)}
	if found := guessAll(&g, site, broken); found != 0 {
		t.Errorf("something for %d although not all was looked at", found)
	}
	g = PathGuesser{questions: maxQuestions}
	if q := g.Ask("https://e.test/a/b"); q != nil || q.Guesses(nil) != nil {
		t.Errorf("%+v", q)
	}
}

// BenchmarkSuggestPath: a hundred thousand targets, a thousand broken ones.
func BenchmarkSuggestPath(b *testing.B) {
	for _, flat := range []bool{false, true} {
		b.Run(fmt.Sprintf("flat=%v", flat), func(b *testing.B) {
			site := largeSite(100_000, flat)
			broken := misspelt(site, 1000)
			b.ReportAllocs()
			for b.Loop() {
				var g PathGuesser
				if guessAll(&g, site, broken) != len(broken) {
					b.Fatal("not all were found")
				}
			}
		})
	}
}

// FuzzSuggestPath: each suggestion exists, and is not the URL itself.
func FuzzSuggestPath(f *testing.F) {
	f.Add("a/b.html\na/c/\nA/B.html", "a/b")
	f.Add("x/index.html\nx/", "x/index.htm")
	f.Add("%41/é", "A/e")
	f.Fuzz(func(t *testing.T, known, broken string) {
		site := strings.Split(known, "\n")
		if len(site) > 100 {
			return
		}
		for _, g := range asked([]string{broken}, site...)[broken] {
			if g.URL == "https://e.test/"+broken || g.Why == "" {
				t.Fatalf("%+v for %q among %q", g, broken, known)
			}
			path := strings.TrimPrefix(g.URL, "https://e.test/")
			given := false
			for _, l := range site {
				given = given || l == path || strings.HasSuffix(path, "/") && strings.HasPrefix(l, path)
			}
			if !given {
				t.Fatalf("%+v for %q was not among %q", g, broken, known)
			}
		}
	})
}

// TestConsiderTellsWhatMatters tests that Consider reports which targets make a difference, and that a target which
// is considered for some questions does not answer others.
func TestConsiderTellsWhatMatters(t *testing.T) {
	var g PathGuesser
	q, other := g.Ask("https://e.test/guide/instal.html"), g.Ask("https://e.test/api/install.html")
	for _, row := range []struct {
		url  string
		want bool
	}{
		{"https://e.test/guide/install.html", true},
		{"https://e.test/guide/setup.html", false},
		{"https://f.test/guide/install.html", false},
		{"https://e.test/guide/INSTAL.html", true},
		{"https://e.test/deep/guide/instal.html", true},
		{"https://e.test/guide/instal.html?x", false},
	} {
		if got := g.Consider(row.url, 1); got != row.want {
			t.Errorf("%s may be meant: got %v, want %v", row.url, got, row.want)
		}
	}
	before := g.Used()
	if !g.ConsiderFor(map[*PathQuestion]bool{other: true}, "https://e.test/old/install.html", 2) || g.ConsiderFor(map[*PathQuestion]bool{other: true}, "https://e.test/guide/instali.html", 3) {
		t.Error("a target was considered for other questions than those that were given")
	}
	if !q.Considered() || !other.Considered() || g.Used() < before {
		t.Errorf("considered: %v and %v, and %v of the limits are used after %v", q.Considered(), other.Considered(), g.Used(), before)
	}
	for i := range maxQuestions {
		g.Ask(fmt.Sprintf("https://e.test/%d", i))
	}
	if g.Used() <= 1 {
		t.Errorf("%d questions use %v of the limits, want more than 1", maxQuestions+2, g.Used())
	}
}
