package htmltoken

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzTokenizer checks that tokens are in order and within the text, that offsets of errors
// are, that asking for errors changes no token, that runs have the tokens that Next reads, and
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
		checkRuns(t, []byte(text))
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

// checkRuns compares the tokens of NextRun with those of Next.
func checkRuns(t *testing.T, text []byte) {
	for _, r := range []Run{{}, {KeepCode: true}, {KeepPhrases: true}} {
		var z, mixed Tokenizer
		z.Reset(text, true)
		mixed.Reset(text, true)
		for n := 0; ; n++ {
			code, start := r.KeepCode, mixed.Pos
			if mixed.NextRun(&r) {
				if got, want := expanded(&mixed, &r), nextRun(t, &z, mixed.Pos, r.KeepPhrases, code); !slices.Equal(got, want) {
					t.Fatalf("%q: run from %d to %d\n%+v\nwant\n%+v", text, start, mixed.Pos, got, want)
				}
				continue
			}
			more := z.Next()
			if mixed.Next() != more {
				t.Fatalf("%q: other ends after runs", text)
			}
			if !more {
				break
			}
			if mixed.Token.Start != z.Token.Start || mixed.Token.End != z.Token.End || mixed.Token.Kind != z.Token.Kind || mixed.Token.HasReferences != z.Token.HasReferences {
				t.Fatalf("%q: %+v after runs, want %+v", text, mixed.Token, z.Token)
			}
		}
		if !slices.Equal(mixed.Errors.List, z.Errors.List) {
			t.Fatalf("%q: errors %v after runs, want %v", text, mixed.Errors.List, z.Errors.List)
		}
	}
}

// runToken is what a test compares of a token in a run. The Name of a line break between two
// texts is "break".
type runToken struct {
	kind               Kind
	element            Element
	start, end         int
	dataStart, dataEnd int
	name               string
	nameEnd            int
	href, title        bool
}

func tokenOf(t *Token) runToken {
	r := runToken{t.Kind, t.Element, t.Start, t.End, t.DataStart, t.DataEnd, "", 0, false, false}
	if t.Kind != Text {
		r.name, r.nameEnd = string(t.Name), t.NameEnd
	}
	return r
}

// expanded returns the tokens of a run in their order, with the line breaks behind them.
func expanded(z *Tokenizer, r *Run) (all []runToken) {
	text, breaks := 0, []runToken(nil)
	addTexts := func(to int) {
		for ; text < to; text++ {
			p := &r.Texts[text]
			p.Expand(z)
			all = append(all, tokenOf(&z.Token))
			if p.Break >= 0 {
				breaks = append(breaks, runToken{start: int(p.Break), end: text})
			}
		}
	}
	for i := range r.Tags {
		addTexts(int(r.Tags[i].Texts))
		r.Tags[i].Expand(z)
		tag := tokenOf(&z.Token)
		tag.href, tag.title = r.Tags[i].HasHref, r.Tags[i].HasTitle
		all = append(all, tag)
	}
	addTexts(len(r.Texts))
	if r.Break >= 0 {
		breaks = append(breaks, runToken{start: int(r.Break), end: len(r.Texts)})
	}
	return append(all, breaks...)
}

// nextRun reads the tokens up to an offset with Next, and leaves out what a run leaves out.
func nextRun(t *testing.T, z *Tokenizer, to int, keepPhrases, keepCode bool) (all []runToken) {
	var breaks []runToken
	texts, broken := 0, false
	for z.Pos < to && z.Next() {
		token := &z.Token
		if token.Foreign || token.HasReferences || token.Kind != Text && (token.SelfClosing || traits[token.Element]&plain == 0) ||
			slices.ContainsFunc(token.Attributes, func(a Attribute) bool { return !isPlain(token.Element, string(a.Name)) }) {
			t.Fatalf("%q: the token at %d is not plain", z.text, token.Start)
		}
		if token.Kind == Text {
			texts++
			broken = false
		} else if token.Element.BreaksLine() && !broken {
			breaks = append(breaks, runToken{start: token.Start, end: texts})
			broken = true
		}
		phrasing, code := token.Element.IsPhrase()
		if token.Kind == EndTag && phrasing && !keepPhrases && (!code || !keepCode) {
			tag := len(all) - 1
			for tag >= 0 && all[tag].kind == Text {
				tag--
			}
			if tag >= 0 && all[tag].kind == StartTag && all[tag].element == token.Element {
				all = slices.Delete(all, tag, tag+1)
				continue
			}
		}
		r := tokenOf(token)
		if token.Element == A {
			r.href, r.title = token.Attribute("href") != nil, token.Attribute("title") != nil
			keepCode = r.href || keepCode && token.Kind == StartTag
		}
		all = append(all, r)
	}
	return append(all, breaks...)
}

// isPlain reports whether a plain tag may have an attribute.
func isPlain(e Element, attribute string) bool {
	switch attribute {
	case "class":
		return true
	case "id":
		return e != Input && e != Select && e != Textarea
	}
	return e == A && (attribute == "href" || attribute == "title")
}

// TestRuns checks that most tokens of a page are in runs.
func TestRuns(t *testing.T) {
	for name, text := range pages(t) {
		checkRuns(t, text)
		var z Tokenizer
		z.Reset(text, false)
		all, inRuns := 0, 0
		for run := (Run{KeepPhrases: true}); ; {
			if z.NextRun(&run) {
				n := len(run.Texts) + len(run.Tags)
				all, inRuns = all+n, inRuns+n
			} else if z.Next() {
				all++
			} else {
				break
			}
		}
		if 2*inRuns < all {
			t.Errorf("%s: %d of %d tokens are in runs", name, inRuns, all)
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
		checkRuns(t, text)
	}
}
