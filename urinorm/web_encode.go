package urinorm

import "unicode/utf8"

// encodeSet names the percent-encode sets of URL Standard 1.3, each a bit of
// webEncodeSets, and below them those of the key.
type encodeSet uint16

const (
	encodeControl      encodeSet = 1 << iota // opaque path, opaque host
	encodeFragment                           // fragment
	encodeQuery                              // query
	encodeSpecialQuery                       // query of a special scheme
	encodePath                               // path segment
	encodeUserinfo                           // user name, password
	encodeKeyHost                            // what RFC 3986 3.2.2 does not allow in a host
	encodeKeyPath                            // what RFC 3986 3.3 does not allow in a path
	encodeKeyQuery                           // what RFC 3986 3.4 does not allow in a query
	encodeNothing
)

// webEncodeSets says for each byte which sets hold it. The C0 controls, DEL and
// all that is not ASCII are in every set. The '%' is in none of the standard's;
// here it is, even in encodeNothing, so that the loops which copy clean runs
// stop at it and look at the two digits that should follow.
var webEncodeSets = buildEncodeSets()

func buildEncodeSets() (sets [256]encodeSet) {
	const all = encodeNothing - 1
	for c := range sets {
		if c <= 0x1F || c >= 0x7F {
			sets[c] = all
		}
	}
	sets['%'] = all&^encodeKeyHost | encodeNothing
	add := func(set encodeSet, chars string) {
		for i := 0; i < len(chars); i++ {
			sets[chars[i]] |= set
		}
	}
	const query = " \"#<>"
	const path = query + "?^`{}"
	add(encodeFragment, " \"<>`")
	add(encodeQuery, query)
	add(encodeSpecialQuery, query+"'")
	add(encodePath, path)
	add(encodeUserinfo, path+"/:;=@[\\]|")
	add(encodeKeyHost, " \"<>\\^`{|}")
	add(encodeKeyPath, " \"#<>?[\\]^`{|}")
	add(encodeKeyQuery, " \"#<>[\\]^`{|}")
	return sets
}

// octet classes of RFC 3986 2.2 and 2.3, for the notes and the key.
const (
	octetUnreserved = 1 << iota
	octetHex
	octetIllegal     // ASCII that no component but the host may hold unencoded
	octetEndsSegment // '/', '?', '#'
	octetBackslash
)

var octetClasses = buildOctetClasses()

func buildOctetClasses() (classes [256]uint8) {
	for c := range classes {
		switch {
		case '0' <= c && c <= '9':
			classes[c] = octetUnreserved | octetHex
		case 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F':
			classes[c] = octetUnreserved | octetHex
		case 'g' <= c && c <= 'z' || 'G' <= c && c <= 'Z', c == '-', c == '.', c == '_', c == '~':
			classes[c] = octetUnreserved
		case c < 0x20 || c == 0x7F:
			classes[c] = octetIllegal
		}
	}
	for _, c := range []byte("\"<>[\\]^`{|}") {
		classes[c] = octetIllegal
	}
	for _, c := range []byte("/?#") {
		classes[c] |= octetEndsSegment
	}
	classes['\\'] |= octetBackslash
	return classes
}

func isHexDigit(c byte) bool { return octetClasses[c]&octetHex != 0 }

const upperHex = "0123456789ABCDEF"

// hexValue returns the value of a hexadecimal digit.
func hexValue(c byte) byte {
	if c <= '9' {
		return c - '0'
	}
	return c&^0x20 - 'A' + 10
}

// appendPercent appends one octet percent-encoded.
func appendPercent(dst []byte, c byte) []byte {
	return append(dst, '%', upperHex[c>>4], upperHex[c&15])
}

// encode appends s with the members of set percent-encoded as UTF-8, and notes
// what it had to mend. A '%' stays as it is, whatever follows it.
func (p *webParser) encode(s string, set encodeSet) {
	for i := 0; i < len(s); {
		clean := i
		for i < len(s) && webEncodeSets[s[i]]&set == 0 {
			i++
		}
		p.dst = append(p.dst, s[clean:i]...)
		if i == len(s) {
			return
		}
		switch c := s[i]; {
		case c == '%':
			if i+2 >= len(s) || !isHexDigit(s[i+1]) || !isHexDigit(s[i+2]) {
				p.repairs |= RepairPercent
			}
			p.dst = append(p.dst, c)
			i++
		case c < utf8.RuneSelf:
			p.noteEncoded(c)
			p.dst = appendPercent(p.dst, c)
			i++
		default:
			i += p.encodeRune(s[i:])
		}
	}
}

// encodeRune appends the first character of s, which is not ASCII, and returns
// its length. A byte that begins no UTF-8 sequence becomes U+FFFD.
func (p *webParser) encodeRune(s string) int {
	r, size := utf8.DecodeRuneInString(s)
	if r == utf8.RuneError && size == 1 {
		p.repairs |= RepairEncoding
		p.dst = append(p.dst, "%EF%BF%BD"...)
		return size
	}
	p.repairs |= RepairNonASCII
	for i := range size {
		p.dst = appendPercent(p.dst, s[i])
	}
	return size
}

// noteEncoded notes that an ASCII character had to be percent-encoded. The
// apostrophe in a query, and ':' ';' '=' in userinfo, are encoded too, but no
// standard forbids them there.
func (p *webParser) noteEncoded(c byte) {
	switch {
	case c == ' ':
		p.repairs |= RepairSpace
	case octetClasses[c]&octetIllegal != 0:
		p.repairs |= RepairIllegal
	}
}
