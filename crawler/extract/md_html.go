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

// markdownHTML is the document that is read as HTML.
type markdownHTML struct {
	markdown []byte // the document that it is made of
	source   []byte // the same as the block parser reads it
	text     []byte // as long as markdown; nil while no raw HTML was found
	// marked says that the document holds IgnoreAttribute somewhere. Links leave a
	// tag in the text then, so that the elements around them are known.
	marked  bool
	lastTag int // the offset of the last of those tags, -1 without one
	// lastEndTags are the offsets of the last end tags of text elements, by name.
	lastEndTags map[string]int
}

// document is the text, blank at first.
func (m *markdownHTML) document() []byte {
	if m.text == nil {
		m.text = bytes.Clone(m.markdown)
		blank(m.text)
	}
	return m.text
}

// leaveTag puts a void tag where a link of Markdown stands, when it matters which
// elements it stands in, and returns its place, -1 without one. A construct
// shorter than the tag goes without.
func (m *markdownHTML) leaveTag(start, end int) int32 {
	const tag = "<br>"
	if !m.marked || end-start < len(tag) || start+len(tag) > len(m.source) {
		return -1
	}
	if m.lastTag < 0 || start >= m.lastTag+len(tag) { // an image in a link shares its tag
		copy(m.document()[start:], tag)
		m.lastTag = start
	}
	return int32(m.lastTag)
}

// closes reports whether a tag is harmless: no start tag of a text element, or
// one whose end tag follows.
func (m *markdownHTML) closes(tag []byte, end int) bool {
	at := tagName(tag)
	var buffer [longestKnown]byte
	if tag[1] == '/' || at.end-at.start > longestKnown {
		return true
	}
	name := appendLower(buffer[:0], tag[at.start:at.end])
	if !slices.Contains(textElements, string(name)) {
		return true
	}
	last, known := m.lastEndTags[string(name)]
	if !known {
		last = lastEndTag(m.source, name)
		if m.lastEndTags == nil {
			m.lastEndTags = map[string]int{}
		}
		m.lastEndTags[string(name)] = last
	}
	return last >= end
}

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
	copyLine := func(start, stop int) { copy(r.html.document()[start:stop], r.source[start:stop]) }
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
		r.ignored.read(first, last)
	}
}

// rawInline takes the tags of a block over, and the text between them, which may
// be that of a link.
func (r *markdownReader) rawInline(v *view) {
	html := r.html.document()
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
			r.ignored.read(start, end)
		} else if !r.html.closes(tag, end) {
			html[start] = ' '
		}
	}
	hide(span{next, len(v.text)})
}

// textElements are those whose content a browser reads as text up to their end
// tag. One that stands in running text without an end tag was meant to be read,
// and must not hide what follows.
var textElements = []string{"iframe", "noembed", "noframes", "noscript", "plaintext", "script", "style", "template", "textarea", "title", "xmp"}

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

// readHTML reads the raw HTML, in one piece, and puts its links between those of
// Markdown.
func (r *markdownReader) readHTML(in *Input) {
	h := r.harvest
	h.doc.Static = true
	if r.html.text == nil {
		return
	}
	own := slices.Clone(h.links)
	h.links = h.links[:0]
	source := h.src.text
	h.src.text = r.html.text
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
		h.tooManyLinks()
	}
}

// chooseMarked adds the links of Markdown. When an element may bear the mark to
// leave its content out, those are looked for with it that left a tag.
func (r *markdownReader) chooseMarked(own []Link) {
	h := r.harvest
	if r.html.marked {
		raw := h.links
		h.links = slices.Clone(own)
		h.links = slices.DeleteFunc(h.links, func(f Link) bool { return f.tag < 0 })
		slices.SortFunc(h.links, func(a, b Link) int { return cmp.Compare(a.tag, b.tag) })
		h.applySelectors(&Input{})
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
