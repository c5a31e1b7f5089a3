package htmltoken

import (
	"math"
	"math/bits"
)

// Run is a stretch of plain markup, which is most of a page: texts without '&', and tags of
// elements of HTML without attributes that matter to checks, except for links, written as
// [Tokenizer.plainTag] reads them. None of these tokens has an error or is foreign, and the content
// of the elements is markup.
//
// Texts and tags are apart, as what looks at the one seldom needs the other. A phrase element
// that begins and ends in the run without another tag inside, such as em and span, changes
// nothing but its text: its tags are left out.
type Run struct {
	Texts []PlainText
	Tags  []PlainTag
	// Break is the offset of the first tag behind the last text that breaks the line, -1 if there
	// is none.
	Break int32
	// KeepPhrases keeps all tags, KeepCode those of code and the like up to the end of the link
	// that is open, as they are kept in all links of the run. Both are set by the caller of NextRun.
	KeepPhrases, KeepCode bool

	texts [maxRun]PlainText
	tags  [maxRun]PlainTag
}

// PlainText is a text in a Run.
type PlainText struct {
	Start, End int32 // its offsets
	Break      int32 // as in Run, of the first tag between this text and the one before
}

// PlainTag is a tag in a Run.
type PlainTag struct {
	Start, End int32 // its offsets
	Texts      uint8 // the number of texts before it
	Kind       Kind  // StartTag or EndTag
	Element    Element
	// HasHref and HasTitle report the attributes of a link. The title is not blank.
	HasHref, HasTitle bool
}

// maxRun is the number of texts and of tags in a Run.
const maxRun = 64

// NextRun reads the next tokens as long as they are plain and there is room, and reports whether
// there are any. They are those that Next would read, which can be called afterwards. z.Token is
// not changed.
func (z *Tokenizer) NextRun(r *Run) bool {
	text, i := z.text, z.Pos
	if z.state != dataState || z.XML || len(z.Foreign.open) > 0 || len(text) > math.MaxInt32 {
		return false
	}
	kept := trait(0) // phrase elements whose tags are not left out
	switch {
	case r.KeepPhrases:
		kept = phrase
	case r.KeepCode:
		kept = code
	}
	texts, tags, lineBreak := 0, 0, int32(-1)
	for texts < maxRun && tags < maxRun && hasAt(text, i, 16) {
		start := i
		if text[i] != '<' {
			var end int
			if found := zeroBytes(wordAt(text, i+1) ^ '<'*eachByte); found != 0 {
				end = i + 1 + bits.TrailingZeros64(found)/8
			} else {
				end = indexFrom(text, i+9, '<')
			}
			if !hasAt(text, end, 3) || !isLetter(text[end+1]) && (text[end+1] != '/' || !isLetter(text[end+2])) || z.references.has(start, end) {
				break
			}
			t := &r.texts[texts]
			t.Start, t.End, t.Break = int32(start), int32(end), lineBreak // not as one value, which would be copied
			texts++
			i, lineBreak = end, -1
			continue
		}
		kind, name := StartTag, i+1
		if text[name] == '/' {
			kind, name = EndTag, i+2
		}
		key := wordAt(text, name)
		stop := notPlain(key)
		if stop == 0 {
			break // few elements have a name of eight letters or more
		}
		n := bits.TrailingZeros64(stop) &^ 7
		key &= 1<<n - 1
		end := name + n/8
		element := elementOf(key, text[name:end])
		is, has := traits[element], uint8(0)
		if is&plain == 0 {
			break
		}
		if text[end] != '>' {
			if kind == EndTag || text[end] != ' ' {
				break
			}
			if end, has = plainAttributes(text, end, element); !hasAt(text, end, 1) || text[end] != '>' || z.references.has(start, end) {
				break
			}
		}
		i = end + 1
		if is&marked != 0 || has&^hasClass != 0 {
			z.Marks.add(start)
		}
		switch {
		case is&breaksLine != 0:
			if lineBreak < 0 {
				lineBreak = int32(start)
			}
		case kind == StartTag:
			if has&hasHref != 0 {
				kept |= code
			}
		case is&phrase != 0:
			if is&kept == 0 && tags > 0 && r.tags[tags-1].Element == element && r.tags[tags-1].Kind == StartTag {
				tags--
				continue
			}
		case element == A:
			kept &^= code
		}
		t := &r.tags[tags]
		t.Start, t.End, t.Texts, t.Kind, t.Element, t.HasHref, t.HasTitle = int32(start), int32(i), uint8(texts), kind, element, has&hasHref != 0, has&hasTitle != 0
		tags++
	}
	some := i > z.Pos
	if r.Texts == nil {
		r.Texts, r.Tags = r.texts[:], r.tags[:]
	}
	r.Texts, r.Tags, r.Break, z.Pos = r.Texts[:texts], r.Tags[:tags], lineBreak, i
	return some
}

// The attributes of a plain tag, as words of a text.
const (
	classWritten = ' ' | 'c'<<8 | 'l'<<16 | 'a'<<24 | 's'<<32 | 's'<<40 | '='<<48 | '"'<<56
	titleWritten = ' ' | 't'<<8 | 'i'<<16 | 't'<<24 | 'l'<<32 | 'e'<<40 | '='<<48 | '"'<<56
	hrefWritten  = ' ' | 'h'<<8 | 'r'<<16 | 'e'<<24 | 'f'<<32 | '='<<40 | '"'<<48
	idWritten    = ' ' | 'i'<<8 | 'd'<<16 | '='<<24 | '"'<<32
)

const (
	hasClass = 1 << iota
	hasID
	hasHref
	hasTitle
)

// plainAttributes reads attributes that matter to no check, or to links alone, and returns their
// end and which there are. The end is not that of the tag if there are others.
func plainAttributes(text []byte, i int, e Element) (end int, has uint8) {
	for hasAt(text, i, 16) {
		w, value, is := wordAt(text, i), 0, uint8(0)
		switch {
		case w == classWritten:
			value, is = i+len(` class="`), hasClass
		case w&(1<<40-1) == idWritten && traits[e]&control == 0:
			value, is = i+len(` id="`), hasID
		case e == A && w&(1<<56-1) == hrefWritten:
			value, is = i+len(` href="`), hasHref
		case e == A && w == titleWritten && '!' <= text[i+8] && text[i+8] <= '~' && text[i+8] != '"':
			value, is = i+len(` title="`), hasTitle
		}
		if is == 0 || has&is != 0 {
			break
		}
		has |= is
		i = indexFrom(text, value, '"') + 1
	}
	return i, has
}

// Expand makes a plain tag the current token, without its attributes.
func (p *PlainTag) Expand(z *Tokenizer) {
	t := &z.Token
	t.Kind, t.Element, t.SelfClosing, t.Foreign, t.HasReferences = p.Kind, p.Element, false, false, false
	t.Attributes, t.Names = t.Attributes[:0], 0
	t.Start, t.End, t.DataStart, t.DataEnd = int(p.Start), int(p.End), int(p.End), int(p.End)
	name := t.Start + len("<")
	if p.Kind == EndTag {
		name++
	}
	t.NameEnd = name + len(p.Element.String())
	t.Name = z.text[name:t.NameEnd]
	z.buffer = z.buffer[:0]
}

// Expand makes a plain text the current token.
func (p *PlainText) Expand(z *Tokenizer) {
	t := &z.Token
	t.Kind, t.Element, t.Foreign, t.HasReferences = Text, Unknown, false, false
	t.Attributes, t.Names = t.Attributes[:0], 0
	t.Start, t.End, t.DataStart, t.DataEnd = int(p.Start), int(p.End), int(p.Start), int(p.End)
	z.buffer = z.buffer[:0]
}
