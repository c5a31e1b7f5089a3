package htmltoken

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

func pages(tb testing.TB) map[string][]byte {
	files, err := filepath.Glob("../../extract/testdata/pages/*.html")
	if err != nil || len(files) == 0 {
		tb.Fatal("no pages", err)
	}
	pages := map[string][]byte{}
	for _, file := range append(files, "../../extract/testdata/bench.html") {
		text, err := os.ReadFile(file)
		if err != nil {
			tb.Fatal(err)
		}
		pages[filepath.Base(file)] = text
	}
	return pages
}

// BenchmarkTokenizer splits pages into tokens with errors.
func BenchmarkTokenizer(b *testing.B) {
	for name, text := range pages(b) {
		b.Run(name, func(b *testing.B) {
			var z Tokenizer
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				z.Reset(text, true)
				for z.Next() {
				}
			}
		})
	}
}

// TestAgainstNet checks that kinds and names are those of golang.org/x/net/html.
func TestAgainstNet(t *testing.T) {
	for name, text := range pages(t) {
		got, want := strings.Split(summary(text), "\n"), strings.Split(netSummary(text), "\n")
		for i := range want {
			if i == len(got) || got[i] != want[i] {
				t.Errorf("%s: token %d: %q, want %q", name, i, got[min(i, len(got)-1)], want[i])
				break
			}
		}
	}
}

// summary lists the tokens of a document but its texts. Whether a tag is self-closing is left
// out: golang.org/x/net/html finds a slash at the end of an unquoted value to be that.
func summary(text []byte) string {
	var z Tokenizer
	var b strings.Builder
	for z.Reset(text, true); z.Next(); {
		switch token := &z.Token; token.Kind {
		case StartTag:
			fmt.Fprintf(&b, "<%s", token.Name)
			for i := range token.Attributes {
				a := &token.Attributes[i]
				fmt.Fprintf(&b, " %s=%q", a.Name, z.Value(a))
			}
			b.WriteString(">\n")
		case EndTag:
			fmt.Fprintf(&b, "</%s>\n", token.Name)
		case Comment:
			b.WriteString("<!---->\n")
		case Doctype:
			b.WriteString("<!DOCTYPE>\n")
		}
	}
	return b.String()
}

// netSummary is summary by golang.org/x/net/html.
func netSummary(text []byte) string {
	z := html.NewTokenizer(bytes.NewReader(text))
	var b strings.Builder
	for {
		switch kind := z.Next(); kind {
		case html.ErrorToken:
			return b.String()
		case html.StartTagToken, html.SelfClosingTagToken:
			name, more := z.TagName()
			if string(name) == "noscript" {
				z.NextIsNotRawText() // scripting is disabled
			}
			fmt.Fprintf(&b, "<%s", name)
			seen := map[string]bool{}
			for more {
				var key, value []byte
				if key, value, more = z.TagAttr(); !seen[string(key)] {
					seen[string(key)] = true
					fmt.Fprintf(&b, " %s=%q", key, value)
				}
			}
			b.WriteString(">\n")
		case html.EndTagToken:
			name, _ := z.TagName()
			fmt.Fprintf(&b, "</%s>\n", name)
		case html.CommentToken:
			b.WriteString("<!---->\n")
		case html.DoctypeToken:
			b.WriteString("<!DOCTYPE>\n")
		}
	}
}

// TestForeignDepth checks that a page with endlessly nested elements in SVG costs no more.
func TestForeignDepth(t *testing.T) {
	var z Tokenizer
	z.Reset([]byte("<table><td><svg>"+strings.Repeat("<a>", 4*maxForeign)+"</td>"), false)
	most := 0
	for z.Next() {
		most = max(most, z.Foreign.Depth())
	}
	if most != maxForeign {
		t.Errorf("%d elements are tracked, want %d", most, maxForeign)
	}
	if z.Foreign.Depth() != 0 {
		t.Errorf("%d elements are open after the end tag of an outer element", z.Foreign.Depth())
	}
}

// TestEndTagInForeign: an end tag of HTML leaves SVG and MathML if its element may be open around them.
func TestEndTagInForeign(t *testing.T) {
	for _, c := range []struct {
		text  string
		depth int
	}{
		{"<div><svg><g></div>", 0},
		{"<svg><g></div>", 2},
		{"<DIV class=a><svg></Div>", 0},
		{"<div></div><svg></div>", 1},
		{"<divx><svg></div>", 1},
		{"<table><td><svg></tr>", 0},
		{"<svg></div><svg></div>", 2},
		{"<svg></div></svg><div/><svg></div>", 0},
		{"<math></button><mi></button>", 2},
		{"<svg></body>", 0},
	} {
		var z Tokenizer
		z.Reset([]byte(c.text), false)
		for z.Next() {
		}
		if z.Foreign.Depth() != c.depth {
			t.Errorf("%s: %d elements are open, want %d", c.text, z.Foreign.Depth(), c.depth)
		}
	}
}
