package extract

import "bytes"

// prescanLength is the number of bytes of a document that are searched for a declaration of
// its encoding.
const prescanLength = 1024

// prescan returns the encoding that an HTML document declares in its first bytes, or "" if it
// declares none (HTML 13.2.3.2, "prescan a byte stream to determine its encoding"). It looks
// at bytes, not at markup: a meta element inside a script counts.
//
// The prescan in golang.org/x/net/html/charset uses the tokenizer, which skips the contents
// of script, style and title elements.
func prescan(head []byte) string {
	head = head[:min(len(head), prescanLength)]
	switch {
	case bytes.HasPrefix(head, []byte("<\x00?\x00x\x00")):
		return "utf-16le"
	case bytes.HasPrefix(head, []byte("\x00<\x00?\x00x")):
		return "utf-16be"
	}
	s := metaScanner{head: head}
	for s.pos < len(head) {
		rest := head[s.pos:]
		switch {
		case bytes.HasPrefix(rest, []byte("<!--")):
			// The dashes of "<!--" may also be those of "-->": "<!-->".
			n := bytes.Index(rest[2:], []byte("-->"))
			if n < 0 {
				return xmlEncoding(head)
			}
			s.pos += 2 + n + len("-->")
		case len(rest) > 5 && equalFold(rest[:5], "<meta") && (isSpace(rest[5]) || rest[5] == '/'):
			s.pos += 5
			if name := s.meta(); name != "" {
				return name
			}
		case isTag(rest):
			for s.pos < len(head) && !isSpace(head[s.pos]) && head[s.pos] != '>' {
				s.pos++
			}
			for {
				if _, _, ok := s.attribute(); !ok {
					break
				}
			}
		case len(rest) > 1 && rest[0] == '<' && (rest[1] == '!' || rest[1] == '/' || rest[1] == '?'):
			n := bytes.IndexByte(rest, '>')
			if n < 0 {
				return xmlEncoding(head)
			}
			s.pos += n + 1
		default:
			s.pos = indexFrom(head, s.pos+1, '<') // all other constructs start with '<'
		}
	}
	return xmlEncoding(head)
}

func isTag(b []byte) bool {
	return len(b) > 1 && b[0] == '<' && (isLetter(b[1]) || b[1] == '/' && len(b) > 2 && isLetter(b[2]))
}

// metaScanner reads attributes as the prescan does, which differs from the tokenizer: it
// ignores attributes that are cut off at the end of the head.
type metaScanner struct {
	head []byte
	pos  int
}

// meta reads the attributes of a meta element and returns the encoding they declare, or "".
func (s *metaScanner) meta() string {
	var m metaCharset
	for {
		name, value, ok := s.attribute()
		if !ok {
			break
		}
		m.attribute(name, value)
	}
	if s.pos == len(s.head) {
		return ""
	}
	return m.encoding()
}

// metaCharset collects what the attributes of a meta element say about the encoding.
type metaCharset struct {
	pragma      bool   // http-equiv=content-type
	charset     string // name of the encoding, from charset or content
	hasLabel    bool   // a label was found, whether or not it is known
	needsPragma bool   // the label came from content, and counts only with a pragma
	// The first of several attributes with the same name counts.
	hasPragma, hasContent, hasCharset bool
}

func (m *metaCharset) attribute(name, value []byte) {
	switch {
	case equalFold(name, "http-equiv") && !m.hasPragma:
		m.hasPragma = true
		m.pragma = equalFold(value, "content-type")
	case equalFold(name, "content") && !m.hasContent:
		m.hasContent = true
		if m.charset != "" {
			return
		}
		if encoding := lookup(labelInContent(value)); encoding != "" {
			m.charset, m.hasLabel, m.needsPragma = encoding, true, true
		}
	case equalFold(name, "charset") && !m.hasCharset:
		m.hasCharset = true
		m.charset, m.hasLabel, m.needsPragma = lookup(value), true, false
	}
}

func (m *metaCharset) encoding() string {
	if !m.hasLabel || m.needsPragma && !m.pragma || m.charset == "" {
		return ""
	}
	return correctDocumentCharset(m.charset)
}

// attribute implements "get an attribute" of the standard's prescan.
func (s *metaScanner) attribute() (name, value []byte, ok bool) {
	h := s.head
	for s.pos < len(h) && (isSpace(h[s.pos]) || h[s.pos] == '/') {
		s.pos++
	}
	if s.pos == len(h) || h[s.pos] == '>' {
		return nil, nil, false
	}
	start := s.pos
	for s.pos < len(h) {
		c := h[s.pos]
		if c == '=' && s.pos > start || isSpace(c) || c == '/' || c == '>' {
			break
		}
		s.pos++
	}
	name = h[start:s.pos]
	s.pos = skipSpace(h, s.pos)
	if s.pos == len(h) {
		return nil, nil, false
	}
	if h[s.pos] != '=' {
		return name, nil, true
	}
	if s.pos = skipSpace(h, s.pos+1); s.pos == len(h) {
		return nil, nil, false
	}
	if quote := h[s.pos]; quote == '"' || quote == '\'' {
		n := bytes.IndexByte(h[s.pos+1:], quote)
		if n < 0 {
			s.pos = len(h)
			return nil, nil, false
		}
		value = h[s.pos+1 : s.pos+1+n]
		s.pos += n + 2
		return name, value, true
	}
	start = s.pos
	for s.pos < len(h) && !isSpace(h[s.pos]) && h[s.pos] != '>' {
		s.pos++
	}
	return name, h[start:s.pos], s.pos < len(h)
}

// labelInContent returns the encoding label in the content of a meta element (HTML 2.6.5,
// "extracting a character encoding from a meta element").
func labelInContent(content []byte) []byte {
	const word = "charset"
	for i := 0; i+len(word) <= len(content); i++ {
		if !equalFold(content[i:i+len(word)], word) {
			continue
		}
		rest := content[i+len(word):]
		if rest = rest[skipSpace(rest, 0):]; len(rest) == 0 || rest[0] != '=' {
			continue
		}
		if rest = rest[skipSpace(rest, 1):]; len(rest) == 0 {
			return nil
		}
		if quote := rest[0]; quote == '"' || quote == '\'' {
			if n := bytes.IndexByte(rest[1:], quote); n >= 0 {
				return rest[1 : 1+n]
			}
			return nil
		}
		n := 0
		for n < len(rest) && !isSpace(rest[n]) && rest[n] != ';' {
			n++
		}
		return rest[:n]
	}
	return nil
}

// xmlEncoding returns the encoding of an XML declaration, which the prescan uses as a
// fallback.
func xmlEncoding(head []byte) string {
	if !bytes.HasPrefix(head, []byte("<?xml")) {
		return ""
	}
	declaration, _, closed := bytes.Cut(head, []byte{'>'})
	i := bytes.Index(declaration, []byte("encoding"))
	if !closed || i < 0 {
		return ""
	}
	rest := declaration[i+len("encoding"):]
	blank := func(i int) int {
		for i < len(rest) && rest[i] <= ' ' {
			i++
		}
		return i
	}
	i = blank(0)
	if i == len(rest) || rest[i] != '=' {
		return ""
	}
	if i = blank(i + 1); i == len(rest) || rest[i] != '"' && rest[i] != '\'' {
		return ""
	}
	n := bytes.IndexByte(rest[i+1:], rest[i])
	if n < 0 {
		return ""
	}
	return documentCharset(rest[i+1 : i+1+n])
}
