package extract

import "bytes"

// Most links have the same form: an a element with at most a quoted class, href and title,
// which contains text and tags without meaning. This file reads such links from "<a" to
// "</a>" without splitting them into events, which would check each tag for everything it
// could mean. It also reads tags whose only meaning is their id. The result is the same as
// with events. Everything else is left to the events, which continue from there.

// plainLinks reads links and ids as long as they are plain and only markup that skim skips
// comes between them.
func (r *htmlReader) plainLinks() {
	t := &r.tokens
	if r.open.inert > 0 || !r.attributes.want || r.attributes.view.parent != nil || t.slowPath {
		return
	}
	for {
		if r.link.first < r.link.end {
			r.plainContent()
		}
		start := t.skim(t.end, r.link.first < r.link.end)
		href, title, end := plainLinkTag(t.doc, start)
		if end < 0 {
			var id span
			if id, end = plainIDTag(t.doc, start); end < 0 || r.xml && id.start > 0 && hasUpper(t.doc[id.start-len(`id="`):id.start]) {
				t.end = start
				return
			}
			r.attributes.anchorOf(id)
			t.end = end
			continue
		}
		r.endLink()
		first, bare := len(r.links), r.bare && len(r.open.templates) == 0 // the end of a template closes the elements open in the link's text
		ignored := r.ignore.covers(start) || r.ignore.covers(href.start)
		before, repeats := r.attributes.repeatedLink(ruleOfA, href)
		if repeats && bare && !ignored && r.links[before].same(&Link{}) {
			r.doc.BareRepeats = append(r.doc.BareRepeats, BareRepeat{First: int32(before), Tag: int32(start) + 1})
			t.end = end
			continue
		}
		r.unplaced = bare
		if repeats {
			r.addRepeat(before, href.start)
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
				f.Text = r.sharedText(first, text)
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

// ruleOfA is the rule for the href of an a element.
var ruleOfA = elementA.rule(attrHref)

// plainLinkTag reads the start tag of a plain link. It returns the spans of the attribute
// values and the end of the tag, which is -1 for any other tag.
func plainLinkTag(doc []byte, i int) (href, title span, end int) {
	const tag = "<a"
	if !hasAt(doc, i, skimWindow) || string(doc[i:i+len(tag)]) != tag {
		return href, title, -1
	}
	i += len(tag)
	for hasAt(doc, i, skimWindow) && doc[i] == ' ' {
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

// plainIDTag reads a start tag whose only meaningful attribute is an id, of an element
// without a role. The end is -1 for any other tag.
func plainIDTag(doc []byte, i int) (id span, end int) {
	if !hasAt(doc, i, skimWindow) || doc[i] != '<' {
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
	for hasAt(doc, i, skimWindow) && doc[i] == ' ' {
		a, value := plainAttributeAt(doc, i+len(" "))
		if value < 0 || meaningfulWithoutRole(a) && (a != int(attrID) || id.start > 0) {
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
// call, and the end of the link, if the text is contiguous. Otherwise the end is -1.
func (r *htmlReader) plainText(pos int) (text []byte, end int) {
	at, end := contiguousText(r.tokens.doc, pos)
	if end < 0 {
		return nil, -1
	}
	if text = r.tokens.doc[at.start:at.end]; r.tokens.tag.needsUnescape(text) {
		text = r.attributes.text(at.start, text, false).text
	}
	if len(text) > maxText || foldedLength(text, true) < len(text) {
		r.folded = foldSpace(r.folded[:0], text)
		text = r.folded
	}
	return trimFolded(text), end
}

// contiguousText returns the span of the text of a link whose start tag ends at pos, and the
// end of the link, if the link contains only one run of text and tags without meaning.
// Otherwise the end is -1.
func contiguousText(doc []byte, pos int) (text span, end int) {
	pos = skim(doc, pos, true)
	end = indexFrom(doc, pos, '<')
	if len(doc)-end < skimWindow {
		return text, -1
	}
	if next := doc[end+1]; next != '/' && !isLetter(next) {
		return text, -1 // '<' may be plain text
	}
	text = span{pos, end}
	if string(doc[end:end+len(linkEnd)]) != linkEnd {
		if end = skim(doc, end, true); len(doc)-end < len(linkEnd) || string(doc[end:end+len(linkEnd)]) != linkEnd {
			return text, -1
		}
	}
	return text, end + len(linkEnd)
}

// plainContent reads to the end of the open a element, or up to markup that has a meaning.
func (r *htmlReader) plainContent() {
	t := &r.tokens
	doc := t.doc
	for {
		t.end = skim(doc, t.end, true)
		if len(doc)-t.end < skimWindow {
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
			return // '<' may be plain text
		}
		if len(r.link.text) < maxText {
			r.link.text = foldSpace(r.link.text, r.attributes.text(t.end, doc[t.end:end], false).text)
		}
		t.end = end
	}
}
