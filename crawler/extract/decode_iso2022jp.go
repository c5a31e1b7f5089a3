package extract

import (
	"unicode/utf8"

	"golang.org/x/text/encoding/japanese"
)

// decodeISO2022JP decodes ISO-2022-JP as the Encoding Standard does (12.2.1). The decoder of
// x/text differs from it in what follows an error: it takes the ESC after a lone lead byte
// for a trail byte and misses the return to ASCII, so that the markup after it is lost.
func decodeISO2022JP(b []byte) []byte {
	const esc = 0x1B
	d := jisDecoder{set: jisASCII, text: make([]byte, 0, len(b)+len(b)/4)}
	switched := false // the last escape sequence was followed by no character
	for i := 0; i < len(b); {
		c := b[i]
		if c == esc {
			set, ok := escapedSet(b[i+1:])
			if !ok {
				d.invalid()
				switched = false
				i++
				continue
			}
			if switched {
				d.invalid() // two sequences in a row
			}
			d.set, switched = set, true
			i += len("\x1B(B")
			continue
		}
		switched = false
		i++
		if d.set != jisTwoBytes || !isJIS(c) {
			d.single(c)
			continue
		}
		if i < len(b) && isJIS(b[i]) {
			d.euc = append(d.euc, c|0x80, b[i]|0x80)
			i++
			continue
		}
		d.invalid()
		if i < len(b) && b[i] != esc { // an ESC is read again
			i++
		}
	}
	d.flush()
	return d.text
}

// jisSet is a character set of ISO-2022-JP.
type jisSet uint8

const (
	jisASCII    jisSet = iota
	jisRoman           // ASCII with a yen sign and an overline
	jisKatakana        // of half width
	jisTwoBytes        // JIS X 0208
)

// escapedSet returns the character set that an escape sequence selects. rest follows the ESC.
func escapedSet(rest []byte) (jisSet, bool) {
	if len(rest) >= 2 {
		switch string(rest[:2]) {
		case "(B":
			return jisASCII, true
		case "(J":
			return jisRoman, true
		case "(I":
			return jisKatakana, true
		case "$@", "$B":
			return jisTwoBytes, true
		}
	}
	return 0, false
}

func isJIS(c byte) bool { return 0x21 <= c && c <= 0x7E }

// jisDecoder collects the text. Characters that EUC-JP has too are collected in that encoding,
// which has the same table of characters.
type jisDecoder struct {
	set  jisSet
	euc  []byte
	text []byte // without euc
}

// single adds the character of one byte.
func (d *jisDecoder) single(c byte) {
	switch {
	case d.set == jisKatakana && 0x21 <= c && c <= 0x5F:
		d.euc = append(d.euc, 0x8E, c|0x80)
	case d.set == jisRoman && c == '\\':
		d.rune('\u00A5')
	case d.set == jisRoman && c == '~':
		d.rune('\u203E')
	case d.set <= jisRoman && c < utf8.RuneSelf && c != 0x0E && c != 0x0F:
		d.euc = append(d.euc, c)
	default:
		d.invalid()
	}
}

func (d *jisDecoder) invalid() { d.rune(utf8.RuneError) }

func (d *jisDecoder) rune(r rune) {
	d.flush()
	d.text = utf8.AppendRune(d.text, r)
}

// flush moves euc to the text.
func (d *jisDecoder) flush() {
	if len(d.euc) > 0 {
		text, _ := japanese.EUCJP.NewDecoder().Bytes(d.euc) // invalid characters become U+FFFD
		d.text, d.euc = append(d.text, text...), d.euc[:0]
	}
}
