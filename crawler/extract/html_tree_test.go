package extract

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// treeAttributes are the attributes that contain a single URL, by element. The test oracle
// looks for them in the tree of html.Parse. They are taken from the HTML standard's index of
// attributes, not from the tables of this package.
var treeAttributes = map[string]string{
	"a": "href", "area": "href", "link": "href", "script": "src", "html": "manifest",
	"img": "src longdesc lowsrc usemap", "source": "src", "video": "src poster", "audio": "src", "track": "src", "bgsound": "src",
	"iframe": "src longdesc", "embed": "src pluginspage", "object": "data codebase usemap", "applet": "codebase",
	"form": "action", "input": "src formaction usemap", "button": "formaction", "blockquote": "cite", "q": "cite", "ins": "cite", "del": "cite",
	"body": "background", "table": "background", "thead": "background", "tbody": "background", "tfoot": "background",
	"tr": "background", "td": "background", "th": "background",
}

var treeSVG = "a image feImage script use linearGradient radialGradient pattern textPath mpath filter animate set"

type treeWalk struct {
	refs    map[string]bool // element, attribute and value
	anchors map[string]bool
	base    string
	based   bool
	posts   bool // some form is sent with POST; the oracle does not track which buttons belong to it
}

func walkTree(doc []byte) (*treeWalk, error) {
	root, err := html.ParseWithOptions(bytes.NewReader(doc), html.ParseOptionEnableScripting(false))
	if err != nil {
		return nil, err
	}
	w := &treeWalk{refs: map[string]bool{}, anchors: map[string]bool{}}
	w.visit(root)
	return w, nil
}

func (w *treeWalk) visit(n *html.Node) {
	if n.Type == html.ElementNode {
		if n.Namespace == "" && n.Data == "template" {
			return
		}
		w.element(n)
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		w.visit(c)
	}
}

func (w *treeWalk) element(n *html.Node) {
	values := map[string]string{}
	for _, a := range n.Attr {
		key := a.Key
		if a.Namespace != "" {
			key = a.Namespace + ":" + a.Key
		}
		if _, known := values[key]; !known {
			values[key] = a.Val
		}
	}
	if id := values["id"]; id != "" && !strings.EqualFold(id, "top") {
		w.anchors[id] = true
	}
	switch n.Namespace {
	case "svg":
		if !strings.Contains(" "+treeSVG+" ", " "+n.Data+" ") {
			return
		}
		if v, ok := values["href"]; ok {
			w.refs[fmt.Sprintf("%s href %q", strings.ToLower(n.Data), v)] = true
		} else if v, ok := values["xlink:href"]; ok {
			w.refs[fmt.Sprintf("%s xlink:href %q", strings.ToLower(n.Data), v)] = true
		}
	case "math":
		if v, ok := values["href"]; ok && n.Data == "a" {
			w.refs[fmt.Sprintf("a href %q", v)] = true
		}
	case "":
		if n.Data == "form" {
			w.posts = w.posts || isPost([]byte(values["method"]))
		}
		w.posts = w.posts || isPost([]byte(values["formmethod"]))
		if v, ok := values["href"]; ok && n.Data == "base" && !w.based {
			w.base, w.based = v, true
		}
		if v := values["name"]; n.Data == "a" && v != "" && !strings.EqualFold(v, "top") {
			w.anchors[v] = true
		}
		for _, a := range strings.Fields(treeAttributes[n.Data]) {
			if v, ok := values[a]; ok && (v != "" || a != "background") && !(len(n.Attr) > 1 && strings.TrimSpace(v) == "") { // another attribute may tell that a script sets it
				w.refs[fmt.Sprintf("%s %s %q", n.Data, a, v)] = true
			}
		}
	}
}

// FuzzTree checks that the streaming reader finds everything that a walk over the tree finds.
// The converse does not hold: the parser drops misplaced tags, such as a second form, which
// are still links to someone who reads the source.
func FuzzTree(f *testing.F) {
	for _, c := range standardCases[struct{ Input string }](f, "html-links.json") {
		f.Add([]byte(c.Input))
	}
	for _, c := range standardCases[struct{ Input string }](f, "tokenizer-attributes.json") {
		f.Add([]byte(c.Input))
	}
	for _, s := range treeSeeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, doc []byte) { compareWithTree(t, doc) })
}

var treeSeeds = []string{
	"<svg><foreignObject><a href=1></foreignObject><title><a href=2></title><style><a href=3></style><a href=4></svg><a href=5>",
	"<svg><![CDATA[<a href=no>]]><a href=yes></svg><![CDATA[<a href=no>]]><math><mi><a href=m><annotation-xml encoding=text/html><a href=x>",
	"<svg><p><a href=out></svg><title><a href=text></title>", "<svg><font color=x><a href=o><svg><font><a href=in>",
	"<template><a href=no><template></template><a href=no></template><a href=yes><svg><template><a href=s></template></svg>",
	"<noscript><a href=1></noscript><textarea><a href=no></textarea><iframe><a href=no></iframe><a href=2>",
	"<table><a href=1><tr><a href=2><td background=b><form action=f><a href=3></table><form action=g>",
	"<form action=1><form action=2></form><form action=3 method=post><input formaction=4><button formaction=5 formmethod=get>",
	"<a href=1><a href=2><p><a href=3></a></p><b><a href=4></b></a>", "<base><base href=1><base href=2><body background=1><body background=2>",
	"<img src=1><image src=2 longdesc=3><select><option><a href=4></select><title>x<a href=5></title>", "<plaintext><a href=no>",
	"<script><!--<script></script>--></script><a href=1><script>'</script><a href=2>'", "<style><a href=no></style><xmp><a href=no></xmp><a href=1>",
	"<svg><title><![CDATA[><a href=no>]]></title><desc><b></b><![CDATA[><a href=1>]]></svg><math><mi><![CDATA[><a href=no>]]></mi></math>",
	"<a href=1><svg><g></a><form action=2><style><a href=no></style>", "<button><svg></button><iframe src=1></iframe><td><svg><td><a href=2></td><use href=3></td><input src=4>",
	"<svg><a href=1><foreignObject><a href=2></a><xmp><a href=no></xmp></foreignObject></a><use href=3></svg><math><a href=m></a><mi></mi></math><form action=4>",
	"<!--><a href=1>--><!---!><a href=2>--><!-- --!><a href=3><!a><a href=4><?x><a href=5></ x><a href=6>",
}

func compareWithTree(t *testing.T, doc []byte) {
	t.Helper()
	lower := bytes.ToLower(doc)
	// The tree without what the reader deliberately omits or does not track.
	for _, special := range []string{"<frameset", "shadowrootmode"} {
		if bytes.Contains(lower, []byte(special)) {
			return
		}
	}
	text := validUTF8(doc)
	w, err := walkTree(text)
	if err != nil {
		return // nested too deeply for the parser
	}
	got := Extract(Input{Body: text, ContentType: "text/html; charset=utf-8"})
	refs, anchors := map[string]bool{}, map[string]bool{}
	for _, l := range got.Links {
		refs[fmt.Sprintf("%s %s %q", l.Element, l.Attribute, l.Ref)] = true
	}
	for _, a := range got.Anchors {
		anchors[a] = true
	}
	for ref := range w.refs {
		if w.posts && (strings.Contains(ref, "action") || strings.HasPrefix(ref, "form ")) {
			continue
		}
		if !refs[ref] {
			t.Errorf("%q: the tree has %s", text, ref)
		}
	}
	for a := range w.anchors {
		if !anchors[a] {
			t.Errorf("%q: the tree has the anchor %q", text, a)
		}
	}
	if w.base != got.Base {
		t.Errorf("%q: base %q, the tree says %q", text, got.Base, w.base)
	}
	checkPlaces(t, text, got)
}

// checkPlaces checks that the source text of each link is at its position, and that links are
// in document order.
func checkPlaces(t *testing.T, text []byte, doc *Document) {
	t.Helper()
	text, _ = CutByteOrderMark(text)
	lines := splitLines(string(text))
	line, column := 0, 0
	for _, l := range doc.Links {
		if l.Line < 1 || l.Line > len(lines) {
			t.Fatalf("%q: %+v: no such line", text, l)
		}
		rest := []rune(lines[l.Line-1])
		if l.Column < 1 || l.Column > len(rest)+1 {
			t.Fatalf("%q: %+v: no such column", text, l)
		}
		from := string(rest[l.Column-1:]) + strings.Join(lines[l.Line:], "")
		if !strings.HasPrefix(from, l.Raw) {
			t.Fatalf("%q: %+v: found %q there", text, l, from)
		}
		if l.Line < line || l.Line == line && l.Column < column {
			t.Fatalf("%q: %+v: before its predecessor at %d:%d", text, l, line, column)
		}
		line, column = l.Line, l.Column
	}
}

// splitLines splits after each LF, CRLF and lone CR.
func splitLines(s string) []string {
	var lines []string
	start := 0
	for i := range len(s) {
		if s[i] == '\n' || s[i] == '\r' && (i+1 == len(s) || s[i+1] != '\n') {
			lines = append(lines, s[start:i+1])
			start = i + 1
		}
	}
	return append(lines, s[start:])
}

// TestRandomMarkup generates markup from the elements with special rules: arbitrary HTML, and
// SVG and MathML that are well nested, because the effect of an unclosed svg depends on every
// open element.
func TestRandomMarkup(t *testing.T) {
	m := markup{rand.New(rand.NewPCG(1, 2))}
	for n := range 4_000 {
		doc := m.html(3+m.IntN(25), 0)
		compareWithTree(t, []byte(doc))
		if t.Failed() {
			t.Fatalf("document %d", n)
		}
	}
}

type markup struct{ *rand.Rand }

func (m markup) pick(list ...string) string { return list[m.IntN(len(list))] }

func (m markup) attribute() string {
	a := m.pick("", " href=%d", " src=%d", " id=%d", " name=%d", ` href="%d&amp;x"`, " xlink:href='%d'", " action=%d", " type=hidden", " color=%d", " data=%d usemap=#%[1]d")
	if strings.Contains(a, "%") {
		a = fmt.Sprintf(a, m.IntN(1000))
	}
	return a
}

func (m markup) text() string {
	return m.pick("text", "\n", "é", "<!--c-->", "<![CDATA[<a href=c>]]>", "<!x>")
}

// html returns n pieces of HTML, depth levels inside foreign content.
func (m markup) html(n, depth int) string {
	var b strings.Builder
	for range n {
		name := m.pick(strings.Fields("a a a p div b table tr td form input button select option noscript iframe textarea script " +
			"style ul li title image img base body html head object map area use br font template")...)
		switch m.IntN(12) {
		case 0, 1, 2:
			if depth == 0 { // inside foreign content it could close outer elements
				fmt.Fprintf(&b, "</%s>", name)
			}
		case 3:
			b.WriteString(m.text())
		case 4:
			if depth < 2 {
				b.WriteString(m.svg(m.IntN(6), depth+1))
			}
		default:
			if depth > 0 { // an element left open would keep the foreign content open
				fmt.Fprintf(&b, m.pick("<img%s>", "<a%s></a>", "<input%s>", "<use%s></use>"), m.attribute())
				continue
			}
			fmt.Fprintf(&b, "<%s%s%s>", name, m.attribute(), m.pick("", "", "", " /"))
		}
	}
	return b.String()
}

func (m markup) svg(n, depth int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "<svg%s>", m.attribute())
	for range n {
		switch name := m.pick("a", "use", "script", "style", "image", "g", "td", "foreignObject", "desc", "title", "text"); name {
		case "foreignObject", "desc", "title":
			fmt.Fprintf(&b, "<%s%s>%s</%[1]s>", name, m.attribute(), m.html(m.IntN(4), depth))
		case "text":
			b.WriteString(m.text())
		default:
			fmt.Fprintf(&b, m.pick("<%s%s/>", "<%s%s><a href=in></a></%[1]s>"), name, m.attribute())
		}
	}
	return b.String() + "</svg>"
}
