package extract

import "bytes"

// A startTag holds the parts of a start tag: its name and the attributes that have a meaning.
type startTag struct {
	doc     []byte // the document that contains the tag
	clean   bool   // doc is known to contain neither CR nor NUL
	start   int    // offset of '<'
	name    span   // in doc
	key     nameKey
	element *element       // of HTML; the reader replaces it inside SVG
	attrs   []tagAttribute // in the order of the source, the first of each name
	present uint64         // bit set of attrs
	// noFollow and ignored apply to all links of the tag.
	noFollow, ignored bool
	codebase          string // valid if codebaseRead
	codebaseRead      bool

	decoded []byte // decoded values returned by get
}

type tagAttribute struct {
	attribute
	value span // in doc
}

// begin starts a tag whose name starts at the offset name.
func (t *startTag) begin(start, name int) {
	t.start, t.name.start = start, name
	t.attrs, t.present, t.decoded = t.attrs[:0], 0, t.decoded[:0]
	t.noFollow, t.ignored, t.codebaseRead = false, false, false
}

// add adds an attribute, unless the tag already has it.
func (t *startTag) add(a attribute, value span) {
	if t.present&(1<<a) == 0 {
		t.present |= 1 << a
		t.attrs = append(t.attrs, tagAttribute{a, value})
	}
}

// read reads the tag between start and end, however malformed, and reports whether it ends
// with "/>" and the slash is not part of a value.
func (t *startTag) read(start, end int) (selfClosing bool) {
	raw := t.doc[start:end]
	at := tagName(raw)
	t.begin(start, start+at.start)
	t.name.end = start + at.end
	t.key = keyOf(raw[at.start:at.end])
	t.element = htmlElements.find(t.key, raw[at.start:at.end])
	s := attributeScanner{tag: raw, pos: at.end}
	behind := at.end // end of the last value
	for {
		name, value, ok := s.next()
		if !ok {
			return bytes.HasSuffix(raw[behind:], []byte("/>"))
		}
		behind = value.end
		if name.end-name.start > longestKnown {
			continue
		}
		n := raw[name.start:name.end]
		if a := knownAttributes.find(keyOf(n), n); a >= 0 {
			t.add(attribute(a), span{start + value.start, start + value.end})
		}
	}
}

// matchCase removes from a tag of XML, which ends at end, what has a meaning only in lower
// case and is not written so. It reports whether the element has become unknown.
func (t *startTag) matchCase(end int) (unknown bool) {
	raw := t.doc[t.start:end]
	if unknown = hasUpper(t.doc[t.name.start:t.name.end]); unknown {
		t.element = &unknownElement
	}
	if t.present == 0 {
		return unknown
	}
	t.attrs, t.present = t.attrs[:0], 0
	s := attributeScanner{tag: raw, pos: t.name.end - t.start}
	for {
		name, value, ok := s.next()
		if !ok {
			return unknown
		}
		n := raw[name.start:name.end]
		if len(n) > longestKnown || hasUpper(n) {
			continue
		}
		if a := knownAttributes.find(keyOf(n), n); a >= 0 {
			t.add(attribute(a), span{t.start + value.start, t.start + value.end})
		}
	}
}

// meansNothing reports whether the tag has no effect on a reader that only tracks links.
func (t *startTag) meansNothing() bool {
	return t.present&(1<<attrProperty-1) == 0 && t.element.role == roleNone
}

// needsUnescape is like the function needsUnescape, for text from the tag's document.
func (t *startTag) needsUnescape(b []byte) bool {
	if t.clean {
		return bytes.IndexByte(b, '&') >= 0
	}
	return needsUnescape(b)
}

func (t *startTag) has(a attribute) bool { return t.present&(1<<a) != 0 }

// span returns the span of an attribute's value, which is empty if the tag has no such
// attribute.
func (t *startTag) span(a attribute) span {
	if t.has(a) {
		for _, at := range t.attrs {
			if at.attribute == a {
				return at.value
			}
		}
	}
	return span{}
}

// get returns an attribute's value with character references decoded, or nil if the tag has
// no such attribute. It is valid until the next tag.
func (t *startTag) get(a attribute) []byte {
	if !t.has(a) {
		return nil
	}
	at := t.span(a)
	value := t.doc[at.start:at.end]
	if !t.needsUnescape(value) {
		return value
	}
	n := len(t.decoded)
	t.decoded, _ = unescape(t.decoded, nil, value, true)
	return t.decoded[n:]
}

// is reports whether the tag has the given name, which must be in lower case.
func (t *startTag) is(name string) bool {
	return equalFold(t.doc[t.name.start:t.name.end], name)
}

// elementName returns the name as it appears in a Link. The name of an unknown element is
// newly allocated.
func (t *startTag) elementName() string {
	if t.element.name != "" {
		return t.element.name
	}
	return string(appendLower(nil, t.doc[t.name.start:min(t.name.end, t.name.start+MaxText)]))
}
