package extract

import "bytes"

// xmlTokens splits XML into events with positions. The scanner exists because encoding/xml
// does not report the positions of attribute values, stops at the first unknown entity and
// supports no encoding other than UTF-8. It tolerates errors where it can. It does not expand
// entities that a document defines, so entity expansion attacks have no effect.
type xmlTokens struct {
	src        []byte
	pos        int
	start, end int // offsets of the event
	// name is the span of a tag's name, and attributesAt is the offset at which its
	// attributes start.
	name         span
	attributesAt int
	text         span // the event's content, without the delimiters of CDATA
	literal      bool // text is CDATA, which has no character references
	selfClosing  bool
	fault        string
}

type xmlEvent uint8

const (
	xmlEnd xmlEvent = iota
	xmlText
	xmlStartTag
	xmlEndTag
	xmlInstruction // <?name text?>
	xmlOther       // a comment or a doctype
)

func (t *xmlTokens) reset(src []byte) { *t = xmlTokens{src: src} }

// next returns the next event.
func (t *xmlTokens) next() xmlEvent {
	t.start = t.pos
	if t.pos >= len(t.src) || t.fault != "" {
		t.end = t.pos
		return xmlEnd
	}
	if t.src[t.pos] != '<' {
		t.pos = len(t.src)
		if n := bytes.IndexByte(t.src[t.start:], '<'); n >= 0 {
			t.pos = t.start + n
		}
		t.end, t.text, t.literal = t.pos, span{t.start, t.pos}, false
		return xmlText
	}
	rest := t.src[t.pos:]
	switch {
	case bytes.HasPrefix(rest, []byte("<!--")):
		return t.upTo("-->", len("<!--"), xmlOther, "a comment")
	case bytes.HasPrefix(rest, []byte("<![CDATA[")):
		e := t.upTo("]]>", len("<![CDATA["), xmlText, "a CDATA section")
		t.literal = true
		return e
	case bytes.HasPrefix(rest, []byte("<?")):
		e := t.upTo("?>", len("<?"), xmlInstruction, "a processing instruction")
		t.nameIn(t.text.start, t.text.end)
		return e
	case bytes.HasPrefix(rest, []byte("<!")):
		return t.doctype()
	}
	return t.tag()
}

// upTo reads up to the end mark of the event.
func (t *xmlTokens) upTo(mark string, open int, e xmlEvent, what string) xmlEvent {
	from := t.pos + open
	n := bytes.Index(t.src[from:], []byte(mark))
	if n < 0 {
		return t.cutOff(what)
	}
	t.text, t.literal = span{from, from + n}, false
	t.pos = from + n + len(mark)
	t.end = t.pos
	return e
}

func (t *xmlTokens) cutOff(what string) xmlEvent {
	t.fault = "unexpected end inside " + what
	t.pos, t.end = len(t.src), len(t.src)
	return xmlEnd
}

// doctype skips a document type declaration, including the declarations in brackets.
func (t *xmlTokens) doctype() xmlEvent {
	depth, quote := 0, byte(0)
	for i := t.pos; i < len(t.src); i++ {
		switch c := t.src[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case bytes.HasPrefix(t.src[i:], []byte("<!--")):
			n := bytes.Index(t.src[i:], []byte("-->"))
			if n < 0 {
				return t.cutOff("a comment")
			}
			i += n + len("-->") - 1
		case c == '"' || c == '\'':
			quote = c
		case c == '<' || c == '[':
			depth++
		case c == '>' || c == ']':
			if depth--; depth <= 0 && c == '>' {
				t.pos = i + 1
				t.end = t.pos
				return xmlOther
			}
		}
	}
	return t.cutOff("its document type declaration")
}

func (t *xmlTokens) tag() xmlEvent {
	e, from := xmlStartTag, t.pos+1
	if from < len(t.src) && t.src[from] == '/' {
		e, from = xmlEndTag, from+1
	}
	end, quote := from, byte(0)
scan:
	for ; end < len(t.src); end++ {
		switch c := t.src[end]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '>':
			break scan
		case c == '<':
			break scan // the tag was not closed
		}
	}
	if end == len(t.src) {
		return t.cutOff("a tag")
	}
	t.pos = end
	if t.src[end] == '>' {
		t.pos++
	}
	t.end = t.pos
	t.selfClosing = e == xmlStartTag && t.src[end-1] == '/'
	t.nameIn(from, end)
	if t.name.start == t.name.end { // "< " does not start a tag
		t.text, t.literal = span{t.start, t.end}, false
		return xmlText
	}
	return e
}

func (t *xmlTokens) nameIn(from, end int) {
	i := from
	for i < end && !isSpace(t.src[i]) && t.src[i] != '/' && t.src[i] != '?' {
		i++
	}
	t.name, t.attributesAt = span{from, i}, i
}

// localName splits a tag's name at the colon of its prefix.
func localName(name []byte) (prefix, local []byte) {
	if i := bytes.IndexByte(name, ':'); i >= 0 {
		return name[:i], name[i+1:]
	}
	return nil, name
}

// attributes returns a scanner for the event's attributes. The spans it returns are relative
// to the returned base offset.
func (t *xmlTokens) attributes() (s attributeScanner, base int) {
	end := t.end
	if t.src[end-1] == '>' { // of an instruction too
		end--
	}
	return attributeScanner{tag: t.src[t.attributesAt:end]}, t.attributesAt
}
