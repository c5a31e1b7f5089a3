package extract

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

func TestUnescape(t *testing.T) {
	for _, c := range []struct{ src, attribute, text string }{
		{"a&amp;b", "a&b", "a&b"},
		{"&copy", "©", "©"},
		{"&copy=1", "&copy=1", "©=1"},
		{"&copyright", "&copyright", "©right"},
		{"&copyright;", "&copyright;", "©right;"},
		{"&notin;&notit;", "∉&notit;", "∉¬it;"},
		{"&fjlig;&semi;&semi", "fj;&semi", "fj;&semi"},
		{"&CounterClockwiseContourIntegral;&CounterClockwiseContourIntegral", "∳&CounterClockwiseContourIntegral", "∳&CounterClockwiseContourIntegral"},
		{"&#65;&#x41&#X41;&#0;&#128;&#xD800;&#1114112;", "AAA�€��", "AAA�€��"},
		{"&#;&#x;&#xg;&;&", "&#;&#x;&#xg;&;&", "&#;&#x;&#xg;&;&"},
		{"&#99999999999999999999;", "�", "�"},
		{"a\r\nb\rc\n\x00", "a\nb\nc\n\uFFFD", "a\nb\nc\n\uFFFD"},
		{"&amp;amp;", "&amp;", "&amp;"},
	} {
		for _, attribute := range []bool{true, false} {
			want := c.text
			if attribute {
				want = c.attribute
			}
			got, marks := unescape(nil, nil, []byte(c.src), attribute)
			if string(got) != want {
				t.Errorf("%q, attribute %v: %q, want %q", c.src, attribute, got, want)
			}
			checkMarks(t, []byte(c.src), got, marks)
		}
	}
}

// FuzzUnescapeText checks that decoding of text equals html.UnescapeString, except for line
// endings and NUL.
func FuzzUnescapeText(f *testing.F) {
	for _, c := range standardCases[struct{ Input string }](f, "tokenizer-attributes.json") {
		f.Add(c.Input)
	}
	f.Fuzz(func(t *testing.T, src string) {
		if strings.ContainsAny(src, "\r\x00") {
			return
		}
		got, marks := unescape(nil, nil, []byte(src), false)
		if want := html.UnescapeString(src); string(got) != want {
			t.Fatalf("%q: %q, want %q", src, got, want)
		}
		checkMarks(t, []byte(src), got, marks)
	})
}

// TestViewSource checks that offsets are mapped back through all levels.
func TestViewSource(t *testing.T) {
	const doc = `12345&amp;amp;x&amp;amp;y`
	outer := &view{text: []byte(doc)}
	middle := &view{parent: outer, base: 5}
	middle.text, middle.marks = unescape(nil, nil, []byte(doc[5:]), true) // &amp;x&amp;y
	inner := &view{parent: middle}
	inner.text, inner.marks = unescape(nil, nil, middle.text, true) // &x&y
	for off, want := range []int{5, 14, 15, 24, 25} {
		if got := inner.source(off); got != want {
			t.Errorf("%d of %q is %d of %q, want %d", off, inner.text, got, doc, want)
		}
	}
}

// TestWordSearches checks that searches of eight bytes at a time agree with simple loops.
func TestWordSearches(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	alphabet := []byte("ab&\r\x00\x01 /=>\x80\xFF%'\"<\x0c-:A_\x1f!")
	for range 20_000 {
		b := make([]byte, random.IntN(40))
		for i := range b {
			b[i] = 'a' + byte(random.IntN(26))
			if random.IntN(8) == 0 {
				b[i] = alphabet[random.IntN(len(alphabet))]
			}
		}
		if got, want := indexEscape(b), bytes.IndexAny(b, "&\r\x00"); got != want && !(want < 0 && got == len(b)) {
			t.Fatalf("%q: escape at %d, want %d", b, got, want)
		}
		from := random.IntN(len(b) + 1)
		key, end := nameAt(b, from)
		wantEnd := from
		for wantEnd < len(b) && b[wantEnd] > ' ' && bytes.IndexByte([]byte("/>="), b[wantEnd]) < 0 {
			wantEnd++
		}
		wantKey := keyOf(b[from:wantEnd])
		if key != wantKey || end != wantEnd {
			t.Fatalf("%q: name from %d to %d with key %x, want %d and %x", b, from, end, key, wantEnd, wantKey)
		}
		if got, want := isASCII(b), !slices.ContainsFunc(b, func(c byte) bool { return c >= 0x80 }); got != want {
			t.Fatalf("%q: ASCII %v", b, got)
		}
		if text := validUTF8(b); len(text)-continuationBytes(text) != len([]rune(string(text))) {
			t.Fatalf("%q: %d code points", text, len(text)-continuationBytes(text))
		}
	}
}
