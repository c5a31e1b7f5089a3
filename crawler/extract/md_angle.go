package extract

import "bytes"

// angleScanner reads the constructs of a block that begin with '<': autolinks
// (CommonMark 6.5) and raw HTML (6.6). It remembers which delimiters it did not find,
// so that it does not search for them again.
type angleScanner struct {
	text []byte
	// missing has the closing delimiters that do not occur after the last position
	// they were searched from.
	missing map[string]bool
}

func (s *angleScanner) reset(text []byte) {
	s.text = text
	s.missing = nil
}

// endOf returns the end of the next closing delimiter at or after i, or -1 if there is
// none.
func (s *angleScanner) endOf(i int, closing string) int {
	if i > len(s.text) || s.missing[closing] {
		return -1
	}
	if n := bytes.Index(s.text[i:], []byte(closing)); n >= 0 {
		return i + n + len(closing)
	}
	if s.missing == nil {
		s.missing = map[string]bool{}
	}
	s.missing[closing] = true
	return -1
}

// autolink reads <scheme:rest> or <mail@host> at i and returns its end, or -1 if there
// is no autolink.
func (s *angleScanner) autolink(i int) (kind inlineKind, end int) {
	b := s.text[i+1:]
	if n := schemeLength(b); n > 0 {
		for at := n + 1; at < len(b); at++ {
			switch c := b[at]; {
			case c == '>':
				return inlineAutolink, i + 1 + at + 1
			case c <= ' ' || c == '<' || c == 0x7F:
				return 0, -1
			}
		}
		return 0, -1
	}
	if n := mailLength(b); n > 0 && n < len(b) && b[n] == '>' {
		return inlineMail, i + 1 + n + 1
	}
	return 0, -1
}

// schemeLength returns the length of the scheme that b begins with, 2 to 32 characters
// followed by a colon, or 0 if there is none.
func schemeLength(b []byte) int {
	n := 0
	for n < len(b) && (isLetter(b[n]) || n > 0 && (isDecimal(b[n]) || b[n] == '+' || b[n] == '.' || b[n] == '-')) {
		if n++; n > 32 {
			return 0
		}
	}
	if n < 2 || n >= len(b) || b[n] != ':' {
		return 0
	}
	return n
}

// mailLength returns the length of the mail address that b begins with, as defined for
// HTML's input type=email, or 0 if there is none.
func mailLength(b []byte) int {
	n := 0
	for n < len(b) && (isAlphanumeric(b[n]) || bytes.IndexByte([]byte(".!#$%&'*+/=?^_`{|}~-"), b[n]) >= 0) {
		if n++; n > 64 {
			return 0
		}
	}
	if n == 0 || n >= len(b) || b[n] != '@' {
		return 0
	}
	n++
	for {
		start := n
		for n < len(b) && (isAlphanumeric(b[n]) || b[n] == '-') && n-start < 63 {
			n++
		}
		if n == start || b[start] == '-' || b[n-1] == '-' {
			return 0
		}
		if n == len(b) || b[n] != '.' {
			return n
		}
		n++
	}
}

// tag reads raw HTML at i: a tag, a comment, a processing instruction, a declaration or
// a CDATA section. It returns its end, or -1 if there is no raw HTML.
func (s *angleScanner) tag(i int) int {
	b := s.text
	switch rest := b[i+1:]; {
	case len(rest) == 0:
		return -1
	case isLetter(rest[0]):
		return s.openTag(i + 1)
	case rest[0] == '/':
		at := i + 2
		if at >= len(b) || !isLetter(b[at]) {
			return -1
		}
		if at = skipSpace(b, tagNameEnd(b, at)); at < len(b) && b[at] == '>' {
			return at + 1
		}
		return -1
	case rest[0] == '?':
		return s.endOf(i+2, "?>")
	case bytes.HasPrefix(rest, []byte("!-->")), bytes.HasPrefix(rest, []byte("!--->")):
		return i + 2 + bytes.IndexByte(rest, '>')
	case bytes.HasPrefix(rest, []byte("!--")):
		return s.endOf(i+4, "-->")
	case bytes.HasPrefix(rest, []byte("![CDATA[")):
		return s.endOf(i+9, "]]>")
	case rest[0] == '!' && len(rest) > 1 && isLetter(rest[1]):
		return s.endOf(i+2, ">")
	}
	return -1
}

func tagNameEnd(b []byte, i int) int {
	for i < len(b) && (isAlphanumeric(b[i]) || b[i] == '-') {
		i++
	}
	return i
}

// openTag reads a start tag whose name begins at i.
func (s *angleScanner) openTag(i int) int {
	b := s.text
	i = tagNameEnd(b, i)
	for {
		next := skipSpace(b, i)
		if next >= len(b) {
			return -1
		}
		switch c := b[next]; {
		case c == '>':
			return next + 1
		case c == '/':
			if next+1 < len(b) && b[next+1] == '>' {
				return next + 2
			}
			return -1
		case next == i || !isLetter(c) && c != '_' && c != ':':
			return -1
		}
		for i = next; i < len(b) && (isAlphanumeric(b[i]) || bytes.IndexByte([]byte("_:.-"), b[i]) >= 0); i++ {
		}
		equals := skipSpace(b, i)
		if equals >= len(b) || b[equals] != '=' {
			continue
		}
		i = skipSpace(b, equals+1)
		if i >= len(b) {
			return -1
		}
		switch c := b[i]; {
		case c == '"' || c == '\'':
			if i = s.endOf(i+1, string(c)); i < 0 {
				return -1
			}
		default:
			start := i
			for i < len(b) && b[i] > ' ' && bytes.IndexByte([]byte("\"'=<>`"), b[i]) < 0 {
				i++
			}
			if i == start {
				return -1
			}
		}
	}
}
