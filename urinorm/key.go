package urinorm

// Key identifies a resource for deduplication. Two URLs share a Key only when no
// server may tell them apart. A Key is never requested and never shown.
type Key string

// KeyOf returns the key of u: u without its fragment; for http(s) and ws(s)
// without userinfo, which names no resource (RFC 9110 4.2.4); path and query
// percent-normalized (RFC 3986 6.2.2.1 and 6.2.2.2) and what RFC 3986 does not
// allow in them encoded. A component with a malformed '%' stays byte for byte,
// as does all of a URL with an opaque path.
//
// Slashes, query order, letter case and the scheme stay significant: a server
// may tell such URLs apart (6.2.4).
func KeyOf(u URL) Key {
	var buf [256]byte
	return Key(appendKey(buf[:0], u.href, u.at))
}

// AppendKey appends the key of an href that [Base.Append] wrote; the offsets
// count from href[0]. It allocates nothing beyond what dst needs to grow.
func AppendKey(dst []byte, href []byte, at Offsets) []byte {
	return appendKey(dst, href, at)
}

func appendKey[T string | []byte](dst []byte, href T, at Offsets) []byte {
	if at.Opaque {
		return append(dst, href[:at.FragmentStart]...)
	}
	if at.HostStart != at.UserStart && schemeKindOf(string(href[:at.SchemeEnd])).web() {
		dst = append(dst, href[:at.UserStart]...)
	} else {
		dst = append(dst, href[:at.HostStart]...)
	}
	copied := at.HostStart
	for i := at.HostStart; i < at.PathStart; i++ {
		if c := href[i]; webEncodeSets[c]&encodeKeyHost != 0 {
			dst = appendPercent(append(dst, href[copied:i]...), c)
			copied = i + 1
		}
	}
	dst = append(dst, href[copied:at.PathStart]...)
	dst = appendNormalized(dst, href[at.PathStart:at.QueryStart], encodeKeyPath)
	if at.QueryStart == at.FragmentStart {
		return dst
	}
	dst = append(dst, '?')
	return appendNormalized(dst, href[at.QueryStart+1:at.FragmentStart], encodeKeyQuery)
}
