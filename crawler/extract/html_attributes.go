package extract

// An attributeScanner finds the attributes of a start tag of XML, or of one of HTML whose token is
// gone. It reads them as the tokenizer of golang.org/x/net/html does (HTML standard 13.2.5.32 to
// 13.2.5.40); a fuzz test checks that both agree.
type attributeScanner struct {
	tag []byte // from '<' to '>'
	pos int    // initially after the tag's name
}

// next returns the next attribute's name and value. ok is false at the end of the tag. The
// name may be empty (a stray '/'), and may repeat an earlier one, of which the first counts.
// If there is no value, the span is empty and comes after the name or the equals sign.
func (s *attributeScanner) next() (name, value span, ok bool) {
	s.skipSpace()
	if s.pos >= len(s.tag) || s.tag[s.pos] == '>' {
		return name, value, false
	}
	name = s.name()
	value = s.value()
	return name, value, true
}

func (s *attributeScanner) skipSpace() {
	for s.pos < len(s.tag) && isSpace(s.tag[s.pos]) {
		s.pos++
	}
}

func (s *attributeScanner) name() span {
	start := s.pos
	for ; s.pos < len(s.tag); s.pos++ {
		switch c := s.tag[s.pos]; c {
		case '=':
			// A leading equals sign belongs to the name.
			if s.pos > start {
				return span{start, s.pos}
			}
		case ' ', '\n', '\r', '\t', '\f', '/', '>':
			return span{start, s.pos}
		}
	}
	return span{start, s.pos}
}

func (s *attributeScanner) value() span {
	none := span{s.pos, s.pos}
	s.skipSpace()
	if s.pos >= len(s.tag) {
		return none
	}
	switch s.tag[s.pos] {
	case '/':
		s.pos++
		return none
	case '=':
		s.pos++
	default:
		return none
	}
	s.skipSpace()
	if s.pos >= len(s.tag) || s.tag[s.pos] == '>' {
		return span{s.pos, s.pos}
	}
	if quote := s.tag[s.pos]; quote == '"' || quote == '\'' {
		s.pos++
		start := s.pos
		for s.pos < len(s.tag) && s.tag[s.pos] != quote {
			s.pos++
		}
		end := s.pos
		s.pos = min(s.pos+1, len(s.tag))
		return span{start, end}
	}
	start := s.pos
	for s.pos < len(s.tag) && s.tag[s.pos] != '>' && !isSpace(s.tag[s.pos]) {
		s.pos++
	}
	return span{start, s.pos}
}

// tagName returns the span of the name in a raw tag: "<a href=x>" or "</a>".
func tagName(tag []byte) span {
	start := 1
	if len(tag) > 1 && tag[1] == '/' {
		start = 2
	}
	for end := start; end < len(tag); end++ {
		if c := tag[end]; c == '/' || c == '>' || isSpace(c) {
			return span{start, end}
		}
	}
	return span{start, len(tag)}
}
