package extract

import "bytes"

// The scanner reads ordinary markup: it jumps from '<' to '<' and takes tags
// apart where they stand. What it is not sure of it leaves to the tokenizer: each
// of these functions says so by its answer, and has changed nothing then.

// scan is next for a document that is ordinary so far.
func (t *tokens) scan() event {
	doc := t.doc
	if t.textTag != "" {
		if e, ok := t.textContent(); ok {
			return e
		}
	}
	for pos := t.start; ; {
		n := bytes.IndexByte(doc[pos:], '<')
		if n < 0 || pos+n+1 == len(doc) {
			t.end = len(doc)
			if t.start == t.end {
				return eventEnd
			}
			return eventText
		}
		lt := pos + n
		c := doc[lt+1]
		if !isLetter(c) && c != '/' && c != '!' && c != '?' {
			pos = lt + 1 // a sign like any other
			continue
		}
		if lt > t.start && !t.idle {
			t.end = lt
			return eventText
		}
		t.start = lt
		switch {
		case c == '/':
			if !t.scanEndTag() {
				return t.handOver()
			}
			if !t.idle || t.closesKnown() {
				return eventEndTag
			}
		case c == '!':
			if !t.scanDeclaration() {
				return t.handOver()
			}
			return eventComment
		case c == '?':
			if !t.scanTo('>') {
				return t.handOver()
			}
			return eventComment
		default:
			if !t.scanStartTag() {
				return t.handOver()
			}
			if !t.idle || t.tag.present != 0 || t.tag.element.role != roleNone {
				return eventStartTag
			}
		}
		t.start, pos = t.end, t.end
	}
}

// closesKnown reports whether an end tag may be one that the reader keeps track of.
func (t *tokens) closesKnown() bool {
	switch t.endName.end - t.endName.start {
	case len("a"):
		return t.doc[t.endName.start]|0x20 == 'a'
	case len("form"):
		return t.doc[t.endName.start]|0x20 == 'f'
	case len("template"): // noscript and frameset too
		return true
	}
	return false
}

// textContent reads the content of an element whose content is text; false
// where there is none.
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
			return t.handOverIn(name), true // it has no end tag
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
				return t.handOverIn(name), true // inside, its end tag may be none
			}
		}
	}
}

func endsName(c byte) bool { return isSpace(c) || c == '/' || c == '>' }

// scanTo reads up to a byte.
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
	doc, i := t.doc, t.start+len("</")
	if i == len(doc) || !isLetter(doc[i]) {
		return false
	}
	name := span{i, i}
	for i < len(doc) && nameBytes[doc[i]] != 0 {
		i++
	}
	name.end = i
	if i = skipSpace(doc, i); i == len(doc) || doc[i] != '>' {
		return false
	}
	t.endName, t.end = name, i+1
	return true
}

// scanStartTag reads a start tag. Attributes are separated by white space, their
// values quoted, bare or missing.
func (t *tokens) scanStartTag() bool {
	doc, tag := t.doc, &t.tag
	i := t.start + len("<")
	tag.begin(t.start, i)
	key := nameKey(0)
	for ; i < len(doc); i++ {
		c := nameBytes[doc[i]]
		if c == 0 {
			break
		}
		key = key.step(c)
	}
	tag.name.end, tag.key = i, key
	tag.element = htmlElements.find(key, doc[tag.name.start:i])
	for {
		spaced := false
		for ; i < len(doc) && isSpace(doc[i]); i++ {
			spaced = true
		}
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
		case !spaced:
			return false
		}
		name, key := span{i, i}, nameKey(0)
		for ; i < len(doc); i++ {
			c := nameBytes[doc[i]]
			if c == 0 {
				break
			}
			key = key.step(c)
		}
		name.end = i
		if i+1 >= len(doc) || name.start == name.end {
			return false
		}
		value := span{i, i}
		if c := doc[i]; c == '=' {
			i++
			switch c := doc[i]; c {
			case '"', '\'':
				n := bytes.IndexByte(doc[i+1:], c)
				if n < 0 {
					return false
				}
				value = span{i + 1, i + 1 + n}
				i = value.end + 1
			default:
				value.start = i
				for i < len(doc) && isBareByte(doc[i]) {
					i++
				}
				value.end = i
				if i == len(doc) || i == value.start || !isSpace(doc[i]) && doc[i] != '>' {
					return false
				}
				if doc[i] == '>' && doc[i-1] == '/' && t.repeats(name) {
					return false // the tokenizer takes the value's solidus for the tag's then
				}
			}
		} else if next := skipSpace(doc, i); next == len(doc) || doc[next] == '=' {
			return false
		}
		if a := knownAttributes.find(key, doc[name.start:name.end]); a >= 0 {
			tag.add(attribute(a), value)
		}
	}
}

// repeats reports whether the tag being read has an attribute of this name before.
func (t *tokens) repeats(name span) bool {
	s := attributeScanner{tag: t.doc[t.tag.name.end:name.start]}
	for {
		other, _, ok := s.next()
		if !ok {
			return false
		}
		if bytes.EqualFold(s.tag[other.start:other.end], t.doc[name.start:name.end]) { // both are ASCII
			return true
		}
	}
}

// isBareByte reports whether a byte is ordinary in an attribute's value without quotes.
func isBareByte(c byte) bool {
	return c > ' ' && c != '"' && c != '\'' && c != '`' && c != '<' && c != '>'
}
