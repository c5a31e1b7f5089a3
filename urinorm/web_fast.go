package urinorm

import "github.com/orbweaver/orbweaver/urinorm/internal/idna"

// The fast path handles ordinary references: relative to an http(s), ws(s) or ftp
// base, or absolute with http(s), and made of bytes that the standard's rules
// leave unchanged. It copies runs of bytes and gives up at the first byte that
// needs more; then the slow path starts again from the beginning. A fuzz test
// checks that both give the same result.
//
//	base  https://example.com/a/b/c.html?q#f
//	                          │   │     │ │
//	      ref "/x"  keeps ────┘   │     │ │
//	      ref "x"   keeps ────────┘     │ │      "../" cuts back by one more '/'
//	      ref "?x"  keeps ──────────────┘ │
//	      ref "#x"  keeps ────────────────┘

// fastClasses holds, for each byte, the parts in which it is left unchanged.
var fastClasses = buildFastClasses()

const (
	fastInPath = 1 << iota // in a segment, so without '/'
	fastInQuery
	fastInFragment
	fastInHost   // in a domain that is not an IPv4 address
	fastInScheme // in a scheme, without its ':'
)

func buildFastClasses() (classes [256]uint8) {
	for i := range classes {
		c := byte(i)
		if webEncodeSets[c]&encodePath == 0 && c != '/' && c != '\\' && c != '?' && c != '#' {
			classes[c] |= fastInPath
		}
		if webEncodeSets[c]&encodeSpecialQuery == 0 {
			classes[c] |= fastInQuery
		}
		if webEncodeSets[c]&encodeFragment == 0 && c != '{' { // rare, and mostly in a template that was not filled in
			classes[c] |= fastInFragment
		}
		if 'a' <= c && c <= 'z' || isDigit(c) || c == '-' || c == '_' || c == '.' {
			classes[c] |= fastInHost
		}
		if isAlpha(c) || isDigit(c) || c == '+' || c == '-' || c == '.' {
			classes[c] |= fastInScheme
		}
	}
	return classes
}

// fastBase is what the fast path needs to know about a base: whether the path can be
// used at all, and where the directory of the base ends.
type fastBase struct {
	usable       bool
	directoryEnd int32
}

func newFastBase(b *Base) fastBase {
	if !b.kind.special() || b.kind == schemeFile {
		return fastBase{}
	}
	end := b.at.QueryStart
	for b.href[end-1] != '/' { // the path of a special URL begins with one
		end--
	}
	return fastBase{usable: true, directoryEnd: end}
}

// appendFast is Append for ordinary references; ok is false if it gave up.
func (b *Base) appendFast(dst []byte, ref string) (href []byte, at Offsets, ok bool) {
	if !b.fast.usable || len(ref) > MaxReference {
		return dst, at, false
	}
	start := len(dst)
	at = b.at
	if ref == "" {
		return append(dst, b.href[:at.FragmentStart]...), at, true
	}
	switch ref[0] {
	case '#':
		dst = append(dst, b.href[:at.FragmentStart]...)
		return fastTail(dst, start, ref, at, at.QueryStart)
	case '?':
		dst = append(dst, b.href[:at.QueryStart]...)
		return fastTail(dst, start, ref, at, at.QueryStart)
	case '/':
		if len(ref) > 1 && ref[1] == '/' {
			return dst, at, false
		}
		dst = append(dst, b.href[:at.PathStart+1]...)
		return fastSegments(dst, start, ref[1:], at)
	}
	if ref[0] == 'h' {
		if href, at, ok := appendFastAbsolute(dst, ref); ok {
			return href, at, true
		}
	}
	// A ':' ends a scheme if only letters, digits and "+-." precede it.
	for i := range len(ref) {
		if c := ref[i]; fastClasses[c]&fastInScheme == 0 {
			if c == ':' {
				return dst, at, false
			}
			break
		}
	}
	dst = append(dst, b.href[:b.fast.directoryEnd]...)
	return fastSegments(dst, start, ref, at)
}

// appendFastAbsolute is ParseWeb for ordinary http and https URLs.
func appendFastAbsolute(dst []byte, ref string) (href []byte, at Offsets, ok bool) {
	defaultPort := 80
	switch {
	case len(ref) > 8 && ref[:8] == "https://":
		at.SchemeEnd, defaultPort = 5, 443
	case len(ref) > 7 && ref[:7] == "http://":
		at.SchemeEnd = 4
	default:
		return dst, at, false
	}
	if len(ref) > MaxReference {
		return dst, at, false
	}
	hostStart := int(at.SchemeEnd) + 3
	i, label := hostStart, hostStart
	for i < len(ref) && fastClasses[ref[i]]&fastInHost != 0 {
		if ref[i] == '.' {
			label = i + 1
		}
		i++
	}
	// Give up if the host may be an IPv4 address, ends in a dot, is longer than a
	// label may be, or has an A-label, which must be validated.
	if i == label || isDigit(ref[label]) || i-hostStart > 63 || idna.HasALabel(ref[hostStart:i]) {
		return dst, at, false
	}
	at.UserStart, at.HostStart, at.HostEnd, at.HasAuthority = at.SchemeEnd+3, at.SchemeEnd+3, int32(i), true
	if i < len(ref) && ref[i] == ':' {
		port, digits := 0, i+1
		for i++; i < len(ref) && i-digits < 5 && isDigit(ref[i]); i++ {
			port = port*10 + int(ref[i]-'0')
		}
		if i == digits || ref[digits] == '0' || port == defaultPort || port > 0xFFFF {
			return dst, at, false
		}
	}
	at.PathStart = int32(i)
	start := len(dst)
	dst = append(append(dst, ref[:i]...), '/')
	if i < len(ref) && ref[i] == '/' {
		return fastSegments(dst, start, ref[i+1:], at)
	}
	if i < len(ref) && ref[i] != '?' && ref[i] != '#' {
		return dst, at, false
	}
	return fastTail(dst, start, ref[i:], at, at.PathStart+1)
}

// fastSegments is the path state: it appends the segments of ref, and the query
// and fragment after them, to a path that ends in '/'.
func fastSegments(dst []byte, start int, ref string, at Offsets) ([]byte, Offsets, bool) {
	i, copied := 0, 0
	for {
		if end, dots := fastDotSegment(ref, i); dots > 0 {
			dst = append(dst, ref[copied:i]...)
			if dots == 2 {
				slash := len(dst) - 1
				if slash == start+int(at.PathStart) {
					return dst, at, false // above the root
				}
				for slash--; dst[slash] != '/'; slash-- {
				}
				dst = dst[:slash+1]
			}
			i, copied = end, end
			if i < len(ref) && ref[i] == '/' {
				i, copied = i+1, i+1
				continue
			}
			break
		}
		i = fastSkip(ref, i, fastInPath)
		if i == len(ref) || ref[i] == '?' || ref[i] == '#' {
			break
		}
		if ref[i] != '/' {
			return dst, at, false
		}
		i++
	}
	dst = append(dst, ref[copied:i]...)
	return fastTail(dst, start, ref[i:], at, int32(len(dst)-start))
}

// fastDotSegment returns the number of dots and the end of a dot segment at
// ref[i]; dots is 0 if there is none.
func fastDotSegment(ref string, i int) (end, dots int) {
	if i == len(ref) || ref[i] != '.' {
		return i, 0
	}
	end, dots = i+1, 1
	if end < len(ref) && ref[end] == '.' {
		end, dots = end+1, 2
	}
	if end < len(ref) && ref[end] != '/' && ref[end] != '?' && ref[end] != '#' {
		return i, 0
	}
	return end, dots
}

// fastSkip returns the end of the run of bytes of a class at ref[i]. Percent-encoded
// octets belong to every class, except an encoded dot, which may be part of a dot
// segment.
func fastSkip(ref string, i int, class uint8) int {
	for i < len(ref) {
		c := ref[i]
		switch {
		case fastClasses[c]&class != 0:
			i++
		case c == '%' && i+2 < len(ref) && isHexDigit(ref[i+1]) && isHexDigit(ref[i+2]) &&
			(ref[i+1] != '2' || ref[i+2]|0x20 != 'e'):
			i += 3
		default:
			return i
		}
	}
	return i
}

// fastTail appends the query and the fragment, both optional.
func fastTail(dst []byte, start int, ref string, at Offsets, queryStart int32) ([]byte, Offsets, bool) {
	here := len(dst) - start
	at.QueryStart, at.FragmentStart = queryStart, int32(here)
	if ref == "" {
		return dst, at, true
	}
	i := 0
	if ref[0] == '?' {
		i = fastSkip(ref, 1, fastInQuery)
		at.FragmentStart = int32(here + i)
		if i < len(ref) && ref[i] != '#' {
			return dst, at, false
		}
	}
	if i < len(ref) { // a '#'
		if fastSkip(ref, i+1, fastInFragment) != len(ref) {
			return dst, at, false
		}
	}
	return append(dst, ref...), at, true
}
