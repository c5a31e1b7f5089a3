package extract

import (
	"strings"
	"testing"
)

func selector(t *testing.T, css string) Selector {
	t.Helper()
	if css == "" {
		return Selector{}
	}
	s, err := CompileSelector(css)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// refs joins the references of links; an ignored link gets a minus sign.
func refs(links []Link) string {
	var list []string
	for _, l := range links {
		ref := l.Ref
		if l.Ignored {
			ref = "-" + ref
		}
		list = append(list, ref)
	}
	return strings.Join(list, " ")
}

func TestSelectors(t *testing.T) {
	const html = `<head><link href=0 rel=next></head><nav class=menu><a href=1>x</a></nav><main id=m><p style="a:url(2)"><a href=3 ping="4 5">x<img src=6></a>
		<div class=ads><a href=7>x</a></div><iframe srcdoc="<a href=8>x</a>"></iframe><style>a{b:url(9)}</style></main><footer/><a href=10 class=ext>x</a>`
	for _, c := range []struct{ selected, ignored, want string }{
		{"", "", "0 1 2 3 4 5 6 7 8 9 10"},
		{"main", "", "2 3 4 5 6 7 8 9"},
		{"main a[href]", "", "3 4 5 6 7"},
		{"nav, .ext", "", "1 10"},
		{"head", "", "0"},
		{"", "nav, .ads", "0 2 3 4 5 6 8 9 10"},
		{"main", ".ads", "2 3 4 5 6 8 9"},
		{"#m, .ads", "main", ""},
		{"p:has(a)", "img", "2 3 4 5"},
		{"style, iframe", "", "8 9"},
		{"h7", "", ""},
	} {
		doc := Extract(Input{Body: []byte(html), ContentType: "text/html", Select: selector(t, c.selected), IgnoreSelect: selector(t, c.ignored)})
		if got := refs(doc.Links); got != c.want {
			t.Errorf("select %q, ignore %q: %s, want %s", c.selected, c.ignored, got, c.want)
		}
		if len(doc.Anchors) != 1 || len(doc.Faults) != 0 {
			t.Errorf("select %q: anchors %q, faults %q", c.selected, doc.Anchors, doc.Faults)
		}
		checkPlaces(t, []byte(html), doc)
	}
}

func TestSelectorErrors(t *testing.T) {
	for _, css := range []string{"", "a[", "a::before", ")"} {
		if s, err := CompileSelector(css); err == nil || !s.IsZero() {
			t.Errorf("%q compiled, want an error", css)
		}
	}
	if s := selector(t, "main a"); s.IsZero() || s.String() != "main a" {
		t.Errorf("%q", s)
	}
}

// TestSelectorsTooDeep checks that a document too deep for the parser is still read, with all
// links.
func TestSelectorsTooDeep(t *testing.T) {
	html := strings.Repeat("<div>", 1000) + "<a href=1>" + strings.Repeat("</div>", 1000) + "<main><a href=2 data-orbweaver-ignore>"
	doc := Extract(Input{Body: []byte(html), ContentType: "text/html", Select: selector(t, "main")})
	if refs(doc.Links) != "1 -2" || len(doc.Faults) != 1 {
		t.Errorf("%s %q", refs(doc.Links), doc.Faults)
	}
}

func TestIgnoreAttribute(t *testing.T) {
	for html, want := range map[string]string{
		`<a href=1 data-orbweaver-ignore ping=2>x</a><a href=3>y</a>`:                                                  "-1 -2 3",
		`<div DATA-ORBWEAVER-IGNORE=""><a href=1><img src=2></a><p style="a:url(3)"></div><a href=4>`:                  "-1 -2 -3 4",
		`<ul><li data-orbweaver-ignore><a href=1>x</a><li><a href=2>y</a></ul>`:                                        "-1 2",
		`<p data-orbweaver-ignore><a href=1>x</a><p><a href=2>y</a>`:                                                   "-1 2",
		`<iframe data-orbweaver-ignore srcdoc="<a href=1>" src=2></iframe><a href=3>`:                                  "-1 -2 3",
		`<iframe srcdoc="<a href=1 data-orbweaver-ignore><a href=2>"></iframe>`:                                        "-1 2",
		`<style data-orbweaver-ignore>a{b:url(1)}</style><script type=application/ld+json>{"url":"http://2"}</script>`: "-1 http://2",
		`<!-- <p data-orbweaver-ignore> --><a href=1>`:                                                                 "1",
	} {
		if got := refs(page(html).Links); got != want {
			t.Errorf("%s: %s, want %s", html, got, want)
		}
	}
}

func TestIgnoreNextLine(t *testing.T) {
	for html, want := range map[string]string{
		"<!-- orbweaver-ignore-next-line -->\n<a href=1><a href=2>\n<a href=3>":                          "-1 -2 3",
		"<a href=0><!--orbweaver-ignore-next-line--><a href=1>\r\n<a href=2>\r\n<a href=3>":              "0 1 -2 3",
		"<!-- orbweaver-ignore-next-line: moved soon -->\r<a\rhref=1>\r<a href=2>":                       "-1 2",
		"<!--\norbweaver-ignore-next-line\n-->\n<a href=1>\n<a href=2>":                                  "-1 2",
		"<!-- orbweaver-ignore-next-lines -->\n<a href=1>":                                               "1",
		"<!-- orbweaver-ignore -->\n<a href=1>":                                                          "1",
		"<!-- orbweaver-ignore-next-line --><!-- orbweaver-ignore-next-line -->\n<a href=1>\n<a href=2>": "-1 2",
		"<!-- orbweaver-ignore-next-line -->\n\n<a href=1>":                                              "1",
		"<!-- orbweaver-ignore-next-line -->\n<p><a\n href=1 ping='2\n3'>\n<a href=4>":                   "-1 -2 -3 4",
		"<a\n <!-- orbweaver-ignore-next-line -->\n<a href=1>":                                           "1",
		"<!-- orbweaver-ignore-next-line -->\n<style>a{b:url(1)\nc:url(2)}</style>":                      "-1 2",
		"<iframe srcdoc=\"<!-- orbweaver-ignore-next-line -->\n<a href=1>\n<a href=2>\"></iframe>":       "-1 2",
		"<!-- orbweaver-ignore-next-line --><a href=1>":                                                  "1",
		"<script><!-- orbweaver-ignore-next-line --></script>\n<a href=1>":                               "1",
	} {
		if got := refs(page(html).Links); got != want {
			t.Errorf("%q: %s, want %s", html, got, want)
		}
	}
}
