package extract

import "testing"

// TestPDFStrings has the examples of ISO 32000-1 sections 7.3.4.2 and 7.3.4.3.
func TestPDFStrings(t *testing.T) {
	for in, want := range map[string]string{
		"(This is a string)":                            "This is a string",
		"(Strings may contain newlines\nand such.)":     "Strings may contain newlines\nand such.",
		"(balanced parentheses ( ) and ( * ! & } ^ %))": "balanced parentheses ( ) and ( * ! & } ^ %)",
		"()": "",
		"(These \\\ntwo strings \\\r\nare \\\rthe same.)": "These two strings are the same.",
		"(two\r\nends of\rlines)":                         "two\nends of\nlines",
		`(\n\r\t\b\f\(\)\\\x)`:                            "\n\r\t\b\f()\\x",
		`(contains \245two octal characters\307.)`:        "contains \xa5two octal characters\xc7.",
		`(\0053 \053 \53)`:                                "\x053 + +",
		`(Init\040File\7\777)`:                            "Init File\a\xff",
		`<4E6F762073686D6F7A206B6120706F702E>`:            "Nov shmoz ka pop.",
		`<901FA>`:                                         "\x90\x1f\xa0",
	} {
		p := pdfParser{file: &pdfFile{work: 1 << 20}, in: []byte(in)}
		if got, ok := p.value(0).(pdfString); !ok || p.failed || string(got) != want {
			t.Errorf("%q is read as %q, want %q", in, got, want)
		}
	}
	for _, in := range []string{"(", "(a", `(a\`, `(a\)`, `(\0`, "(a\r", "<", "<4e"} {
		p := pdfParser{file: &pdfFile{work: 1 << 20}, in: []byte(in)}
		if got := p.value(0); !p.failed {
			t.Errorf("%q is read as %v", in, got)
		}
	}
}
