package urinorm

import (
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/traditionalchinese"
)

// A charsetEncoder encodes queries in the charset of a page (Encoding Standard).
// It uses the tables of x/text; a function here corrects the result where those
// differ from the standard.
type charsetEncoder struct {
	// start returns an encoder for one query, as an encoder may have a state.
	start func() runeEncoder
	// stateful is true for ISO-2022-JP, where ASCII may be encoded as well.
	stateful bool
}

// A runeEncoder appends the bytes of a character and reports whether the charset
// has it. For endOfQuery it appends the sequence that returns to the initial state.
type runeEncoder func(dst []byte, r rune) ([]byte, bool)

const endOfQuery rune = -1

// charsetEncoderOf returns the encoder for a label of the Encoding Standard (4.2).
// It is nil for UTF-8 and the encodings whose output encoding is UTF-8 (4.3).
func charsetEncoderOf(label string) (*charsetEncoder, bool) {
	label = strings.Trim(label, "\t\n\f\r ")
	if label == "" || label == "utf-8" || label == "UTF-8" { // the most frequent labels
		return nil, true
	}
	if !isASCII(label) { // htmlindex would fold and trim more than the standard
		return nil, false
	}
	enc, err := htmlindex.Get(label)
	if err != nil {
		return nil, false
	}
	name, err := htmlindex.Name(enc)
	if err != nil {
		return nil, false
	}
	switch name {
	case "utf-8", "utf-16be", "utf-16le", "replacement":
		return nil, true
	case "iso-8859-8-i": // the logical order changes no byte
		enc = charmap.ISO8859_8
	case "gbk":
		return &charsetEncoder{start: func() runeEncoder { return gb18030(enc, true) }}, true
	case "gb18030":
		return &charsetEncoder{start: func() runeEncoder { return gb18030(enc, false) }}, true
	case "big5":
		return &charsetEncoder{start: func() runeEncoder { return appendBig5 }}, true
	case "euc-jp":
		return &charsetEncoder{start: eucJP}, true
	case "shift_jis":
		return &charsetEncoder{start: shiftJIS}, true
	case "iso-2022-jp":
		return &charsetEncoder{start: iso2022JP, stateful: true}, true
	}
	if table, ok := enc.(*charmap.Charmap); ok {
		return &charsetEncoder{start: func() runeEncoder { return singleByte(table) }}, true
	}
	return &charsetEncoder{start: func() runeEncoder { return multiByte(enc) }}, true
}

// appendQuery appends a query in the charset, percent-encoded by set
// (percent-encode after encoding, URL Standard 1.3). A character that the charset
// lacks becomes a numeric character reference.
func (c *charsetEncoder) appendQuery(dst []byte, s string, set encodeSet) ([]byte, Repairs) {
	var repairs Repairs
	encode := c.start()
	var buf []byte
	for i, r := range s {
		var ok bool
		buf, ok = encode(buf[:0], r)
		dst = appendEncodedOctets(dst, buf, set)
		if !ok {
			if c.stateful && r < utf8.RuneSelf {
				r = utf8.RuneError // a control character that would switch the state
			}
			dst = append(dst, "%26%23"...)
			dst = strconv.AppendInt(dst, int64(r), 10)
			dst = append(dst, "%3B"...)
		}
		repairs |= repairInQuery(s[i:], r, set)
	}
	if c.stateful {
		buf, _ = encode(buf[:0], endOfQuery)
		dst = appendEncodedOctets(dst, buf, set)
	}
	return dst, repairs
}

// appendEncodedOctets appends the members of set percent-encoded, but keeps '%'.
func appendEncodedOctets(dst, s []byte, set encodeSet) []byte {
	for _, c := range s {
		if c == '%' || webEncodeSets[c]&set == 0 {
			dst = append(dst, c)
		} else {
			dst = appendPercent(dst, c)
		}
	}
	return dst
}

// changes reports whether a query is encoded differently than in UTF-8.
func (c *charsetEncoder) changes(s string) bool {
	for i := range len(s) {
		if b := s[i]; b >= utf8.RuneSelf || c.stateful && b < ' ' {
			return true
		}
	}
	return false
}

// repairInQuery returns the repair that appendEncoded would report for the first
// character of rest.
func repairInQuery(rest string, r rune, set encodeSet) Repairs {
	switch {
	case r == '%':
		if isEscape(rest) {
			return 0
		}
		return repairPercent
	case rest[0] < utf8.RuneSelf:
		if webEncodeSets[rest[0]]&set == 0 {
			return 0
		}
		return repairOfEncoding(rest[0])
	case r == utf8.RuneError && !strings.HasPrefix(rest, "\uFFFD"):
		return repairEncoding
	}
	return repairNonASCII
}

// singleByte encodes by a table of 128 characters. Unlike the tables of x/text,
// the standard's map C1 controls to the bytes that have no other character.
func singleByte(table *charmap.Charmap) runeEncoder {
	return func(dst []byte, r rune) ([]byte, bool) {
		if r < utf8.RuneSelf {
			return append(dst, byte(r)), true
		}
		if c, ok := table.EncodeRune(r); ok {
			return append(dst, c), true
		}
		if 0x80 <= r && r <= 0x9F && table.DecodeByte(byte(r)) == utf8.RuneError {
			return append(dst, byte(r)), true
		}
		return dst, false
	}
}

// multiByte encodes by an encoder of x/text.
func multiByte(enc encoding.Encoding) runeEncoder {
	transformer := enc.NewEncoder().Transformer
	return func(dst []byte, r rune) ([]byte, bool) {
		var from [utf8.UTFMax]byte
		var to [8]byte
		n, _, err := transformer.Transform(to[:], utf8.AppendRune(from[:0], r), true)
		if err != nil {
			return dst, false
		}
		return append(dst, to[:n]...), true
	}
}

// appendBig5 encodes Big5 (11.1.2): without the Hong Kong extensions, which have
// lead bytes below 0xA1. A character with several codes gets the first one, six
// characters the last one.
func appendBig5(dst []byte, r rune) ([]byte, bool) {
	if r < utf8.RuneSelf {
		return append(dst, byte(r)), true
	}
	code, ok := big5Index()[r]
	if !ok {
		return dst, false
	}
	return append(dst, code[:]...), true
}

var big5Index = sync.OnceValue(func() map[rune][2]byte {
	decoder := traditionalchinese.Big5.NewDecoder()
	index := make(map[rune][2]byte, 14000)
	for lead := 0xA1; lead <= 0xFE; lead++ {
		for trail := 0x40; trail <= 0xFE; trail++ {
			code := [2]byte{byte(lead), byte(trail)}
			var to [8]byte
			n, _, err := decoder.Transform(to[:], code[:], true)
			r, size := utf8.DecodeRune(to[:n])
			if err != nil || size != n || r == utf8.RuneError {
				continue
			}
			if _, ok := index[r]; ok && !strings.ContainsRune("═╞╡╪十卅", r) {
				continue
			}
			index[r] = code
		}
	}
	return index
})
