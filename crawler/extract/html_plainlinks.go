package extract

import "bytes"

// Most links of most pages are written alike: an a element whose tag bears a class,
// a href and a title at most, in quotes, and in it text and tags that mean nothing.
// These are read here, from "<a" to "</a>", where the way over events would ask of
// each tag all that a tag can mean. So are tags that mean nothing but their id. What is
// read so is what that way would find: whatever else stands there is left to it, from
// where it stands on.

// plainLinks reads links and ids as long as they are plain, and nothing but what skim
// passes over stands before and between them.
func (r *htmlReader) plainLinks() {
	t := &r.tokens
	if r.open.inert > 0 || !r.attributes.want || r.attributes.view.parent != nil || !t.inPlace() {
		return
	}
	for {
		if r.link.first < r.link.end {
			r.plainContent()
		}
		start := skim(t.doc, t.end, r.link.first < r.link.end)
		href, title, end := plainLinkTag(t.doc, start)
		if end < 0 {
			var id span
			if id, end = plainIDTag(t.doc, start); end < 0 {
				t.end = start
				return
			}
			r.attributes.anchorOf(id)
			t.end = end
			continue
		}
		r.endLink()
		first, bare := len(r.links), r.bare && len(r.open.templates) == 0 // whose end closes what the link's text has open
		ignored := r.ignore.covers(start) || r.ignore.covers(href.start)
		before, repeats := r.attributes.firstOf(ruleOfA, href)
		if repeats && bare && !ignored && r.links[before].same(&Link{}) {
			r.doc.BareRepeats = append(r.doc.BareRepeats, BareRepeat{First: int32(before), Tag: int32(start) + 1})
			t.end = end
			continue
		}
		r.unplaced = bare
		if repeats {
			r.repeat(before, href.start)
		} else {
			r.attributes.newURL(ruleOfA, href, ExpectAny)
		}
		r.unplaced = false
		if first < len(r.links) {
			f := &r.links[first]
			f.tag = int32(start)
			f.Ignored = ignored
			if bare {
				f.Tag = f.tag + 1
				t.end = end
				continue
			}
			if text, after := r.plainText(end); after >= 0 && (len(text) > 0 || title.end == title.start) {
				f.Text = r.textAgain(first, text)
				t.end = after
				continue
			}
		}
		l := &r.link
		l.first, l.end, l.text = first, len(r.links), l.text[:0]
		l.title, l.label = title, span{}
		t.end = end
	}
}

const linkEnd = "</a>"

// ruleOfA is the one for the href of an a.
var ruleOfA = elementA.rule(attrHref)

// plainLinkTag reads the start tag of a plain link and returns where its attributes'
// values stand, and where it ends; -1 for any other.
func plainLinkTag(doc []byte, i int) (href, title span, end int) {
	const tag = "<a"
	if !hasAt(doc, i, glance) || string(doc[i:i+len(tag)]) != tag {
		return href, title, -1
	}
	i += len(tag)
	for hasAt(doc, i, glance) && doc[i] == ' ' {
		value := i + len(" ")
		var at *span
		switch w := wordAt(doc, value); {
		case w&(1<<56-1) == classWritten:
			value += len(`class="`)
		case w&(1<<48-1) == hrefWritten && href.start == 0:
			value += len(`href="`)
			at = &href
		case w&(1<<56-1) == titleWritten && title.start == 0:
			value += len(`title="`)
			at = &title
		default:
			return href, title, -1
		}
		n := bytes.IndexByte(doc[value:], '"')
		if n < 0 {
			return href, title, -1
		}
		if at != nil {
			*at = span{value, value + n}
		}
		i = value + n + len(`"`)
	}
	if i == len(doc) || doc[i] != '>' || href.start == 0 {
		return href, title, -1
	}
	return href, title, i + len(">")
}

// plainIDTag reads a start tag that bears an id and nothing else with a meaning, of an
// element without a role; the end is -1 for any other.
func plainIDTag(doc []byte, i int) (id span, end int) {
	if !hasAt(doc, i, glance) || doc[i] != '<' {
		return id, -1
	}
	name := wordAt(doc, i+len("<"))
	n := lettersIn(name)
	if mayHaveRole(name, n) && hasRole(name, n, doc[i+len("<"):]) {
		return id, -1
	}
	if i += len("<") + n; n == len("h") && byte(name)|0x20 == 'h' && '1' <= doc[i] && doc[i] <= '6' {
		i++
	}
	for hasAt(doc, i, glance) && doc[i] == ' ' {
		a, value := plainAttributeAt(doc, i+len(" "))
		if value < 0 || meansAlone(a) && (a != int(attrID) || id.start > 0) {
			return id, -1
		}
		i = indexFrom(doc, value, '"')
		if a == int(attrID) {
			id = span{value, i}
		}
		i += len(`"`)
	}
	if i >= len(doc) || doc[i] != '>' {
		return id, -1
	}
	return id, i + len(">")
}

// plainText returns the text of a link whose start tag ends at pos, valid until the next
// one, and where the link ends, when it is in one piece. The end is -1 for any other.
func (r *htmlReader) plainText(pos int) (text []byte, end int) {
	at, end := onePiece(r.tokens.doc, pos)
	if end < 0 {
		return nil, -1
	}
	if text = r.tokens.doc[at.start:at.end]; r.tokens.tag.needsUnescape(text) {
		text = r.attributes.text(at.start, text, false).text
	}
	if len(text) > MaxText || foldedLength(text, true) < len(text) {
		r.folded = foldSpace(r.folded[:0], text)
		text = r.folded
	}
	return trimFolded(text), end
}

// onePiece finds the text of a link whose start tag ends at pos, and where the link ends,
// when there is no more in it than tags that mean nothing. The end is -1 for any other.
func onePiece(doc []byte, pos int) (text span, end int) {
	pos = skim(doc, pos, true)
	end = indexFrom(doc, pos, '<')
	if len(doc)-end < glance {
		return text, -1
	}
	if next := doc[end+1]; next != '/' && !isLetter(next) {
		return text, -1 // a sign like any other, perhaps
	}
	text = span{pos, end}
	if string(doc[end:end+len(linkEnd)]) != linkEnd {
		if end = skim(doc, end, true); len(doc)-end < len(linkEnd) || string(doc[end:end+len(linkEnd)]) != linkEnd {
			return text, -1
		}
	}
	return text, end + len(linkEnd)
}

// plainContent reads on to the end of the a element that is open, or to where
// something stands that is neither text nor means nothing.
func (r *htmlReader) plainContent() {
	t := &r.tokens
	doc := t.doc
	for {
		t.end = skim(doc, t.end, true)
		if len(doc)-t.end < glance {
			return
		}
		if doc[t.end] == '<' {
			if string(doc[t.end:t.end+len(linkEnd)]) == linkEnd {
				t.end += len(linkEnd)
				r.endLink()
			}
			return
		}
		end := indexFrom(doc, t.end, '<')
		if end+1 >= len(doc) || !isLetter(doc[end+1]) && doc[end+1] != '/' {
			return // a sign like any other, perhaps
		}
		if len(r.link.text) < MaxText {
			r.link.text = foldSpace(r.link.text, r.attributes.text(t.end, doc[t.end:end], false).text)
		}
		t.end = end
	}
}
