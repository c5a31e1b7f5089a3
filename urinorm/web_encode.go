package urinorm

import "unicode/utf8"

// encodeSet is a bit set of percent-encode sets: those of URL Standard 1.3, and
// those of the [Key].
type encodeSet uint16

const (
	encodeControl      encodeSet = 1 << iota // opaque path, opaque host
	encodeFragment                           // fragment
	encodeQuery                              // query
	encodeSpecialQuery                       // query of a special scheme
	encodePath                               // path segment
	encodeUserinfo                           // user name, password
	encodeKeyHost                            // not allowed in a host by RFC 3986 3.2.2
	encodeKeyPath                            // not allowed in a path by RFC 3986 3.3
	encodeKeyQuery                           // not allowed in a query by RFC 3986 3.4
	encodeNothing
)

// webEncodeSets holds, for each byte, the sets that contain it. The C0 controls,
// DEL and all bytes beyond ASCII are in every set. The '%' is in none of the
// standard's sets; here it is in all of them, and in encodeNothing, so that loops
// over unencoded runs stop at it and examine the two digits after it.
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

// appendEncoded appends s with the members of set percent-encoded as UTF-8. A
// '%' is kept, whatever follows it; a byte that is not UTF-8 becomes U+FFFD.
func appendEncoded(dst []byte, s string, set encodeSet) ([]byte, Repairs) {
	var repairs Repairs
	for i := 0; i < len(s); {
		clean := i
		for i < len(s) && webEncodeSets[s[i]]&set == 0 {
			i++
		}
		dst = append(dst, s[clean:i]...)
		if i == len(s) {
			break
		}
		switch c := s[i]; {
		case c == '%':
			if !isEscape(s[i:]) {
				repairs |= repairPercent
			}
			dst = append(dst, c)
			i++
		case c < utf8.RuneSelf:
			repairs |= repairOfEncoding(c)
			dst = appendPercent(dst, c)
			i++
		default:
			r, size := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && size == 1 {
				repairs |= repairEncoding
				dst = append(dst, "%EF%BF%BD"...)
			} else {
				repairs |= repairNonASCII
				for _, octet := range []byte(s[i : i+size]) {
					dst = appendPercent(dst, octet)
				}
			}
			i += size
		}
	}
	return dst, repairs
}

// repairOfEncoding returns the repair that the percent-encoding of an ASCII
// character is. The apostrophe in a query, and ':' ';' '=' in userinfo, are
// encoded too, but no standard forbids them there.
func repairOfEncoding(c byte) Repairs {
	switch {
	case c == ' ':
		return repairSpace
	case octetClasses[c]&octetIllegal != 0:
		return repairIllegal
	}
	return 0
}
