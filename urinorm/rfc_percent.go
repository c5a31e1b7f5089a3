package urinorm

import "strings"

// The functions here expect well-formed strings, in which two hexadecimal digits
// follow every '%'. They return an argument that does not change without a copy.

// rfcUpperHex changes the hexadecimal digits of percent-encodings to upper case
// (RFC 3986 section 6.2.2.1).
func rfcUpperHex(s string) string {
	var out []byte
	for i := strings.IndexByte(s, '%'); i >= 0 && i+2 < len(s); {
		if upperByte(s[i+1]) != s[i+1] || upperByte(s[i+2]) != s[i+2] {
			if out == nil {
				out = []byte(s)
			}
			out[i+1], out[i+2] = upperByte(s[i+1]), upperByte(s[i+2])
		}
		next := strings.IndexByte(s[i+3:], '%')
		if next < 0 {
			break
		}
		i += 3 + next
	}
	if out == nil {
		return s
	}
	return string(out)
}

// rfcDecodeUnreserved decodes percent-encodings of unreserved characters once
// (section 6.2.2.2). "%2541" is kept: decoded characters are not decoded again.
func rfcDecodeUnreserved(s string) string {
	var out []byte
	done := 0
	for i := strings.IndexByte(s, '%'); i >= 0 && i+2 < len(s); {
		if c := hexByte(s[i+1], s[i+2]); rfcIs(c, rfcUnreserved) {
			out = append(append(out, s[done:i]...), c)
			done = i + 3
		}
		next := strings.IndexByte(s[i+3:], '%')
		if next < 0 {
			break
		}
		i += 3 + next
	}
	if out == nil {
		return s
	}
	return string(append(out, s[done:]...))
}

// rfcLowerOutsidePercent changes ASCII letters to lower case, except the digits of
// percent-encodings, whose normal form is upper case.
func rfcLowerOutsidePercent(s string) string {
	i := strings.IndexByte(s, '%')
	if i < 0 {
		return rfcLowerASCII(s)
	}
	out := []byte(s)
	for i := 0; i < len(out); i++ {
		if out[i] == '%' {
			i += 2
			continue
		}
		out[i] = lowerByte(out[i])
	}
	return string(out)
}

// rfcLowerASCII changes the ASCII letters of s to lower case. Unlike
// strings.ToLower it leaves all other characters unchanged.
func rfcLowerASCII(s string) string {
	for i := range len(s) {
		if lowerByte(s[i]) != s[i] {
			out := []byte(s)
			for ; i < len(out); i++ {
				out[i] = lowerByte(out[i])
			}
			return string(out)
		}
	}
	return s
}
