package pagerules

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/orbweaver/orbweaver/crawler/check"
)

// name collects the text of an element with white space collapsed, up to maxName bytes.
type name struct {
	text   []byte
	blank  bool // white space follows text
	closed bool // nothing is added any more
}

const maxName = 200

// reset returns an empty name that keeps the memory.
func (n name) reset() name { return name{text: n.text[:0]} }

// add adds a text.
func (n *name) add(text []byte) {
	if n.closed || len(n.text) >= maxName {
		return
	}
	for len(text) > 0 && len(n.text) < maxName {
		r, size := rune(text[0]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRune(text)
		}
		switch {
		case isInvisible(r):
		case unicode.IsSpace(r):
			n.blank = true
		default:
			if n.blank && len(n.text) > 0 {
				n.text = append(n.text, ' ')
			}
			n.blank = false
			n.text = append(n.text, text[:size]...)
		}
		text = text[size:]
	}
}

// isInvisible reports whether nothing is seen of a character, which has no width.
func isInvisible(r rune) bool {
	return r == '\u00AD' || r == '\u200B' || r == '\u200C' || r == '\u200D' || r == '\u2060' || r == '\uFEFF'
}

// isBlank reports whether a reader sees nothing of a text.
func isBlank(text []byte) bool {
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		if !unicode.IsSpace(r) && !isInvisible(r) {
			return false
		}
		text = text[size:]
	}
	return true
}

// appendCollapsed appends a text with white space collapsed.
func appendCollapsed(dst, text []byte) []byte {
	start, blank := len(dst), false
	for i := 0; i < len(text); {
		r, size := rune(text[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRune(text[i:])
		}
		switch {
		case unicode.IsSpace(r):
			blank = len(dst) > start
		default:
			if blank {
				dst, blank = append(dst, ' '), false
			}
			dst = append(dst, text[i:i+size]...)
		}
		i += size
	}
	return dst
}

// excerpt returns the beginning of a text whose white space is collapsed.
func excerpt(text []byte) string {
	n := 0
	for i := range string(text) {
		if n == check.ExcerptLength {
			return strings.TrimRight(string(text[:i]), " ")
		}
		n++
	}
	return string(text)
}
