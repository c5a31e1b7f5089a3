package extract

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// elementCases are pieces of HTML in which ‸ precedes every reference, and the links
// expected.
var elementCases = []struct {
	html string
	want []string
}{
	{`<a href="‸x">t</a>`, []string{`a href navigation any "x" "t"`}},
	{`<a href=‸x ping="‸p1 ‸p2&#9;‸p3">t</a>`, []string{`a href navigation any "x" "t"`, `a ping host any "p1" "t"`, `a ping host any "p2" "t"`, `a ping host any "p3" "t"`}},
	{`<a name=n>`, nil},
	{`<a href=‸>t</a>`, []string{`a href navigation any "" "t"`}},
	{`<a href‸>t</a>`, []string{`a href navigation any "" "t"`}},
	{`<a href="‸">t</a>`, []string{`a href navigation any "" "t"`}},
	{`<area href='‸x' alt="the area" ping=‸y>`, []string{`area href navigation any "x" "the area"`, `area ping host any "y" "the area"`}},

	{`<link rel=stylesheet href=‸x>`, []string{`link href stylesheet style "x" "stylesheet"`}},
	{`<link rel="Alternate StyleSheet" title="Night" href=‸x>`, []string{`link href stylesheet style "x" "Night"`}},
	{`<link rel=preconnect href=‸x><link href=‸y rel=dns-prefetch>`, []string{`link href host any "x" "preconnect"`, `link href host any "y" "dns-prefetch"`}},
	{`<link rel="shortcut icon" href=‸x><link rel=apple-touch-icon href=‸y>`, []string{`link href resource image "x" "shortcut icon"`, `link href resource image "y" "apple-touch-icon"`}},
	{`<link rel=canonical href=‸x><link rel=next href=‸y><link rel=alternate href=‸z>`, []string{`link href metadata any "x" "canonical"`, `link href navigation any "y" "next"`, `link href navigation any "z" "alternate"`}},
	{`<link rel=preload as=image href=‸x imagesrcset="‸y 1x, ‸z 2x">`, []string{`link href resource image "x" "preload"`, `link imagesrcset resource image "y" "preload"`, `link imagesrcset resource image "z" "preload"`}},
	{`<link rel=preload as=style href=‸x><link rel=preload as=script href=‸y><link rel=modulepreload href=‸z>`, []string{`link href stylesheet style "x" "preload"`, `link href resource script "y" "preload"`, `link href resource script "z" "modulepreload"`}},
	{`<link rel="unheard-of-and-longer-than-any-type-in-the-table stylesheet" href=‸x>`, []string{`link href stylesheet style "x" "unheard-of-and-longer-than-any-type-in-the-table stylesheet"`}},
	{`<link rel=manifest href=‸x><link rel=pingback href=‸y><link rel=unheard-of href=‸z><link itemprop=url href=‸q>`, []string{`link href stylesheet any "x" "manifest"`, `link href host any "y" "pingback"`, `link href metadata any "z" "unheard-of"`, `link href metadata any "q" ""`}},

	{`<meta http-equiv=Refresh content="5; url='‸x'">`, []string{`meta content navigation any "x" ""`}},
	{`<meta http-equiv=refresh content="5"><meta http-equiv=refresh content="0;url=">`, nil},
	{`<meta property=og:url content=‸x><meta name=og:image content=‸y>`, []string{`meta content metadata any "x" ""`, `meta content metadata image "y" ""`}},
	{`<meta name="twitter:image" content=‸x><meta name=Twitter:Player content=‸y><meta name=description content=no>`, []string{`meta content metadata image "x" ""`, `meta content metadata any "y" ""`}},
	{`<meta property=og:audio content=‸x><meta property=og:video:secure_url content=‸y><meta property=og:image content="">`, []string{`meta content metadata any "x" ""`, `meta content metadata any "y" ""`}},

	{`<script src=‸x></script><script type=module src=‸y></script><script type=text/template src=‸z></script>`, []string{`script src resource script "x" ""`, `script src resource script "y" ""`, `script src resource any "z" ""`}},
	{`<html manifest=‸x><head profile="‸y ‸z">`, []string{`html manifest resource any "x" ""`, `head profile metadata any "y" ""`, `head profile metadata any "z" ""`}},
	{`<body background=‸0><table background=‸1><colgroup background=‸2><col background=‸3><thead background=‸4><tr background=‸5><th background=‸6><tbody background=‸7><tfoot background=‸8><td background=‸9><caption background=no>`, []string{`body background resource image "0" ""`, `table background resource image "1" ""`, `colgroup background resource image "2" ""`, `col background resource image "3" ""`, `thead background resource image "4" ""`, `tr background resource image "5" ""`, `th background resource image "6" ""`, `tbody background resource image "7" ""`, `tfoot background resource image "8" ""`, `td background resource image "9" ""`}},
	{`<body background=""><table background><tr><td background=''>`, nil},

	{`<img src=‸x srcset="‸y 1x,‸z 2x, ‸no 3y" longdesc=‸p lowsrc=‸q usemap=‸#m alt=" an  image ">`, []string{`img src resource image "x" "an image"`, `img srcset resource image "y" "an image"`, `img srcset resource image "z" "an image"`, `img srcset resource image "no" "an image" candidate`, `img longdesc navigation any "p" "an image"`, `img lowsrc resource image "q" "an image"`, `img usemap navigation any "#m" "an image" same`}},
	{`<image src=‸x>`, []string{`img src resource image "x" ""`}},
	{`<picture><source srcset="‸x 100w, ‸y,"><source src=‸z></picture>`, []string{`source srcset resource image "x" ""`, `source srcset resource image "y" ""`, `source src resource any "z" ""`}},
	{`<video src=‸x poster=‸y><audio src=‸z><track src=‸p><bgsound src=‸q>`, []string{`video src resource any "x" ""`, `video poster resource image "y" ""`, `audio src resource any "z" ""`, `track src resource any "p" ""`, `bgsound src resource any "q" ""`}},

	{`<iframe src=‸x longdesc=‸y title=frame></iframe>`, []string{`iframe src navigation any "x" "frame"`, `iframe longdesc navigation any "y" "frame"`}},
	{`<iframe srcdoc="<a href='‸x&amp;amp;y'>in</a>" src=‸z></iframe>`, []string{`a href navigation any "x&y" "in"`, `iframe src navigation any "z" ""`}},
	{`<frameset><frame src=‸x longdesc=‸y></frameset>`, []string{`frame src navigation any "x" ""`, `frame longdesc navigation any "y" ""`}},
	{`<p>text<frameset><frame src=no></frameset>`, nil},
	{`<layer src=‸x background=‸y></layer><ilayer src=‸z background=‸p>`, []string{`layer src navigation any "x" ""`, `layer background resource image "y" ""`, `ilayer src navigation any "z" ""`, `ilayer background resource image "p" ""`}},

	{`<embed src=‸x pluginspage=‸y>`, []string{`embed src navigation any "x" ""`, `embed pluginspage metadata any "y" ""`}},
	{`<object data=‸x codebase=‸/c/ classid=‸k archive="‸p ‸q" usemap=‸#m></object>`, []string{`object data navigation any "x" ""`, `object codebase host any "/c/" ""`, `object classid resource any "k" "" base=/c/`, `object archive resource any "p" "" base=/c/`, `object archive resource any "q" "" base=/c/`, `object usemap navigation any "#m" "" same`}},
	{`<object classid="clsid:D27CDB6E" codebase=‸http://h/swflash.cab archive=‸p></object>`, []string{`object codebase host any "http://h/swflash.cab" ""`, `object archive resource any "p" ""`}},
	{`<object classid=‸http://h/k codebase=‸c></object><object classid=java:Clock></object>`, []string{`object classid resource any "http://h/k" "" base=c`, `object codebase host any "c" ""`}},
	{`<applet code=x codebase=‸/c archive="‸p.jar, ‸q.jar ,"></applet>`, []string{`applet codebase host any "/c" ""`, `applet archive resource any "p.jar" "" base=/c`, `applet archive resource any "q.jar" "" base=/c`}},

	{`<form action=‸x><input type=image src=‸y formaction=‸z usemap=‸#m alt=go><button formaction=‸p></button><button formaction=no formmethod=POST></button></form>`, []string{`form action submission any "x" ""`, `input src resource image "y" "go"`, `input formaction submission any "z" "go"`, `input usemap navigation any "#m" "go" same`, `button formaction submission any "p" ""`}},
	{`<form action=no method=post><button formaction=no></button><button formmethod=get formaction=‸x></button></form><form action=no method=dialog></form>`, []string{`button formaction submission any "x" ""`}},
	{`<form action=‸x><form action=no></form><form action=‸y>`, []string{`form action submission any "x" ""`, `form action submission any "y" ""`}},
	{`<isindex action=‸x>`, []string{`isindex action submission any "x" ""`}},
	{`<blockquote cite=‸x><q cite=‸y><ins cite=‸z><del cite=‸p>`, []string{`blockquote cite metadata any "x" ""`, `q cite metadata any "y" ""`, `ins cite metadata any "z" ""`, `del cite metadata any "p" ""`}},
	{`<xmp href=‸x><a href=no></xmp>`, []string{`xmp href navigation any "x" ""`}},

	{`<svg><a href=‸x xlink:href=no><text>t</text></a><use xlink:href=‸#u /><image href=‸y /><feImage href=‸z /></svg>`, []string{`a href navigation any "x" "t"`, `use xlink:href resource any "#u" "" same`, `image href resource image "y" ""`, `feimage href resource image "z" ""`}},
	{`<svg><linearGradient href=‸#g /><radialGradient href=‸#g /><pattern href=‸#g /><textPath href=‸#g /><mpath href=‸#g /><filter href=‸#g /><tref xlink:href=‸#g /><cursor href=‸#g /></svg>`, repeat("%s href resource any \"#g\" \"\" same", "lineargradient", "radialgradient", "pattern", "textpath", "mpath", "filter", "tref xlink:", "cursor")},
	{`<svg><animate href=‸#g /><animateColor href=‸#g /><animateMotion href=‸#g /><animateTransform href=‸#g /><set href=‸#g /><discard href=‸#g /><glyphRef href=‸#g /><altGlyph href=‸#g /><color-profile href=‸#g /><font-face-uri href=‸#g /></svg>`, repeat("%s href resource any \"#g\" \"\" same", "animate", "animatecolor", "animatemotion", "animatetransform", "set", "discard", "glyphref", "altglyph", "color-profile", "font-face-uri")},
	{`<svg><script href=‸x /><script>"<a href=‸markup>"</script></svg>`, []string{`script href resource script "x" ""`, `a href navigation any "markup" "\""`}},
	{`<svg><foreignObject><a href=‸x xlink:href=no></a></foreignObject><style>a{b:url("‸y")}</style></svg><use href=no xlink:href=no>`, []string{`a href navigation any "x" ""`, `style url resource any "y" ""`}},
	{`<math href=no><mi xlink:href=no>x</mi><mrow href=no></mrow><img-x src=no></math>`, nil},
	{`<math><a href=‸x rel=nofollow><mi>t</mi></a><mtext><a href=‸y>u</a></mtext><a xlink:href=no></a></math><a href=‸z>v</a>`, []string{`a href navigation any "x" "t" nofollow`, `a href navigation any "y" "u"`, `a href navigation any "z" "v"`}},
	{`<svg><title><![CDATA[><a href=no>]]></title><desc><b></b><![CDATA[><a href=‸x>t</a>]]></desc></svg>`, []string{`a href navigation any "x" "t"`}},
	{`<svg id=i id=j/><image href=‸x /></svg>`, []string{`image href resource image "x" ""`}},
	{`<a href=‸x><svg><path></a><form action=‸y><style><a href=no></style>`, []string{`a href navigation any "x" ""`, `form action submission any "y" ""`}},
	{`<button><svg><g></button><iframe src=‸x></iframe>`, []string{`iframe src navigation any "x" ""`}},
	{`<td><svg><td><a href=‸x></a></td><image href=‸y /></td><img src=‸z>`, []string{`a href navigation any "x" ""`, `image href resource image "y" ""`, `img src resource image "z" ""`}},
	{`<svg><a href=‸x><foreignObject><a href=‸y></a><style><a href=no></style></foreignObject></a><image href=‸z /></svg>`, []string{`a href navigation any "x" ""`, `a href navigation any "y" ""`, `image href resource image "z" ""`}},

	{`<p style="background:url(‸x)"><my-card style="background:url('‸y')">`, []string{`p style resource any "x" ""`, `my-card style resource any "y" ""`}},
	{`<A-Very-Long-Custom-Element-Name style="b:url(‸x)">`, []string{`a-very-long-custom-element-name style resource any "x" ""`}},
	{`<style>@import "‸x"; @import url(‸y); a{b:url(‸z)}</style>`, []string{`style @import stylesheet style "x" ""`, `style @import stylesheet style "y" ""`, `style url resource any "z" ""`}},
	{`<style type=text/less>a{b:url(no)}</style><style type="text/css">a{b:url(‸x)}</style>`, []string{`style url resource any "x" ""`}},
	{`<script type="application/ld+json">{"url": "‸http://e/x", "image": ["‸i.png"]}</script>`, []string{`script url metadata any "http://e/x" ""`, `script image metadata any "i.png" ""`}},

	{`<!-- <a href=no> --><script>"<a href=no>"</script><textarea><a href=no></textarea><title><a href=no></title><noembed><a href=no></noembed><noframes><a href=no></noframes>`, nil},
	{`<template><a href=no></a><template><img src=no></template><style>a{b:url(no)}</style></template><a href=‸x></a>`, []string{`a href navigation any "x" ""`}},
	{`<div><template shadowrootmode=open><a href=‸x>t</a></template></div>`, []string{`a href navigation any "x" "t"`}},
	{`<noscript><img src=‸x></noscript>`, []string{`img src resource image "x" ""`}},
	{`<p itemtype=no itemid=no data-src=no><div href=no src=no>`, nil},
	{`<a href=‸x rel="me NoFollow">t</a>`, []string{`a href navigation any "x" "t" nofollow`}},
}

func repeat(format string, names ...string) []string {
	var out []string
	for _, n := range names {
		element, prefix, _ := strings.Cut(n, " ")
		out = append(out, strings.Replace(fmt.Sprintf(format, element), " href", " "+prefix+"href", 1))
	}
	return out
}

var expectNames = [...]string{ExpectAny: "any", ExpectImage: "image", ExpectScript: "script", ExpectStyle: "style"}

// describeLink returns a link in the notation of these tests, without its position.
func describeLink(l Link) string {
	s := fmt.Sprintf("%s %s %s %s %q %q", l.Element, l.Attribute, l.Kind, expectNames[l.Expect], l.Ref, l.Text)
	if l.Base != "" {
		s += " base=" + l.Base
	}
	for _, flag := range []struct {
		is   bool
		name string
	}{{l.SameDocument, "same"}, {l.NoFollow, "nofollow"}, {l.Ignored, "ignored"}, {l.IgnoredCandidate, "candidate"}} {
		if flag.is {
			s += " " + flag.name
		}
	}
	return s
}

// unmark removes the marks from a source and returns their positions.
func unmark(marked string) (source string, places [][2]int) {
	line, column := 1, 1
	var b strings.Builder
	for _, r := range marked {
		switch {
		case r == '‸':
			places = append(places, [2]int{line, column})
			continue
		case r == '\n':
			line, column = line+1, 0
		}
		column++
		b.WriteRune(r)
	}
	return b.String(), places
}

func TestElements(t *testing.T) {
	for _, c := range elementCases {
		// At the start, and after two lines of text with wide characters.
		for _, before := range []string{"", "é€😀\n\t日本 <b>é</b>"} {
			if before != "" && strings.Contains(c.html, "frame src") {
				continue // no frameset is allowed after text
			}
			source, places := unmark(before + c.html)
			doc := Extract(Input{Body: []byte(source), ContentType: "text/html;charset=utf-8"})
			var got []string
			for i, l := range doc.Links {
				got = append(got, describeLink(l))
				if i < len(places) && places[i] != [2]int{l.Line, l.Column} {
					t.Errorf("%s: %s at %d:%d, want %v", source, got[i], l.Line, l.Column, places[i])
				}
			}
			if !slices.Equal(got, c.want) || len(got) != len(places) {
				t.Errorf("%s gave\n\t%s, want\n\t%s", source, strings.Join(got, "\n\t"), strings.Join(c.want, "\n\t"))
			}
		}
	}
}

// TestElementCasesAreComplete checks that every row of the tables has a case.
func TestElementCasesAreComplete(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range elementCases {
		source, _ := unmark(c.html)
		for _, l := range Extract(Input{Body: []byte(source), ContentType: "text/html"}).Links {
			seen[l.Element+" "+l.Attribute] = true
		}
	}
	for _, r := range htmlRules {
		if name := r.element + " " + attributeNames[r.attribute]; !seen[name] && r.form != formDocument {
			t.Errorf("no case for %s", name)
		}
	}
	for _, s := range svgRules {
		if !seen[s.name+" href"] && !seen[s.name+" xlink:href"] {
			t.Errorf("no case for svg %s", s.name)
		}
	}
}
