package urinorm

// Printed returns u for display: the href with path, query and fragment
// percent-normalized (RFC 3986 6.2.2.1 and 6.2.2.2: escapes in upper case, those
// of unreserved characters decoded) and with *** in place of a password. A
// component with a malformed '%' and an opaque path are left unchanged, so URLs
// that are printed alike have the same [Key].
func (u URL) Printed() string {
	var buf [256]byte
	return string(appendPrinted(buf[:0], u.href, &u.at))
}

// AppendPrinted appends the printed form of an href that [Base.Append] wrote;
// the offsets count from href[0].
func AppendPrinted(dst []byte, href []byte, at Offsets) []byte {
	return appendPrinted(dst, href, &at)
}

func appendPrinted[T string | []byte](dst []byte, href T, at *Offsets) []byte {
	copied := int32(0)
	for i := at.UserStart; i < at.HostStart; i++ {
		if href[i] == ':' {
			dst = append(append(dst, href[:i+1]...), "***@"...)
			copied = at.HostStart
			break
		}
	}
	if at.opaque {
		dst = append(dst, href[:at.FragmentStart]...)
	} else {
		dst = append(dst, href[copied:at.PathStart]...)
		path := len(dst)
		dst = appendNormalized(dst, href[at.PathStart:at.QueryStart], encodeNothing)
		if len(dst) > path+2 && dst[path+2] == '|' && string(href[:at.SchemeEnd]) == "file" {
			// "/%43|" is not a drive letter, but "/C|" would be read as one.
			dst = append(dst[:path], href[at.PathStart:at.QueryStart]...)
		}
		dst = appendNormalized(dst, href[at.QueryStart:at.FragmentStart], encodeNothing)
	}
	return appendNormalized(dst, href[at.FragmentStart:], encodeNothing)
}
