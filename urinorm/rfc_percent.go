package urinorm

import "strings"

// The functions here read well-formed strings: every '%' in them has two
// hexadecimal digits behind it. Those that have nothing to do return their
// argument without copying it.

// rfcUpperHex puts the hexadecimal digits of percent-encodings into upper case
// (RFC 3986 section 6.2.2.1).
func rfcUpperHex(s string) string {
	var out []byte
	for i := strings.IndexByte(s, '%'); i >= 0 && i+2 < len(s); {
		if rfcUpperByte(s[i+1]) != s[i+1] || rfcUpperByte(s[i+2]) != s[i+2] {
			if out == nil {
				out = []byte(s)
			}
			out[i+1], out[i+2] = rfcUpperByte(s[i+1]), rfcUpperByte(s[i+2])
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
// (section 6.2.2.2). "%2541" stays: what is decoded is never read again.
func rfcDecodeUnreserved(s string) string {
	var out []byte
	done := 0
	for i := strings.IndexByte(s, '%'); i >= 0 && i+2 < len(s); {
		if c := rfcHexByte(s[i+1], s[i+2]); rfcIs(c, rfcUnreserved) {
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

// rfcPercentDecode decodes every percent-encoding. A '%' without two hexadecimal
// digits stays, as the percent-decode algorithm of the URL Standard (1.3) has it.
func rfcPercentDecode(s string) string {
	i := strings.IndexByte(s, '%')
	if i < 0 {
		return s
	}
	out := append(make([]byte, 0, len(s)), s[:i]...)
	for ; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) && rfcIs(s[i+1], rfcHex) && rfcIs(s[i+2], rfcHex) {
			out = append(out, rfcHexByte(s[i+1], s[i+2]))
			i += 2
			continue
		}
		out = append(out, s[i])
	}
	return string(out)
}

// rfcLowerOutsidePercent puts ASCII letters into lower case, but for the digits
// of percent-encodings, which have a normal form of their own.
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
		out[i] = rfcLowerByte(out[i])
	}
	return string(out)
}

// rfcLowerASCII puts the ASCII letters of s into lower case and leaves all other
// bytes alone, as strings.ToLower would not.
func rfcLowerASCII(s string) string {
	for i := range len(s) {
		if rfcLowerByte(s[i]) != s[i] {
			out := []byte(s)
			for ; i < len(out); i++ {
				out[i] = rfcLowerByte(out[i])
			}
			return string(out)
		}
	}
	return s
}

func rfcLowerByte(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

func rfcUpperByte(c byte) byte {
	if 'a' <= c && c <= 'z' {
		return c + 'A' - 'a'
	}
	return c
}

// rfcHexByte returns the byte that two hexadecimal digits spell.
func rfcHexByte(hi, lo byte) byte { return rfcHexDigit(hi)<<4 | rfcHexDigit(lo) }

func rfcHexDigit(c byte) byte {
	if rfcIs(c, rfcDigit) {
		return c - '0'
	}
	return rfcLowerByte(c) - 'a' + 10
}
