package urinorm

// appendNormalized appends a component percent-normalized (RFC 3986 6.2.2.1 and
// 6.2.2.2): escapes in upper case, those of unreserved characters decoded, and
// the members of set encoded. A component with a malformed '%' is appended
// unchanged: decoding the rest could create an escape ("%%34%31" would become
// "%41", and then "A").
func appendNormalized[T string | []byte](dst []byte, s T, set encodeSet) []byte {
	start, copied := len(dst), 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		if webEncodeSets[c]&set == 0 {
			continue
		}
		dst = append(dst, s[copied:i]...)
		copied = i + 1
		if c != '%' {
			dst = appendPercent(dst, c)
			continue
		}
		if i+2 >= len(s) || !isHexDigit(s[i+1]) || !isHexDigit(s[i+2]) {
			return append(dst[:start], s...)
		}
		octet := hexValue(s[i+1])<<4 | hexValue(s[i+2])
		if octetClasses[octet]&octetUnreserved != 0 {
			dst = append(dst, octet)
		} else {
			dst = appendPercent(dst, octet)
		}
		i += 2
		copied = i + 1
	}
	return append(dst, s[copied:]...)
}
