package extract

// A startTag is a start tag taken apart: those of its attributes that mean
// something, and where they stand.
type startTag struct {
	raw     []byte
	start   int    // offset of '<' in the document being read
	name    []byte // in lower case; longer names than any known are cut
	element *element
	attrs   []tagAttribute // in the order of the source, the first of each name
	present uint64         // bit set of attrs
	// noFollow and ignored hold for all its links.
	noFollow, ignored bool
	codebase          span // in the harvest's arena, once a link asked for it
	codebaseRead      bool

	buffer  [longestKnown]byte
	decoded []byte // values of control attributes
}

type tagAttribute struct {
	attribute
	value span // in raw
}

// read takes a raw start tag apart.
func (t *startTag) read(raw []byte, start int) {
	t.raw, t.start = raw, start
	t.attrs, t.present, t.decoded, t.codebaseRead = t.attrs[:0], 0, t.decoded[:0], false
	at := tagName(raw)
	t.name = appendLower(t.buffer[:0], raw[at.start:min(at.end, at.start+longestKnown)])
	s := attributeScanner{tag: raw, pos: at.end}
	var buffer [longestKnown]byte
	for {
		name, value, ok := s.next()
		if !ok {
			return
		}
		if name.end-name.start > longestKnown {
			continue
		}
		a, known := attributeIndex[string(appendLower(buffer[:0], raw[name.start:name.end]))]
		if known && t.present&(1<<a) == 0 {
			t.present |= 1 << a
			t.attrs = append(t.attrs, tagAttribute{a, value})
		}
	}
}

func (t *startTag) has(a attribute) bool { return t.present&(1<<a) != 0 }

// get returns an attribute's value with character references decoded, nil when
// it is not there. It is valid until the next tag.
func (t *startTag) get(a attribute) []byte {
	if !t.has(a) {
		return nil
	}
	for _, at := range t.attrs {
		if at.attribute == a {
			value := t.raw[at.value.start:at.value.end]
			if !needsUnescape(value) {
				return value
			}
			n := len(t.decoded)
			t.decoded, _ = unescape(t.decoded, nil, value, true)
			return t.decoded[n:]
		}
	}
	return nil
}

// elementName is the name as a Link tells it; that of an element the tables do
// not have is made anew.
func (t *startTag) elementName() string {
	if t.element.name != "" {
		return t.element.name
	}
	at := tagName(t.raw)
	return string(appendLower(nil, t.raw[at.start:min(at.end, at.start+MaxText)]))
}
