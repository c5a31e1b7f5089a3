package extract

import (
	"fmt"
	"strings"
	"testing"
)

// plainStart starts a page in which links are plain.
const plainStart = "<!doctype html><body><p>text</p>"

// hostileDocuments are documents of hostile shapes, about n bytes long.
var hostileDocuments = map[string]func(n int) string{
	"links":             func(n int) string { return strings.Repeat("<a href=x>text</a>", n/18) },
	"links on one line": func(n int) string { return strings.Repeat("<a href=x>é</a>", n/16) },
	"unclosed links":    func(n int) string { return strings.Repeat("<a href=x>", n/10) },
	"plain links":       func(n int) string { return plainStart + strings.Repeat(`<a href="x">text</a>`, n/20) },
	"unclosed plain":    func(n int) string { return plainStart + strings.Repeat(`<a href="x">a <b>b</b> <i>`, n/26) },
	"odd plain links":   func(n int) string { return plainStart + strings.Repeat(`<a href="x">a < b<!-->`, n/22) },
	"plain links in templates": func(n int) string {
		return plainStart + strings.Repeat(`<template shadowrootmode=open><a href="x"><svg><title>`, n/54)
	},
	"unclosed elements": func(n int) string { return strings.Repeat("<div><p><b>", n/11) },
	"unclosed svg":      func(n int) string { return strings.Repeat("<svg><title>", n/12) },
	"svg closed late":   func(n int) string { return strings.Repeat("<svg>", n/11) + strings.Repeat("</svg>", n/11) },
	"svg end tags":      func(n int) string { return strings.Repeat("<svg><desc>", n/22) + strings.Repeat("</g></a>", n/16) },
	"templates":         func(n int) string { return strings.Repeat("<template>", n/21) + strings.Repeat("</template>", n/21) },
	"less-than signs":   func(n int) string { return strings.Repeat("<", n) },
	"comments":          func(n int) string { return strings.Repeat("<!--", n/4) },
	"bogus comments":    func(n int) string { return strings.Repeat("<!x", n/3) },
	"script escapes":    func(n int) string { return "<script>" + strings.Repeat("<!--<script>", n/12) },
	"title":             func(n int) string { return "<title>" + strings.Repeat("</titl&amp;", n/10) },
	"NUL bytes":         func(n int) string { return strings.Repeat("\x00", n) },
	"invalid UTF-8":     func(n int) string { return strings.Repeat("<a href=\xFF\xC3>\xE9", n/13) },
	"lone CR":           func(n int) string { return strings.Repeat("\r<a href=x>", n/11) },
	"one tag":           func(n int) string { return "<a " + strings.Repeat(" href=x", n/7) + ">" },
	"names in one tag": func(n int) string {
		var b strings.Builder
		for i := 0; b.Len() < n; i++ {
			fmt.Fprintf(&b, " a%d", i)
		}
		return "<a" + b.String() + ">"
	},
	"ids": func(n int) string {
		var b strings.Builder
		for i := 0; b.Len() < n; i++ {
			fmt.Fprintf(&b, "<p id=x%d>", i)
		}
		return b.String()
	},
	"one id":     func(n int) string { return strings.Repeat("<p id=x>", n/8) },
	"references": func(n int) string { return "<a href='" + strings.Repeat("&amp;", n/5) + "'>" },
	"ampersands": func(n int) string { return "<a href='" + strings.Repeat("&", n) + "'>" },
	"long name": func(n int) string {
		return "<a href='" + strings.Repeat("&a", n/2) + "&" + strings.Repeat("a", n) + "'>"
	},
	"srcset":             func(n int) string { return "<img srcset='" + strings.Repeat("a&amp;b 1x,", n/11) + "'>" },
	"srcset parentheses": func(n int) string { return "<img srcset='" + strings.Repeat("a (,", n/4) + "'>" },
	"codebase": func(n int) string {
		return "<object codebase='" + strings.Repeat("a", n/2) + "' archive='" + strings.Repeat("a ", n/4) + "'>"
	},
	"ping":            func(n int) string { return "<a href=x ping='" + strings.Repeat("a ", n/2) + "'>" },
	"archive":         func(n int) string { return "<applet archive='" + strings.Repeat("a,", n/2) + "'>" },
	"style attribute": func(n int) string { return "<p style='" + strings.Repeat("a:url(x);", n/9) + "'>" },
	"style quotes":    func(n int) string { return "<style>" + strings.Repeat("\"\n", n/2) },
	"style functions": func(n int) string { return "<style>" + strings.Repeat("url(x(", n/6) },
	"style nesting":   func(n int) string { return "<style>" + strings.Repeat("image-set(", n/10) },
	"style escapes":   func(n int) string { return "<style>" + strings.Repeat(`\`, n) },
	"style comments":  func(n int) string { return "<style>" + strings.Repeat("/*/", n/3) },
	"JSON-LD":         func(n int) string { return ldjson + strings.Repeat(`"url":"http://x",`, n/17) },
	"JSON-LD nesting": func(n int) string { return ldjson + strings.Repeat(`{"a":[`, n/6) },
	"srcdoc":          func(n int) string { return strings.Repeat("<iframe srcdoc='<a href=x>'></iframe>", n/37) },
	"nested srcdoc": func(n int) string {
		s := strings.Repeat("<a href=x>", n/10/16)
		for range maxNesting + 2 {
			s = "<iframe srcdoc='" + strings.NewReplacer("&", "&amp;", "'", "&#39;").Replace(s) + "'></iframe>"
		}
		return s
	},
	"next-line marks": func(n int) string {
		return strings.Repeat("<!--orbweaver-ignore-next-line-->", n/66) + "\n" + strings.Repeat("x", n/2)
	},
	"next-line mark lines": func(n int) string { return strings.Repeat("<!--orbweaver-ignore-next-line-->\n<a href=x>", n/44) },
	"element marks":        func(n int) string { return strings.Repeat("<p data-orbweaver-ignore><a href=x>t</a></p>\n", n/45) },
	"late meta":            func(n int) string { return strings.Repeat("<meta charse=x>é", n/17) },
}

const ldjson = "<script type=application/ld+json>"

func TestHostileDocuments(t *testing.T) {
	for name, make := range hostileDocuments {
		source := make(100_000)
		body := []byte(source)
		doc := Extract(Input{Body: body, ContentType: "text/html"})
		if string(body) != source {
			t.Errorf("%s: the body was changed", name)
		}
		text, _ := decode(body, "text/html", htmlCharset)
		if n := len(doc.Links); n > 0 { // computing each position separately would take quadratic time here
			doc.Links = []Link{doc.Links[0], doc.Links[n/2], doc.Links[n-1]}
		}
		checkPlaces(t, text, doc)
	}
}

func TestDeepNesting(t *testing.T) {
	doc := page(strings.Repeat("<div>", 100_000) + "<a href=deep id=d>")
	if refs(doc.Links) != "deep" || len(doc.Anchors) != 1 || len(doc.Faults) != 0 {
		t.Errorf("%+v", doc)
	}
}

func TestSrcdocLimit(t *testing.T) {
	html := "<a href=deepest>"
	for level := maxNesting + 1; level > 0; level-- {
		html = fmt.Sprintf("<a href=%d>", level-1) + "<iframe srcdoc='" + strings.NewReplacer("&", "&amp;", "'", "&#39;").Replace(html) + "'></iframe>"
	}
	doc := page(html)
	if got := refs(doc.Links); got != "0 1 2 3 4" || len(doc.Faults) != 1 {
		t.Errorf("%s %q", got, doc.Faults)
	}
}

func TestLinkLimit(t *testing.T) {
	doc := page(strings.Repeat("<a href=x>\n", MaxLinks) + "<a href=y><p id=a><style>a{b:url(no)}</style><script type=application/ld+json>{\"url\":\"http://no\"}</script>")
	if len(doc.Links) != MaxLinks || doc.Links[MaxLinks-1].Line != MaxLinks || len(doc.Faults) != 1 || len(doc.Anchors) != 1 {
		t.Errorf("%d links, %q, %q", len(doc.Links), doc.Faults, doc.Anchors)
	}
}

// TestBareLinkLimit checks that bare repeats count toward the limit.
func TestBareLinkLimit(t *testing.T) {
	body := []byte("<p>text" + strings.Repeat(`<a href="x"></a>`, MaxLinks) + `<a href="y"></a><a href="x"></a>` + strings.Repeat("<p>that goes on</p>\n", 4))
	doc := Extract(Input{Body: body, ContentType: "text/html; charset=utf-8", Bare: true})
	if len(doc.Links) != 1 || len(doc.BareRepeats) != MaxLinks-1 || len(doc.Faults) != 1 {
		t.Errorf("%d links, %d repeat them, %q", len(doc.Links), len(doc.BareRepeats), doc.Faults)
	}
}

func TestAnchorLimit(t *testing.T) {
	doc := page(strings.Repeat("<p id=x>", maxAnchors+2) + "<a href=y>")
	if len(doc.Anchors) != maxAnchors || len(doc.Faults) != 1 || len(doc.Links) != 1 || len(doc.Duplicates) != 1 {
		t.Errorf("%d anchors, %q", len(doc.Anchors), doc.Faults)
	}
}

// TestManyAttributes: a link behind many attributes is read, and one that is not is reported.
func TestManyAttributes(t *testing.T) {
	for n, read := range map[int]bool{300: true, 65_535: true, 65_536: false} {
		var b strings.Builder
		b.WriteString("<a")
		for i := range n {
			fmt.Fprintf(&b, " a%d", i)
		}
		b.WriteString(" a1 href=x>text</a>")
		doc := Extract(Input{Body: []byte(b.String()), ContentType: "text/html"})
		if (len(doc.Links) == 1) != read || (len(doc.Faults) == 0) != read {
			t.Errorf("behind %d attributes: links %v, faults %q", n, doc.Links, doc.Faults)
		}
	}
}
