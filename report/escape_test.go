package report

import (
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
)

// Any string in a cell is one code span in one cell.
func FuzzMarkdownCode(f *testing.F) {
	for _, s := range dangerous()[:len(dangerous())-3] {
		f.Add(s)
	}
	f.Add("\\\\|`\\|``|\\")
	parser := goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser()
	f.Fuzz(func(t *testing.T, s string) {
		code := markdownCode(clean(s))
		if code == "" {
			return
		}
		source := []byte("| a | b |\n|---|---|\n| " + code + " | x |\n")
		doc := parser.Parse(text.NewReader(source))
		table, ok := doc.FirstChild().(*extast.Table)
		if !ok || table.NextSibling() != nil || table.ChildCount() != 2 {
			t.Fatalf("%q is no table of one row", source)
		}
		row := table.LastChild()
		if row.ChildCount() != 2 {
			t.Fatalf("%q has %d cells", source, row.ChildCount())
		}
		cell := row.FirstChild()
		if cell.ChildCount() != 1 || cell.FirstChild().Kind() != ast.KindCodeSpan {
			t.Fatalf("%q holds more than a code span", source)
		}
	})
}

// Quoted strings end at the right place in each language that has them.
func FuzzQuotedStrings(f *testing.F) {
	for _, s := range dangerous()[:len(dangerous())-3] {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		s = clean(s)
		for name, literal := range map[string]string{"dot": dotString(s), "gml": gmlString(s)} {
			inner := literal[1 : len(literal)-1]
			if name == "dot" {
				inner = strings.NewReplacer(`\\`, "", `\"`, "").Replace(inner)
			}
			if literal[0] != '"' || literal[len(literal)-1] != '"' || strings.ContainsAny(inner, "\"\n") || name == "dot" && strings.Contains(inner, `\`) {
				t.Errorf("%s: %q", name, literal)
			}
		}
		if literal := sqlString(s); literal != "NULL" {
			inner := strings.NewReplacer(`\\`, "", `\n`, "", `''`, "").Replace(literal[1 : len(literal)-1])
			if strings.ContainsAny(inner, "'\n\\") {
				t.Errorf("sql: %q", literal)
			}
		}
		if p := githubProperty(s); strings.ContainsAny(p, ":,\r\n") {
			t.Errorf("property: %q", p)
		}
		if uri, _ := fileURI(s); strings.ContainsAny(uri, "?#\\ <>\"") {
			t.Errorf("file: %q", uri)
		}
		for _, c := range []byte(uriReference(s)) {
			if c <= ' ' || c >= 0x7F || strings.IndexByte("\"<>\\^`{|}", c) >= 0 {
				t.Errorf("uri: %q", uriReference(s))
			}
		}
	})
}

func TestVisible(t *testing.T) {
	for text, want := range map[string]string{
		"plain & <b>\t\r\n":           "plain & <b>\t\r\n",
		"a\u202eb\u2066c\u061c\u200e": `a\u{202e}b\u{2066}c\u{61c}\u{200e}`,
		"\x00\x1b\u0085\U000e0041":    `\u{0}\u{1b}\u{85}\u{e0041}`,
		"👩\u200d💻 Größe":              "👩\u200d💻 Größe",
		"a\u200db":                    `a\u{200d}b`,
	} {
		if got := Visible(text); got != want {
			t.Errorf("%q is shown as %q, want %q", text, got, want)
		}
	}
}
