package urinorm

import "strconv"

// endsInNumber is the ends-in-a-number checker (URL Standard 3.5): such a host is
// an IPv4 address or invalid, never a name.
func endsInNumber(host []byte) bool {
	if n := len(host); n > 0 && host[n-1] == '.' {
		host = host[:n-1]
	}
	start := len(host)
	for start > 0 && host[start-1] != '.' {
		start--
	}
	last := host[start:]
	if len(last) == 0 || !isDigit(last[0]) {
		return false
	}
	if len(last) >= 2 && last[0] == '0' && last[1]|0x20 == 'x' {
		for _, c := range last[2:] {
			if !isHexDigit(c) {
				return false
			}
		}
		return true
	}
	for _, c := range last {
		if !isDigit(c) {
			return false
		}
	}
	return true
}

// parseIPv4 is the IPv4 parser (3.5): one to four numbers, decimal, octal with
// a leading 0 or hexadecimal with 0x; the last one fills the remaining bytes.
// RFC 3986 7.4 warns of the rare forms.
func parseIPv4(host []byte) (address uint32, ok bool) {
	if n := len(host); n > 0 && host[n-1] == '.' {
		host = host[:n-1]
	}
	parts := 1
	for _, c := range host {
		if c == '.' {
			parts++
		}
	}
	if parts > 4 {
		return 0, false
	}
	for part := 1; ; part++ {
		end := 0
		for end < len(host) && host[end] != '.' {
			end++
		}
		n, ok := parseIPv4Number(host[:end])
		if !ok {
			return 0, false
		}
		if part == parts {
			if n >= 1<<(8*(5-parts)) {
				return 0, false
			}
			return address | uint32(n), true
		}
		if n > 255 {
			return 0, false
		}
		address |= uint32(n) << (8 * (4 - part))
		host = host[end+1:]
	}
}

// parseIPv4Number is the IPv4 number parser. A number of more than 32 bits, which
// is too large in any position, is returned as 1<<32.
func parseIPv4Number(s []byte) (n uint64, ok bool) {
	if len(s) == 0 {
		return 0, false
	}
	radix := uint64(10)
	switch {
	case len(s) >= 2 && s[0] == '0' && s[1]|0x20 == 'x':
		s, radix = s[2:], 16
	case len(s) >= 2 && s[0] == '0':
		s, radix = s[1:], 8
	}
	for _, c := range s {
		if !isHexDigit(c) || uint64(hexValue(c)) >= radix {
			return 0, false
		}
		if n = n*radix + uint64(hexValue(c)); n > 1<<32 {
			n = 1 << 32
		}
	}
	return n, true
}

// appendIPv4 is the IPv4 serializer (3.6).
func appendIPv4(dst []byte, address uint32) []byte {
	for shift := 24; ; shift -= 8 {
		dst = strconv.AppendUint(dst, uint64(address>>shift&0xFF), 10)
		if shift == 0 {
			return dst
		}
		dst = append(dst, '.')
	}
}

// parseIPv6 is the IPv6 parser (3.5), without the brackets: eight pieces, "::"
// for a run of zeros, dotted decimal for the last two. Zones are not allowed.
func parseIPv6(s string) (pieces [8]uint16, ok bool) {
	i, piece, compress := 0, 0, -1
	if len(s) > 0 && s[0] == ':' {
		if len(s) < 2 || s[1] != ':' {
			return pieces, false
		}
		i, piece, compress = 2, 1, 1
	}
	for i < len(s) {
		if piece == 8 {
			return pieces, false
		}
		if s[i] == ':' {
			if compress >= 0 {
				return pieces, false
			}
			i++
			piece++
			compress = piece
			continue
		}
		value, digits := uint16(0), 0
		for digits < 4 && i < len(s) && isHexDigit(s[i]) {
			value = value<<4 | uint16(hexValue(s[i]))
			i++
			digits++
		}
		if i < len(s) && s[i] == '.' {
			if digits == 0 || piece > 6 {
				return pieces, false
			}
			high, low, ok := parseDottedDecimal(s[i-digits:])
			if !ok {
				return pieces, false
			}
			pieces[piece], pieces[piece+1] = high, low
			piece += 2
			break
		}
		if i < len(s) {
			if s[i] != ':' || i+1 == len(s) {
				return pieces, false
			}
			i++
		}
		pieces[piece] = value
		piece++
	}
	if compress < 0 {
		return pieces, piece == 8
	}
	// Move the pieces after the "::" to the end.
	for from, to := piece-1, 7; from >= compress && from != to; from, to = from-1, to-1 {
		pieces[to], pieces[from] = pieces[from], 0
	}
	return pieces, true
}

// parseDottedDecimal reads the IPv4 address at the end of an IPv6 address: four
// decimal numbers without leading zeros.
func parseDottedDecimal(s string) (high, low uint16, ok bool) {
	var bytes [4]uint16
	for n := range bytes {
		if n > 0 {
			if s == "" || s[0] != '.' {
				return 0, 0, false
			}
			s = s[1:]
		}
		digits := 0
		for digits < len(s) && isDigit(s[digits]) {
			if digits > 0 && bytes[n] == 0 {
				return 0, 0, false
			}
			if bytes[n] = bytes[n]*10 + uint16(s[digits]-'0'); bytes[n] > 255 {
				return 0, 0, false
			}
			digits++
		}
		if digits == 0 {
			return 0, 0, false
		}
		s = s[digits:]
	}
	return bytes[0]<<8 | bytes[1], bytes[2]<<8 | bytes[3], s == ""
}

// appendIPv6 is the IPv6 serializer (3.6), brackets included: the first longest
// run of at least two zeros becomes "::" (RFC 5952 4.2).
func appendIPv6(dst []byte, pieces [8]uint16) []byte {
	runStart, runEnd := -1, -1
	for i := 0; i < 8; i++ {
		end := i
		for end < 8 && pieces[end] == 0 {
			end++
		}
		if end-i >= 2 && end-i > runEnd-runStart {
			runStart, runEnd = i, end
		}
		i = max(i, end)
	}
	dst = append(dst, '[')
	for i := 0; i < 8; i++ {
		switch {
		case i == runStart:
			dst = append(dst, "::"...)
			i = runEnd - 1
			continue
		case i > 0 && i != runEnd:
			dst = append(dst, ':')
		}
		dst = strconv.AppendUint(dst, uint64(pieces[i]), 16)
	}
	return append(dst, ']')
}
