package mcp

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/orbweaver/orbweaver/urinorm"
)

// clean removes what a reader does not see from a text of a stranger: control and format
// characters (bidirectional, zero-width and tag characters are format characters), and hides
// passwords in URLs. Blanks remain.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t' || r == '\r':
			return ' '
		case unicode.IsControl(r) || unicode.Is(unicode.Cf, r):
			return -1
		}
		return r
	}, urinorm.Redact(strings.ToValidUTF8(s, "\uFFFD")))
}

// cut returns at most n characters of a cleaned text. What was cut ends in an ellipsis.
func cut(s string, n int) (text string, isCut bool) {
	s = clean(s)
	if utf8.RuneCountInString(s) <= n {
		return s, false
	}
	at := 0
	for range n - 1 {
		_, size := utf8.DecodeRuneInString(s[at:])
		at += size
	}
	return s[:at] + "…", true
}
