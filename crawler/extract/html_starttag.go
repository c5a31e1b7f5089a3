package extract

import "bytes"

// A startTag is a start tag taken apart: those of its attributes that mean
// something, and where they stand.
type startTag struct {
	doc     []byte // that the tag stands in
	clean   bool   // doc is known to hold neither CR nor NUL
	start   int    // offset of '<'
	name    span   // in doc
	key     nameKey
	element *element       // of HTML; the reader puts that of SVG in its place
	attrs   []tagAttribute // in the order of the source, the first of each name
	present uint64         // bit set of attrs
	// noFollow and ignored hold for all its links.
	noFollow, ignored bool
	codebase          string // once a link asked for it
	codebaseRead      bool

	decoded []byte // values of control attributes
}

type tagAttribute struct {
	attribute
	value span // in doc
}

// begin starts a tag whose name begins at name.
func (t *startTag) begin(start, name int) {
	t.start, t.name.start = start, name
	t.attrs, t.present, t.decoded = t.attrs[:0], 0, t.decoded[:0]
	t.noFollow, t.ignored, t.codebaseRead = false, false, false
}

// add notes an attribute, unless it was there before.
func (t *startTag) add(a attribute, value span) {
	if t.present&(1<<a) == 0 {
		t.present |= 1 << a
		t.attrs = append(t.attrs, tagAttribute{a, value})
	}
}

// read takes the tag apart that stands between start and end, however odd it is, and
// reports whether it ends with "/>", the solidus being of no value.
func (t *startTag) read(start, end int) (selfClosing bool) {
	raw := t.doc[start:end]
	at := tagName(raw)
	t.begin(start, start+at.start)
	t.name.end = start + at.end
	t.key = keyOf(raw[at.start:at.end])
	t.element = htmlElements.find(t.key, raw[at.start:at.end])
	s := attributeScanner{tag: raw, pos: at.end}
	behind := at.end // the last value
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

// meansNothing reports whether the reader would make nothing of the tag where it
// keeps track of nothing but links.
func (t *startTag) meansNothing() bool {
	return t.present&(1<<attrProperty-1) == 0 && t.element.role == roleNone
}

// needsUnescape is the function of that name, for text out of the tag's document.
func (t *startTag) needsUnescape(b []byte) bool {
	if t.clean {
		return bytes.IndexByte(b, '&') >= 0
	}
	return needsUnescape(b)
}

func (t *startTag) has(a attribute) bool { return t.present&(1<<a) != 0 }

// span is where an attribute's value stands; empty when it is not there.
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

// get returns an attribute's value with character references decoded, nil when
// it is not there. It is valid until the next tag.
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

// is reports whether the tag's name is the one given, in lower case.
func (t *startTag) is(name string) bool {
	return equalFold(t.doc[t.name.start:t.name.end], name)
}

// elementName is the name as a Link tells it; that of an element the tables do
// not have is made anew.
func (t *startTag) elementName() string {
	if t.element.name != "" {
		return t.element.name
	}
	return string(appendLower(nil, t.doc[t.name.start:min(t.name.end, t.name.start+MaxText)]))
}
