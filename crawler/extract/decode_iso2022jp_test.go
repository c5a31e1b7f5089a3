package extract

import "testing"

// TestISO2022JP checks the decoder against the Encoding Standard (12.2.1).
func TestISO2022JP(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"", ""},
		{"\x1b", "\uFFFD"},
		{"\x1b$", "\uFFFD$"},
		{"\x1b$P", "\uFFFD$P"},
		{"\x1b(BP", "P"},
		{"\x1b(B\x1b(BP", "\uFFFDP"},
		{"P\x1b(BP", "PP"},
		{"\x1b(BP\x1b(BP", "PP"},
		{"\\]~\x00\n", "\\]~\x00\n"},
		{"\x0e\x0f\x1b\xff", "\uFFFD\uFFFD\uFFFD\uFFFD"},
		{"\x1b(J\\]~\x1b(B\\", "¥]‾\\"},
		{"\x1b(J\x0e\xff\x1b(J", "\uFFFD\uFFFD"},
		{"\x1b(IP!_`\x1b(B", "ﾐ｡ﾟ\uFFFD"},
		{"\x1b$@PP\x1b(Bx", "佩x"},
		{"\x1b$BPP", "佩"},
		{"\x1b$BP", "\uFFFD"},
		{"\x1b$B\x1b$BPP", "\uFFFD佩"},
		{"\x1b$BP\x1b(B<a href=x>", "\uFFFD<a href=x>"},
		{"\x1b$BP\x1b$P", "\uFFFD\uFFFDば"},
		{"\x1b$BP\nPP", "\uFFFD佩"},
		{"\x1b$B\nPP\x80\x1b(B", "\uFFFD佩\uFFFD"},
		{"\x1b$B!~~~PP", "◇\uFFFD佩"}, // no character at 94-94
		{"\x1b$(DPP", "\uFFFD$(DPP"},
		{"\x1b(J\x1b$", "\uFFFD$"},
		{"\x1b$\x80", "\uFFFD$\uFFFD"},
	} {
		if got, name := decode([]byte(c.in), "text/html; charset=iso-2022-jp", htmlCharset); string(got) != c.want || name != "iso-2022-jp" {
			t.Errorf("%q: %q, want %q", c.in, got, c.want)
		}
	}
}
