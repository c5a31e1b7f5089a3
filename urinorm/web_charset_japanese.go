package urinorm

import (
	"sync"
	"unicode/utf8"

	"golang.org/x/text/encoding/japanese"
)

// eucJP encodes EUC-JP (Encoding Standard 12.1.2): without JIS X 0212, which
// x/text writes with three bytes, and with two half-width signs as ASCII.
func eucJP() runeEncoder {
	encode := multiByte(japanese.EUCJP)
	return func(dst []byte, r rune) ([]byte, bool) {
		switch r {
		case '¥':
			return append(dst, '\\'), true
		case '‾':
			return append(dst, '~'), true
		case '−':
			r = '－'
		}
		start := len(dst)
		dst, ok := encode(dst, r)
		if len(dst)-start == 3 {
			return dst[:start], false
		}
		return dst, ok
	}
}

// shiftJIS encodes Shift_JIS (12.3.2): IBM's extensions take precedence over
// NEC's selection of the same characters.
func shiftJIS() runeEncoder {
	encode := multiByte(japanese.ShiftJIS)
	return func(dst []byte, r rune) ([]byte, bool) {
		switch r {
		case '\u0080':
			return append(dst, 0x80), true
		case '¥':
			return append(dst, '\\'), true
		case '‾':
			return append(dst, '~'), true
		case '−':
			r = '－'
		}
		start := len(dst)
		dst, ok := encode(dst, r)
		if ok && (dst[start] == 0xED || dst[start] == 0xEE) {
			code, ok := ibmExtensions()[r]
			return append(dst[:start], code[:]...), ok
		}
		return dst, ok
	}
}

// ibmExtensions maps the characters of the last rows of Shift_JIS to their codes.
var ibmExtensions = sync.OnceValue(func() map[rune][2]byte {
	decoder := japanese.ShiftJIS.NewDecoder()
	index := make(map[rune][2]byte, 388)
	for lead := 0xFA; lead <= 0xFC; lead++ {
		for trail := 0x40; trail <= 0xFC; trail++ {
			code := [2]byte{byte(lead), byte(trail)}
			var to [8]byte
			n, _, err := decoder.Transform(to[:], code[:], true)
			if r, size := utf8.DecodeRune(to[:n]); err == nil && size == n && r != utf8.RuneError {
				index[r] = code
			}
		}
	}
	return index
})

// The states of ISO-2022-JP and the sequences that switch to them.
const (
	jisASCII = "\x1B(B"
	jisRoman = "\x1B(J"
	jis0208  = "\x1B$B"
)

// iso2022JP encodes ISO-2022-JP (12.2.2). The bytes of JIS X 0208 are those of
// EUC-JP without the high bit.
func iso2022JP() runeEncoder {
	state := jisASCII
	encode := eucJP()
	return func(dst []byte, r rune) ([]byte, bool) {
		enter := func(s string) {
			if state != s {
				dst = append(dst, s...)
				state = s
			}
		}
		switch {
		case r == endOfQuery:
			enter(jisASCII)
			return dst, true
		case r == '\x0E' || r == '\x0F' || r == '\x1B':
			if state == jis0208 {
				enter(jisASCII)
			}
			return dst, false
		case r < utf8.RuneSelf:
			if state != jisRoman || r == '\\' || r == '~' {
				enter(jisASCII)
			}
			return append(dst, byte(r)), true
		case r == '¥':
			enter(jisRoman)
			return append(dst, '\\'), true
		case r == '‾':
			enter(jisRoman)
			return append(dst, '~'), true
		case 0xFF61 <= r && r <= 0xFF9F:
			r = fullWidthKatakana[r-0xFF61]
		}
		var buf [4]byte
		code, ok := encode(buf[:0], r)
		if !ok || len(code) != 2 {
			if state == jis0208 {
				enter(jisASCII)
			}
			return dst, false
		}
		enter(jis0208)
		return append(dst, code[0]&0x7F, code[1]&0x7F), true
	}
}

// fullWidthKatakana is index ISO-2022-JP katakana (5): the characters that replace
// U+FF61 and the half-width characters after it.
var fullWidthKatakana = [...]rune{
	'。', '「', '」', '、', '・', 'ヲ', 'ァ', 'ィ', 'ゥ', 'ェ', 'ォ', 'ャ', 'ュ', 'ョ', 'ッ', 'ー',
	'ア', 'イ', 'ウ', 'エ', 'オ', 'カ', 'キ', 'ク', 'ケ', 'コ', 'サ', 'シ', 'ス', 'セ', 'ソ', 'タ',
	'チ', 'ツ', 'テ', 'ト', 'ナ', 'ニ', 'ヌ', 'ネ', 'ノ', 'ハ', 'ヒ', 'フ', 'ヘ', 'ホ', 'マ', 'ミ',
	'ム', 'メ', 'モ', 'ヤ', 'ユ', 'ヨ', 'ラ', 'リ', 'ル', 'レ', 'ロ', 'ワ', 'ン', '゛', '゜',
}
