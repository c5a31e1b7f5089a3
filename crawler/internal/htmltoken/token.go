package htmltoken

// Kind is the kind of a token.
type Kind uint8

// The kinds of tokens.
const (
	Text Kind = iota
	StartTag
	EndTag
	Comment
	Doctype
	CDATA
)

// Token is one token of a document. Offsets are in bytes of the text of the document. All
// slices are valid until the next call of [Tokenizer.Next].
type Token struct {
	Kind Kind
	// Element is the number of the name of a tag.
	Element Element
	// SelfClosing reports whether a start tag ends with "/>".
	SelfClosing bool
	// Foreign reports whether a start tag is that of an element of SVG or MathML, and
	// whether a token of another kind is within such an element.
	Foreign bool
	// Math reports whether a foreign start tag is that of an element of MathML.
	Math bool
	// HasReferences reports whether a text has an '&' that may begin a character reference.
	// It is false where character references mean nothing, as in scripts.
	HasReferences bool
	// Start and End are the offsets of the whole token.
	Start, End int
	// DataStart and DataEnd are the offsets of the content of a text, a comment or a CDATA
	// section.
	DataStart, DataEnd int
	// Name is the name of a tag or doctype in lower case. It means nothing for tokens of
	// other kinds.
	Name []byte
	// NameEnd is the end of the name of a tag in the source, where it begins behind "<" or
	// "</". Its length differs from that of Name if it has a NUL.
	NameEnd int
	// Attributes are the attributes of a tag, each name once, at most MaxAttributes. An end
	// tag should have none.
	Attributes []Attribute
	// Names has the bits of the names of all Attributes.
	Names NameBits
}

// NameBits tells without a search that a tag has none of some attributes: a name has one of 64
// bits, which it may share with other names.
type NameBits uint64

// BitsOf returns the bits of names in lower case.
func BitsOf(names ...string) (b NameBits) {
	for _, name := range names {
		b |= nameBit(keyOf([]byte(name)))
	}
	return b
}

// nameBit returns the bit of a name with a key. The factor is one by which the names that most
// tags have do not share their bits with names that checks look for.
func nameBit(key uint64) NameBits { return 1 << (key * 0xFF51AFD7ED558CCD >> 58) }

// Attribute is an attribute of a tag.
type Attribute struct {
	Name []byte // in lower case
	Key  uint64 // the first eight bytes of Name, the first byte lowest
	// NameStart and NameEnd are the offsets of the name, ValueStart and ValueEnd those of
	// the value without its quotes. The value of an attribute without one is empty and
	// begins at NameEnd.
	NameStart, NameEnd, ValueStart, ValueEnd int
	// HasReferences reports whether the value has an '&' that may begin a character
	// reference.
	HasReferences bool
}

// Attribute returns the attribute with a name in lower case, nil if there is none.
func (t *Token) Attribute(name string) *Attribute { return find(t.Attributes, name) }

func find(attributes []Attribute, name string) *Attribute {
	for i := range attributes {
		if string(attributes[i].Name) == name {
			return &attributes[i]
		}
	}
	return nil
}
