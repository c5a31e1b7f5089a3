// Package htmltoken splits an HTML document into tokens and finds its parse errors, as the
// tokenizer of the HTML Standard does (13.2.5).
//
// Tokens are spans of the source. Nothing is copied but names in upper case, and nothing is
// decoded until a value or a text is asked for. Ordinary tags are read by [Tokenizer.plainTag],
// all others by code that follows the states of the standard. [Tokenizer.NextRun] reads a
// run of the simplest tokens, which most are.
//
// There is no tree. What the parser of the standard tells its tokenizer is known here by the
// last start tag and by the SVG and MathML elements that are open.
package htmltoken

import "bytes"

// MaxAttributes is the number of attributes of one tag that are kept.
const MaxAttributes = 1 << 16

// fewAttributes is the number of attributes of one tag among which a name is searched one after
// another.
const fewAttributes = 256

// Tokenizer splits a document into tokens. Reset must be called first. It allocates nothing
// once its buffers have grown. It must not be copied.
type Tokenizer struct {
	// Token is the current token, valid after Next returned true.
	Token Token
	// DoctypeIDs describes the current token if it is a doctype.
	DoctypeIDs DoctypeIDs
	// XML makes the tokenizer read the markup of XML: no element has a content without
	// markup, and CDATA sections may be anywhere. It is to be set after Reset.
	XML bool
	// OmitReferences may leave HasReferences unset, for a caller that finds character references
	// itself. It is to be set after Reset.
	OmitReferences bool
	// Pos is the end of the current token. It may be moved on if what is passed over does not
	// matter to the tokens behind.
	Pos int
	// Foreign has the elements of SVG and MathML that are open.
	Foreign Foreign
	// Marks are the offsets of all markup up to the end of the current token that may matter to
	// links and anchors.
	Marks Marks
	// Errors are the parse errors up to the end of the current token, if they were asked for.
	Errors Errors
	// Dropped reports whether a tag had more than MaxAttributes.
	Dropped bool

	text         []byte
	state        state  // of the text from pos on
	lastStartTag string // the name of the element whose content is not markup
	references   references
	buffer       []byte // names and values of the current token that are not as in the source
	many         attributeNames
}

// DoctypeIDs are the parts of a doctype behind its name.
type DoctypeIDs struct {
	HasName, HasPublic, HasSystem bool
	Public, System                []byte
	ForceQuirks                   bool
}

// Reset makes the tokenizer begin a text, which must be valid UTF-8 without a byte order mark.
// errors asks for the parse errors.
func (z *Tokenizer) Reset(text []byte, errors bool) {
	attributes := z.Token.Attributes[:0]
	if text == nil {
		clear(attributes[:cap(attributes)]) // they refer to another text
		if cap(attributes) > 2*fewAttributes {
			attributes = nil
		}
	}
	*z = Tokenizer{
		text:       text,
		Errors:     Errors{List: z.Errors.List[:0], wanted: errors},
		references: references{text: text, next: -1, names: z.references.names, errors: &z.Errors},
		Foreign:    Foreign{open: z.Foreign.open[:0]},
		buffer:     z.buffer[:0],
		Marks:      Marks{List: z.Marks.List[:0]},
	}
	z.Token.Attributes = attributes
	if errors {
		z.Errors.checkCharacters(text)
	}
}

// Continue makes the tokenizer go on at an offset of a text, with markup.
func (z *Tokenizer) Continue(text []byte, pos int) {
	z.text, z.Pos, z.state = text, pos, dataState
	z.references.text, z.references.next = text, -1
	z.Foreign = Foreign{open: z.Foreign.open[:0]}
}

// Enter says that what follows is the content of an element of HTML, or markup if it is Unknown.
func (z *Tokenizer) Enter(e Element) { z.state, z.lastStartTag = contentState[e], e.String() }

// AtMarkup reports whether markup may follow, rather than text up to an end tag.
func (z *Tokenizer) AtMarkup() bool { return z.state == dataState }

// Next reads the next token into z.Token and returns false at the end of the text.
func (z *Tokenizer) Next() bool {
	z.buffer = z.buffer[:0]
	if z.state != dataState && z.rawText() {
		return true
	}
	for pos := z.Pos; pos < len(z.text); {
		lt := indexFrom(z.text, pos, '<')
		if lt+1 < len(z.text) {
			c := z.text[lt+1]
			if !isLetter(c) && (c != '/' || lt+2 == len(z.text)) && c != '!' && c != '?' {
				if c == '/' {
					z.Errors.add("eof-before-tag-name", lt+2)
				} else {
					z.Errors.add("invalid-first-character-of-tag-name", lt+1)
				}
				pos = lt + 1
				continue
			}
		} else if lt < len(z.text) {
			z.Errors.add("eof-before-tag-name", lt+1)
			lt = len(z.text)
		}
		if lt > z.Pos {
			z.textToken(lt, true)
			return true
		}
		z.Marks.add(z.Pos)
		if z.plainTag() || z.markup() {
			return true
		}
		pos = z.Pos
	}
	return false
}

// textToken makes the text up to end the current token.
func (z *Tokenizer) textToken(end int, references bool) {
	t := &z.Token
	t.Kind, t.Element, t.Attributes, t.Names = Text, Unknown, t.Attributes[:0], 0
	t.Start, t.End, t.DataStart, t.DataEnd = z.Pos, end, z.Pos, end
	t.Foreign = z.Foreign.inside()
	t.HasReferences = references && !z.OmitReferences && z.references.check(z.Pos, end, false)
	z.Pos = end
}

// dataToken makes a comment or a CDATA section the current token.
func (z *Tokenizer) dataToken(kind Kind, dataStart, dataEnd, end int) {
	t := &z.Token
	t.Kind, t.Element, t.Attributes, t.Names, t.HasReferences = kind, Unknown, t.Attributes[:0], 0, false
	t.Start, t.End, t.DataStart, t.DataEnd = z.Pos, end, dataStart, dataEnd
	t.Foreign = z.Foreign.inside()
	z.Pos = end
}

// plainTag reads a tag without errors whose names are in lower case, with any white space but
// none around equals signs. It returns false and changes nothing but the attributes if the markup
// is another.
func (z *Tokenizer) plainTag() bool {
	text, t := z.text, &z.Token
	i := z.Pos + 1
	if i >= len(text) {
		return false
	}
	end := text[i] == '/'
	if end {
		i++
	}
	key, n := plainName(text, i)
	if n == i || n >= len(text) || !isLetter(text[i]) {
		return false
	}
	name, nameEnd := text[i:n], n
	if i = n; end {
		if text[i] != '>' {
			return false
		}
		t.Kind, t.SelfClosing, t.Attributes, t.Names = EndTag, false, t.Attributes[:0], 0
		z.tag(key, name, nameEnd, i+1)
		return true
	}
	attributes, names, selfClosing := t.Attributes[:0], NameBits(0), false
	for text[i] != '>' {
		before := i
		for isSpace(text[i]) {
			if i++; i == len(text) {
				return false
			}
		}
		key, n := plainName(text, i)
		if n == i && text[i] == '>' {
			break
		}
		if n == i && hasAt(text, i, 2) && text[i] == '/' && text[i+1] == '>' {
			selfClosing = true
			i++
			break
		}
		if n == i || i == before || !hasAt(text, n, len(`="">`)) {
			return false
		}
		value, valueEnd, next := n, n, n
		switch c := text[n]; {
		case c == '=' && (text[n+1] == '"' || text[n+1] == '\''):
			value = n + len(`="`)
			valueEnd = indexFrom(text, value, text[n+1])
			next = valueEnd + 1
		case c == '=':
			value = n + len("=")
			valueEnd = bareEnd(text, value, z.Errors.wanted)
			if next = valueEnd; next == value {
				return false
			}
		case c == '>' || c == '/':
		case !isSpace(c), text[skipSpace(text, n)%len(text)] == '=':
			return false
		}
		if next >= len(text) {
			return false
		}
		bit := nameBit(key)
		if names&bit != 0 && find(attributes, string(text[i:n])) != nil || len(attributes) == fewAttributes {
			return false
		}
		names |= bit
		if len(attributes) == cap(attributes) {
			attributes = append(attributes, Attribute{})
		} else {
			attributes = attributes[:len(attributes)+1] // writes less than append does
		}
		a := &attributes[len(attributes)-1]
		a.Name, a.Key, a.NameStart, a.NameEnd, a.ValueStart, a.ValueEnd, a.HasReferences = text[i:n], key, i, n, value, valueEnd, false
		i = next
	}
	if len(attributes) > 0 && !z.OmitReferences && z.references.has(z.Pos, i) {
		for j := range attributes {
			a := &attributes[j]
			a.HasReferences = z.references.check(a.ValueStart, a.ValueEnd, true)
		}
	}
	t.Kind, t.SelfClosing, t.Attributes, t.Names = StartTag, selfClosing, attributes, names
	z.tag(key, name, nameEnd, i+1)
	return true
}

// bareEnd returns the end of the value without quotation marks at i, i itself if it has an error.
// An equals sign is one that only matters to a strict reader.
func bareEnd(text []byte, i int, strict bool) int {
	end := i
	for end < len(text) && isBare[text[end]] {
		end++
	}
	if end < len(text) && !isSpace(text[end]) && text[end] != '>' || strict && bytes.IndexByte(text[i:end], '=') >= 0 {
		return i
	}
	return end
}

// isBare marks the bytes of a value that needs no quotation marks, and '='.
var isBare = func() (bare [256]bool) {
	for c := range bare {
		bare[c] = !isSpace(byte(c)) && bytes.IndexByte([]byte("\"'`<>"), byte(c)) < 0
	}
	return bare
}()

// tag completes a tag whose kind, attributes and SelfClosing are set.
func (z *Tokenizer) tag(key uint64, name []byte, nameEnd, end int) {
	t := &z.Token
	t.Name, t.NameEnd, t.Element = name, nameEnd, elementOf(key, name)
	t.Start, t.End, t.HasReferences = z.Pos, end, false
	t.DataStart, t.DataEnd = end, end
	z.Pos = end
	t.Foreign = (len(z.Foreign.open) > 0 || t.Element == SVG || t.Element == Math) && z.Foreign.tag(t, z.text)
	if state := contentState[t.Element]; state != dataState && t.Kind == StartTag && !t.Foreign && !z.XML {
		z.state, z.lastStartTag = state, t.Element.String()
	}
}

// markup reads a tag of any form, a comment, a doctype or a CDATA section. It returns false if
// nothing comes of the markup, which is skipped.
func (z *Tokenizer) markup() bool {
	rest := z.text[z.Pos:]
	switch rest[1] {
	case '!':
		switch rest := rest[2:]; {
		case bytes.HasPrefix(rest, []byte("--")):
			z.comment()
		case len(rest) >= 7 && bytes.EqualFold(rest[:7], []byte("doctype")):
			z.doctype()
		case bytes.HasPrefix(rest, []byte("[CDATA[")) && (z.XML || z.Foreign.cdata):
			z.cdata(z.Pos + len("<![CDATA["))
		case bytes.HasPrefix(rest, []byte("[CDATA[")):
			z.Errors.add("cdata-in-html-content", z.Pos+8)
			z.bogusComment(z.Pos + 2)
		default:
			z.Errors.add("incorrectly-opened-comment", z.Pos+2)
			z.bogusComment(z.Pos + 2)
		}
		return true
	case '?':
		z.Errors.add("unexpected-question-mark-instead-of-tag-name", z.Pos+1)
		z.bogusComment(z.Pos + 1)
		return true
	case '/':
		switch c := rest[2]; {
		case c == '>':
			z.Errors.add("missing-end-tag-name", z.Pos+2)
			z.Pos += 3
			return false
		case !isLetter(c):
			z.Errors.add("invalid-first-character-of-tag-name", z.Pos+2)
			z.bogusComment(z.Pos + 2)
			return true
		}
	}
	return z.anyTag()
}
