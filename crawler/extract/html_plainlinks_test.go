package extract

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// TestPlainLinks checks that links assembled at random from plain and almost plain markup are
// those that the tokenizer finds, with the same texts.
func TestPlainLinks(t *testing.T) {
	pieces := []string{"text", "two words", " ", "  ", "\n", "\t", "\r\n", "\x00", "é", "\u00a0", "&amp;", "&lt", "&nbsp", "<", "< ", "<1", "a<b", ">", `"`,
		"<span class=pre>", "<code class=\"x y\">", "</span>", "</code>", "<b>", "</b>", "<i id=x>", `<i title="t" alt="in place of i">`, `<p id="p" title="t" rel="nofollow">`, `<q cite="w" title="t">`, `<td type="t" background="w">`,
		`<em aria-label="l" style="background: url(w)" rel="nofollow">`, `<u data-orbweaver-ignore="" title="t">`, `<h2 title="t">`, "<h2>", "</h2>", "</h7>", `<b class="short">`, `<b class="short"title="t">`, "<img src=y alt=z>", "<a>", "<a href=z>", "<A HREF=z>", "</a>", "</A>", "</a >", "</ a>",
		"<!-- c -->", "<br/>", "<u class='x'>", `<u class='x"y' title='t' open>`, "<u open>", "<u open >", "<u class=x open>", "<u class='x'open>", "<script>1</script>", "<form>", "</form>", "<p", "</", "<svg>", "</svg>", "<template>", "</template>", strings.Repeat("long ", 60), strings.Repeat("x", maxText), "<?x?>"}
	tags := []string{`<a href="%">`, `<a class="c" href="%" title="t  t">`, `<a href='%'>`, `<a href="%" id="i">`, `<a title="&amp;" href="%">`, `<a href="%" rel="nofollow">`, `<a aria-label=l href="%">`, `<a  href="%" >`}
	random := rand.New(rand.NewPCG(3, 5))
	for range 20_000 {
		var b strings.Builder
		b.WriteString("<body><p>")
		for range 1 + random.IntN(4) {
			b.WriteString(strings.Replace(tags[random.IntN(len(tags))], "%", []string{"u", "v#w", "", "x&amp;y"}[random.IntN(4)], 1))
			for range random.IntN(4) {
				b.WriteString(pieces[random.IntN(len(pieces))])
			}
			if random.IntN(8) > 0 {
				b.WriteString("</a>")
			}
		}
		if random.IntN(8) > 0 {
			b.WriteString(strings.Repeat("<p>that goes on</p>\n", 4))
		}
		compareDocuments(t, Input{Body: []byte(b.String()), ContentType: "text/html; charset=utf-8"})
	}
}

// TestBare checks that a link is bare if it is the only one of its tag and depends on nothing
// but what follows.
func TestBare(t *testing.T) {
	for html, want := range map[string]string{
		`<a href="x">`: "x", `<a id=i href=x rel=nofollow>`: "x", `<img src=x alt=y>`: "x", `<svg></svg><p style="a:url(x)">`: "x",
		`<link rel=icon href=x>`: "x", `<frameset><frame src=x>`: "x", `<form><input formaction=x>`: "x", `<template></template><a href=x>`: "x",
		`<a href=x ping=y>`: "", `<img src=x srcset=y>`: "", `<iframe srcdoc="<a href=x>">`: "", `<svg><a href=x>`: "", `<style>a{b:url(x)}</style>`: "",
		"<a href = x><a href = y>": "x y",
	} {
		doc := Extract(Input{Body: []byte(html), ContentType: "text/html; charset=utf-8", Bare: true})
		if len(doc.Links) == 0 {
			t.Errorf("%s: no links", html)
		}
		doc.Links = slices.DeleteFunc(doc.Links, func(l Link) bool { return l.Tag == 0 })
		if got := refs(doc.Links); got != want {
			t.Errorf("%s: bare links %q, want %q", html, got, want)
		}
	}
}

// TestBareRepeats checks that a plain link that repeats another is recorded by its tag, and
// that with selectors, which depend on the elements around a link, all links are in document
// order.
func TestBareRepeats(t *testing.T) {
	const links = `<p><a href="x">1</a><a href="y">2</a><a class="c" href="x"><b>3</b></a><a href="y" rel="nofollow">4</a><a href="y">5</a>`
	marked := `<p data-orbweaver-ignore><a href="z">6</a></p>`
	end := strings.Repeat("<p>that goes on</p>\n", 4)
	doc := Extract(Input{Body: []byte(links + end), ContentType: "text/html; charset=utf-8", Bare: true})
	if got := refs(doc.Links); got != "x y y" || !slices.Equal(doc.BareRepeats, []BareRepeat{{0, int32(strings.Index(links, `<a class`)) + 1}, {1, int32(strings.LastIndex(links, "<a")) + 1}}) {
		t.Errorf("links %q, repeated by %v", got, doc.BareRepeats)
	}
	doc = Extract(Input{Body: []byte(links + marked + end), ContentType: "text/html; charset=utf-8", Bare: true})
	if got := refs(doc.Links); got != "x y x y y -z" || len(doc.BareRepeats) > 0 || doc.Links[2].Repeats != 1 || doc.Links[4].Repeats != 2 {
		t.Errorf("links %+v, repeated by %v", doc.Links, doc.BareRepeats)
	}
}

// TestRereaderStops checks that rereading links that never end stops at the next link.
func TestRereaderStops(t *testing.T) {
	for _, tag := range []string{`<a href="x">y`, `<a href=x>y`, `<a href="x"><svg>y</svg>`} {
		body := []byte(strings.Repeat(tag, 100_000))
		var again Rereader
		again.Reset(body)
		for i := range 100_000 {
			if f, ok := again.Link(int32(i*len(tag) + 1)); !ok || f.Text != "y" || len(again.r.links) > 2 {
				t.Fatalf("%s: link %d is read as %+v, with %d others", tag, i, f, len(again.r.links)-1)
			}
		}
	}
}

// TestBodyChanges checks that after reading with bare links only links and anchors depend on
// the body. Everything else, above all duplicate ids, stays the same when the body's memory
// is overwritten.
func TestBodyChanges(t *testing.T) {
	long := strings.Repeat("i", textBlockSize/4)
	html := `<html><head><title>A title</title><base href="/base/"><link rel=canonical href="/canonical">
<body id="page"><a href=x id=twice>1</a> <a href="y" id='again'>2</a><p id="a&amp;b"><p id=plain><a name="named">3</a>
<b id="twice"><b id=again><b id='a&amp;b'><b id="a&#38;b"><b id="twice"><a name="named">4</a><i id=&lt;><i id="<"><i id="page">
<svg id=drawing><use href="#drawing"/></svg><svg id="drawing"></svg><iframe srcdoc="<b id=inner><b id=inner>"></iframe>
<template><b id="inert"><b id="inert"></template><b id="` + long + `"><b id="` + long + `">` + strings.Repeat("<p>that goes on</p>\n", 4)
	for name, c := range map[string]struct {
		body, contentType string
		doubled           int
	}{
		"HTML":     {html, "text/html; charset=utf-8", 7},
		"Latin-1":  {strings.ReplaceAll(html, "twice", "zw\xf6lf"), "text/html; charset=iso-8859-1", 7},
		"XHTML":    {html, "application/xhtml+xml", 7},
		"SVG":      {`<svg xmlns="http://www.w3.org/2000/svg"><g id="a"/><g id="a"/></svg>`, "image/svg+xml", 1},
		"DocBook":  {`<article xmlns="http://docbook.org/ns/docbook"><para xml:id="a"/><para xml:id="a"/></article>`, "application/docbook+xml", 1},
		"Markdown": {"# A title\n\n<b id=\"a\">b</b> <b id=\"a\">c</b>\n", "text/markdown", 1},
	} {
		want := Extract(Input{Body: []byte(c.body), ContentType: c.contentType})
		body := []byte(c.body)
		doc := Extract(Input{Body: body, ContentType: c.contentType, Bare: true})
		for i := range body {
			body[i] = '#'
		}
		if len(want.Duplicates) != c.doubled || !slices.Equal(doc.Duplicates, want.Duplicates) {
			t.Errorf("%s: duplicate ids %+v, want %d: %+v", name, doc.Duplicates, c.doubled, want.Duplicates)
		}
		for _, d := range []*Document{want, doc} {
			d.Links, d.Anchors = nil, nil
		}
		if !reflect.DeepEqual(doc, want) {
			t.Errorf("%s: %+v, want %+v", name, *doc, *want)
		}
	}
}
