package extract

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
)

// Raw HTML in Markdown. All of it is read in one piece: as a document of the same
// length in which everything but raw HTML, and the text of the blocks it stands in, is
// blank. So elements may begin and end anywhere, and every place is right.

// stillInAnchor says whether text behind a tag stands inside an a element.
func stillInAnchor(tag []byte, before bool) bool {
	at := tagName(tag)
	if at.end-at.start != 1 || tag[at.start]|0x20 != 'a' {
		return before
	}
	return tag[1] != '/'
}

// htmlBlock takes a block of raw HTML over into the document that is read as HTML.
func (r *markdownReader) htmlBlock(n *ast.HTMLBlock) {
	lines := n.Lines()
	copyLine := func(start, stop int) { copy(r.htmlDocument()[start:stop], r.source[start:stop]) }
	first, last := -1, 0
	for i := range lines.Len() {
		line := lines.At(i)
		copyLine(line.Start, line.Stop)
		if first < 0 {
			first = line.Start
		}
		last = line.Stop
	}
	if n.HasClosure() {
		copyLine(n.ClosureLine.Start, n.ClosureLine.Stop)
		last = n.ClosureLine.Stop
	}
	if first >= 0 {
		r.readMarks(first, last)
	}
}

// rawInline takes the tags of a block over, and the text between them, which may
// be that of a link.
func (r *markdownReader) rawInline(v *view) {
	html := r.htmlDocument()
	for i, m := range v.marks {
		end := len(v.text)
		if i+1 < len(v.marks) {
			end = v.marks[i+1].dec
		}
		copy(html[m.src:], v.text[m.dec:end])
	}
	hide := func(at span) {
		for i := at.start; i < at.end; i++ {
			if v.text[i] == '<' {
				html[v.source(i)] = ' '
			}
		}
	}
	next := 0
	for _, it := range r.scan.items {
		if it.kind != inlineTag || it.at.start < next {
			continue
		}
		hide(span{next, it.at.start})
		next = it.at.end
		start, end := v.source(it.at.start), v.source(it.at.end)
		if tag := v.text[it.at.start:it.at.end]; bytes.HasPrefix(tag, []byte("<!--")) {
			r.readMarks(start, end)
		} else if !r.closes(tag, end) {
			html[start] = ' '
		}
	}
	hide(span{next, len(v.text)})
}

// textElements are those whose content a browser reads as text up to their end
// tag. One that stands in running text without an end tag was meant to be read,
// and must not hide what follows.
var textElements = []string{"iframe", "noembed", "noframes", "noscript", "plaintext", "script", "style", "template", "textarea", "title", "xmp"}

// closes reports whether a tag is harmless: no start tag of a text element, or
// one whose end tag follows.
func (r *markdownReader) closes(tag []byte, end int) bool {
	at := tagName(tag)
	var buffer [longestKnown]byte
	if tag[1] == '/' || at.end-at.start > longestKnown {
		return true
	}
	name := appendLower(buffer[:0], tag[at.start:at.end])
	if !slices.Contains(textElements, string(name)) {
		return true
	}
	last, known := r.lastEndTags[string(name)]
	if !known {
		last = lastEndTag(r.source, name)
		if r.lastEndTags == nil {
			r.lastEndTags = map[string]int{}
		}
		r.lastEndTags[string(name)] = last
	}
	return last >= end
}

// lastEndTag returns where the last end tag of a name begins, -1 if there is none.
func lastEndTag(b, name []byte) int {
	for end := len(b); ; {
		i := bytes.LastIndex(b[:end], []byte("</"))
		if i < 0 {
			return -1
		}
		if n := i + 2 + len(name); n <= len(b) && equalFold(b[i+2:n], string(name)) {
			return i
		}
		end = i
	}
}

// htmlDocument is the document that is read as HTML: blank at first.
func (r *markdownReader) htmlDocument() []byte {
	if r.html == nil {
		r.html = bytes.Clone(r.src.text)
		blank(r.html)
	}
	return r.html
}

// leaveTag puts a void tag where a link of Markdown stands, when it matters which
// elements it stands in, and returns its place, -1 without one. A construct
// shorter than the tag goes without.
func (r *markdownReader) leaveTag(start, end int) int32 {
	const tag = "<br>"
	if !r.marked || end-start < len(tag) || start+len(tag) > len(r.source) {
		return -1
	}
	if r.lastTag < 0 || start >= r.lastTag+len(tag) { // an image in a link shares its tag
		copy(r.htmlDocument()[start:], tag)
		r.lastTag = start
	}
	return int32(r.lastTag)
}

// readMarks notes the lines that the comments of a piece of raw HTML name.
func (r *markdownReader) readMarks(start, end int) {
	for {
		n := bytes.Index(r.source[start:end], []byte("<!--"))
		if n < 0 {
			return
		}
		start += n
		comment, content := start, start+len("<!--")
		n = bytes.Index(r.source[start+2:end], []byte("-->")) // <!--> is a comment too
		if n < 0 {
			return
		}
		start += 2 + n + len("-->")
		if content < start {
			r.mark(r.source[content:start], comment, start)
		}
	}
}

// mark obeys what a comment says of the links around it: ours, or what a document
// says to markdown-link-check, which many have been written for. Within a part that
// is left out as a whole nothing but its end counts.
func (r *markdownReader) mark(content []byte, start, end int) {
	if isNextLineMark(content) {
		if !r.disabled {
			r.ignoreLineAfter(end)
		}
		return
	}
	words, ok := bytes.CutPrefix(trimSpace(content), []byte("markdown-link-check-"))
	if !ok {
		return
	}
	word, _, _ := bytes.Cut(words, []byte("-->"))
	switch word = trimSpace(word); {
	case string(word) == "enable":
		if r.disabled {
			r.disabled, r.ignored[len(r.ignored)-1].end = false, start
		}
	case r.disabled:
	case string(word) == "disable":
		if !r.ignore(start, len(r.source)) {
			r.ignored[len(r.ignored)-1].end = len(r.source)
		}
		r.disabled = true
	case string(word) == "disable-next-line":
		r.ignoreLineAfter(end)
	case string(word) == "disable-line":
		if n := len(r.ignored); n == 0 || r.ignored[n-1].end <= start { // looked for once a line
			r.ignore(1+bytes.LastIndexAny(r.source[:start], "\r\n"), endOfLine(r.source, end))
		}
	}
}

// ignore leaves out what begins in a part of the document, unless the part begins
// before the last one that is left out.
func (r *markdownReader) ignore(start, end int) bool {
	if n := len(r.ignored); n > 0 && r.ignored[n-1].start >= start {
		return false
	}
	r.ignored = append(r.ignored, span{start, end})
	return true
}

// isNextLineMark reports whether the content of a comment is the mark. A reason
// may follow it.
func isNextLineMark(comment []byte) bool {
	words, ok := bytes.CutPrefix(trimSpace(comment), []byte(ignoreNextLine))
	return ok && (len(words) == 0 || !isAlphanumeric(words[0]) && words[0] != '_')
}

// ignoreLineAfter notes the next line with something in it: formatters put a
// blank line behind a comment.
func (r *markdownReader) ignoreLineAfter(off int) {
	b := r.source
	start := skipSpace(b, min(endOfLine(b, off), len(b)))
	if start == len(b) {
		return
	}
	r.ignore(start, endOfLine(b, start))
}

// readHTML reads the raw HTML, in one piece, and puts its links between those of
// Markdown.
func (r *markdownReader) readHTML(in *Input) {
	h := r.harvest
	h.doc.Static = true
	if r.html == nil {
		return
	}
	own := slices.Clone(h.links)
	h.links = h.links[:0]
	source := h.src.text
	h.src.text = r.html
	title := h.doc.Title
	h.bare = false // in the body stands, too, what is blanked out here
	readHTML(h, &Input{AnchorsOnly: in.AnchorsOnly}, false)
	// A page is built around the document: its base, its title and what it
	// says to robots are not for the document to say.
	h.doc.Base, h.doc.NoFollow, h.doc.NoIndex, h.doc.Canonical = "", false, false, ""
	if title != "" {
		h.doc.Title = title
	}
	h.links = slices.DeleteFunc(h.links, func(f Link) bool {
		return holdsPlaceholder([]byte(f.Ref)) || strings.HasPrefix(f.Ref, "{") // JSX
	})
	for i := range h.links {
		h.links[i].Repeats = 0 // their places are not what they were
	}
	r.chooseMarked(own)
	h.src.text = source
	if len(h.links) > MaxLinks {
		h.links = h.links[:MaxLinks]
		h.fault("read links: more than %d, the rest is left out", MaxLinks)
	}
}

// chooseMarked adds the links of Markdown. When an element may bear the mark to
// leave its content out, those are looked for with it that left a tag.
func (r *markdownReader) chooseMarked(own []Link) {
	h := r.harvest
	if r.marked {
		raw := h.links
		h.links = slices.Clone(own)
		h.links = slices.DeleteFunc(h.links, func(f Link) bool { return f.tag < 0 })
		slices.SortFunc(h.links, func(a, b Link) int { return cmp.Compare(a.tag, b.tag) })
		h.choose(&Input{})
		ignored := map[int32]bool{}
		for i := range h.links {
			if h.links[i].Ignored {
				ignored[h.links[i].tag] = true
			}
		}
		for i := range own {
			own[i].Ignored = own[i].Ignored || own[i].tag >= 0 && ignored[own[i].tag]
		}
		h.links = raw
	}
	h.links = append(h.links, own...)
}
