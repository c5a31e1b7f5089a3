package htmltoken

import "unicode/utf8"

// MaxErrors is the number of errors of a document that are kept.
const MaxErrors = 1000

// Error is a parse error of a document.
type Error struct {
	// Rule is the name in the HTML Standard (13.2.2).
	Rule string
	// Offset is where the tokenizer was when it found the error: at the character that is
	// wrong, at the one after something missing, or at the end of the text.
	Offset int
}

// Errors are the parse errors of a document, in no particular order.
type Errors struct {
	List    []Error // at most MaxErrors
	Dropped int     // the number of errors beyond MaxErrors

	wanted bool
}

// add adds an error if errors are wanted.
func (e *Errors) add(rule string, offset int) {
	switch {
	case !e.wanted:
	case len(e.List) < MaxErrors:
		e.List = append(e.List, Error{rule, offset})
	default:
		e.Dropped++
	}
}

// checkCharacters finds the characters that are wrong wherever they are (13.2.3.5), and NUL,
// which is wrong in all states of the tokenizer and in SVG and MathML.
func (e *Errors) checkCharacters(text []byte) {
	i := 0
	for i < len(text) {
		for hasAt(text, i, 32) {
			b := text[i:][:32]
			all, any := allowed(wordAt(b, 0), eachHigh, 0)
			all, any = allowed(wordAt(b, 8), all, any)
			all, any = allowed(wordAt(b, 16), all, any)
			all, any = allowed(wordAt(b, 24), all, any)
			if all != eachHigh || any&eachHigh != 0 {
				break
			}
			i += 32
		}
		for end := min(i+32, len(text)); i < end; i++ {
			if !isSuspect[text[i]] {
				continue
			}
			r, _ := utf8.DecodeRune(text[i:])
			if rule := characterRule(r); rule != "" {
				e.add(rule, i)
			}
		}
	}
}

// allowed narrows what holds for the bytes of all words up to w: the highest bits of all are set
// if the bytes are line feeds or not below ' ', and those of any are not if none is DEL or beyond.
func allowed(w, all, any uint64) (uint64, uint64) {
	lineFeed := ^((w ^ '\n'*eachByte) + 0x7F*eachByte)
	return all & (w + (0x80-' ')*eachByte | lineFeed), any | w | (w + eachByte)
}

// isSuspect marks the bytes that may begin a wrong character.
var isSuspect = func() (suspect [256]bool) {
	for c := range 0x20 {
		suspect[c] = !isSpace(byte(c))
	}
	for _, c := range []byte{0x7F, 0xC2, 0xEF, 0xF0, 0xF1, 0xF2, 0xF3, 0xF4} {
		suspect[c] = true
	}
	return suspect
}()

func characterRule(r rune) string {
	switch {
	case r == 0:
		return "unexpected-null-character"
	case r < ' ' && !isSpace(byte(r)) || 0x7F <= r && r <= 0x9F:
		return "control-character-in-input-stream"
	case isNoncharacter(r):
		return "noncharacter-in-input-stream"
	}
	return ""
}

func isNoncharacter(r rune) bool {
	return 0xFDD0 <= r && r <= 0xFDEF || r&0xFFFE == 0xFFFE
}
