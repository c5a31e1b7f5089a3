package pagerules

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/orbweaver/orbweaver/crawler/internal/judging"
)

// name collects the beginning of the text of an element, with white space collapsed.
type name struct {
	text   []byte
	blank  bool // white space follows text
	closed bool // nothing is added any more
}

// maxName is the length from which no more is added to a name, in bytes.
const maxName = 4 * judging.ExcerptLength

// reset makes the name empty.
func (n *name) reset() { n.text, n.blank, n.closed = n.text[:0], false, false }

// add adds a text.
func (n *name) add(text []byte) {
	if n.closed {
		return
	}
	for len(text) > 0 && len(n.text) < maxName {
		if text[0] == ' ' || text[0] == '\n' {
			n.blank = true
			text = text[1:]
			continue
		}
		size := 0
		for part := text[:min(len(text), maxName)]; size < len(part) && part[size]-'!' <= '~'-'!'; {
			size++
		}
		if size == 0 {
			var r rune
			r, size = utf8.DecodeRune(text)
			if isInvisible(r) || unicode.IsSpace(r) {
				n.blank = n.blank || !isInvisible(r)
				text = text[size:]
				continue
			}
		}
		if n.blank && len(n.text) > 0 {
			n.text = append(n.text, ' ')
		}
		n.blank = false
		n.text = append(n.text, text[:size]...)
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
		if n == judging.ExcerptLength {
			return strings.TrimRight(string(text[:i]), " ")
		}
		n++
	}
	return string(text)
}
