package extract

import (
	"bytes"
	"mime"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/unicode"
)

func TestDecode(t *testing.T) {
	pad := strings.Repeat(" ", 1100)
	for _, c := range []struct{ body, contentType, charset, text string }{
		{"é", "", "utf-8", "é"},
		{"\xE9", "", "windows-1252", "é"},
		{"a", "", "windows-1252", "a"},
		{"\x80\x81\x8D\x8F\x90\x9D", "", "windows-1252", "€\u0081\u008D\u008F\u0090\u009D"},
		{strings.Repeat("é\x81 ", 99) + "\xE9", "text/html; charset=windows-1253", "windows-1253", strings.Repeat("Γ©\u0081 ", 99) + "ι"},
		{"\xAA\xD2", "text/html; charset=windows-1253", "windows-1253", "\uFFFD\uFFFD"},
		{"\x80\xA1\xE0", "text/html; charset=iso-8859-8-i", "iso-8859-8-i", "\u0080\uFFFDא"},
		{pad + "é", "", "utf-8", pad + "é"},
		{"é\xC3", "", "utf-8", "é�"}, // truncated inside a character
		{"\xEF\xBB\xBFé\xFF", "text/html; charset=koi8-r", "utf-8", "é�"},
		{"a\xFF\xFEb\xE2\x82c\xF0\x9F\x98\xED\xA0\x80\xC0\xAF", "text/html; charset=utf-8", "utf-8", "a��b�c������"},
		{"\xFF\xFEa\x00\xE9\x00", "text/html; charset=utf-8", "utf-16le", "aé"},
		{"\xFE\xFF\x00a\xD8\x3D\xDE\x00", "", "utf-16be", "a😀"},
		{"\xE9\xE8\xC3\xA9\xE2\x82a\xF0\x9F\x98\x80\xF0\x9F\x98\xE0\x80", "text/html; charset=utf-8", "utf-8", "��é�a😀���"},
		{"\xC3\x81\x80\x9D\xFF", "", "windows-1252", "Ã\u0081€\u009Dÿ"},
		{"\x85\xA5\xE9", "text/html; charset=iso-8859-3", "iso-8859-3", "\u0085�é"},
		{"\xC4\xE3\x81\x30\x86\x30a", "text/html; charset=gb2312", "gbk", "你¸a"},
		{"\x98\xC1", "text/html; charset=windows-1251", "windows-1251", "\u0098Б"},
		{"a\x00\xE9\x00", "text/html; charset=UTF-16", "utf-16le", "aé"},
		{"a\x00\xE9", "text/html; charset=utf-16", "utf-16le", "a�"},
		{"<\x00?\x00x\x00", "", "utf-16le", "<?x"},
		{"\xE9", "text/html; charset=\"iso-8859-2\"", "iso-8859-2", "é"},
		{"\xE9", "text/html; charset='iso-8859-2'", "windows-1252", "é"}, // single quotes have no meaning there
		{"\xE9", "text/html; charset=bogus", "windows-1252", "é"},
		{"\xE9", "text/html; x; charset=iso-8859-2", "iso-8859-2", "é"},
		{"\xE9", "bad type; charset=iso-8859-2", "iso-8859-2", "é"},
		{"\x80", "text/html; charset=x-user-defined", "x-user-defined", "\uF780"},
		{"<meta charset=x-user-defined>\x80", "", "windows-1252", "<meta charset=x-user-defined>€"},
		{pad + "<META CharSet=koi8-r>\xC1", "", "koi8-r", pad + "<META CharSet=koi8-r>а"},
		{pad + "<meta http-equiv=content-type content='text/html; charset=koi8-r'>\xC1", "", "koi8-r", pad + "<meta http-equiv=content-type content='text/html; charset=koi8-r'>а"},
		{pad + "<meta charset=utf-16>é", "", "utf-8", pad + "<meta charset=utf-16>é"},
		{pad + "<!-- <meta charset=koi8-r> --><script>'<meta charset=koi8-r>'</script>\xC1", "", "windows-1252", pad + "<!-- <meta charset=koi8-r> --><script>'<meta charset=koi8-r>'</script>Á"},
		{strings.Repeat(" ", 1020) + "<meta charset=koi8-r>\xC1", "", "koi8-r", strings.Repeat(" ", 1020) + "<meta charset=koi8-r>а"},
		{"<?xml version='1.0' encoding='koi8-r'?><html>\xC1", "", "koi8-r", "<?xml version='1.0' encoding='koi8-r'?><html>а"},
		{"anything", "text/html; charset=iso-2022-kr", "replacement", "�"},
	} {
		text, charset := decode([]byte(c.body), c.contentType, htmlCharset)
		if charset != c.charset || string(text) != c.text {
			t.Errorf("%q with %q: %s %q, want %s %q", c.body, c.contentType, charset, text, c.charset, c.text)
		}
	}
}

// TestExtractDecodes checks that links, positions and anchors are those of the decoded
// document.
func TestExtractDecodes(t *testing.T) {
	const html = "<p id=日本>日本語\n<p>日<a href='?q=日本'>テキスト</a>"
	utf16, err := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().Bytes([]byte(html))
	if err != nil {
		t.Fatal(err)
	}
	sjis, err := japanese.ShiftJIS.NewEncoder().Bytes([]byte(html))
	if err != nil {
		t.Fatal(err)
	}
	jis, err := japanese.ISO2022JP.NewEncoder().Bytes([]byte(html))
	if err != nil {
		t.Fatal(err)
	}
	for _, in := range []Input{
		{Body: []byte(html), ContentType: "text/html"},
		{Body: utf16, ContentType: "text/html; charset=utf-8"},
		{Body: sjis, ContentType: "text/html; charset=Shift_JIS"},
		{Body: jis, ContentType: "text/html; charset=iso-2022-jp"},
		{Body: append([]byte("\xEF\xBB\xBF"), html...), ContentType: "text/html; charset=big5"},
	} {
		doc := Extract(in)
		if len(doc.Links) != 1 || len(doc.Anchors) != 1 || doc.Anchors[0] != "日本" {
			t.Errorf("%s: %+v", in.ContentType, doc)
			continue
		}
		if l := doc.Links[0]; l.Ref != "?q=日本" || l.Text != "テキスト" || l.Line != 2 || l.Column != 14 {
			t.Errorf("%s: %+v", in.ContentType, l)
		}
	}
}

func TestXHTMLCharset(t *testing.T) {
	for _, c := range []struct{ head, contentType, charset string }{
		{"", "", "utf-8"},
		{"<?xml version='1.0' encoding = \"koi8-r\" ?>", "", "koi8-r"},
		{"<?xml version='1.0' encoding='utf-16'?>", "", "utf-8"},
		{"<?xml version='1.0' encoding='koi8-r'?>", "; charset=big5", "big5"},
		{"<?xml version='1.0' encoding=koi8-r?>", "", "utf-8"},
		{"<?xml version='1.0' encoding='bogus'?>", "", "utf-8"},
		{"<?xml version='1.0' encoding='koi8-r", "", "utf-8"},
		{"<?xml version='1.0' encoding", "", "utf-8"},
		{"<meta charset='koi8-r'>", "", "utf-8"},
	} {
		if doc := Extract(Input{Body: []byte(c.head + "<html/>"), ContentType: "application/xhtml+xml" + c.contentType}); doc.Charset != c.charset {
			t.Errorf("%s%s: %s, want %s", c.head, c.contentType, doc.Charset, c.charset)
		}
	}
}

func TestUnreadableEncoding(t *testing.T) {
	doc := Extract(Input{Body: []byte("<a href=x>"), ContentType: "text/html; charset=iso-2022-kr"})
	if len(doc.Links) != 0 || len(doc.Faults) != 1 {
		t.Errorf("%+v", doc)
	}
}

// TestDecodeShares checks that text which needs no decoding is not copied.
func TestDecodeShares(t *testing.T) {
	for _, c := range []struct{ body, contentType string }{
		{"plain <meta charset=koi8-r>", ""}, {"é", "text/html"}, {"plain", "text/html; charset=shift_jis"},
	} {
		body := []byte(c.body)
		text, _ := decode(body, c.contentType, htmlCharset)
		if &text[0] != &body[0] {
			t.Errorf("%q was copied", c.body)
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, c := range standardCases[struct {
		Input       []byte `json:"input_b64"`
		ContentType string `json:"content_type"`
	}](f, "html-detect.json") {
		f.Add(c.Input, c.ContentType)
	}
	for _, c := range standardCases[struct{ Input string }](f, "encoding-labels.json") {
		f.Add([]byte("\x80\xFE\x1B$B!"), "text/html; charset="+c.Input)
	}
	f.Fuzz(func(t *testing.T, body []byte, contentType string) {
		before := bytes.Clone(body)
		text, charset := decode(body, contentType, htmlCharset)
		if !utf8.Valid(text) {
			t.Fatalf("%q with %q: %q is not UTF-8", body, contentType, text)
		}
		if lookup([]byte(charset)) != charset {
			t.Fatalf("%q with %q: %q is not the name of an encoding", body, contentType, charset)
		}
		if !bytes.Equal(before, body) {
			t.Fatalf("%q was changed to %q", before, body)
		}
	})
}

// TestPlainCharset checks that plainCharset agrees with the full parser of media types.
func TestPlainCharset(t *testing.T) {
	for _, contentType := range []string{
		"", "text/html", "text/html; charset=utf-8", "text/html;charset=UTF-8", "text/html; CHARSET=koi8-r", "text/html;  charset=bogus",
		"text/html; charset=\"koi8-r\"", "text/html; charset=koi8-r ", "text/html; charset=koi8-r; x=y", "text/html; x=y; charset=koi8-r", "text/html; charset=", "text/html; charset",
		"text/html ; charset=koi8-r", " text/html; charset=koi8-r", "text html; charset=koi8-r", "html; charset=koi8-r", "a/b/c; charset=koi8-r", "charset=koi8-r", "text/charset=koi8-r", "text/html;", ";", "text/html;charset=koi8_r",
		"application/xhtml+xml; charset=koi8-r", "text/html;\tcharset=koi8-r", "text/html; charset=koi8-r,utf-8", "/; charset=koi8-r", "text/; charset=koi8-r", "/html; charset=koi8-r",
	} {
		label, ok := plainCharset(contentType)
		if !ok {
			continue
		}
		got, want := lookup(label), ""
		if _, params, err := mime.ParseMediaType(contentType); err == nil || params != nil {
			want = lookup([]byte(params["charset"]))
		} else {
			want = lookup(labelInContent([]byte(contentType)))
		}
		if got != want {
			t.Errorf("%q: plainCharset gives %q, the full parser %q", contentType, got, want)
		}
	}
	for _, contentType := range []string{"text/html", "text/html; charset=utf-8", "text/html;charset=ISO-8859-1"} {
		if _, ok := plainCharset(contentType); !ok {
			t.Errorf("%q needs the full parser", contentType)
		}
	}
}
