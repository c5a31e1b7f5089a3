package htmltoken

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzTokenizer checks that tokens are in order and within the text, that offsets of errors
// are, that asking for errors changes no token, that plain tokens are those that Next reads, and
// that kinds, names and attributes are those of golang.org/x/net/html.
func FuzzTokenizer(f *testing.F) {
	for _, c := range standardCases(f) {
		if c.InitialStates == nil && (c.File == "test1.test" || c.File == "test2.test" || c.File == "test4.test" || c.File == "domjs.test" || c.File == "entities.test") {
			f.Add(c.Input)
		}
	}
	f.Add("<svg><title>a</title><style><b></style><![CDATA[x]]></svg><![CDATA[x]]>")
	f.Add("<math><mi><b>c</b></mi><annotation-xml encoding=text/html><title>&lt;</title></annotation-xml></math>")
	f.Add("<script><!--<script></script>--></script><textarea></textarea ></TITLE>")
	f.Fuzz(func(t *testing.T, text string) {
		text = strings.ToValidUTF8(text, "\uFFFD")
		checkTokens(t, []byte(text))
		checkPlain(t, []byte(text))
		if got, want := summary([]byte(text)), netSummary([]byte(text)); !differs(text) && got != want {
			t.Errorf("%q:\n%s\nwant\n%s", text, got, want)
		}
	})
}

func checkTokens(t *testing.T, text []byte) {
	var z, silent Tokenizer
	z.Reset(text, true)
	silent.Reset(text, false)
	end := 0
	for z.Next() {
		token := &z.Token
		if token.Start < end || token.Start >= token.End || token.End > len(text) {
			t.Fatalf("%q: token from %d to %d after %d", text, token.Start, token.End, end)
		}
		if token.Start > end && string(text[end:token.Start]) != strings.Repeat("</>", (token.Start-end)/3) {
			t.Fatalf("%q: nothing from %d to %d", text, end, token.Start)
		}
		end = token.End
		if token.DataStart > token.DataEnd || token.DataEnd > len(text) || !utf8.Valid(z.Data()) {
			t.Fatalf("%q: data from %d to %d", text, token.DataStart, token.DataEnd)
		}
		if tag := token.Kind == StartTag || token.Kind == EndTag; tag && (token.NameEnd <= token.Start+1 || token.NameEnd >= token.End) {
			t.Fatalf("%q: name to %d", text, token.NameEnd)
		}
		names := NameBits(0)
		for i := range token.Attributes {
			a := &token.Attributes[i]
			names |= BitsOf(string(a.Name))
			if a.NameStart < token.Start || a.NameStart >= a.NameEnd || a.ValueStart < a.NameEnd || a.ValueEnd < a.ValueStart || a.ValueEnd > token.End {
				t.Fatalf("%q: attribute %+v", text, *a)
			}
			z.Value(a)
		}
		if names != token.Names {
			t.Fatalf("%q: bits of names %#x, want %#x", text, token.Names, names)
		}
		if !silent.Next() || silent.Token.Start != token.Start || silent.Token.End != token.End || silent.Token.HasReferences != token.HasReferences {
			t.Fatalf("%q: other tokens without errors", text)
		}
	}
	if silent.Next() || len(silent.Errors.List) > 0 {
		t.Fatalf("%q: other tokens or errors without errors", text)
	}
	for _, e := range z.Errors.List {
		if e.Rule == "" || e.Offset < 0 || e.Offset > len(text) || !utf8.RuneStart(append(text, 0)[e.Offset]) {
			t.Fatalf("%q: error %v", text, e)
		}
	}
}

// checkPlain compares the tokens of NextPlain, a few at a time, with those of Next.
func checkPlain(t *testing.T, text []byte) {
	var z, mixed Tokenizer
	z.Reset(text, true)
	mixed.Reset(text, true)
	list := make([]Plain, 0, 3)
	for {
		plain := mixed.NextPlain(list)
		for i := range plain {
			mixed.Expand(&plain[i])
			if !z.Next() || len(z.Token.Attributes) > 1 || len(z.Token.Attributes) == 1 && string(z.Token.Attributes[0].Name) != "class" {
				t.Fatalf("%q: the token at %d is not plain", text, plain[i].Start)
			}
			got, want := &mixed.Token, &z.Token
			if got.Kind != want.Kind || got.Start != want.Start || got.End != want.End || got.DataStart != want.DataStart || got.DataEnd != want.DataEnd ||
				got.Element != want.Element || got.Foreign || want.Foreign || got.HasReferences || want.HasReferences ||
				got.Kind != Text && (got.SelfClosing || want.SelfClosing || got.NameEnd != want.NameEnd || !bytes.Equal(got.Name, want.Name)) {
				t.Fatalf("%q: plain token %+v, want %+v", text, *got, *want)
			}
		}
		if len(plain) > 0 {
			continue
		}
		more := z.Next()
		if mixed.Next() != more {
			t.Fatalf("%q: other ends after plain tokens", text)
		}
		if !more {
			break
		}
		if mixed.Token.Start != z.Token.Start || mixed.Token.End != z.Token.End || mixed.Token.Kind != z.Token.Kind || mixed.Token.HasReferences != z.Token.HasReferences {
			t.Fatalf("%q: %+v after plain tokens, want %+v", text, mixed.Token, z.Token)
		}
	}
	if !slices.Equal(mixed.Errors.List, z.Errors.List) {
		t.Fatalf("%q: errors %v after plain tokens, want %v", text, mixed.Errors.List, z.Errors.List)
	}
}

// TestPlain checks that most tokens of a page are plain.
func TestPlain(t *testing.T) {
	for name, text := range pages(t) {
		checkPlain(t, text)
		var z Tokenizer
		z.Reset(text, false)
		all, plain := 0, 0
		for list := make([]Plain, 0, 64); ; {
			if n := len(z.NextPlain(list)); n > 0 {
				all, plain = all+n, plain+n
			} else if z.Next() {
				all++
			} else {
				break
			}
		}
		if 2*plain < all {
			t.Errorf("%s: %d of %d tokens are plain", name, plain, all)
		}
	}
}

// differs reports whether golang.org/x/net/html is known to read a text in another way: it
// knows neither SVG and MathML nor NUL, and follows the standard less closely in some corners.
func differs(text string) bool {
	lower := strings.ToLower(text)
	for _, part := range []string{"<svg", "<math", "\x00", "<plaintext", "</>"} {
		if strings.Contains(lower, part) {
			return true
		}
	}
	return false
}

// TestLongMarkup checks that the time for markup without an end is linear.
func TestLongMarkup(t *testing.T) {
	for _, part := range []string{"<!--", "<a b='", "</", "<svg><g>", "<a ", "&a", "<title>", "</svg", "<!-- -", "<script><!--<script>", "&#1", "<x a a"} {
		text := bytes.Repeat([]byte(part), 1<<18/len(part))
		checkTokens(t, text)
		checkPlain(t, text)
	}
}
