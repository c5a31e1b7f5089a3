package content

import (
	"sync"
	"unicode"
	"unicode/utf8"
)

// Strings are compared after simple case folding: each character is replaced by one that
// stands for all characters that Unicode treats as cases of it (CaseFolding.txt, status C and
// S). Folding of a character to several ones, such as ß to ss, and canonical equivalence, such
// as that of é and e with an accent, are not taken into account.

// fold returns the character that stands for r. For ASCII letters it is the small letter.
func fold(r rune) rune {
	switch {
	case 'A' <= r && r <= 'Z':
		return r + 'a' - 'A'
	case r < utf8.RuneSelf:
		return r
	case r < shortRunes:
		return rune(foldedShort()[r])
	}
	if caseless(r) {
		return r
	}
	return foldSlowly(r)
}

// shortRunes is the number of characters that have at most two bytes in UTF-8.
const shortRunes = 0x800

var foldedShort = sync.OnceValue(func() *[shortRunes]uint16 {
	folded := &[shortRunes]uint16{}
	for r := range folded {
		folded[r] = uint16(foldSlowly(rune(r)))
	}
	return folded
})

// caseless reports whether a character belongs to one of the large blocks without case: those
// of Chinese, Japanese and Korean.
func caseless(r rune) bool { return 0x2E80 <= r && r < 0xA640 || 0xAC00 <= r && r < 0xFB00 }

func foldSlowly(r rune) rune {
	least := r
	for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
		least = min(least, other)
	}
	if 'A' <= least && least <= 'Z' {
		return least + 'a' - 'A'
	}
	return least
}

// appendFolded appends s to dst with each character folded.
func appendFolded(dst []byte, s string) []byte {
	for _, r := range s {
		dst = utf8.AppendRune(dst, fold(r))
	}
	return dst
}
