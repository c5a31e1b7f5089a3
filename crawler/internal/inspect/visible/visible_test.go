package visible

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/net/html"

	"github.com/orbweaver/orbweaver/crawler/internal/htmltoken"
)

func read(c *Content, tokens *htmltoken.Tokenizer, source []byte) {
	c.Reset(source)
	tokens.Reset(source, false)
	for tokens.Next() {
		c.Token(&tokens.Token)
	}
}

func TestContent(t *testing.T) {
	for _, c := range []struct{ source, text, title string }{
		{"", "", ""},
		{" \n ", "", ""},
		{"<!DOCTYPE html><title> A \n page </title><p>One\n\t two</p> ", "One two", "A page"},
		{"<p>one</p><p>two<br>three", "one two three", ""},
		{"<b>o</b>ne<wbr>-<i>two</i>", "one-two", ""},
		{"<td>a<td>b", "a b", ""},
		{"a<img alt=no>b", "a b", ""},
		{"a<!-- no -->b<script>no</script>c<style>no</style>d", "abcd", ""},
		{"a<noscript>no <b>no</b></noscript> b", "a b", ""},
		{"a<template>no<template>no</template>no</template>b", "ab", ""},
		{"a<iframe>no</iframe><noembed>no</noembed><noframes>no</noframes>b", "a b", ""},
		{"<template>no", "", ""},
		{"a <textarea> b\n</textarea><button>c</button><option>d<option>e", "a b c d e", ""},
		{"a <x-y>b</x-y>c</script>d", "a bcd", ""},
		{"one&nbsp;two&#32;&#x20; three\u00a0\u2003four\u3000five", "one two three four five", ""},
		{"hyphen&shy;ated zero\u200bwidth&ZeroWidthSpace;space", "hyphenated zerowidthspace", ""},
		{"a &lt;b&gt; &amp;amp; &notit; &unknown; & &; &#65 &#x", "a <b> &amp; ¬it; &unknown; & &; A &#x", ""},
		{"<textarea>&lt;b></textarea><script>&lt;</script>", "<b>", ""},
		{"<svg><title>no</title><desc>no <b></desc><metadata>no</metadata><text>yes</text><style/><script/>too</svg>", "yestoo", ""},
		{"<svg><title>no</title></svg><title>yes</title>", "", "yes"},
		{"<title/>one</title><title>two</title>", "", "one"},
		{"<template><title>no</title></template><title></title>x", "x", ""},
		{"<math><mi>x</mi><annotation encoding=a>no</annotation><annotation-xml>no</annotation-xml></math>y", "x y", ""},
		{"<desc>one</desc><annotation>two", "onetwo", ""},
		{"<video src=a>shown if it cannot play</video>", "shown if it cannot play", ""},
		{"<p hidden>still here", "still here", ""},
		{"<plaintext>a <b>", "a <b>", ""},
	} {
		var content Content
		var tokens htmltoken.Tokenizer
		read(&content, &tokens, []byte(c.source))
		if got := string(content.Text.Bytes()); got != c.text {
			t.Errorf("%q: text %q, want %q", c.source, got, c.text)
		}
		if got := string(content.Title.Bytes()); got != c.title {
			t.Errorf("%q: title %q, want %q", c.source, got, c.title)
		}
		want := content.Text.Fingerprint()
		content.Reset([]byte(c.source))
		content.Text.OnlyFingerprint = true
		tokens.Reset([]byte(c.source), false)
		for tokens.Next() {
			content.Token(&tokens.Token)
		}
		if got := content.Text.Fingerprint(); got != want {
			t.Errorf("%q: %+v without the text, %+v with it", c.source, got, want)
		}
		if c.title != "" && !strings.HasPrefix(c.source[content.TitleStart:content.TitleEnd], "<title") {
			t.Errorf("%q: title at %d", c.source, content.TitleStart)
		}
	}
}

func TestXHTML(t *testing.T) {
	source := []byte(`<html><head><title>A</title><script src="a"/><style/><title/></head><body>one<script>no<![CDATA[<no>]]> no</script><iframe/><br/> <![CDATA[<two>]]> &amp; three</body></html>`)
	var content Content
	var tokens htmltoken.Tokenizer
	content.Reset(source)
	tokens.Reset(source, false)
	content.XML, tokens.XML = true, true
	for tokens.Next() {
		content.Token(&tokens.Token)
	}
	if got, want := string(content.Text.Bytes()), "one <two> & three"; got != want {
		t.Errorf("text %q, want %q", got, want)
	}
	if got := string(content.Title.Bytes()); got != "A" {
		t.Errorf("title %q", got)
	}
}

func TestOffsets(t *testing.T) {
	for _, c := range []struct{ source, find, raw string }{
		{"<p>One\n   two</p>", "ne tw", "ne\n   tw"},
		{"<p>One\n   two</p>", "two", "two"},
		{"<p>One\n   two</p>", "One", "One"},
		{"<b>bo</b>ld x", "bold", "bo</b>ld"},
		{"<b>bo</b>ld x", "bo", "bo"},
		{"<b>bo</b>ld x", "ld", "ld"},
		{"a &amp; b", "&", "&amp;"},
		{"a &amp; b", "a &", "a &amp;"},
		{"a &amp; b", "& b", "&amp; b"},
		{"a &amp; b", "b", "b"},
		{"&NotEqualTilde;x", "≂̸", "&NotEqualTilde;"},
		{"x&ampere", "ere", "ere"},
		{"x&ampere", "x&", "x&amp"},
		{"&#0000000000000000000000000000000000000000000000065;x", "A", "&#0000000000000000000000000000000000000000000000065;"},
		{"one&nbsp;two", "e ", "e&nbsp;"},
		{"one\u00a0two", "e ", "e\u00a0"},
		{"one\u00a0two", "two", "two"},
		{"<p>one</p><p>two", "e ", "e"},
		{"co&shy;op", "coop", "co&shy;op"},
	} {
		var content Content
		var tokens htmltoken.Tokenizer
		read(&content, &tokens, []byte(c.source))
		i := bytes.Index(content.Text.Bytes(), []byte(c.find))
		if i < 0 {
			t.Errorf("%q: %q has no %q", c.source, content.Text.Bytes(), c.find)
			continue
		}
		if got := c.source[content.Text.Offset(i):content.Text.EndOffset(i+len(c.find))]; got != c.raw {
			t.Errorf("%q: %q comes from %q, want %q", c.source, c.find, got, c.raw)
		}
	}
}

func TestCollapse(t *testing.T) {
	for in, want := range map[string]string{"": "", "a  \n b": "a b", " a\u00a0": " a ", "\u00ad\u200b": "", "é\u2003x": "é x"} {
		if got := Collapse(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

// FuzzText compares the text of a single token with a slow reference, and looks at the map. The
// fingerprint must be the same without the text.
func FuzzText(f *testing.F) {
	for _, s := range []string{"", "a", " a  b ", "a&amp;b &notit; &#65x &#x41; &NotEqualTilde; &;", "é\u00a0\u00ad\u200b\u3000漢字", "&#32;&nbsp;x", "&lt&lt;&ltx", "twelve bytes\u00ad&amp;and\x01more bytes"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, source string) {
		source = strings.Map(func(r rune) rune {
			if r == 0 || r == '<' {
				return -1
			}
			return r
		}, strings.ToValidUTF8(source, ""))
		var text Text
		text.Reset([]byte(source))
		text.Add(0, len(source), true)
		got := string(text.Bytes())
		if want := strings.TrimSpace(Collapse(html.UnescapeString(source))); got != want {
			t.Fatalf("%q: %q, want %q", source, got, want)
		}
		if !utf8.ValidString(got) {
			t.Fatalf("%q: %q is not UTF-8", source, got)
		}
		var fingerprint Text
		fingerprint.Reset([]byte(source))
		fingerprint.OnlyFingerprint = true
		fingerprint.Add(0, len(source), true)
		if got, want := fingerprint.Fingerprint(), text.Fingerprint(); got != want {
			t.Fatalf("%q: %+v without the text, %+v with it", source, got, want)
		}
		last := 0
		for i, r := range got {
			start, end := text.Offset(i), text.EndOffset(i+utf8.RuneLen(r))
			if start < last || end < start || end > len(source) {
				t.Fatalf("%q: %q at %d comes from %d to %d, after %d", source, r, i, start, end, last)
			}
			if part := source[start:end]; !utf8.ValidString(part) || part != string(r) && part[0] != '&' && r != ' ' {
				t.Fatalf("%q: %q comes from %q", source, r, part)
			}
			last = start
		}
	})
}

func BenchmarkContent(b *testing.B) {
	source := []byte(strings.Repeat(`<li class="item"><a href="/page/one.html">A title of a <em>page</em></a> &amp; some words
      on another line, quite a few of them, as pages have</li>
`, 500))
	var content Content
	var tokens htmltoken.Tokenizer
	b.Run("tokens", func(b *testing.B) {
		b.SetBytes(int64(len(source)))
		for b.Loop() {
			tokens.Reset(source, false)
			for tokens.Next() {
			}
		}
	})
	b.Run("text", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(int64(len(source)))
		for b.Loop() {
			read(&content, &tokens, source)
		}
	})
}
