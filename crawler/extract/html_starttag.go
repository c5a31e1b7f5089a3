package extract

import (
	"bytes"

	"github.com/orbweaver/orbweaver/crawler/internal/htmltoken"
)

// A startTag holds the parts of a start tag: its name and the attributes that have a meaning.
type startTag struct {
	doc     []byte         // the document that contains the tag
	clean   bool           // doc is known to contain neither CR nor NUL
	start   int            // offset of '<'
	name    span           // in doc
	element *element       // of HTML; the reader replaces it inside SVG
	attrs   []tagAttribute // in the order of the source, the first of each name
	present uint64         // bit set of attrs
	svg     bool           // an element of SVG
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

// read reads the tag of a token.
func (t *startTag) read(token *htmltoken.Token) {
	t.start, t.name = token.Start, span{token.Start + len("<"), token.NameEnd}
	t.attrs, t.present, t.decoded = t.attrs[:0], 0, t.decoded[:0]
	t.noFollow, t.ignored, t.codebaseRead = false, false, false
	if t.element = knownElements[token.Element]; t.element == nil {
		t.element = htmlElements.find(keyOf(token.Name), token.Name)
	}
	for i := range token.Attributes {
		a := &token.Attributes[i]
		if a.Key == classKey {
			continue // the most common one
		}
		if known := knownAttributes.find(nameKey(a.Key), a.Name); known >= 0 {
			t.add(attribute(known), span{a.ValueStart, a.ValueEnd})
		}
	}
}

const classKey = 'c' | 'l'<<8 | 'a'<<16 | 's'<<24 | 's'<<32

// add adds an attribute, unless the tag already has it.
func (t *startTag) add(a attribute, value span) {
	if t.present&(1<<a) == 0 {
		t.present |= 1 << a
		t.attrs = append(t.attrs, tagAttribute{a, value})
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
	return string(appendLower(nil, t.doc[t.name.start:min(t.name.end, t.name.start+maxText)]))
}
