package urinorm

// Key identifies a resource for deduplication. Two URLs have the same Key only if
// every server must treat them alike. A Key is never requested and never shown.
type Key string

// KeyOf returns the key of u. The fragment is removed, and for http(s) and ws(s)
// the userinfo, which does not identify a resource (RFC 9110 4.2.4). Path and
// query are percent-normalized (RFC 3986 6.2.2.1 and 6.2.2.2), and characters that
// RFC 3986 does not allow in them are encoded. A component with a malformed '%',
// and a URL with an opaque path, are left unchanged.
//
// Slashes, query order, letter case and the scheme remain significant, as a
// server may distinguish such URLs (6.2.4).
func KeyOf(u URL) Key {
	var buf [256]byte
	return Key(appendKey(buf[:0], u.href, u.at))
}

// AppendKey appends the key of an href that [Base.Append] wrote; the offsets
// count from href[0]. It allocates only to grow dst.
func AppendKey(dst []byte, href []byte, at Offsets) []byte {
	return appendKey(dst, href, at)
}

func appendKey[T string | []byte](dst []byte, href T, at Offsets) []byte {
	if at.opaque {
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
