package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/result"
)

// renderHTML writes a run with the graph of the site.
func renderHTML(t testing.TB, o Options, run *Report, pages []*result.Page) string {
	t.Helper()
	var out strings.Builder
	w := newWriter(t, &htmlFormat, &out, o)
	if err := w.Begin(&run.Head); err != nil {
		t.Fatal(err)
	}
	for _, p := range pages {
		if err := w.Page(p); err != nil {
			t.Fatal(err)
		}
	}
	for _, r := range run.Results {
		if err := w.Result(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.End(&run.Summary); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// fullSite has pages for fullRun.
func fullSite() []*result.Page {
	link := func(urls ...string) (links []result.Edge) {
		for _, u := range urls {
			links = append(links, result.Edge{URL: "https://example.com/" + u, Text: u})
		}
		return links
	}
	pages := []*result.Page{
		{URL: "https://example.com/", Title: "Example — The Site", Links: link("a", "b", "", "a#x")},
		{URL: "https://example.com/a", Title: "A <page> & its \"name\" — The Site", Depth: 1, Links: link("b", "guide#setup", "old", "")},
		{URL: "https://example.com/b", Title: "B — The Site", Depth: 1, Links: link("later", "a")},
		{URL: "https://example.com/guide", Title: "Guide — The Site", Depth: 2, Links: link("", "missing.css")},
		{URL: "https://example.com/new/", Title: "New", Depth: 2},
	}
	for i := range 25 {
		name := fmt.Sprintf("p/%02d", i)
		pages[2].Links = append(pages[2].Links, link(name)...)
		pages = append(pages, &result.Page{
			URL: "https://example.com/" + name, Title: fmt.Sprintf("Page %d — The Site", i), Depth: 2,
			Links: link("imprint", fmt.Sprintf("p/%02d", i+1), ""),
		})
	}
	return pages
}

// parts are the parts of an HTML report.
type htmlPartsOf struct {
	policy, style string
	scripts       []string
	data          string
	rest          *html.Node
}

func takeApart(t *testing.T, text string) (p htmlPartsOf) {
	t.Helper()
	root, err := html.Parse(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	p.rest = root
	for n := range root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		attributes := map[string]string{}
		for _, a := range n.Attr {
			attributes[a.Key] = a.Val
		}
		content := ""
		if n.FirstChild != nil {
			content = n.FirstChild.Data
		}
		switch {
		case n.Data == "meta" && attributes["http-equiv"] == "Content-Security-Policy":
			p.policy = attributes["content"]
		case n.Data == "style":
			p.style += content
		case n.Data == "script" && attributes["type"] == "application/json":
			p.data = content
		case n.Data == "script":
			p.scripts = append(p.scripts, content)
		}
	}
	return p
}

// TestHTMLGolden compares the parts that differ between reports: the data, and the
// document without styles and scripts.
func TestHTMLGolden(t *testing.T) {
	for _, test := range []struct {
		name  string
		show  Show
		run   *Report
		pages []*result.Page
	}{
		{"full", ShowDefault, fullRun(), fullSite()},
		{"full-all", ShowAll, fullRun(), nil},
		{"checked", ShowAll, checkedRun(), fullSite()},
		{"empty", ShowDefault, &Report{Head: Head{Tool: Tool{Name: "orbweaver", Version: "1.0.0"}, Started: started}, Summary: result.Summary{}}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			text := renderHTML(t, Options{Show: test.show}, test.run, test.pages)
			p := takeApart(t, text)
			for _, part := range append(p.scripts, p.style) {
				text = strings.Replace(text, part, "…", 1)
			}
			text = strings.Replace(text, html.EscapeString(p.policy), "…", 1)
			text = regexp.MustCompile(`(http-equiv="Content-Security-Policy" content=")[^"]*`).ReplaceAllString(text, "$1…")
			before, after, found := strings.Cut(text, p.data)
			if !found {
				t.Fatal("the data is not in the document as it is parsed")
			}
			golden(t, test.name+".html.golden", []byte(before+after))
			var indented strings.Builder
			var value any
			if err := json.Unmarshal([]byte(p.data), &value); err != nil {
				t.Fatal(err)
			}
			e := json.NewEncoder(&indented)
			if err := e.Encode(value); err != nil {
				t.Fatal(err)
			}
			golden(t, test.name+".html.json.golden", []byte(strings.ReplaceAll(indented.String(), `],"`, "],\n\"")))
		})
	}
}

// The chart of pages has the same counts as the list of findings.
func TestHTMLPagesWithTheMostFindings(t *testing.T) {
	run := warnedRun()
	run.Results = append(run.Results, &result.Result{URL: "gone.html", Verdict: check.Broken, Code: "http-404",
		Warnings: []check.Warning{{Code: "uri-repaired"}}, References: []result.Reference{{Page: "y.html"}, {Page: result.CommandLine}}})
	text := renderHTML(t, Options{}, run, nil)
	_, chart, _ := strings.Cut(text, "Pages with the most findings")
	chart, _, _ = strings.Cut(chart, "</section>")
	got := regexp.MustCompile(`<[^>]*>|\s+`).ReplaceAllString(chart, " ")
	want := "y.html 1 1 broken page.html 1 1 warning x.html 1 1 warning"
	if got := strings.Join(strings.Fields(got), " "); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestHTMLIsTheSameEachTime(t *testing.T) {
	first := renderHTML(t, Options{Show: ShowAll}, fullRun(), fullSite())
	for i := range 5 {
		run, pages := fullRun(), fullSite()
		slices.Reverse(run.Results)
		slices.Reverse(pages)
		if i%2 == 0 {
			slices.Reverse(run.Results[2:5])
			pages = append(pages, pages[3]) // a page that was read twice
		}
		if again := renderHTML(t, Options{Show: ShowAll}, run, pages); again != first {
			t.Fatal("differs by the order in which results and pages came")
		}
	}
}

// TestHTMLPolicy tests that only the scripts of the report run and that nothing is
// loaded.
func TestHTMLPolicy(t *testing.T) {
	for name, run := range map[string]*Report{"full": fullRun(), "hostile": hostileRun()} {
		text := renderHTML(t, Options{Show: ShowAll}, run, fullSite())
		p := takeApart(t, text)
		if len(p.scripts) != 3 {
			t.Fatalf("%s: %d scripts", name, len(p.scripts))
		}
		for _, part := range append(p.scripts, p.style) {
			if !strings.Contains(p.policy, sourceHash(part)) {
				t.Errorf("%s: the policy does not name %.40q", name, part)
			}
		}
		for _, wants := range []string{"default-src 'none'", "base-uri 'none'", "form-action 'none'", "require-trusted-types-for 'script'", "trusted-types 'none'"} {
			if !strings.Contains(p.policy, wants) {
				t.Errorf("%s: the policy lacks %s", name, wants)
			}
		}
		for _, unwanted := range []string{"unsafe", "*", "http:", "https:", "blob:", "'self'"} {
			if strings.Contains(p.policy, unwanted) {
				t.Errorf("%s: the policy has %s", name, unwanted)
			}
		}
		for n := range p.rest.Descendants() {
			for _, a := range n.Attr {
				loads := a.Key == "src" || a.Key == "srcset" || a.Key == "poster" || a.Key == "action" || n.Data == "link" && a.Key == "href"
				if a.Key == "style" || strings.HasPrefix(a.Key, "on") || loads && !strings.HasPrefix(a.Val, "data:") {
					t.Errorf("%s: <%s %s=%q>", name, n.Data, a.Key, a.Val)
				}
				if n.Data == "a" && a.Key == "href" && !strings.HasPrefix(a.Val, "#") {
					if !clickable(a.Val) {
						t.Errorf("%s: a link to %q", name, a.Val)
					}
					if !slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == "rel" && a.Val == "noopener noreferrer" }) {
						t.Errorf("%s: a link to %q without rel", name, a.Val)
					}
				}
			}
		}
	}
}

func TestHTMLClickable(t *testing.T) {
	for url, want := range map[string]bool{
		"https://example.com/": true, "http://example.com/": true, "HTTPS://EXAMPLE.COM": true,
		"javascript:alert(1)": false, " https://example.com/": false, "data:text/html,x": false, "vbscript:x": false,
		"file:///etc/passwd": false, "docs/page.html": false, "//example.com/": false, "": false, "https:": false,
		"https:/example.com": false, "mailto:a@example.com": false, "https://example.com/\u202egpj": false, "java\nscript:x": false,
	} {
		if got := clickable(url); got != want {
			t.Errorf("%q: %v", url, got)
		}
	}
}

func TestHTMLIsHarmless(t *testing.T) {
	text := renderHTML(t, Options{Show: ShowAll}, hostileRun(), hostilePages())
	p := takeApart(t, text)
	for i, r := range text {
		if invisible(r) && r != '\n' && r != '\t' {
			t.Fatalf("holds %U in %q", r, text[max(0, i-40):i+4])
		}
	}
	if strings.Contains(text, "secret") {
		t.Error("holds a password")
	}
	if strings.Contains(text, "##vso[") {
		t.Error("holds a command to a CI system")
	}
	var wants []string
	for _, s := range hostile {
		wants = append(wants, clean(s))
	}
	checkHTMLData(t, p.data, wants...)
	for n := range p.rest.Descendants() {
		if n.Type == html.CommentNode || n.Type == html.ElementNode && (n.Data == "iframe" || n.Data == "img") {
			t.Errorf("a page made <%s>", n.Data)
		}
	}
}

// hostilePages have hostile strings wherever a page can put one.
func hostilePages() []*result.Page {
	var pages []*result.Page
	for i, s := range hostile {
		pages = append(pages, &result.Page{
			URL: "https://example.com/" + s, Title: s, Depth: min(i, 2),
			Links: []result.Edge{{URL: "https://example.com/" + hostile[(i+1)%len(hostile)], Text: s}, {URL: s, Text: s}},
		})
	}
	return pages
}

func TestHTMLSize(t *testing.T) {
	run := &Report{Head: Head{Started: started}, Summary: result.Summary{}}
	if n := len(renderHTML(t, Options{}, run, nil)); n > 2_000_000 {
		t.Errorf("%d bytes without any data", n)
	}
	// The size of a finding and of a page, so that a change that enlarges them is noticed.
	each := func(results, pages int) int {
		run := &Report{Summary: result.Summary{}}
		for i := range results {
			page := fmt.Sprintf("https://example.com/section-%d/page-%d.html", i%30, i%500)
			run.Results = append(run.Results, &result.Result{
				URL: fmt.Sprintf("https://example.com/section/page-%06d.html", i), Verdict: check.Broken, Code: "http-404", Message: "not found",
				Status: 404, References: []result.Reference{{Page: page, Line: i, Column: 9, Element: "a", Attribute: "href", Raw: fmt.Sprintf("page-%06d.html", i), Text: "a page"}},
			})
		}
		return len(renderHTML(t, Options{}, run, chainedPages(pages)))
	}
	none := each(0, 0)
	if n := (each(1000, 0) - none) / 1000; n > 400 {
		t.Errorf("%d bytes a finding", n)
	}
	if n := (each(0, 1000) - none) / 1000; n > 200 {
		t.Errorf("%d bytes a page", n)
	}
}

// TestHTMLIsValid uses an HTML validator.
func TestHTMLIsValid(t *testing.T) {
	tidy := tool(t, "tidy")
	for name, run := range map[string]*Report{"full": fullRun(), "hostile": hostileRun(), "checked": checkedRun(), "empty": {}} {
		cmd := exec.Command(tidy, "-q", "-e", "-utf8")
		cmd.Stdin = strings.NewReader(renderHTML(t, Options{Show: ShowAll}, run, hostilePages()))
		out, err := cmd.CombinedOutput()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(out)) {
			// Browsers accept a bracket in a path, so the href may contain one.
			if !strings.Contains(line, "illegal characters found in URI") {
				t.Errorf("%s: %s", name, line)
			}
		}
	}
}

func TestHTMLLimits(t *testing.T) {
	results := make([]*result.Result, 100)
	for i := range results {
		r := &result.Result{URL: fmt.Sprintf("u%02d", i), Verdict: check.Verdict(i % 4)}
		if i%8 == 0 {
			r.Warnings = []check.Warning{{Code: check.CodeRedirectPermanent}}
		}
		for range i {
			r.References = append(r.References, result.Reference{Page: "p"})
		}
		results[i] = r
	}
	kept := listed(results, 60)
	if len(kept) != 60 || !slices.IsSortedFunc(kept, byURL) {
		t.Errorf("%d are kept, in order: %v", len(kept), slices.IsSortedFunc(kept, byURL))
	}
	counts := map[check.Verdict]int{}
	warned := 0
	for _, r := range kept {
		counts[r.Verdict]++
		if len(r.Warnings) > 0 {
			warned++
		}
	}
	if counts[check.Broken] != 25 || counts[check.Unverified] != 25 || warned < 10 {
		t.Errorf("kept %v, %d with warnings", counts, warned)
	}
	if got := listed(results, 100); len(got) != 100 {
		t.Errorf("%d of 100", len(got))
	}
	for _, most := range []int{1, 99, 100, 1000, 4949, 4950, 1e6} {
		each, left := placesEach(results, most)
		n, more := 0, 0
		for _, r := range results {
			n += min(each, len(r.References))
			more += min(each+1, len(r.References))
		}
		if left != 4950-n || each > 1 && n > most || left > 0 && more <= most {
			t.Errorf("most %d: %d each, %d listed, %d left out", most, each, n, left)
		}
	}
}

func TestHostOf(t *testing.T) {
	for url, want := range map[string]string{
		"https://example.com/a": "example.com", "http://example.com:8080?q": "example.com:8080", "https://u:***@example.com/": "example.com",
		"mailto:a@example.com": "mailto:", "tel:+1": "tel:", "docs/a.html": "", "a.html#x:y": "", "file:///a": "file:", "": "", "http://[::1]:80/": "[::1]:80",
	} {
		if got := hostOf(url); got != want {
			t.Errorf("%s: got %q, want %q", url, got, want)
		}
	}
}

func TestThousands(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567", -1000: "-1,000", -100: "-100"} {
		if got := thousands(n); got != want {
			t.Errorf("%d: %s", n, got)
		}
	}
	if got := grouped("1234 links to 99 targets"); got != "1,234 links to 99 targets" {
		t.Error(got)
	}
}

// TestHTMLContrast tests the contrast of text (WCAG 2.2, 1.4.3): at least 4.5 to 1 on
// every background.
func TestHTMLContrast(t *testing.T) {
	style, _ := Theme()
	light, dark := map[string]string{}, map[string]string{}
	for _, m := range regexp.MustCompile(`--([\w-]+): light-dark\((#\w{6}), (#\w{6})\)`).FindAllStringSubmatch(style, -1) {
		light[m[1]], dark[m[1]] = m[2], m[3]
	}
	for name, colors := range map[string]map[string]string{"light": light, "dark": dark} {
		for _, ink := range []string{"ink", "muted", "accent", "broken", "unverified", "warning", "ok", "info", "skipped"} {
			for _, ground := range []string{"bg", "panel", "raised"} {
				if c := contrast(t, colors[ink], colors[ground]); c < 4.5 {
					t.Errorf("%s: %s on %s is %.2f", name, ink, ground, c)
				}
			}
			// The background of a badge is tinted.
			if c := contrast(t, colors[ink], mixed(t, colors[ink], colors["panel"], 11)); c < 4.5 {
				t.Errorf("%s: a badge in %s is %.2f", name, ink, c)
			}
		}
		if c := contrast(t, colors["ink"], colors["accent-soft"]); c < 4.5 {
			t.Errorf("%s: ink on what is chosen is %.2f", name, c)
		}
	}
}

func channels(t *testing.T, s string) (c [3]float64) {
	t.Helper()
	var rgb [3]int
	if _, err := fmt.Sscanf(s, "#%02x%02x%02x", &rgb[0], &rgb[1], &rgb[2]); err != nil {
		t.Fatalf("color %q: %v", s, err)
	}
	for i := range c {
		c[i] = float64(rgb[i])
	}
	return c
}

func mixed(t *testing.T, a, b string, percent float64) string {
	x, y := channels(t, a), channels(t, b)
	var m [3]int
	for i := range m {
		m[i] = int((x[i]*percent+y[i]*(100-percent))/100 + .5)
	}
	return fmt.Sprintf("#%02x%02x%02x", m[0], m[1], m[2])
}

// contrast returns the contrast ratio of WCAG 2.2.
func contrast(t *testing.T, a, b string) float64 {
	x, y := luminance(channels(t, a)), luminance(channels(t, b))
	return (max(x, y) + .05) / (min(x, y) + .05)
}

func BenchmarkHTML(b *testing.B) {
	run, pages := largeRun(), chainedPages(10_000)
	b.ReportAllocs()
	for b.Loop() {
		w := newWriter(b, &htmlFormat, io.Discard, Options{})
		run.Head.Started = time.Time{}
		if err := w.Begin(&run.Head); err != nil {
			b.Fatal(err)
		}
		for _, p := range pages {
			if err := w.Page(p); err != nil {
				b.Fatal(err)
			}
		}
		for _, r := range run.Results {
			if err := w.Result(r); err != nil {
				b.Fatal(err)
			}
		}
		if err := w.End(&run.Summary); err != nil {
			b.Fatal(err)
		}
	}
}

func luminance(c [3]float64) float64 {
	var l [3]float64
	for i := range c {
		l[i] = math.Pow((c[i]/255+.055)/1.055, 2.4)
		if c[i]/255 <= .04045 {
			l[i] = c[i] / 255 / 12.92
		}
	}
	return .2126*l[0] + .7152*l[1] + .0722*l[2]
}

// held stores a run after the filter.
type held struct {
	head    Head
	summary result.Summary
	pages   []*result.Page
	results []*result.Result
}

func (h *held) Begin(head *Head) error { h.head = *head; return nil }

func (h *held) Page(p *result.Page) error { h.pages = append(h.pages, p); return nil }

func (h *held) Result(r *result.Result) error { h.results = append(h.results, r); return nil }

func (h *held) End(s *result.Summary) error { h.summary = *s; return nil }

func hold(run *Report, pages []*result.Page) *held {
	h := &held{}
	s := &filter{next: h, show: ShowAll}
	_ = s.Begin(&run.Head) // held returns no error
	for _, p := range pages {
		_ = s.Page(p)
	}
	for _, r := range run.Results {
		_ = s.Result(r)
	}
	_ = s.End(&run.Summary)
	return h
}

// checkHTMLData tests that the data is valid in a script element and contains the input
// strings.
func checkHTMLData(t *testing.T, text string, wants ...string) {
	t.Helper()
	if strings.ContainsAny(text, "<>&") {
		t.Errorf("holds markup: %q", text)
	}
	var data struct{ Strings []string }
	if err := json.Unmarshal([]byte(text), &data); err != nil {
		t.Fatalf("%v: %q", err, text)
	}
	for _, want := range wants {
		if !slices.Contains(data.Strings, want) {
			t.Errorf("lacks %q: %q", want, data.Strings)
		}
	}
}

// TestPackLinks decodes the links as the script does.
func TestPackLinks(t *testing.T) {
	links := []webLink{{0, 1}, {0, 31}, {0, 32}, {5, 0}, {5, 24_999}, {24_000, 3}, {24_000, 1027}}
	packed := packLinks(links)
	at := 0
	take := func() (n int32) {
		for shift := 0; ; shift += 5 {
			bits := int32(strings.IndexByte("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_", packed[at]))
			at++
			n |= bits & 31 << shift
			if bits < 32 {
				return n
			}
		}
	}
	var got []webLink
	for from := int32(0); at < len(packed); {
		from += take()
		to := int32(0)
		for n := take(); n > 0; n-- {
			to += take()
			got = append(got, webLink{from, to})
		}
	}
	if !slices.Equal(got, links) {
		t.Errorf("got %v, want %v", got, links)
	}
}

func FuzzHTMLData(f *testing.F) {
	for _, s := range hostile {
		f.Add(s, s)
	}
	f.Add("</script><script>", "<!--<script>")
	f.Fuzz(func(t *testing.T, url, text string) {
		run := &Report{Results: []*result.Result{{
			URL: url, Verdict: check.Broken, Code: check.Code(text), Message: text, Suggestions: []check.Suggestion{{URL: text, Why: url}},
			References: []result.Reference{{Page: text, Raw: url, Text: text}},
		}}}
		pages := []*result.Page{{URL: text, Title: url, Links: []result.Edge{{URL: url, Text: text}}}}
		held := hold(run, pages)
		var out strings.Builder
		if err := writeHTMLData(&out, newHTMLDocument(&held.head, &held.summary, ShowAll, held.pages, held.results)); err != nil {
			t.Fatal(err)
		}
		checkHTMLData(t, out.String(), clean(url), clean(text))
	})
}
