package extract

import "bytes"

// The scanner reads ordinary markup: it jumps from '<' to '<' and reads tags in place.
// Anything unusual is left to the tokenizer. The functions here report that with their
// results, and then have changed nothing.

// scan is next for a document whose markup has been ordinary so far.
func (t *tokens) scan() event {
	if t.textTag != "" {
		if e, ok := t.textContent(); ok {
			return e
		}
	}
	if t.skip == skipNothing {
		return t.scanEvent()
	}
	t.start = t.skim(t.start, t.skip == skipTags)
	e := t.scanEvent()
	if t.tokenizer == nil && (e == eventStartTag && t.tag.meansNothing() || e == eventEndTag && closesNothing(t.endName)) {
		return eventSkipped
	}
	return e
}

// closesNothing reports whether no end tag with a name of this length closes an element that
// the reader tracks: a, form, template, noscript, frameset.
func closesNothing(name span) bool {
	n := name.end - name.start
	return n != len("a") && n != len("form") && n != len("template")
}

// scanEvent reads one event.
func (t *tokens) scanEvent() event {
	doc := t.doc
	for pos := t.start; ; {
		lt := indexFrom(doc, pos, '<')
		if lt+1 >= len(doc) {
			t.end = len(doc)
			if t.start == t.end {
				return eventEnd
			}
			return eventText
		}
		c := doc[lt+1]
		if !isLetter(c) && c != '/' && c != '!' && c != '?' {
			pos = lt + 1 // '<' is plain text
			continue
		}
		if lt > t.start {
			t.end = lt
			return eventText
		}
		switch {
		case c == '/':
			if t.scanEndTag() {
				return eventEndTag
			}
		case c == '!':
			if t.scanDeclaration() {
				return eventComment
			}
		case c == '?':
			if t.scanTo('>') {
				return eventComment
			}
		case t.scanStartTag():
			return eventStartTag
		}
		return t.handOver()
	}
}

// textContent reads the content of an element whose content is text. ok is false if it is
// empty.
func (t *tokens) textContent() (e event, ok bool) {
	doc, name := t.doc, t.textTag
	t.textTag = ""
	if t.start == len(doc) {
		return eventEnd, true
	}
	if name == "plaintext" {
		t.end = len(doc)
		return eventText, true
	}
	for pos := t.start; ; {
		n := bytes.IndexByte(doc[pos:], '<')
		if n < 0 {
			return t.handOverIn(name), true // the end tag is missing
		}
		lt := pos + n
		pos = lt + 1
		switch tail := doc[pos:]; {
		case len(tail) == 0:
		case tail[0] == '/':
			tail = tail[1:]
			if len(tail) > len(name) && equalFold(tail[:len(name)], name) && endsName(tail[len(name)]) {
				t.end = lt
				return eventText, lt > t.start
			}
		case tail[0] == '!' && name == "script":
			if bytes.HasPrefix(tail, []byte("!--")) {
				return t.handOverIn(name), true // the end tag may be part of the comment
			}
		}
	}
}

func endsName(c byte) bool { return isSpace(c) || c == '/' || c == '>' }

// scanTo reads up to and including a byte.
func (t *tokens) scanTo(c byte) bool {
	n := bytes.IndexByte(t.doc[t.start:], c)
	t.end = t.start + n + 1
	return n >= 0
}

// scanDeclaration reads a comment or a doctype.
func (t *tokens) scanDeclaration() bool {
	rest := t.doc[t.start+len("<!"):]
	if len(rest) == 0 || rest[0]|0x20 == 'd' {
		return t.scanTo('>')
	}
	content, isComment := bytes.CutPrefix(rest, []byte("--"))
	if !isComment || len(content) == 0 || content[0] == '>' || content[0] == '-' {
		return false
	}
	n := bytes.Index(content, []byte("-->"))
	if n < 0 || bytes.Contains(content[:n], []byte("--!")) {
		return false
	}
	t.end = t.start + len("<!--") + n + len("-->")
	return true
}

// scanEndTag reads an end tag: a name and, at most, white space.
func (t *tokens) scanEndTag() bool {
	doc, start := t.doc, t.start+len("</")
	if start == len(doc) || !isLetter(doc[start]) {
		return false
	}
	_, end := nameAt(doc, start)
	i := skipSpace(doc, end)
	if i == len(doc) || doc[i] != '>' {
		return false
	}
	t.endName, t.end = span{start, end}, i+1
	return true
}

// scanStartTag reads a start tag. Attributes are separated by white space, their
// values quoted, bare or missing.
func (t *tokens) scanStartTag() bool {
	doc, tag := t.doc, &t.tag
	i := t.start + len("<")
	tag.begin(t.start, i)
	tag.key, tag.name.end = nameAt(doc, i)
	i = tag.name.end
	if tag.element = elementA; tag.key != 'a' {
		tag.element = htmlElements.find(tag.key, doc[tag.name.start:i])
	}
	for {
		i = t.scanPlainAttributes(i)
		before := i
		i = skipSpace(doc, i)
		if i == len(doc) {
			return false
		}
		switch c := doc[i]; {
		case c == '>':
			t.selfClosing, t.end = false, i+1
			t.textTag = tag.element.textTag
			return true
		case c == '/' && i+1 < len(doc) && doc[i+1] == '>':
			t.selfClosing, t.end = true, i+2
			t.textTag = tag.element.textTag
			return true
		case i == before: // no space after the name or the closing quote
			return false
		}
		name := span{start: i}
		var key nameKey
		key, i = nameAt(doc, i)
		name.end = i
		if i+1 >= len(doc) || name.start == name.end {
			return false
		}
		value := span{i, i}
		switch c := doc[i]; {
		case c == '=':
			if value = t.scanValue(name.end); value.end < 0 {
				return false
			}
			if i = value.end; doc[value.start-1] != '=' {
				i++ // skip the quote
			}
		case c == '/' || c == '>' || isSpace(c):
			if next := skipSpace(doc, i); next == len(doc) || doc[next] == '=' {
				return false
			}
		default:
			return false
		}
		if a := knownAttributes.find(key, doc[name.start:name.end]); a >= 0 {
			tag.add(attribute(a), value)
		}
	}
}

// scanPlainAttributes reads attributes in the most common form, ` name="value"`, and returns
// the index of the first byte that does not fit.
func (t *tokens) scanPlainAttributes(i int) int {
	for doc := t.doc; hasAt(doc, i, skimWindow) && doc[i] == ' '; {
		a, start := plainAttributeAt(doc, i+len(" "))
		if start < 0 {
			return i
		}
		n := bytes.IndexByte(doc[start:], '"')
		if n < 0 {
			return i
		}
		if a >= 0 {
			t.tag.add(attribute(a), span{start, start + n})
		}
		i = start + n + len(`"`)
	}
	return i
}

// The most common attributes, up to the start of their values, as words of a document.
const (
	classWritten = 'c' | 'l'<<8 | 'a'<<16 | 's'<<24 | 's'<<32 | '='<<40 | '"'<<48
	hrefWritten  = 'h' | 'r'<<8 | 'e'<<16 | 'f'<<24 | '='<<32 | '"'<<40
	titleWritten = 't' | 'i'<<8 | 't'<<16 | 'l'<<24 | 'e'<<32 | '='<<40 | '"'<<48
	idWritten    = 'i' | 'd'<<8 | '='<<16 | '"'<<24
)

// plainAttributeAt returns the number of the attribute whose name starts at i, -1 if it is
// unknown, and the start of its quoted value, -1 if there is none.
func plainAttributeAt(doc []byte, i int) (number, value int) {
	w := wordAt(doc, i)
	switch {
	case w&(1<<56-1) == classWritten:
		return -1, i + len(`class="`)
	case w&(1<<48-1) == hrefWritten:
		return int(attrHref), i + len(`href="`)
	case w&(1<<56-1) == titleWritten:
		return int(attrTitle), i + len(`title="`)
	case w&(1<<32-1) == idWritten:
		return int(attrID), i + len(`id="`)
	}
	key, end := nameAt(doc, i)
	value = end + len(`="`)
	if end == i || value >= len(doc) || doc[end] != '=' || doc[end+1] != '"' {
		return -1, -1
	}
	return knownAttributes.find(key, doc[i:end]), value
}

// scanValue reads the value of the attribute whose equals sign is at i. The end is -1 if the
// value is unusual.
func (t *tokens) scanValue(i int) span {
	doc := t.doc
	i += len("=")
	if c := doc[i]; c == '"' || c == '\'' {
		n := bytes.IndexByte(doc[i+1:], c)
		if n < 0 {
			return span{0, -1}
		}
		return span{i + 1, i + 1 + n}
	}
	start := i
	for i < len(doc) && isBareByte(doc[i]) {
		i++
	}
	if i == len(doc) || i == start || !isSpace(doc[i]) && doc[i] != '>' {
		return span{0, -1}
	}
	return span{start, i}
}

// isBareByte reports whether a byte is ordinary in an unquoted attribute value.
func isBareByte(c byte) bool {
	return c > ' ' && c != '"' && c != '\'' && c != '`' && c != '<' && c != '>'
}
