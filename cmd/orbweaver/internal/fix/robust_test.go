package fix

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/result"
)

// makeRobust returns a page whose links have become robust: those to ok.test have a copy, and
// those to gone.test are broken and have one.
func makeRobust(t *testing.T, name, page string) string {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, name)
	if err := os.WriteFile(file, []byte(page), 0o600); err != nil {
		t.Fatal(err)
	}
	at := time.Date(2013, 9, 19, 4, 46, 12, 0, time.UTC)
	copied := func(url string) check.Copy { return check.Copy{URL: "https://a.test/web/1/" + url, Time: at} }
	copies := Copies{"http://ok.test/a?b=1&c=2": copied("http://ok.test/a?b=1&c=2"), "http://ok.test/": copied("http://ok.test/")}
	var results []*result.Result
	doc := extract.Extract(extract.Input{Body: []byte(page), Name: name})
	for _, l := range doc.Links {
		r := &result.Result{URL: l.Ref, Verdict: check.OK, Code: check.CodeOK,
			References: []result.Reference{{Page: name, Line: l.Line, Column: l.Column, Raw: l.Raw, Element: l.Element, Attribute: l.Attribute}}}
		if strings.Contains(l.Ref, "gone.test") {
			address, _, _ := strings.Cut(l.Ref, "#")
			good := copied(address)
			r.Verdict, r.Code, r.Archive = check.Broken, "http-404", &check.Archived{Class: "rotted", LastGood: &good}
		}
		r.Internal = strings.Contains(l.Ref, "ours.test")
		results = append(results, r)
	}
	plan, err := Make(dir, dir, results, Certain, copies)
	if err != nil || len(plan.LeftOut) > 0 {
		t.Fatalf("%s: left out %v, %v", page, plan.LeftOut, err)
	}
	if _, err := plan.Write(); err != nil {
		t.Fatal(err)
	}
	after, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(after)
}

func TestRobustLinks(t *testing.T) {
	const version, date = ` data-versionurl="https://a.test/web/1/http://ok.test/`, ` data-versiondate="2013-09-19"`
	for _, c := range []struct{ before, after string }{
		{`<a href="http://ok.test/">x</a>`, `<a href="http://ok.test/"` + version + `"` + date + `>x</a>`},
		{`<a class=b href='http://ok.test/' id=c>x</a>`, `<a class=b href='http://ok.test/' data-versionurl='https://a.test/web/1/http://ok.test/' data-versiondate='2013-09-19' id=c>x</a>`},
		{`<a href=http://ok.test/ id=c>x</a>`, `<a href="http://ok.test/"` + version + `"` + date + ` id=c>x</a>`},
		{`<A title="a > b" HREF = "http://ok.test/a?b=1&amp;c=2#d">x</a>`, `<A title="a > b" HREF = "http://ok.test/a?b=1&amp;c=2#d"` + version + `a?b=1&amp;c=2"` + date + `>x</a>`},
		{`<a href="http://gone.test/a?b=1&amp;c=2#d">x</a>`, `<a href="https://a.test/web/1/http://gone.test/a?b=1&amp;c=2#d" data-originalurl="http://gone.test/a?b=1&amp;c=2#d"` + date + `>x</a>`},
		{`<a href=http://gone.test/>x</a>`, `<a href="https://a.test/web/1/http://gone.test/" data-originalurl="http://gone.test/"` + date + `>x</a>`},
		{`<a href="http://ok.test/" data-versiondate="2001-01-01">x</a>`, ""},
		{`<a data-originalurl href="http://gone.test/">x</a>`, ""},
		{`<a href="http://other.test/">x</a> <a href="http://ours.test/">x</a>`, ""},
		{`<link rel=help href="http://ok.test/"><map><area href="http://gone.test/"></map><img src="http://gone.test/">`, ""},
	} {
		want := c.after
		if want == "" {
			want = c.before
		}
		got := makeRobust(t, "a.html", c.before)
		if got != want {
			t.Errorf("%s\ngot  %s\nwant %s", c.before, got, want)
		}
		if again := makeRobust(t, "a.html", got); again != got {
			t.Errorf("%s\nagain %s", got, again)
		}
	}
	for name, page := range map[string]string{"a.md": "[x](http://ok.test/) [y](http://gone.test/)\n", "b.md": `<a href="http://gone.test/">x</a>` + "\n"} {
		if got := makeRobust(t, name, page); got != page {
			t.Errorf("%s: got %s", name, got)
		}
	}
}
