package htmltoken

import "math"

// Plain is a token of the kind that most are: a text without '&', or a tag of an element of HTML
// with at most the attribute class, written as [Tokenizer.plainTag] reads it. It never has an
// error, is never foreign, and its content is markup.
type Plain struct {
	Start, End int32 // the offsets of the token
	Kind       Kind  // Text, StartTag or EndTag
	Element    Element
}

// NextPlain appends the next tokens to list, as long as they are plain and there is room. They
// are those that Next would read, which can be called afterwards. z.Token is not changed.
func (z *Tokenizer) NextPlain(list []Plain) []Plain {
	text, i := z.text, z.pos
	if z.state != dataState || z.XML || len(z.foreign.open) > 0 || len(text) > math.MaxInt32 {
		return list
	}
	for len(list) < cap(list) && hasAt(text, i, 16) {
		start := i
		if text[i] != '<' {
			i = indexFrom(text, i+1, '<')
			if !hasAt(text, i, 3) || !isLetter(text[i+1]) && (text[i+1] != '/' || !isLetter(text[i+2])) || z.references.has(start, i) {
				z.pos = start
				return list
			}
			list = append(list, Plain{int32(start), int32(i), Text, Unknown})
			continue
		}
		kind, name := StartTag, i+1
		if text[name] == '/' {
			kind, name = EndTag, i+2
		}
		key, end := plainName(text, name)
		element := elementOf(key, text[name:end])
		if element == Unknown || !hasAt(text, end, 1) {
			break
		}
		if kind == StartTag {
			if contentState[element] != dataState || element == SVG || element == Math {
				break
			}
			if text[end] == ' ' {
				end = plainClass(text, &z.references, end)
			}
		}
		if !hasAt(text, end, 1) || text[end] != '>' {
			break
		}
		i = end + 1
		list = append(list, Plain{int32(start), int32(i), kind, element})
		z.pos = i
	}
	z.pos = i
	return list
}

// classBegun is ` class="` as a word of a text.
const classBegun = ' ' | 'c'<<8 | 'l'<<16 | 'a'<<24 | 's'<<32 | 's'<<40 | '='<<48 | '"'<<56

// plainClass returns the end of the attribute class, which is the only one of its tag, -1 if
// there is something else at i.
func plainClass(text []byte, r *references, i int) int {
	if !hasAt(text, i, 8) || wordAt(text, i) != classBegun {
		return -1
	}
	end := indexFrom(text, i+8, '"')
	if r.has(i, end) {
		return -1
	}
	return end + 1
}

// Expand makes a plain token the current one, without its attribute.
func (z *Tokenizer) Expand(p *Plain) {
	t := &z.Token
	t.Kind, t.Element, t.SelfClosing, t.Foreign, t.HasReferences = p.Kind, p.Element, false, false, false
	t.Attributes, t.Names = t.Attributes[:0], 0
	t.Start, t.End, t.DataStart, t.DataEnd = int(p.Start), int(p.End), int(p.End), int(p.End)
	switch p.Kind {
	case Text:
		t.DataStart = t.Start
	case StartTag, EndTag:
		name := t.Start + len("<")
		if p.Kind == EndTag {
			name++
		}
		t.NameEnd = name + len(p.Element.String())
		t.Name = z.text[name:t.NameEnd]
	}
	z.buffer = z.buffer[:0]
}
