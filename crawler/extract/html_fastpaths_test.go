package extract

import (
	"bytes"
	"cmp"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// A markupEvent is what a reader learns about one event.
type markupEvent struct {
	kind       event
	start, end int
	name       string
	attrs      []tagAttribute
}

func readEvents(doc []byte) (events []markupEvent) {
	var t tokens
	t.reset(doc)
	for {
		e := markupEvent{kind: t.next(), start: t.start, end: t.end}
		switch e.kind {
		case eventEnd:
			return events
		case eventStartTag:
			e.name, e.attrs = string(doc[t.tag.name.start:t.tag.name.end]), append([]tagAttribute{}, t.tag.attrs...)
		case eventEndTag:
			e.name = string(doc[t.endName.start:t.endName.end])
		}
		events = append(events, e)
	}
}

// netEvents reads a document with the tokenizer of golang.org/x/net/html.
func netEvents(doc []byte) (events []markupEvent) {
	z, end := html.NewTokenizer(bytes.NewReader(doc)), 0
	for kind := z.Next(); kind != html.ErrorToken; kind = z.Next() {
		raw := z.Raw()
		e := markupEvent{kind: eventComment, start: end, end: end + len(raw)}
		name := tagName(raw)
		switch kind {
		case html.TextToken:
			e.kind = eventText
		case html.EndTagToken:
			e.kind, e.name = eventEndTag, string(raw[name.start:name.end])
		case html.StartTagToken, html.SelfClosingTagToken:
			e.kind, e.name = eventStartTag, string(raw[name.start:name.end])
			if strings.EqualFold(e.name, "noscript") {
				z.NextIsNotRawText() // scripting is disabled
			}
			var tag startTag
			s := attributeScanner{tag: raw, pos: name.end}
			for at, value, ok := s.next(); ok; at, value, ok = s.next() {
				if n := raw[at.start:at.end]; len(n) <= longestKnown {
					if a := knownAttributes.find(keyOf(n), n); a >= 0 {
						tag.add(attribute(a), span{end + value.start, end + value.end})
					}
				}
			}
			e.attrs = append([]tagAttribute{}, tag.attrs...)
		}
		events = append(events, e)
		end = e.end
	}
	return events
}

// compareEvents checks that a document is split into the events of golang.org/x/net/html, unless
// that is known to differ: it knows neither SVG and MathML nor NUL, and does not drop "</>".
func compareEvents(t *testing.T, doc []byte) {
	t.Helper()
	lower := bytes.ToLower(doc)
	for _, part := range []string{"<svg", "<math", "\x00", "</>"} {
		if bytes.Contains(lower, []byte(part)) {
			return
		}
	}
	for bytes.HasSuffix(doc, []byte("</")) {
		doc = doc[:len(doc)-len("</")]
	}
	got, want := readEvents(doc), netEvents(doc)
	for i := range want {
		if i == len(got) || !reflect.DeepEqual(got[i], want[i]) {
			t.Fatalf("%q: event %d of %d: %+v, the tokenizer says %+v", shorten(doc, want[i].start), i, len(want), got[min(i, len(got)-1)], want[i])
		}
	}
	if len(got) != len(want) {
		t.Fatalf("%q: %d events, the tokenizer has %d", shorten(doc, 0), len(got), len(want))
	}
}

// shorten returns the part of a document to print in a message.
func shorten(doc []byte, at int) []byte {
	if len(doc) < 1000 {
		return doc
	}
	return doc[max(0, at-100):min(len(doc), at+300)]
}

// compareDocuments checks that both find the same in a document.
func compareDocuments(t *testing.T, in Input) *Document {
	t.Helper()
	got, again := Extract(in), readAgain(t, in)
	in.slowPath = true
	want := Extract(in)
	for i, doc := range []*Document{got, again} {
		clearRepeats(t, in, doc)
		if i == 1 {
			byPlace(want.Links) // bare repeats come last
			byPlace(doc.Links)
		}
		if !reflect.DeepEqual(doc, want) {
			t.Fatalf("%s %q: %s", in.Name, shorten(in.Body, 0), firstDifference(doc, want))
		}
	}
	return got
}

// byPlace sorts links by position.
func byPlace(links []Link) {
	slices.SortStableFunc(links, func(a, b Link) int { return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column)) })
}

// readAgain extracts a document with Bare, and rereads the bare links.
func readAgain(t *testing.T, in Input) *Document {
	t.Helper()
	in.Bare = true
	doc := Extract(in)
	var again Rereader
	again.Reset(in.Body)
	for _, r := range doc.BareRepeats {
		l := doc.Links[r.First]
		l.Tag, l.Repeats = r.Tag, int(r.First)+1
		l.Line, l.Column, l.Text = 0, 0, "" // the first link has these fields if it is not bare
		doc.Links = append(doc.Links, l)
	}
	doc.BareRepeats = nil
	for i := range doc.Links {
		l := &doc.Links[i]
		if l.Tag == 0 {
			continue
		}
		f, ok := again.Link(l.Tag)
		if !ok || f.Raw != l.Raw || f.Ref != l.Ref || l.Line != 0 || l.Text != "" {
			t.Fatalf("%s %q: link %+v is reread as %+v", in.Name, shorten(in.Body, int(l.Tag)), *l, f)
		}
		f.NoFollow, f.Ignored, f.Base, f.Repeats = l.NoFollow, l.Ignored, l.Base, l.Repeats
		*l = f
	}
	return doc
}

func compareAll(t *testing.T, doc []byte) {
	t.Helper()
	compareEvents(t, doc)
	compareDocuments(t, Input{Body: doc, ContentType: "text/html; charset=utf-8"})
	// Fast paths apply only after the start of a page and well before its end.
	within := slices.Concat([]byte("<p>a page</p>"), doc, bytes.Repeat([]byte("<p>that goes on</p>\n"), 4))
	compareDocuments(t, Input{Body: within, ContentType: "text/html; charset=utf-8"})
	compareDocuments(t, Input{Body: doc, ContentType: "application/xhtml+xml"})
}

func FuzzFastPaths(f *testing.F) {
	for _, s := range oddMarkup {
		f.Add([]byte(s))
	}
	for _, s := range treeSeeds {
		f.Add([]byte(s))
	}
	for _, c := range elementCases {
		source, _ := unmark(c.html)
		f.Add([]byte(source))
	}
	for _, shape := range hostileDocuments {
		f.Add([]byte(shape(500)))
	}
	f.Fuzz(compareAll)
}

func TestFastPathsStandard(t *testing.T) {
	for _, s := range standardCases[string](t, "html5lib-inputs.json") {
		compareAll(t, []byte(s))
	}
	for _, name := range []string{"tokenizer-attributes.json", "html-links.json"} {
		for _, c := range standardCases[struct{ Input string }](t, name) {
			compareAll(t, []byte(c.Input))
		}
	}
}

// TestFastPathsOddMarkup checks that unusual markup does not affect what follows.
func TestFastPathsOddMarkup(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	around := []string{"%s", "<p class='x'>%s</p>", "<svg>%s</svg>", "<script>%s</script>", "<title>%s</title>", "<a href=x>%s</a>", "<noscript>%s</noscript>", "<template>%s</template>"}
	for range 2_000 {
		var doc string
		for range 1 + random.IntN(3) {
			doc += fmt.Sprintf(around[random.IntN(len(around))], oddMarkup[random.IntN(len(oddMarkup))])
		}
		compareAll(t, []byte(doc+"<a href=last id=i>"))
	}
}

// clearRepeats checks that each link that repeats another does so, and then clears Repeats,
// which the slow path does not set.
func clearRepeats(t *testing.T, in Input, doc *Document) {
	t.Helper()
	for i := range doc.Links {
		l := &doc.Links[i]
		if l.Repeats == 0 {
			continue
		}
		first := doc.Links[l.Repeats-1]
		if l.Repeats > i || first.Repeats > 0 {
			t.Fatalf("%s %q: link %d repeats %d", in.Name, shorten(in.Body, 0), i, l.Repeats-1)
		}
		first.Line, first.Column, first.Text, first.Repeats = l.Line, l.Column, l.Text, l.Repeats
		if !reflect.DeepEqual(first, *l) {
			t.Fatalf("%s %q: %+v does not repeat %+v", in.Name, shorten(in.Body, 0), *l, first)
		}
	}
	for i := range doc.Links {
		doc.Links[i].Repeats = 0
	}
}

// firstDifference returns the first field that differs.
func firstDifference(got, want *Document) string {
	for i := range want.Links {
		if i < len(got.Links) && !reflect.DeepEqual(got.Links[i], want.Links[i]) {
			return fmt.Sprintf("link %d is %+v, the tokenizer's %+v", i, got.Links[i], want.Links[i])
		}
	}
	g, w := *got, *want
	if len(g.Links) == len(w.Links) {
		g.Links, w.Links = nil, nil
	}
	return fmt.Sprintf("%+v, the tokenizer's %+v", g, w)
}

// oddMarkup is markup that fast paths must leave to the tokenizer, and similar ordinary
// markup.
var oddMarkup = []string{
	"a < b <c> d<", "<", "</", "<!", "<!-", "<!--", "<?", "<a", "<a ", "<a b", "<a b=", "<a b='", "<a b=c", "<a/", "</a", "</a ", "<a>", "</a>",
	"<>", "</>", "<!>", "<!->", "<?>", "< a>", "</ a>", "<1>", "</1>", "<é>", "<a\x00b c=d>", "<a b\x00=c d='\x00'>", "</a\x00>",
	"<a b=c/>", "<a b=c b=d/>", "<svg id=a id=b/><title><a></title>", "<svg id=a id='b'/><title><a></title>", "<svg a=/ b=c/><g/></svg>", "<a B=c x b=d/>", "<a b='c'/>", "<a b=c / >", "<a / b=c>", "<a/b=c>", "<a b/>", "<a b=/>", "<a b= />", "<br/ >", "<br//>",
	"<a b = c>", "<a b =c>", "<a b= c>", "<a =b>", "<a b=>", "<a b=\"c\"d=e>", "<a b='c'd>", "<a b='>' c=\">\">", "<a b=c\"d'e`f=g<h>", "<a b=`c`>", "<a \"b\">", "<a 'b'=c>", "<a <b>", "<a\fb\rc\td\ne=f\r\n>",
	"<a href=1 href=2 HREF=3>", "<p id=a ID=b id=c/>", "</a href='>'>", "</a/>", "</a b>", "</a\n>", "</a:b.c-d_e>", "<a:b.c-d_e f:g.h-i_j=k>", "<a @b=c #d=e (f)=g>",
	"<!---->", "<!--->", "<!-->", "<!--a-->", "<!--a--!>b-->", "<!--a--->b", "<!--a->b-->", "<!--a--", "<!--a--!", "<!--a--b-->", "<!---a-->", "<!----a-->", "<!--<!--a-->b-->", "<!--!-->", "<!--!>-->",
	"<!DOCTYPE html>a", "<!doctype", "<!doctype html", "<!d>", "<!D", "<!dog>", "<![endif]>", "<!ELEMENT a (b>c)>", "<!x", "<?xml version='1.0'?>a", "<?x",
	"<svg><![CDATA[<a>]]></svg><![CDATA[<a>]]>", "<svg><![CDATA[<a>", "<svg><![cdata[<a>]]>", "<svg></SVG><![CDATA[<a>]]>",
	"<title>a<b>c</title>d", "<title></title>", "<TITLE>a</Title >b", "<title>a</titleb>c</title\f>", "<title>a</title", "<title>", "<title/>a</title>", "<title>a</</title>", "<title></titl</title>", "<title>\x00</title>",
	"<textarea>\n<a></textarea/><a>", "<style><!--</style>--><a>", "<xmp><a></xmp><a>", "<iframe><a></iframe><a>", "<noembed><a></noembed>", "<noframes><a></noframes>", "<noscript><a></noscript><a>", "<plaintext><a></plaintext>", "<plaintext>",
	"<script><a></script><a>", "<script><!--</script>--></script>", "<script><!--<script></script>--></script><a>", "<script><!--<script>--></script><a>", "<script><!-</script><a>", "<script><!</script><a>", "<script></scriptx></script>", "<script><", "<script></", "<script></script", "<script></script ", "<SCRIPT></ScRiPt\t><a>", "<script>a<b</script>", "<script/><a></script>", "<script><!--a</script><a>",
	`<template shadowrootmode=open><a id=i href=x><svg><g></template><title>a<b>c</title></a>`, `<template shadowrootmode=open><a href=x></template></a><a href="x">b</a>`, "<svg><script><a></script></svg>", "<svg><title><a></title></svg>", "<svg/><title><a></title>", "<noscript><title><a></title></noscript>",
	"<a href='a\nb'\n id=\"c\">\n", "<p><p><p/><p /><P>", "<a\nhref\n=\nb\n>", "\xEF\xBB\xBF<a>", "\xFF<a \xFF=\xFE>", "<a b=\xC3\xA9 c='\xC3\xA9' \xC3\xA9=d>",
	strings.Repeat("<a b=>", 30) + "<a c=d>", strings.Repeat("<p class=x>text</p>\n", 300) + strings.Repeat("<a b = c>", 10) + "<title>x<a></title>",
	`<a href="x">y</a>`, `<a class="c" href="x" title="t">a <b>b</b> <img src=i alt=j> c</a>`, `<a href="x" href="y">z</a>`, `<a title="t" title="u" href="x"></a>`,
	`<a href="x"title="y">z</a>`, `<a href="x" >y</a>`, `<a href="x"/>y</a>`, `<a href="x">a < b</a>`, `<a href="x">a<!-- c -->b</a>`, `<a href="x">a<a href="y">b</a>c`,
	`<A HREF="x">y</A>`, `<a href="x">y</A>`, `<a  href="x">y</a>`, "<a\nhref=\"x\">y</a>", `<a href="x">&amp; &lt; </a>`, `<a href="x&amp;y">a</a><a href="x&y">b</a>`, `<a class="c">no</a>`,
	`<a href="x"> a  b </a>c<a href="x">a b</a><a href="x">d</a>`, `<a href="">e</a>`, `<a href="x" class="y" class="z">a</a>`, `<a href="x"><p id=i>a</p></a>`, `<a href="x"></a ><a href="y">z</a\n>`,
	`<a href="x">a<strong>b</strong><sup>c</sup><table>d</table><svg>e</svg></a>`, `<a href="x">a<template>b</template>c</a>`, `<a href="x">a<style>b{}</style>c</a>`, `<a href="x" rel="nofollow">a</a>`,
	"<!-- orbweaver-ignore-next-line -->\n<a href=\"x\">a</a>\n<a href=\"x\">a</a>", `<template><a href="x">a</a></template>`, `<svg><a href="x">a</a></svg>`, `<form><a href="x">a</a></form>`,
	`<a href="x">` + strings.Repeat("long text ", 30) + `</a>`, `<a href="x">é` + "\u00A0\x00\r\n\x7f" + `</a>`, `<a href="x">a`, `<a href="x`, `<a href="x">a</`, `<a href="x">a</a`, `<h1>a</h1><h2 class="b">c</h2><x-y>d</x-y><[>e</[><{>f`,
}
