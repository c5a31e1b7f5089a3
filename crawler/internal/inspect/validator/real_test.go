package validator

import (
	"fmt"
	"os"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/internal/judging"
)

const faulty = "<!DOCTYPE html>\r\n<html lang=en><title>x</title><p>\t\u00fc\U0001F600<b>a<img src=a></p></i>" +
	"\r\n<p id=a style=\"colr:red\"><p id=a>"

// lines lists findings as "line:column code rule verdict: message | raw".
func lines(findings []judging.Finding) string {
	var b strings.Builder
	for _, f := range findings {
		fmt.Fprintf(&b, "%d:%d %s %s %s: %s | %s\n", f.Line, f.Column, f.Code, f.Rule, f.VerdictOf(), f.Message, f.Raw)
	}
	return b.String()
}

func TestRealService(t *testing.T) {
	s := realService(t)
	tests := []struct {
		name string
		html bool
		text string
		want string
	}{
		{"right", true, "<!DOCTYPE html><html lang=en><title>x</title><search><slot><img src=a alt=a loading=lazy></slot></search>", ""},
		{"faulty", true, faulty, `2:37 html-syntax unclosed-element warning: Unclosed element “b”. | <b>
2:41 html-syntax an-element-must-have-an-attribute-except-under-certain-conditions warning: An “img” element must have an “alt” attribute, except under certain conditions. For details, consult guidance on providing text alternatives for images. | <img src=a>
2:52 html-syntax end-tag-seen-but-there-were-open-elements warning: End tag “p” seen, but there were open elements. | </p>
2:56 html-syntax stray-end-tag warning: Stray end tag “i”. | </i>
3:1 html-syntax element-not-allowed-as-child-of-element-in-this-context warning: Element “p” not allowed as child of element “b” in this context. (Suppressing further errors from this subtree.) | <p id=a style="colr:red">
3:1 css-syntax property-doesnt-exist warning: “colr”: Property “colr” doesn't exist. | <p id=a style="colr:red">
3:1 html-syntax the-first-occurrence-of-id-was-here info: The first occurrence of ID “a” was here. | <p id=a style="colr:red">
3:26 html-syntax duplicate-id warning: Duplicate ID “a”. | <p id=a>
3:26 html-syntax element-not-allowed-as-child-of-element-in-this-context warning: Element “p” not allowed as child of element “b” in this context. (Suppressing further errors from this subtree.) | <p id=a>
3:26 html-syntax end-of-file-seen-and-there-were-open-elements warning: End of file seen and there were open elements. | <p id=a>
`},
		{"right style sheet", false, "@layer a{p{--a:;color:oklch(50% .1 20);&:hover{inset:0}}}", ""},
		{"faulty style sheet", false, "p{colr:red;width:}\n q{color:blu", `1:8 css-syntax property-doesnt-exist warning: “colr”: Property “colr” doesn't exist. | red
1:17 css-syntax parse-error warning: “width”: Parse Error. | :
2:13 css-syntax is-not-a-value warning: “color”: “blu” is not a “color” value. | 
2:13 css-syntax parse-error warning: Parse Error. | 
`},
	}
	for _, test := range tests {
		p := cssPage(test.text)
		if test.html {
			p = htmlPage(test.text)
		}
		got, err := s.Check(t.Context(), p)
		if err != nil || lines(got) != test.want {
			t.Errorf("%s: %v\n got\n%s\nwant\n%s", test.name, err, lines(got), test.want)
		}
	}
}

// A document that was decoded for the service is not blamed for its declaration, and one that
// is too deep for browsers is answered.
func TestRealServiceDecoded(t *testing.T) {
	s := realService(t)
	p := htmlPage("<!DOCTYPE html><html lang=en><meta charset=iso-8859-1><title>\u00fc</title>")
	p.Charset = "windows-1252"
	if got, err := s.Check(t.Context(), p); err != nil || strings.Contains(rules(got), "internal-encoding") {
		t.Errorf("%v %s", err, lines(got))
	}
	deep := htmlPage("<!DOCTYPE html><html lang=en><title>x</title>" + strings.Repeat("<div>", 100_000))
	if got, err := s.Check(t.Context(), deep); err != nil || len(got) == 0 || s.Lost() != nil {
		t.Errorf("%v %v %v", err, s.Lost(), len(got))
	}
}

// Findings are the same whether documents are checked one by one or all at once.
func TestRealServiceParallel(t *testing.T) {
	s := realService(t)
	var documents []string
	for i := range 8 {
		documents = append(documents, strings.Replace(faulty, "<p>", strings.Repeat("<q>", i), 1))
	}
	want := make([][]judging.Finding, len(documents))
	for i, text := range documents {
		want[i], _ = s.Check(t.Context(), htmlPage(text))
	}
	fresh, err := Connect(t.Context(), s.address)
	if err != nil {
		t.Fatal(err)
	}
	defer fresh.Close()
	var wg sync.WaitGroup
	for i, text := range documents {
		wg.Go(func() {
			if got, err := fresh.Check(t.Context(), htmlPage(text)); err != nil || !reflect.DeepEqual(got, want[i]) {
				t.Errorf("%d: %v\n%s\nalone:\n%s", i, err, lines(got), lines(want[i]))
			}
		})
	}
	wg.Wait()
}

func TestRealTidy(t *testing.T) {
	tidy := realTidy(t)
	const want = `2:31 html-syntax tidy-inserting-tag warning: tidy: inserting implicit <body> | 
2:37 html-syntax tidy-missing-endtag-before warning: tidy: missing </b> before </p> | 
2:41 html-syntax tidy-missing-attribute warning: tidy: <img> lacks "alt" attribute | 
2:56 html-syntax tidy-discarding-unexpected warning: tidy: discarding unexpected </i> | 
3:26 html-syntax tidy-anchor-not-unique warning: tidy: <p> anchor "a" already defined | 
`
	if got, err := tidy.Check(t.Context(), htmlPage(faulty)); err != nil || lines(got) != want {
		t.Errorf("%v\n got\n%s\nwant\n%s", err, lines(got), want)
	}
	// tidy 5.6 crashes on this, newer ones say so.
	deep := htmlPage(strings.Repeat("<div>", 200_000))
	if got, err := tidy.Check(t.Context(), deep); err != nil || len(got) == 0 {
		t.Errorf("%v %s", err, lines(got))
	}
}

// The user's settings and language do not change what tidy says.
func TestRealTidyEnvironment(t *testing.T) {
	tidy := realTidy(t)
	before, err := tidy.Check(t.Context(), htmlPage(faulty))
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	for _, name := range []string{home + "/.tidyrc", home + "/html_tidy"} {
		if err := os.WriteFile(name, []byte("show-warnings: no\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("HOME", home)
	t.Setenv("HTML_TIDY", home+"/html_tidy")
	t.Setenv("LANG", "de_DE.UTF-8")
	t.Setenv("LC_ALL", "de_DE.UTF-8")
	if after, err := tidy.Check(t.Context(), htmlPage(faulty)); err != nil || !reflect.DeepEqual(before, after) {
		t.Errorf("%v\n%s\nwas\n%s", err, lines(after), lines(before))
	}
}
